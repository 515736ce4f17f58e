import { useId, type ReactNode } from 'react'
import type { ChartRow, ChartMark, ChartSpan, ChartTexts } from './chart-types.ts'
import { Hatch } from './spans.tsx'

type LegendProps = {
  readonly texts: ChartTexts
  readonly rows: readonly ChartRow[]
  readonly spans: readonly ChartSpan[]
  readonly marks: readonly ChartMark[]
  readonly note: string | undefined
}

export function Legend({ texts, rows, spans, marks, note }: LegendProps) {
  const hatchId = useId()
  const values = rows.filter((row) => row.kind !== 'ticks' && row.kind !== 'strip')
  const items: readonly (readonly [isShown: boolean, text: string, sample: ReactNode])[] = [
    [
      values.some((row) => row.usual),
      texts.usual,
      <rect className="plot-band" key="band" width={22} height={10} />,
    ],
    [
      values.some((row) => (row.limits ?? []).length > 0),
      texts.limit,
      <line className="plot-limit" key="limit" x1={0} x2={22} y1={5} y2={5} />,
    ],
    [
      spans.some((span) => span.kind === 'no-answer'),
      texts.noAnswer,
      <g key="hatch">
        <Hatch id={hatchId} />
        <rect width={22} height={10} fill={`url(#${hatchId})`} />
      </g>,
    ],
    [
      spans.some((span) => span.kind === 'not-watched'),
      texts.notWatched,
      <line className="plot-state-line" key="dots" x1={0} x2={22} y1={5} y2={5} />,
    ],
    [marks.length > 0, texts.event, <line className="plot-mark" key="mark" x1={11} x2={11} y1={0} y2={10} />],
  ]
  return (
    <div className="legend flow text-11 ink-3">
      {items
        .filter(([isShown]) => isShown)
        .map(([, text, sample]) => (
          <span key={text} className="row">
            <svg viewBox="0 0 22 10" aria-hidden>
              {sample}
            </svg>
            {text}
          </span>
        ))}
      {note !== undefined && <span className="legend-note">{note}</span>}
    </div>
  )
}
