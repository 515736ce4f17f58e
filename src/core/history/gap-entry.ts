import type { LogEntry } from './event-log.ts'
import type { Gap } from './history.ts'

/**
 * The journal's entry for a gap, dated when polling resumed. `clock-step`: how far the clock was set back.
 */
export const gapEntry = ({ fromMs, toMs, reason }: Gap): LogEntry => ({
  wallMs: toMs,
  area: 'watching',
  what: reason === 'clock-step' && toMs < fromMs ? 'clock-set-back' : 'gap',
  facts: { reason, fromMs: Math.round(fromMs), toMs: Math.round(toMs) },
})
