import type { FleetSnapshot } from '#fleet/live.ts'
import type { EngineState } from '#engine/bridge.ts'
import { needsKey } from '#signing/profile-needs.ts'
import type { Boot, KeyState } from '#react/dashboard.ts'
import { shellTexts } from '#texts/en-shell.ts'

const words = shellTexts.status

/** What the screen is doing, in a few words, and whether it is watching at all. */
export type WatchState = {
  readonly text: string
  readonly live: boolean
  /** Why nothing is asked, where a person at this screen can mend it. */
  readonly lacks?: 'key' | 'unlocking'
}

const idle = (text: string, lacks?: WatchState['lacks']): WatchState => ({
  text,
  live: false,
  ...(lacks && { lacks }),
})

export function watchState(
  fleet: FleetSnapshot,
  { keys, report, failed }: KeyState,
  boot: Boot,
  engine: EngineState,
): WatchState {
  // A service that takes no signature is asked all the same.
  const needsKeys = Array.from(fleet.services.values()).every(({ service }) => needsKey(service))
  if (boot === 'starting') return idle(words.starting)
  if (engine.kind === 'waiting') return idle(words.elsewhere)
  if (failed) return idle(words.signerFailed)
  if (needsKeys && report !== undefined && keys.length === 0) return idle(words.noKey, 'key')
  if (needsKeys && keys.length > 0 && keys.every((key) => key.locked === true))
    return idle(words.locked, 'unlocking')
  if (fleet.nodes.size === 0) return idle(words.nothing)
  return answering(fleet)
}

function answering({ nodes, screen }: FleetSnapshot): WatchState {
  let failing = 0
  let locked = 0
  let tokenless = 0
  let silent = 0
  for (const node of nodes.values()) {
    if (node.episode?.failure.kind === 'key-locked') locked++
    else if (node.episode !== undefined) {
      failing++
      if (node.episode.failure.kind === 'no-token') tokenless++
    } else if (node.reading === undefined) silent++
  }
  // Whoever is not asked is not waited for.
  if (locked === nodes.size) return idle(words.locked, 'unlocking')
  if (tokenless === nodes.size) return idle(words.noToken)
  if (failing + locked === nodes.size) return idle(screen.offline ? words.offline : words.waiting)
  if (failing + locked + silent === nodes.size) return idle(words.firstAnswers)
  return { text: words.live(failing, locked, nodes.size), live: true }
}
