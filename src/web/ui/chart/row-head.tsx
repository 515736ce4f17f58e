import { classNames } from '#ui/class-names.ts'
import { Figure } from '#ui/figure.tsx'
import { Glyph } from '#ui/glyph.tsx'
import type { ChartRow, ComparedItem, ItemLine, StripChartProps } from './chart-types.ts'
import { ItemMark, placeOf } from './compared.tsx'

type RowHeadProps = { readonly row: ChartRow; readonly compared: StripChartProps['compared'] }

export function RowHead({ row, compared }: RowHeadProps) {
  const item = compared?.items.find(({ id }) => id === row.of)
  if (item !== undefined) return <ItemHead row={row} item={item} place={placeOf(compared, item.id)} />
  const isWrong = row.level !== undefined && row.level !== 'none'
  return (
    <div className="strip-chart-label">
      <div className="row-head-title text-12">
        <span>
          {row.level !== undefined && isWrong && <Glyph kind={row.level} />}
          {row.title}
        </span>
        {row.note !== undefined && <span className="text-11 ink-3">{row.note}</span>}
      </div>
      {row.kind === 'lines' ? (
        <ul className="row-head-compared text-12">
          {row.lines.map((line) => (
            <ItemValue key={line.of} line={line} compared={compared} />
          ))}
        </ul>
      ) : (
        <div className={classNames('row-head-value', row.level, row.old === true && 'old')}>
          <Figure parts={row.value} />
        </div>
      )}
    </div>
  )
}

function ItemValue({
  line,
  compared,
}: {
  readonly line: ItemLine
  readonly compared: RowHeadProps['compared']
}) {
  const { of, value, level, old } = line
  return (
    <li>
      <ItemMark place={placeOf(compared, of)} />
      <span className="truncate">{compared?.items.find(({ id }) => id === of)?.title}</span>
      <span className={classNames('value', level, old === true && 'old')}>
        {level !== undefined && level !== 'none' && <Glyph kind={level} />} <Figure parts={value} />
      </span>
    </li>
  )
}

type ItemHeadProps = { readonly row: ChartRow; readonly item: ComparedItem; readonly place: number }

const ItemHead = ({ row, item, place }: ItemHeadProps) => (
  <div className="strip-chart-label">
    {row.group !== undefined && <span className="text-12">{row.group}</span>}
    <div className="row-head-compared text-12">
      <ItemMark place={place} />
      <span className="truncate">{item.title}</span>
      <span className={classNames('value', row.level, row.old === true && 'old')}>
        {row.level !== undefined && row.level !== 'none' && <Glyph kind={row.level} />}{' '}
        <Figure parts={row.value} />
      </span>
    </div>
  </div>
)
