import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { checkOf, isCurrent, type Stage } from '#fleet/assessment.ts'
import { valueNow, type AssessedNode } from '#fleet/live.ts'
import { seriesIn, type SeriesData } from '#charts/charts.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { valueParts } from '#texts/format-metric.ts'
import { formatCount, formatSpan } from '#texts/format.ts'
import { unwatchedText } from '#parts/metric-series.ts'
import { valueLevel } from '#parts/severity.ts'
import type { FigurePart } from '#ui/figure.tsx'

const NONE: readonly FigurePart[] = [{ text: words.none, as: 'unit' }]

/**
 * A node's metrics on the wall as of its last answer, without those that have a large figure of their own. `lastHour` is its
 * history of the last hour.
 */
export const figuresOf = (
  metrics: MetricRegistry,
  node: AssessedNode,
  settings: EffectiveSettings,
  stage: Stage,
  lastHour: SeriesData | undefined,
) =>
  metrics
    .flatMap((metric) => (metric.wall === undefined ? [] : [{ metric, ...metric.wall }]))
    .filter(({ metric }) => metric.lead !== true)
    .toSorted((one, other) => one.order - other.order)
    .map(({ metric, heading = metric.heading }) => ({
      id: metric.id,
      title: heading,
      parts: metric.kind === 'counter' ? counted(metric, lastHour) : figureOf(metric, node, settings),
      level: valueLevel(checkOf(stage.checks, metric.id), !isCurrent(stage.link)),
      note: lastHour && unwatchedText(lastHour, metric.id),
    }))

function figureOf(metric: Metric, node: AssessedNode, settings: EffectiveSettings): readonly FigurePart[] {
  const value = valueNow(node, metric, 0)
  if (value === undefined) return NONE
  // A space separates a unit from its figure, but not a fraction.
  return valueParts(metric, value, settings, true).map(({ text, as }) =>
    as === undefined ? { text } : { text: /^[a-z]/i.test(text) ? ` ${text}` : text, as },
  )
}

/** Coverage that counts as a full hour, because the ends are always incomplete. */
const WHOLE_HOUR = 0.95

/** Events of the last hour. Names the watched time if less than a whole hour was watched. */
function counted({ id }: Metric, lastHour: SeriesData | undefined): readonly FigurePart[] {
  if (lastHour === undefined || lastHour.answered === 0) return NONE
  const watchedMs = lastHour.spans
    .filter(({ kind }) => kind === 'answered')
    .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  const unit =
    watchedMs >= WHOLE_HOUR * HOUR_MS
      ? words.perHour
      : words.inTime(formatSpan(Math.max(MINUTE_MS, Math.floor(watchedMs / MINUTE_MS) * MINUTE_MS)))
  return [
    { text: formatCount(seriesIn(lastHour, 'bars', id)?.increase ?? 0) },
    { text: ` ${unit}`, as: 'unit' },
  ]
}
