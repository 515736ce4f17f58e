import type { LogEntry } from './event-log.ts'
import type { Gap } from './history.ts'

/** A gap as the log tells it, at the moment when watching went on. `clock-step`: the clock was set back by so much. */
export const gapEntry = ({ fromMs, toMs, reason }: Gap): LogEntry => ({
  wallMs: toMs,
  area: 'watching',
  what: reason === 'clock-step' && toMs < fromMs ? 'clock-set-back' : 'gap',
  facts: { reason, fromMs: Math.round(fromMs), toMs: Math.round(toMs) },
})
