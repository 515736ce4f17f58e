import type { ReactNode } from 'react'
import { hrefOf, nodePath } from '#react/routes.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { formatAge, formatAvailability, formatCount, unit } from '#texts/format.ts'
import { classNames } from '#ui/class-names.ts'
import { Value } from '#ui/value.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { figureText, type FigureColumn, type ReportRow } from './report-rows.ts'

const words = availabilityTexts.table

/** All rows are rendered, because a printer can't scroll a table. */
const ROWS_MAX = 500

type ReportTableProps = { readonly rows: readonly ReportRow[]; readonly columns: readonly FigureColumn[] }

export const ReportTable = ({ rows, columns }: ReportTableProps) => (
  <PlainPanel flush label={words.label}>
    <ReportList
      headings={headings(columns)}
      rows={rows.slice(0, ROWS_MAX).map((row) => ({
        id: row.report.node,
        head: <Name row={row} />,
        cells: cellsOf(row, columns),
      }))}
    />
    {rows.length > ROWS_MAX && <div className="panel-foot">{words.cut(ROWS_MAX, rows.length)}</div>}
  </PlainPanel>
)

const headings = (columns: readonly FigureColumn[]): readonly string[] => [
  words.node,
  words.availability,
  words.budget,
  words.answered,
  words.noAnswer,
  words.notWatched,
  words.outages,
  ...columns.map(({ heading }) => heading),
]

const Name = ({ row }: { readonly row: ReportRow }) => (
  <th scope="row" aria-label={row.name}>
    <a href={hrefOf(nodePath(row.report.node))}>
      <bdi>{row.name}</bdi>
    </a>
  </th>
)

function cellsOf(row: ReportRow, columns: readonly FigureColumn[]): readonly ReactNode[] {
  const { summary, share } = row
  const marked = (text: string): ReactNode => (row.isBelow ? <Value level="warning">{text}</Value> : text)
  const left = row.leftMs < 0 ? availabilityTexts.over(-row.leftMs) : formatAge(row.leftMs)
  return [
    marked(share === undefined ? unit.none : formatAvailability(share)),
    marked(share === undefined ? unit.none : left),
    ...(['answeredMs', 'noAnswerMs', 'notWatchedMs'] as const).map((name) =>
      summary === undefined ? unit.none : formatAge(summary[name]),
    ),
    summary === undefined || share === undefined ? unit.none : formatCount(summary.outageCount),
    ...columns.map((column) => figureText(column, row)),
  ]
}

type ReportListProps = {
  /** Only the lists below a node's figures have a caption. */
  readonly caption?: string
  readonly headings: readonly string[]
  readonly rows: readonly {
    readonly id: string
    readonly head?: ReactNode
    readonly cells: readonly ReactNode[]
  }[]
}

export const ReportList = ({ caption, headings: names, rows }: ReportListProps) => (
  <div className={classNames('report-table text-12', caption !== undefined && 'list')}>
    <table>
      {caption !== undefined && <caption className="ink-3">{caption}</caption>}
      <thead className="ink-3">
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, head, cells }) => (
          <tr key={id}>
            {head}
            {cells.map((cell, place) => (
              // oxlint-disable-next-line react/no-array-index-key -- Columns keep their order.
              <td key={place}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
