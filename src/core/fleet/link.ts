import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES } from '#protocol/failure.ts'
import type { Service } from '#settings/settings.ts'
import type { Episode, NodeLive, Reading } from './live.ts'

/**
 * How sure we are that what a node said still holds. What it said is the other axis, and
 * the two are never mixed: a status is shown as live only when this is `live` or `late`.
 */
export type Link =
  /** The last poll succeeded, and not long ago. */
  | 'live'
  /** One poll is missing; within what the network may do. */
  | 'late'
  /** Nothing failed, but the reading is old: the computer slept, or requests queue up. */
  | 'stale'
  /** Polls fail: nothing is known about now. */
  | 'failing'
  /** Never asked, or not answered yet. */
  | 'never'
  /** Nothing can be asked: no key, a locked key, a page that may not. */
  | 'paused'

/** `nowMs` is on the engine's steady clock. Limits are multiples of the service's poll interval. */
export function linkOf(node: NodeLive, nowMs: number, service: Service): Link {
  const { reading, episode } = node
  if (episode !== undefined && FAILURES[episode.failure.kind].again === 'wait') return 'paused'
  if (episode !== undefined && (reading === undefined || isConfirmed(episode))) return 'failing'
  if (reading === undefined) return 'never'
  const intervals = readingAgeMs(reading, nowMs) / service.pollIntervalMs
  if (intervals > DEFAULTS.staleAfterIntervals) return 'stale'
  return episode !== undefined || intervals > DEFAULTS.lateAfterIntervals ? 'late' : 'live'
}

/** Whether the last reading may still be shown as what holds now. */
export const isCurrent = (link: Link): boolean => link === 'live' || link === 'late'

/** Counted from the start of the request: the answer was no younger than that. */
export const readingAgeMs = (reading: Reading, nowMs: number): number =>
  Math.max(0, nowMs - reading.startedMs)

/**
 * The heartbeat's age now, in ms: what it was at the reading, and the time since. Undefined
 * where no age can be told. Grows also when nothing is heard any more.
 */
export function heartbeatAgeNow(reading: Reading, nowMs: number): number | undefined {
  const { heartbeat } = reading
  return heartbeat !== undefined && 'ageMs' in heartbeat
    ? heartbeat.ageMs + readingAgeMs(reading, nowMs)
    : undefined
}

/** One lost packet is no failure; a refusal, a wrong answer or a second miss is. */
function isConfirmed({ failure, misses }: Episode): boolean {
  const mayPass = ['double', 'named', 'grid'].includes(FAILURES[failure.kind].again)
  const isAnswer = FAILURES[failure.kind].code.startsWith('data/')
  return misses >= 2 || !mayPass || isAnswer
}
