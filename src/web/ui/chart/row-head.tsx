import { classNames } from '#ui/class-names.ts'
import { Figure } from '#ui/figure.tsx'
import { Glyph } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'
import type { ChartRow, ItemLine, StripChartProps } from './chart-types.ts'
import { ItemMark, placeOf } from './compared.tsx'

type RowHeadProps = { readonly row: ChartRow; readonly compared: StripChartProps['compared'] }

export function RowHead({ row, compared }: RowHeadProps) {
  const item = compared?.items.find(({ id }) => id === row.of)
  if (item !== undefined)
    return (
      <div className="strip-chart-label">
        {row.group !== undefined && <span className="text-12">{row.group}</span>}
        <div className="row-head-compared text-12">
          <ItemValue {...row} of={item.id} compared={compared} />
        </div>
      </div>
    )
  return (
    <div className="strip-chart-label">
      <div className="row-head-title text-12">
        <span className="row">
          <LevelGlyph level={row.level} />
          {row.title}
        </span>
        {row.note !== undefined && <span className="text-11 ink-3">{row.note}</span>}
      </div>
      {row.kind === 'lines' ? (
        <ul className="row-head-compared text-12">
          {row.lines.map((line) => (
            <li key={line.of}>
              <ItemValue {...line} compared={compared} />
            </li>
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

const LevelGlyph = ({ level }: { readonly level: Level | undefined }) =>
  level !== undefined && level !== 'none' && <Glyph kind={level} />

type ItemValueProps = Pick<ItemLine, 'of' | 'value' | 'level' | 'old'> & Pick<RowHeadProps, 'compared'>

const ItemValue = ({ of, value, level, old, compared }: ItemValueProps) => (
  <>
    <ItemMark place={placeOf(compared, of)} />
    <span className="truncate">{compared?.items.find(({ id }) => id === of)?.title}</span>
    <span className={classNames('value', level, old === true && 'old')}>
      <LevelGlyph level={level} /> <Figure parts={value} />
    </span>
  </>
)
