import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import { formatAge } from './format.ts'

/** Smaller uncertainties are not shown, because ages are in whole seconds. */
const DOUBT_FROM_MS = 2_000

/**
 * Uncertainty of an age: "40 s" in either direction, `unchecked` if only this computer's clock is known, `at-least` if it may
 * be older, undefined if it is exact to the second.
 */
export function doubtOf(age: HeartbeatAge | undefined): string | undefined {
  if (age?.kind === 'unchecked' || age?.kind === 'at-least') return age.kind
  if (age?.kind !== 'known' || age.uncertaintyMs < DOUBT_FROM_MS) return undefined
  return formatDoubt(age.uncertaintyMs)
}

/** Rounded up to whole seconds, so that it never understates the uncertainty. */
export const formatDoubt = (uncertaintyMs: number): string =>
  formatAge(Math.ceil(uncertaintyMs / 1_000) * 1_000)
