import type { AlarmView } from '#alarms/alarm.ts'
import { isActive } from '#parts/active-alarm.ts'
import { alarmTexts } from '#texts/en-alarms.ts'

/** The lists that an alarm can be on; the words stand in the address. */
export const LISTS = ['active', 'cleared', 'shelved', 'held', 'pending'] as const
export type List = (typeof LISTS)[number]

export const listFromText = (text: string | null): List => LISTS.find((list) => list === text) ?? 'active'

/** Each alarm is on one list. What is shelved stays there, as the tile in the top bar counts it, when it clears too. */
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

/** An alarm, or what stands over those that follow. */
export type AlarmRow =
  | { readonly key: string; readonly group: string; readonly alarm?: undefined }
  | { readonly key: string; readonly alarm: AlarmView }

const groups = alarmTexts.groups

const groupOf = (alarm: AlarmView, list: List): string => {
  if (list === 'active') return alarm.acknowledged === undefined ? groups.unacknowledged : groups.acknowledged
  if (list === 'held') return alarm.maintenance ? groups.maintenance : groups.inhibited
  return groups[list]
}

/** The rows of a list: alarms in the order in which they came, which is the engine's, by group. */
export function rowsOf(alarms: readonly AlarmView[], list: List, severity: Severities): readonly AlarmRow[] {
  const byGroup = new Map<string, AlarmRow[]>()
  for (const alarm of alarms) {
    if (listOf(alarm) !== list || (severity !== 'all' && alarm.severity !== severity)) continue
    const group = groupOf(alarm, list)
    const rows = byGroup.get(group) ?? [{ key: `group ${group}`, group }]
    rows.push({ key: alarm.id, alarm })
    byGroup.set(group, rows)
  }
  return Array.from(byGroup.values()).flat()
}

export const countsOf = (alarms: readonly AlarmView[]): Readonly<Record<List, number>> => {
  const counts = { active: 0, cleared: 0, shelved: 0, held: 0, pending: 0 }
  for (const alarm of alarms) counts[listOf(alarm)]++
  return counts
}

export const rowKey = (row: AlarmRow): string => row.key
