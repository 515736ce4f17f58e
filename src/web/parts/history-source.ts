import { toVisibleText } from '#base/visible-text.ts'
import type { SeriesData } from '#charts/charts.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { LongTermState } from '#react/long-term.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatMoment, type Zone } from '#texts/format-time.ts'

const words = nodeHistoryTexts.chart

/** Longer notes are cut beside a chart; other views show them in full. */
export const NOTE_CHARS_MAX = 80

export function sourceText(
  state: LongTermState,
  { longTerm, toMs }: SeriesData,
  metrics: MetricRegistry,
  nowMs: number,
  zone: Zone,
): string {
  const { name } = state
  switch (state.kind) {
    case 'own':
      return words.source.own
    case 'reading':
      return words.source.reading(name)
    case 'failed':
      return words.source.failed(name, toVisibleText(state.detail, NOTE_CHARS_MAX))
    case 'joined': {
      const missing = metrics.filter(({ id }) => longTerm?.missing.includes(id) === true)
      const kept =
        missing.length === 0
          ? name
          : words.source.without(
              name,
              missing.map(({ heading }) => heading),
            )
      return state.untilMs >= Math.min(toMs, nowMs)
        ? words.source.all(kept)
        : words.source.until(kept, formatMoment(state.untilMs, nowMs, zone))
    }
  }
}
