import { isActive, type AlarmId, type AlarmMember, type AlarmView } from '#alarms/alarm.ts'
import { alarmTexts } from '#texts/en-alarms.ts'

/** The lists that an alarm can be on. The values appear in the URL. */
export const LISTS = ['active', 'cleared', 'shelved', 'held', 'pending'] as const
export type List = (typeof LISTS)[number]

export const listFromText = (text: string | null): List => LISTS.find((list) => list === text) ?? 'active'

/** Each alarm is on exactly one list. A shelved alarm stays shelved when it clears, to match the count in the top bar. */
export function listOf(alarm: AlarmView): List {
  if (alarm.shelved !== undefined) return 'shelved'
  if (alarm.phase === 'cleared') return 'cleared'
  if (alarm.maintenance || alarm.inhibitedBy !== undefined) return 'held'
  return isActive(alarm) ? 'active' : 'pending'
}

export const SEVERITIES = ['all', 'critical', 'warning', 'info'] as const
export type Severities = (typeof SEVERITIES)[number]

export const severitiesFromText = (text: string | null): Severities =>
  SEVERITIES.find((severity) => severity === text) ?? 'all'

export type AlarmRow =
  | { readonly key: string; readonly group: string; readonly alarm?: undefined }
  | {
      readonly key: string
      readonly alarm: AlarmView
      readonly isMember: boolean
    }

const groups = alarmTexts.groups

const groupOf = (alarm: AlarmView, list: List): string => {
  if (list === 'active') return alarm.acknowledged === undefined ? groups.unacknowledged : groups.acknowledged
  if (list === 'held') return alarm.maintenance ? groups.maintenance : groups.inhibited
  return groups[list]
}

/** The rows of a list by group, with alarms in the engine's order; below those in `opened`, one row for each node. */
export function rowsOf(
  alarms: readonly AlarmView[],
  list: List,
  severity: Severities,
  opened: ReadonlySet<string>,
): readonly AlarmRow[] {
  const byGroup = new Map<string, AlarmRow[]>()
  for (const alarm of alarms) {
    if (listOf(alarm) !== list || (severity !== 'all' && alarm.severity !== severity)) continue
    const group = groupOf(alarm, list)
    const rows = byGroup.get(group) ?? [{ key: `group ${group}`, group }]
    rows.push({ key: alarm.id, alarm, isMember: false })
    if (opened.has(alarm.id)) rows.push(...memberRows(alarm))
    byGroup.set(group, rows)
  }
  return Array.from(byGroup.values()).flat()
}

function memberRows(alarm: AlarmView): readonly AlarmRow[] {
  const more = alarm.memberCount - alarm.members.length
  return [
    ...alarm.members.map((member) => ({
      key: `${alarm.id} ${member.id}`,
      alarm: memberView(alarm, member),
      isMember: true,
    })),
    ...(more > 0 ? [{ key: `${alarm.id} more`, group: alarmTexts.moreMembers(more) }] : []),
  ]
}

function memberView(alarm: AlarmView, member: AlarmMember): AlarmView {
  const { node, ...own } = member
  return {
    ...alarm,
    ...own,
    ...('serviceId' in alarm.subject && {
      subject: { kind: 'node', node, serviceId: alarm.subject.serviceId },
    }),
    flapping: false,
    raised24h: 0,
    memberCount: 1,
    members: [],
    nodes: [],
    nodeCount: 0,
  }
}

export function alarmIn(alarms: readonly AlarmView[], id: AlarmId): AlarmView | undefined {
  for (const alarm of alarms) {
    if (alarm.id === id) return alarm
    const member = alarm.members.find((each) => each.id === id)
    if (member !== undefined) return memberView(alarm, member)
  }
  return undefined
}

export const countsOf = (alarms: readonly AlarmView[]): Readonly<Record<List, number>> => {
  const counts = { active: 0, cleared: 0, shelved: 0, held: 0, pending: 0 }
  for (const alarm of alarms) counts[listOf(alarm)]++
  return counts
}

export const rowKey = (row: AlarmRow): string => row.key
