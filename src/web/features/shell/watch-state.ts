import type { FleetSnapshot } from '#monitor/live.ts'
import type { Boot, KeyState } from '#react/dashboard.ts'
import { shellTexts } from '#texts/en-shell.ts'

const words = shellTexts.status

/** What the screen is doing, in a few words, and whether it is watching at all. */
export type WatchState = { readonly text: string; readonly live: boolean }

const idle = (text: string): WatchState => ({ text, live: false })

export function watchState(fleet: FleetSnapshot, { keys, report, failed }: KeyState, boot: Boot): WatchState {
  if (boot === 'starting') return idle(words.starting)
  if (failed) return idle(words.signerFailed)
  if (report !== undefined && keys.length === 0) return idle(words.noKey)
  if (fleet.nodes.size === 0) return idle(words.nothing)
  return answering(fleet)
}

function answering({ nodes, screen }: FleetSnapshot): WatchState {
  let failing = 0
  let silent = 0
  for (const node of nodes.values()) {
    if (node.episode !== undefined) failing++
    else if (node.reading === undefined) silent++
  }
  if (failing === nodes.size) return idle(screen.offline ? words.offline : words.waiting)
  if (failing + silent === nodes.size) return idle(words.firstAnswers)
  return { text: failing === 0 ? words.live : words.liveExcept(failing, nodes.size), live: true }
}
