import { offsetMs, offsetUncertaintyMs, overlap, type ClockOffset } from './clock-offset.ts'
import { DEFAULTS } from '#base/defaults.ts'

/** A heartbeat's age when its request started. Later ages add the time since then. */
export type HeartbeatAge =
  /** Corrected by the service's clock; accurate to ± `uncertaintyMs`. */
  | { readonly kind: 'known'; readonly ageMs: number; readonly uncertaintyMs: number }
  /** By this computer's clock alone, because the service's time cannot be read. */
  | { readonly kind: 'unchecked'; readonly ageMs: number }
  /**
   * The heartbeat is `aheadMs` in the future, so the clocks disagree and the age is unknown. `unchecked`: by this computer's
   * clock alone.
   */
  | { readonly kind: 'unknown'; readonly aheadMs: number; readonly unchecked?: true }
  /**
   * The age is unknown, because a fresh heartbeat can't be distinguished from a late one: the offset is too uncertain, or
   * (`disagree`) the evidence is contradictory, so a clock is wrong or records arrive late.
   */
  | { readonly kind: 'uncertain'; readonly uncertaintyMs: number; readonly disagree?: true }
  /** At least this old, whichever clock is right. */
  | { readonly kind: 'at-least'; readonly ageMs: number }

/** The heartbeat's Unix time, this computer's wall clock at the start of the request, and the request's duration, all in ms. */
export type ObservedHeartbeat = {
  readonly heartbeatMs: number
  readonly startedWallMs: number
  readonly latencyMs: number
}

/** Evidence about the clock that dates a heartbeat; members are absent if unknown. */
export type ClockEvidence = {
  /** By the Date of the service's own answers. */
  readonly date?: ClockOffset | undefined
  /** By the node's heartbeats, provided that records are updated right after each heartbeat. */
  readonly heartbeats?: ClockOffset | undefined
  /** The offset of this computer's clock by most other services' Dates. */
  readonly others?: ClockOffset | undefined
  /** How long this heartbeat has been the newest, in ms. */
  readonly unchangedMs?: number | undefined
}

/**
 * A heartbeat's age by all evidence about the clocks. Only the service's Date gives a bounded age, and only if no evidence
 * makes another clock more likely, because a gateway may write a Date of its own. Heartbeats alone bound no age, because a late
 * record looks the same as a fast clock.
 */
export function heartbeatAgeByClocks(
  seen: ObservedHeartbeat,
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
  return disagreeing(leastMs, Math.abs(offsetMs(date)), longMs)
}

/** Uses this computer's clock, corrected by other services if they show an offset, unless the heartbeats contradict it. */
function ageWithoutDate(
  seen: ObservedHeartbeat,
  { heartbeats, others, unchangedMs }: ClockEvidence,
  longMs: number,
): HeartbeatAge {
  const byMs = others === undefined || allows(others, 0) ? 0 : offsetMs(others)
  const age = heartbeatAge({ ...seen, startedWallMs: seen.startedWallMs + byMs }, undefined, longMs)
  const isLeft = unchangedMs !== undefined && unchangedMs > longMs
  if (age.kind !== 'unchecked') return isLeft ? { kind: 'at-least', ageMs: unchangedMs } : age
  if (others !== undefined || heartbeats === undefined || allows(heartbeats, 0)) return age
  return disagreeing(unchangedMs ?? 0, Math.abs(offsetMs(heartbeats)), longMs)
}

/** It is unknown which clock is right, but the heartbeat is at least as old as the time for which it has been the newest. */
const disagreeing = (unchangedMs: number, apartMs: number, longMs: number): HeartbeatAge =>
  unchangedMs > longMs
    ? { kind: 'at-least', ageMs: unchangedMs }
    : { kind: 'uncertain', uncertaintyMs: apartMs, disagree: true }

const allows = ({ lowMs, highMs }: ClockOffset, ms: number): boolean =>
  ms >= lowMs - DEFAULTS.heartbeatFutureToleranceMs && ms <= highMs + DEFAULTS.heartbeatFutureToleranceMs

/** `offset`: undefined while the service's clock is unknown. `periodMs`: the expected heartbeat period. */
export function heartbeatAge(
  { heartbeatMs, startedWallMs, latencyMs }: ObservedHeartbeat,
  offset: ClockOffset | undefined,
  periodMs: number,
): HeartbeatAge {
  const uncertaintyMs = offset === undefined ? 0 : offsetUncertaintyMs(offset)
  const ageMs = startedWallMs + (offset === undefined ? 0 : offsetMs(offset)) - heartbeatMs
  // The node may have sent a heartbeat during the request, and whole seconds may be truncated or rounded.
  const toleranceMs = DEFAULTS.heartbeatFutureToleranceMs + latencyMs + uncertaintyMs
  if (ageMs < -toleranceMs)
    return { kind: 'unknown', aheadMs: -ageMs, ...(offset === undefined && { unchecked: true }) }
  const shownMs = Math.max(0, ageMs)
  if (offset === undefined) return { kind: 'unchecked', ageMs: shownMs }
  const periodOrRoundingMs = Math.max(periodMs, DEFAULTS.heartbeatFutureToleranceMs)
  // A heartbeat that is certainly late counts as known, however uncertain the amount.
  const mayBeFresh = shownMs - uncertaintyMs <= periodOrRoundingMs
  return uncertaintyMs > periodOrRoundingMs && mayBeFresh
    ? { kind: 'uncertain', uncertaintyMs }
    : { kind: 'known', ageMs: shownMs, uncertaintyMs }
}
