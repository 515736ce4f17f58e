import { useMemo, useRef, type RefObject } from 'react'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { pictureOf } from './chart-picture.ts'
import type { ChartRow, StripChartProps } from './chart-types.ts'
import { ChartTable } from './chart-table.tsx'
import { Crosshair } from './crosshair.tsx'
import { RowHead } from './row-head.tsx'
import { Legend } from './legend.tsx'
import { PlotFrame } from './plot-frame.tsx'
import { AXIS_SLOT, HEALTH_SLOT } from './slots.ts'
import { timeFormats } from './time-format.ts'
import { useChartGeometry } from './use-chart-geometry.ts'

export function StripChart(props: StripChartProps) {
  // A different set of rows remounts the chart, so that the slots are measured again.
  const ids = [
    props.health === undefined ? '' : HEALTH_SLOT,
    ...props.rows.map((row) => row.id),
    ...(props.compared?.items.map(({ id }) => id) ?? []),
  ]
  return <Rows key={ids.join(' ')} {...props} />
}

function Rows(props: StripChartProps) {
  const { label, fromMs, toMs, timeZone, zoneText, texts, rows, health } = props
  const { bodyRef, geometry } = useChartGeometry()
  const chartRef = useRef<HTMLElement>(null)
  const formats = useMemo(() => timeFormats(timeZone, [fromMs, toMs]), [timeZone, toMs, fromMs])
  return (
    <section className="panel strip-chart" aria-label={label} ref={chartRef}>
      <div className="strip-chart-body" ref={bodyRef}>
        <div className="strip-chart-row axis">
          <div className="strip-chart-label">
            <span className="text-11 ink-3">{zoneText}</span>
          </div>
          <div className="strip-chart-plot" data-slot={AXIS_SLOT} />
        </div>
        {health !== undefined && (
          <div className="strip-chart-row strip">
            <div className="strip-chart-label">
              <span className="text-12">{health.title}</span>
              <span className="text-12 ink-3">{health.value}</span>
            </div>
            <div className="strip-chart-plot" data-slot={HEALTH_SLOT}>
              <span className="strip-chart-health text-11 ink-3">{health.label}</span>
            </div>
          </div>
        )}
        {rows.map((row) => (
          <div key={row.id} className={rowClass(row)}>
            <RowHead row={row} compared={props.compared} />
            <div className="strip-chart-plot" data-slot={row.id} />
          </div>
        ))}
        {geometry !== undefined && (
          <>
            <div className="strip-chart-plots" aria-hidden>
              <PlotFrame {...props} geometry={geometry} formats={formats} />
            </div>
            <Crosshair {...props} geometry={geometry} formats={formats} />
          </>
        )}
      </div>
      <Legend
        texts={texts}
        rows={rows}
        spans={[...props.spans, ...(props.compared?.items.flatMap(({ spans }) => spans) ?? [])]}
        marks={props.marks ?? []}
        note={props.legendNote}
      />
      <ChartTable {...props} formats={formats} />
      {props.picture !== undefined && <SavePicture chart={chartRef} {...props.picture} />}
    </section>
  )
}

type SavePictureProps = NonNullable<StripChartProps['picture']> & {
  readonly chart: RefObject<HTMLElement | null>
}

/** Writes the chart to a file, as shown on the screen. */
const SavePicture = ({ chart, label, title, note, save }: SavePictureProps) => (
  <div className="panel-foot">
    {(['svg', 'png'] as const).map((format) => (
      <Button
        key={format}
        size="small"
        look="subtle"
        onClick={() => chart.current !== null && save(pictureOf(chart.current, title, note), format)}
      >
        {label(format.toUpperCase())}
      </Button>
    ))}
  </div>
)

const rowClass = ({ height, of, group }: ChartRow): string =>
  classNames(
    'strip-chart-row',
    height === 'short' && 'short',
    of !== undefined && 'lane',
    group !== undefined && 'leads',
  )
