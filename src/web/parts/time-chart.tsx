import { saveFile, savePng } from '#react/platform.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { zoneName } from '#texts/format-time.ts'
import type { StripChartProps } from '#ui/chart/chart-types.ts'
import { Skeleton } from '#ui/empty.tsx'
import { late } from '#ui/late.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { toFieldText } from './calendar-time.ts'
import { useZoom, type TimeControl } from './use-time-view.ts'

const words = nodeHistoryTexts.picture

/** Lazy, because Recharts is larger than everything else together and the first status does not need it. */
const StripChart = late(
  async () => (await import('#ui/chart/strip-chart.tsx')).StripChart,
  () => <Skeleton label={nodeHistoryTexts.chart.loading} lines={8} />,
)

type TimeChartProps = Omit<StripChartProps, 'timeZone' | 'zoneText' | 'texts'>

export function TimeChart(props: TimeChartProps) {
  const zone = useConfiguration().settings.display.timeZone
  const { chart } = nodeHistoryTexts
  const zoneText = chart.allTimes(zoneName(zone, props.fromMs, props.toMs))
  return <StripChart timeZone={zone} zoneText={zoneText} texts={chart} {...props} />
}

type ControlledChartProps = TimeChartProps & {
  readonly time: TimeControl
  /** Names the nodes in a saved picture. */
  readonly title: string
}

/** A chart whose range the controls above it set. It zooms, and can be saved as a picture. */
export function ControlledChart({ time, title, ...props }: ControlledChartProps) {
  const zoom = useZoom(time)
  const picture = usePicture(title, time)
  const isLive = time.view.kind === 'live'
  return (
    <TimeChart
      {...props}
      {...(isLive && { nowText: nodeHistoryTexts.chart.now })}
      zoom={zoom}
      picture={picture}
    />
  )
}

/** Saves a chart as a file that names its nodes, range and time zone. */
function usePicture(
  title: string,
  { window: { fromMs, toMs: endMs }, nowMs }: TimeControl,
): NonNullable<StripChartProps['picture']> {
  const announce = useAnnounce()
  const zone = useConfiguration().settings.display.timeZone
  // A live axis ends at its next step, which may lie hours ahead.
  const toMs = Math.min(endMs, nowMs)
  const at = (ms: number): string => toFieldText(ms, zone).replace('T', ' ')
  return {
    label: words.label,
    title,
    note: words.note(at(fromMs), at(toMs), zoneName(zone, fromMs, toMs)),
    save: (picture, format) => {
      const name = words.fileName(
        title.replaceAll(/[^\w.-]+/g, '-').slice(0, 60),
        new Date(fromMs).toISOString().slice(0, 16).replace(':', ''),
        format,
      )
      if (format === 'svg') saveFile(name, picture.svg, 'image/svg+xml')
      else void savePng(name, picture).then((isSaved) => isSaved || announce(words.failed))
    },
  }
}
