import { classNames } from '#ui/class-names.ts'
import { chartable } from './chartable.ts'
import { isBeyond } from './beyond-limit.ts'
import type { PlacedRow } from './placed-row.ts'

const WORD_GAP_PX = 11

type RowTickProps = {
  /** Left edge of the text. Recharts passes its own `x`, and `payload`. */
  readonly wordX: number
  readonly place: PlacedRow
  readonly payload?: { readonly value: number }
}

export function RowTick({ wordX, place, payload }: RowTickProps) {
  if (payload === undefined) return null
  const { row, y } = place
  return (
    <text className="plot-label" x={wordX + WORD_GAP_PX} y={y(payload.value)} dy="0.35em">
      {(row.tickFormat ?? row.format)(payload.value)}
    </text>
  )
}

/** Limit labels and a pointer at the current value. A label is coloured only while its limit is breached. */
export function LimitWords({ place, x }: { readonly place: PlacedRow; readonly x: number }) {
  const { row, words, y } = place
  const current = row.old === true ? undefined : lastValue(place)
  return (
    <>
      {words.map(({ limit, y: wordY, arrow }) => (
        <text
          key={limit.label}
          className={classNames(
            'plot-label hi',
            current !== undefined && isBeyond(current, limit) && limit.level,
          )}
          x={x + WORD_GAP_PX}
          y={wordY}
          dy="0.35em"
        >
          {limit.label}
          {arrow}
        </text>
      ))}
      {current !== undefined && (
        <path className={classNames('plot-now', row.level)} d={`M${x + 2} ${y(current)}l6-3.6v7.2Z`} />
      )}
    </>
  )
}

function lastValue({ row }: PlacedRow): number | undefined {
  if (row.kind === 'lines') return undefined
  const last = chartable(
    (row.kind === 'bars' ? row.bars.at(-1)?.value : row.points.value.at(-1)) ?? Number.NaN,
  )
  return Number.isNaN(last) ? undefined : last
}
