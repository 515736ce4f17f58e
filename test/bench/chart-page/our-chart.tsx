import { StripChart } from '#ui/chart/strip-chart.tsx'
import type { ChartSpan, ChartTexts } from '#ui/chart/chart-types.ts'
import type { Series } from './month.ts'

const TEXTS: ChartTexts = {
  crosshair: 'time',
  zoom: 'drag',
  readout: (time, values) => `${time}: ${values.join(', ')}`,
  noValue: 'none',
  usual: 'usual',
  usualOf: (lane, from, to) => `${lane} usually ${from} to ${to}`,
  limit: 'limit',
  noAnswer: 'no answer',
  notWatched: 'not watched',
  event: 'event',
  showTable: 'table',
  table: 'values',
  time: 'time',
  state: 'state',
  emptyTable: 'nothing',
}
const percent = (value: number) => `${(value * 100).toFixed(2)} %`

type OurChartProps = { readonly points: Series; readonly fromMs: number; readonly toMs: number }

/** The product's chart with one row, as on a node's page. */
export function OurChart({ points, fromMs, toMs }: OurChartProps) {
  const spans: readonly ChartSpan[] = [{ fromMs, toMs, kind: 'answered', label: 'answered' }]
  return (
    <StripChart
      label="30 days"
      fromMs={fromMs}
      toMs={toMs}
      timeZone="utc"
      zoneText="UTC"
      texts={TEXTS}
      spans={spans}
      rows={[
        {
          id: 'participation',
          title: 'Participation',
          value: [{ text: '98' }],
          kind: 'line',
          points,
          format: percent,
        },
      ]}
    />
  )
}
