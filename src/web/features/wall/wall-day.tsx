import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useSteps, useWallNow } from '#react/ticking.tsx'
import { spansOf } from '#parts/chart-spans.ts'
import { useAlarmEntries, useSeriesData } from '#react/use-history.ts'
import type { SeriesData } from '#charts/charts.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { WallStrip } from '#ui/strips.tsx'

const MARKS = [words.ago24h, words.hours(18), words.hours(12), words.hours(6), words.now]

export const Day = ({ node, series }: { readonly node: NodeLive; readonly series: SeriesData }) => (
  <WallStrip
    spans={spansOf(series, useAlarmEntries(node.key, series))}
    fromMs={series.fromMs}
    toMs={series.toMs}
    label={words.strip}
    marks={MARKS}
  />
)

const COLUMNS = 720

/** A range that ends now, read again once a minute; undefined until loaded. */
function useEndingNow(node: NodeLive, lengthMs: number, maxGapMs: number): SeriesData | undefined {
  const minute = useSteps(MINUTE_MS)
  const wallMs = useWallNow() ?? 0
  const toMs = Math.ceil(wallMs / MINUTE_MS) * MINUTE_MS
  const { data } = useSeriesData(
    { node: node.key, fromMs: toMs - lengthMs, toMs, columns: COLUMNS, barMs: lengthMs / 24, maxGapMs },
    minute,
  )
  return data
}

export const useDay = (node: NodeLive, maxGapMs: number): SeriesData | undefined =>
  useEndingNow(node, DAY_MS, maxGapMs)

export const useLastHour = (node: NodeLive, maxGapMs: number): SeriesData | undefined =>
  useEndingNow(node, HOUR_MS, maxGapMs)
