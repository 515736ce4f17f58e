import type { ReactNode } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { AlarmButtons, type AlarmActs } from '#parts/alarm-acts.tsx'
import { nodeHref, onlyNodeOf, subjectOf } from '#parts/alarm-subject.ts'
import { lastingMs, markOf, needsAcknowledgement, remarksOn, titleOf } from '#parts/alarm-words.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useWall } from '#react/ticking.tsx'
import { alarmLimit, alarmTexts, alarmValue } from '#texts/en-alarms.ts'
import { zoneName, type Zone } from '#texts/format-time.ts'
import { formatAge } from '#texts/format.ts'
import type { DataColumn } from '#ui/data-table.tsx'
import { nodeNameIn } from '#texts/names.ts'
import type { NodeKey } from '#fleet/live.ts'
import { Tag } from '#ui/chip.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { Value } from '#ui/value.tsx'
import { Unfolding } from '#ui/unfolding.tsx'
import { Moment } from '#parts/moment.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import type { AlarmRow } from './lists.ts'

const words = alarmTexts.columns

export type RowsAround = {
  readonly zone: Zone
  readonly fleet: FleetSnapshot
  readonly explains: (alarm: AlarmView) => string | undefined
  readonly acts: AlarmActs
  /** Ids of grouped rows that show each node below them. */
  readonly unfolded: ReadonlySet<string>
  readonly onUnfold: (ids: readonly string[]) => void
}

export function columnsFor(around: RowsAround): readonly DataColumn<AlarmRow>[] {
  const cell = (draw: (alarm: AlarmView) => ReactNode) => (row: AlarmRow) =>
    row.alarm === undefined ? null : draw(row.alarm)
  return [
    {
      id: 'mark',
      card: 'mark',
      header: <span className="visually-hidden">{words.severity}</span>,
      track: '2.5rem',
      cell: cell((alarm) => <Mark alarm={alarm} />),
    },
    {
      id: 'what',
      card: 'title',
      header: words.what,
      track: 'minmax(12rem, 1.4fr)',
      cell: (row) =>
        row.alarm === undefined ? null : <What alarm={row.alarm} isMember={row.isMember} around={around} />,
    },
    {
      id: 'node',
      card: 'under',
      header: words.node,
      track: 'minmax(10rem, 1fr)',
      cell: cell((alarm) => <Subject alarm={alarm} around={around} />),
    },
    {
      id: 'value',
      card: 'value',
      header: words.value,
      track: 'minmax(7rem, 11rem)',
      end: true,
      cell: cell((alarm) => <ValueOf alarm={alarm} />),
    },
    {
      id: 'limit',
      header: words.limit,
      track: '5rem',
      end: true,
      cell: cell((alarm) => <LimitOf alarm={alarm} />),
    },
    {
      id: 'raised',
      header: words.raised(zoneName(around.zone)),
      track: '8rem',
      cell: cell((alarm) => <Moment wallMs={alarm.raisedWallMs ?? alarm.sinceWallMs} />),
    },
    {
      id: 'lasting',
      card: 'note',
      header: words.lasting,
      track: '6rem',
      end: true,
      cell: cell((alarm) => <Lasting alarm={alarm} />),
    },
    {
      id: 'acts',
      card: 'acts',
      header: <span className="visually-hidden">{words.actions}</span>,
      track: '10rem',
      end: true,
      cell: cell((alarm) => (
        <div className="alarm-columns-acts row">
          <AlarmButtons alarm={alarm} acts={around.acts} look="row" />
        </div>
      )),
    },
  ]
}

export function Mark({ alarm }: { readonly alarm: AlarmView }) {
  const { ring, label } = markOf(alarm)
  return <Glyph kind={alarm.severity} ring={ring} label={label} />
}

type RowProps = { readonly alarm: AlarmView; readonly around: RowsAround }

function What({ alarm, isMember, around: { zone, explains } }: RowProps & { readonly isMember: boolean }) {
  const { metrics } = useDashboard()
  const explainedBy = explains(alarm)
  const remarksAt = (nowMs: number): string => remarksOn(alarm, { zone, nowMs, explainedBy })
  const remarks = useWall(remarksAt) ?? remarksAt(alarm.sinceWallMs)
  const isQuiet = !needsAcknowledgement(alarm)
  return (
    <>
      <span className={isMember ? 'ink-3' : isQuiet ? 'ink-1' : 'ink-1 medium'}>
        {titleOf(alarm, metrics)}
      </span>
      {remarks !== '' && (
        <div className="text-11 ink-3 truncate" title={remarks}>
          <bdi>{remarks}</bdi>
        </div>
      )}
    </>
  )
}

function Subject({ alarm, around: { fleet, unfolded, onUnfold } }: RowProps) {
  const subject = subjectOf(alarm, fleet)
  const name = <VisibleText text={subject} />
  if (alarm.members.length > 0) {
    const isOpen = unfolded.has(alarm.id)
    return (
      <Unfolding
        isOpen={isOpen}
        label={isOpen ? alarmTexts.members.close : alarmTexts.members.open}
        onToggle={() => onUnfold([alarm.id])}
      >
        <span title={toVisibleText(subject)}>
          <NodeChips
            nodes={alarm.members.map(({ node }) => node)}
            count={Math.max(alarm.memberCount, alarm.members.length)}
            fleet={fleet}
          />
        </span>
      </Unfolding>
    )
  }
  const node = onlyNodeOf(alarm)
  if (node === undefined && alarm.nodes.length > 0)
    return (
      <>
        {name}
        <NodeChips nodes={alarm.nodes} count={alarm.nodeCount} fleet={fleet} />
      </>
    )
  // The row opens the alarm and this link opens the node, so the link is not a tab stop.
  return node === undefined ? (
    name
  ) : (
    <a className="ink-1" href={nodeHref(node)} tabIndex={-1}>
      {name}
    </a>
  )
}

/** More names do not fit into the column. */
const CHIPS_MAX = 3

type NodeChipsProps = {
  /** Highest severity first. */
  readonly nodes: readonly NodeKey[]
  /** The total, including nodes that are not named here. */
  readonly count: number
  readonly fleet: FleetSnapshot
}

function NodeChips({ nodes, count, fleet }: NodeChipsProps) {
  const named = nodes.slice(0, CHIPS_MAX)
  return (
    <span className="alarm-columns-nodes row">
      {named.map((node) => (
        <Tag key={node} tag={nodeNameIn(fleet, node)} href={nodeHref(node)} inRow />
      ))}
      {count > named.length && (
        <small className="alarm-columns-more ink-3">{words.more(count - named.length)}</small>
      )}
      {count > 1 && <small className="alarm-columns-but-one ink-3">{words.more(count - 1)}</small>}
    </span>
  )
}

function LimitOf({ alarm: { kind, limit } }: { readonly alarm: AlarmView }) {
  const { metrics } = useDashboard()
  return <span className="ink-3">{alarmLimit(kind, limit, metrics)}</span>
}

export function ValueOf({ alarm }: { readonly alarm: AlarmView }) {
  const { kind, value, severity, evidence, phase } = alarm
  const { metrics } = useDashboard()
  const text = alarmValue(kind, value, metrics)
  if (text === undefined) return null
  const old = phase === 'cleared' || evidence.state === 'old'
  return (
    <Value level={old ? undefined : severity} old={old}>
      <bdi>{text}</bdi>
    </Value>
  )
}

export function Lasting({ alarm }: { readonly alarm: AlarmView }) {
  const ageAt = (nowMs: number): string => formatAge(lastingMs(alarm, nowMs))
  return useWall(ageAt) ?? ageAt(alarm.sinceWallMs)
}
