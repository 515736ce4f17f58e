import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import { formatAge } from './format.ts'

/** Less than this is not worth a word: ages are shown in whole seconds. */
const DOUBT_FROM_MS = 2_000

/** How uncertain an age is: "40 s" either way, `unchecked` where only this computer's clock speaks for it, `at-least` where it may be older, undefined where it is good to the second. */
export function doubtOf(age: HeartbeatAge | undefined): string | undefined {
  if (age?.kind === 'unchecked' || age?.kind === 'at-least') return age.kind
  if (age?.kind !== 'known' || age.uncertaintyMs < DOUBT_FROM_MS) return undefined
  return formatDoubt(age.uncertaintyMs)
}

/** Rounded up to whole seconds, so that it never claims too much. */
export const formatDoubt = (uncertaintyMs: number): string =>
  formatAge(Math.ceil(uncertaintyMs / 1_000) * 1_000)
