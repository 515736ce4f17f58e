import type { AlarmView } from '#alarms/alarm.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { nodeHref } from '#parts/alarm-subject.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useAllMembers } from '#react/use-node-alarms.ts'
import { alarmTexts, alarmValue } from '#texts/en-alarms.ts'
import { nodeNameIn } from '#texts/names.ts'
import { DataTable, type DataColumn } from '#ui/data-table.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

const words = alarmTexts.detail

type Row = { readonly node: NodeKey; readonly value: string | undefined }

type MembersProps = { readonly alarm: AlarmView; readonly fleet: FleetSnapshot }

export function Members({ alarm, fleet }: MembersProps) {
  const { metrics } = useDashboard()
  const [{ members } = alarm] = useAllMembers([alarm])
  const rows: readonly Row[] =
    members.length > 0
      ? members.map(({ node, value }) => ({ node, value: alarmValue(alarm.kind, value, metrics) }))
      : alarm.nodes.map((node) => ({ node, value: undefined }))
  const count = Math.max(alarm.memberCount > 1 ? alarm.memberCount : 0, alarm.nodeCount, rows.length)
  return (
    <section>
      <h3>{words.members(count)}</h3>
      <DataTable<Row>
        label={words.membersTable}
        columns={columnsFor(fleet)}
        rows={rows}
        rowKey={keyOf}
        maxHeight="16rem"
        empty={null}
      />
      {rows.length < count && <p className="text-12 ink-3">{words.firstOf(rows.length, count)}</p>}
    </section>
  )
}

const keyOf = ({ node }: Row): string => node

const columnsFor = (fleet: FleetSnapshot): readonly DataColumn<Row>[] => [
  {
    id: 'node',
    header: alarmTexts.columns.node,
    track: 'minmax(0, 1fr)',
    cell: ({ node }) => (
      <a className="ink-1" href={nodeHref(node)}>
        <VisibleText text={nodeNameIn(fleet, node)} />
      </a>
    ),
  },
  {
    id: 'value',
    header: alarmTexts.columns.value,
    track: 'minmax(5rem, auto)',
    end: true,
    cell: ({ value }) => value,
  },
]
