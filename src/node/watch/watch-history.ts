import { MINUTE_MS } from '#base/time.ts'
import { gapEntry, type History, type Sample } from '#history/history.ts'
import type { EventLog, LogEntry } from '#history/event-log.ts'
import { comparedOf, deriveEvents, NOTHING_KNOWN, type LastValues } from '#history/store/derive-events.ts'
import type { MetricRegistry } from '#metrics/metric.ts'

/** A shorter pause is a restart and not a gap. */
const AWAY_MIN_MS = MINUTE_MS

/** Stores no samples, because Prometheus does. Writes the events that they show to the journal. */
export function createWatchHistory(
  log: EventLog,
  metrics: MetricRegistry,
  onSample: (sample: Sample) => void,
): History & { readonly log: EventLog } {
  const compared = comparedOf(metrics)
  const last = new Map<string, LastValues>()
  return {
    log,
    append: async ({ samples }) => {
      const entries: LogEntry[] = []
      for (const sample of samples) {
        onSample(sample)
        const derived = deriveEvents(last.get(sample.node) ?? NOTHING_KNOWN, sample, compared)
        last.set(sample.node, derived.after)
        entries.push(...derived.entries)
      }
      await log.append(entries)
    },
    forget: async (nodes) => {
      for (const node of nodes) last.delete(node)
    },
  }
}

/** The time since the last watch of this folder ended, as a journal entry. */
export const pauseEntry = (watchedMs: number | undefined, wallMs: number): readonly LogEntry[] =>
  watchedMs !== undefined && wallMs - watchedMs > AWAY_MIN_MS
    ? [gapEntry({ fromMs: watchedMs, toMs: wallMs, reason: 'closed' })]
    : []
