import { useState } from 'react'
import { DataTable, type DataColumn } from '#ui/data-table.tsx'
import { readRows } from './compared.tsx'
import { tableRows, type TableRow } from './table-rows.ts'
import type { StripChartProps } from './chart-types.ts'
import type { TimeFormats } from './time-format.ts'

/** The chart as a table, newest first. Rows are computed only while it is open. */
export function ChartTable(props: StripChartProps & { readonly formats: TimeFormats }) {
  const { texts } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="chart-table text-12" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-11 ink-3">{texts.showTable}</summary>
      {isOpen && <OpenTable {...props} />}
    </details>
  )
}

function OpenTable(props: StripChartProps & { readonly formats: TimeFormats }) {
  const { texts, rows, formats, compared } = props
  const columns: readonly DataColumn<TableRow>[] = [
    {
      id: 'time',
      header: texts.time,
      track: 'minmax(8rem, 1fr)',
      cell: (entry) => formats.exact(entry.atMs),
    },
    ...(compared === undefined
      ? []
      : [
          {
            id: 'item',
            header: compared.header,
            track: 'minmax(8rem, 1.5fr)',
            cell: (entry: TableRow) => entry.item?.title ?? '',
          },
        ]),
    ...valueColumns(props).map(({ id, title }) => ({
      id,
      header: title,
      track: 'minmax(6.5rem, 1fr)',
      end: true,
      cell: (entry: TableRow) => entry.values[id] ?? '',
    })),
    { id: 'state', header: texts.state, track: 'minmax(9rem, 1.5fr)', cell: (entry) => entry.state },
  ]
  return (
    <>
      <UsualRanges rows={rows} say={texts.usualOf} />
      <DataTable
        label={texts.table}
        columns={columns}
        rows={tableRows(props)}
        rowKey={(entry) => `${entry.atMs} ${entry.item?.id ?? ''}`}
        empty={texts.emptyTable}
        maxHeight="24rem"
      />
    </>
  )
}

/** One column for each row id; compared items share a column for each title. */
function valueColumns(props: StripChartProps): readonly { readonly id: string; readonly title: string }[] {
  const columns = readRows(props).map(({ slot, title, item }) => ({
    id: item === undefined ? slot : title,
    title,
  }))
  return columns.filter(({ id }, place) => columns.findIndex((one) => one.id === id) === place)
}

type UsualRangesProps = Pick<StripChartProps, 'rows'> & { readonly say: StripChartProps['texts']['usualOf'] }

const UsualRanges = ({ rows, say }: UsualRangesProps) =>
  rows.map((row) =>
    row.kind === 'ticks' || row.kind === 'strip' || row.usual === undefined ? null : (
      <p key={row.id} className="text-12 ink-3">
        {say(row.title, row.format(row.usual[0]), row.format(row.usual[1]))}
      </p>
    ),
  )
