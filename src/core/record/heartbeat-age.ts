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
  /** The clocks are compared so loosely that a fresh heartbeat can't be told from one that is late: no age is claimed. */
  | { readonly kind: 'uncertain'; readonly uncertaintyMs: number }

/** What was seen: the heartbeat's Unix time, this computer's wall clock at the start of the request, and how long that took, all in ms. */
export type SeenHeartbeat = {
  readonly heartbeatMs: number
  readonly startedWallMs: number
  readonly latencyMs: number
}

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
