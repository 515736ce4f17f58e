import { offsetMs, offsetUncertaintyMs, type ClockOffset } from './clock-offset.ts'
import { DEFAULTS } from './defaults.ts'

/** How old a heartbeat was when its request started. Later ages add the time that has passed since. */
export type HeartbeatAge =
  /** Corrected for the service's clock; true within ± `uncertaintyMs`. */
  | { readonly kind: 'known'; readonly ageMs: number; readonly uncertaintyMs: number }
  /** By this computer's clock alone: the service's time can't be read. */
  | { readonly kind: 'unchecked'; readonly ageMs: number }
  /** The heartbeat lies in the future by `aheadMs`: clocks disagree, so no age is claimed. */
  | { readonly kind: 'unknown'; readonly aheadMs: number }

/** `startedWallMs` is this computer's wall clock at the start of the request, `heartbeatMs` Unix time in ms. */
export function heartbeatAge(
  heartbeatMs: number,
  startedWallMs: number,
  offset: ClockOffset | undefined,
  latencyMs: number,
): HeartbeatAge {
  const ageMs = startedWallMs + (offset === undefined ? 0 : offsetMs(offset)) - heartbeatMs
  // The node may have beaten while the request was under way; a heartbeat in whole seconds may be cut or rounded.
  const toleranceMs =
    DEFAULTS.heartbeatFutureToleranceMs + latencyMs + (offset === undefined ? 0 : offsetUncertaintyMs(offset))
  if (ageMs < -toleranceMs) return { kind: 'unknown', aheadMs: -ageMs }
  const shownMs = Math.max(0, ageMs)
  return offset === undefined
    ? { kind: 'unchecked', ageMs: shownMs }
    : { kind: 'known', ageMs: shownMs, uncertaintyMs: offsetUncertaintyMs(offset) }
}
