import { offsetMs, offsetUncertaintyMs, type ClockOffset } from './clock-offset.ts'
import { DEFAULTS } from '#base/defaults.ts'

/** How old a heartbeat was when its request started. Later ages add the time that has passed since. */
export type HeartbeatAge =
  /** Corrected for the service's clock; true within ± `uncertaintyMs`. */
  | { readonly kind: 'known'; readonly ageMs: number; readonly uncertaintyMs: number }
  /** By this computer's clock alone: the service's time can't be read. */
  | { readonly kind: 'unchecked'; readonly ageMs: number }
  /**
   * The heartbeat lies in the future by `aheadMs`: clocks disagree, so no age is claimed.
   * `unchecked`: by this computer's clock alone.
   */
  | { readonly kind: 'unknown'; readonly aheadMs: number; readonly unchecked?: true }
  /**
   * A fresh heartbeat can't be told from one that is late: no age is claimed. The clocks are compared too loosely, or
   * (`disagree`) what speaks for one age speaks against another: a clock is wrong, or records come late.
   */
  | { readonly kind: 'uncertain'; readonly uncertaintyMs: number; readonly disagree?: true }
  /** It is at least so old, whichever of the clocks is right. */
  | { readonly kind: 'at-least'; readonly ageMs: number }

/** What was seen: the heartbeat's Unix time, this computer's wall clock at the start of the request, and how long that took, all in ms. */
export type SeenHeartbeat = {
  readonly heartbeatMs: number
  readonly startedWallMs: number
  readonly latencyMs: number
}

/** What speaks of the clock by which a heartbeat is dated. Each absent where it says nothing. */
export type ClockEvidence = {
  /** By the Date of the service's own answers. */
  readonly date?: ClockOffset | undefined
  /** By the node's heartbeats, if records come as soon as the node has beaten. */
  readonly heartbeats?: ClockOffset | undefined
  /** What most other services' Dates say of this computer's clock. */
  readonly others?: ClockOffset | undefined
  /** For how long this very heartbeat has been the newest. */
  readonly unchangedMs?: number | undefined
}

/**
 * How old a heartbeat is, by everything that speaks of the clocks. A bound is claimed by the service's Date alone, and
 * only where nothing makes another clock likelier: a gateway may write a Date of its own. Heartbeats alone bound
 * no age, since a record that comes late looks the same as a clock that is fast.
 */
export function judgedHeartbeatAge(
  seen: SeenHeartbeat,
  clocks: ClockEvidence,
  periodMs: number,
): HeartbeatAge {
  const { date, others } = clocks
  const longMs = Math.max(periodMs, DEFAULTS.heartbeatFutureToleranceMs)
  if (date === undefined) return ageWithoutDate(seen, clocks, longMs)
  const byDate = heartbeatAge(seen, date, periodMs)
  const isLikely =
    allows(date, 0) ||
    (byDate.kind === 'known' && byDate.ageMs <= longMs) ||
    [clocks.heartbeats, others].some((other) => other !== undefined && overlap(date, other))
  if (isLikely) return byDate
  const ownMs = seen.startedWallMs - seen.heartbeatMs
  const dateMs = ownMs + offsetMs(date) - offsetUncertaintyMs(date)
  const leastMs = Math.max(clocks.unchangedMs ?? 0, Math.min(ownMs, dateMs))
  return disagreeing({ unchangedMs: leastMs }, Math.abs(offsetMs(date)), longMs)
}

/** This computer's clock is taken, put right by other services where those tell; unless the heartbeats themselves speak against it. */
function ageWithoutDate(
  seen: SeenHeartbeat,
  { heartbeats, others, unchangedMs }: ClockEvidence,
  longMs: number,
): HeartbeatAge {
  const byMs = others === undefined || allows(others, 0) ? 0 : offsetMs(others)
  const age = heartbeatAge({ ...seen, startedWallMs: seen.startedWallMs + byMs }, undefined, longMs)
  const isLeft = unchangedMs !== undefined && unchangedMs > longMs
  if (age.kind !== 'unchecked') return isLeft ? { kind: 'at-least', ageMs: unchangedMs } : age
  if (others !== undefined || heartbeats === undefined || allows(heartbeats, 0)) return age
  return disagreeing({ unchangedMs }, Math.abs(offsetMs(heartbeats)), longMs)
}

/** Nobody knows which clock is right; what was the newest for so long is no younger. */
const disagreeing = (
  { unchangedMs = 0 }: Pick<ClockEvidence, 'unchangedMs'>,
  apartMs: number,
  longMs: number,
): HeartbeatAge =>
  unchangedMs > longMs
    ? { kind: 'at-least', ageMs: unchangedMs }
    : { kind: 'uncertain', uncertaintyMs: apartMs, disagree: true }

const allows = ({ lowMs, highMs }: ClockOffset, ms: number): boolean =>
  ms >= lowMs - DEFAULTS.heartbeatFutureToleranceMs && ms <= highMs + DEFAULTS.heartbeatFutureToleranceMs

const overlap = (one: ClockOffset, other: ClockOffset): boolean =>
  one.lowMs <= other.highMs && other.lowMs <= one.highMs

/** `offset`: undefined while nothing tells of the service's clock. `periodMs`: how often the node is expected to beat. */
export function heartbeatAge(
  { heartbeatMs, startedWallMs, latencyMs }: SeenHeartbeat,
  offset: ClockOffset | undefined,
  periodMs: number,
): HeartbeatAge {
  const uncertaintyMs = offset === undefined ? 0 : offsetUncertaintyMs(offset)
  const ageMs = startedWallMs + (offset === undefined ? 0 : offsetMs(offset)) - heartbeatMs
  // The node may have beaten while the request was under way; a heartbeat in whole seconds may be cut or rounded.
  const toleranceMs = DEFAULTS.heartbeatFutureToleranceMs + latencyMs + uncertaintyMs
  if (ageMs < -toleranceMs)
    return { kind: 'unknown', aheadMs: -ageMs, ...(offset === undefined && { unchecked: true }) }
  const shownMs = Math.max(0, ageMs)
  if (offset === undefined) return { kind: 'unchecked', ageMs: shownMs }
  const periodOrRoundingMs = Math.max(periodMs, DEFAULTS.heartbeatFutureToleranceMs)
  // One that is certainly late is told as that, however uncertain by how much.
  const mayBeFresh = shownMs - uncertaintyMs <= periodOrRoundingMs
  return uncertaintyMs > periodOrRoundingMs && mayBeFresh
    ? { kind: 'uncertain', uncertaintyMs }
    : { kind: 'known', ageMs: shownMs, uncertaintyMs }
}
