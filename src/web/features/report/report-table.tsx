import type { ReactNode } from 'react'
import { hrefOf, nodePath } from '#react/routes.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { formatAge, formatAvailability, formatCount, unit } from '#texts/format.ts'
import { Value } from '#ui/value.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { figureText, type FigureColumn, type ReportRow } from './report-rows.ts'

const words = availabilityTexts.table

/** All rows are rendered, because a printer can't scroll a table. */
const ROWS_MAX = 500

type ReportTableProps = { readonly rows: readonly ReportRow[]; readonly columns: readonly FigureColumn[] }

export const ReportTable = ({ rows, columns }: ReportTableProps) => (
  <PlainPanel flush label={words.label}>
    <div className="report-table text-12">
      <table>
        <thead className="ink-3">
          <tr>
            {headings(columns).map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map((row) => (
            <Row key={row.report.node} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
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

function Row({ row, columns }: { readonly row: ReportRow; readonly columns: readonly FigureColumn[] }) {
  const { summary, share } = row
  const cells: readonly ReactNode[] = [
    share === undefined ? unit.none : formatAvailability(share),
    share === undefined
      ? unit.none
      : row.leftMs < 0
        ? availabilityTexts.over(-row.leftMs)
        : formatAge(row.leftMs),
    ...(['answeredMs', 'noAnswerMs', 'notWatchedMs'] as const).map((name) =>
      summary === undefined ? unit.none : formatAge(summary[name]),
    ),
    summary === undefined || share === undefined ? unit.none : formatCount(summary.outageCount),
    ...columns.map((column) => figureText(column, row)),
  ]
  return (
    <tr>
      <th scope="row" aria-label={row.name}>
        <a href={hrefOf(nodePath(row.report.node))}>
          <bdi>{row.name}</bdi>
        </a>
      </th>
      {cells.map((cell, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- Columns keep their order.
        <td key={place}>{place < 2 && row.isBelow ? <Value level="warning">{cell}</Value> : cell}</td>
      ))}
    </tr>
  )
}

type ReportListProps = {
  readonly caption: string
  readonly headings: readonly string[]
  readonly rows: readonly { readonly id: string; readonly cells: readonly ReactNode[] }[]
}

/** A short list below a node's figures. */
export const ReportList = ({ caption, headings: names, rows }: ReportListProps) => (
  <div className="report-table list text-12">
    <table>
      <caption className="ink-3">{caption}</caption>
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
        {rows.map(({ id, cells }) => (
          <tr key={id}>
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
