import { useState } from 'react'
import type { DataColumn } from '#ui/data-row.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { tableRows, type ChartRow } from './chart-rows.ts'
import type { StripChartProps } from './chart-types.ts'
import type { TimeFormats } from './time-format.ts'

/** The same as the drawing, in words: newest first. Its rows are made only while it is open. */
export function ChartTable(props: StripChartProps & { readonly formats: TimeFormats }) {
  const { texts } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.showTable}</summary>
      {isOpen && <OpenTable {...props} />}
    </details>
  )
}

function OpenTable(props: StripChartProps & { readonly formats: TimeFormats }) {
  const { texts, lanes, formats } = props
  const columns: readonly DataColumn<ChartRow>[] = [
    {
      id: 'time',
      header: texts.timeHeader,
      track: 'minmax(8rem, 1fr)',
      cell: (row) => formats.exact(row.atMs),
    },
    ...lanes.map((lane) => ({
      id: lane.id,
      header: lane.title,
      track: 'minmax(6.5rem, 1fr)',
      end: true,
      cell: (row: ChartRow) => row.values[lane.id] ?? '',
    })),
    { id: 'state', header: texts.stateHeader, track: 'minmax(9rem, 1.5fr)', cell: (row) => row.state },
  ]
  return (
    <>
      <UsualRanges lanes={lanes} say={texts.usualOf} />
      <DataTable
        label={texts.tableLabel}
        columns={columns}
        rows={tableRows(props)}
        rowKey={(row) => `${row.atMs}`}
        empty={texts.emptyTable}
        maxHeight="24rem"
      />
    </>
  )
}

type UsualRangesProps = Pick<StripChartProps, 'lanes'> & { readonly say: StripChartProps['texts']['usualOf'] }

/** The ranges that are drawn behind the lanes, in words. */
const UsualRanges = ({ lanes, say }: UsualRangesProps) =>
  lanes.map((lane) =>
    lane.kind === 'ticks' || lane.usual === undefined ? null : (
      <p key={lane.id} className="t12 ink3">
        {say(lane.title, lane.format(lane.usual[0]), lane.format(lane.usual[1]))}
      </p>
    ),
  )
