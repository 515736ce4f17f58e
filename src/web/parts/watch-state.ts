import { nodesOfOwnServer } from '#fleet/cause.ts'
import { isCurrentAt, isOverdue } from '#fleet/assessment.ts'
import { type AssessedNode, pollIntervalOf } from '#fleet/live.ts'
import { countedNodes, type FleetSnapshot } from '#fleet/snapshot.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { EngineState } from '#engine/bridge.ts'
import { needsKey } from '#signing/profile-needs.ts'
import type { Boot, KeyState } from '#react/dashboard.ts'
import { shellTexts } from '#texts/en-shell.ts'

const words = shellTexts.status

/** The polling state in a few words, and whether polling is active. */
export type WatchState = {
  readonly text: string
  readonly live: boolean
  /** Why polling is paused, if a person at this screen can fix that. */
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
  nowMs: number,
): WatchState {
  // A service without signatures is polled without a key.
  const needsKeys = Array.from(fleet.services.values()).every(({ service }) => needsKey(service))
  if (boot === 'starting') return idle(words.starting)
  if (engine.kind === 'waiting') return idle(words.elsewhere)
  if (failed) return idle(words.signerFailed)
  if (needsKeys && report !== undefined && keys.length === 0) return idle(words.noKey, 'key')
  if (needsKeys && keys.length > 0 && keys.every((key) => key.locked === true))
    return idle(words.locked, 'unlocking')
  if (fleet.nodes.size === 0) return idle(words.nothing)
  return answering(fleet, nowMs)
}

/** A node's state for the status line. `silent`: no answer yet, and none overdue. */
type Hearing = 'heard' | 'missed' | 'silent' | 'overdue' | 'locked' | 'tokenless'

function hearingOf(node: AssessedNode, { services }: FleetSnapshot, nowMs: number): Hearing {
  const { episode, reading, answered, serviceId } = node
  const kind = episode?.failure.kind
  if (kind === 'key-locked') return 'locked'
  if (kind === 'no-token') return 'tokenless'
  const intervalMs = pollIntervalOf(node, services.get(serviceId))
  if (isOverdue(node, intervalMs, nowMs)) return 'overdue'
  // A cache that repeats an answer for a moment counts as answered.
  if (kind === 'repeated') return 'heard'
  if (episode !== undefined) return 'missed'
  return reading === undefined || answered === 0 ? 'silent' : 'heard'
}

const failsBy =
  (kind: FailureKind) =>
  ({ episode }: AssessedNode): boolean =>
    episode?.failure.kind === kind

function answering(fleet: FleetSnapshot, nowMs: number): WatchState {
  const counts = { heard: 0, missed: 0, silent: 0, overdue: 0, locked: 0, tokenless: 0 }
  const nodes = Array.from(countedNodes(fleet).values())
  for (const node of nodes) counts[hearingOf(node, fleet, nowMs)]++
  const all = nodes.length
  const { missed, silent, overdue, locked, tokenless } = counts
  const failing = missed + overdue + tokenless
  // Nodes that are not polled are not waited for.
  if (locked === all) return idle(words.locked, 'unlocking')
  if (tokenless === all) return idle(words.noToken)
  if (nodes.every(failsBy('signed-out'))) return idle(words.signedOut)
  // No request leaves this screen, so the service is not to blame.
  if (nodes.every(failsBy('signer-failed'))) return idle(words.signerFailed)
  if (failing + locked === all) {
    if (fleet.screen.offline) return idle(words.offline)
    const ofServer = nodesOfOwnServer(fleet.causes)
    const isServer =
      ofServer.size > 0 && nodes.every(({ key, episode }) => episode === undefined || ofServer.has(key))
    return idle(isServer ? words.ownServer : words.waiting)
  }
  if (failing + locked + silent === all) return idle(words.firstAnswers)
  // The same count as that of the class without data.
  const unknown = nodes.filter((node) => !isCurrentAt(node, nowMs)).length
  if (overdue > 0 || locked > 0 || (tokenless > 0 && unknown > 0))
    return idle(words.partly(unknown, locked, all))
  return { text: words.live(failing, all), live: true }
}
