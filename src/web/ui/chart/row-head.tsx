import { classNames } from '#ui/class-names.ts'
import { Figure } from '#ui/figure.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { RangeRail } from '#ui/range-rail.tsx'
import type { ChartRow, ValueRow } from './chart-types.ts'

/** The row's title, current value and range rail: what stands left of its plot. */
export function RowHead({ row }: { readonly row: ChartRow }) {
  const isWrong = row.level !== undefined && row.level !== 'none'
  return (
    <div className="ll">
      <div className="lh">
        <span>
          {row.level !== undefined && isWrong && <Glyph kind={row.level} />}
          {row.title}
        </span>
        {row.note !== undefined && <span className="t11 ink3">{row.note}</span>}
      </div>
      <div className={classNames('lv', row.level, row.old === true && 'old')}>
        <Figure parts={row.value} />
      </div>
      {row.kind !== 'ticks' && row.rail !== undefined && <RowRail row={row} rail={row.rail} />}
    </div>
  )
}

function RowRail({ row, rail }: { readonly row: ValueRow; readonly rail: NonNullable<ValueRow['rail']> }) {
  const limits = (row.limits ?? []).map(({ value, level, label }) => ({ value, level, label }))
  return (
    <RangeRail
      {...rail}
      {...(row.usual && { usual: row.usual })}
      limits={limits}
      bad={row.limits?.[0]?.bad ?? 'above'}
      level={row.old === true ? undefined : row.level}
    />
  )
}
