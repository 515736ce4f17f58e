import { DEFAULTS } from '#base/defaults.ts'
import { ALARM_SEVERITIES, type AlarmCounts, type AlarmsView, type AlarmView } from './alarm.ts'
import { rowsOf, viewOf, type RowContext } from './rows.ts'
import type { Instance } from './instance.ts'

const ROWS_MAX = 2_000

/** Whether it asks for a person now. */
const isAsking = ({ phase, shelved, maintenance, inhibitedBy }: AlarmView): boolean =>
  (phase === 'firing' || phase === 'recovering') &&
  shelved === undefined &&
  !maintenance &&
  inhibitedBy === undefined

const isUnacknowledged = (row: AlarmView): boolean => row.acknowledged === undefined && isAsking(row)

/** What the page lists, in its order. */
export function listOf(
  instances: readonly Instance[],
  around: RowContext,
): Pick<AlarmsView, 'alarms' | 'counts' | 'oldestUnacknowledgedWallMs'> {
  const alarms = Array.from(rowsOf(instances, around), ([id, members]) => viewOf(id, members, around))
    .filter((row) => row !== undefined)
    .toSorted(inOrder)
  return {
    alarms: alarms.slice(0, ROWS_MAX),
    counts: countsOf(alarms),
    oldestUnacknowledgedWallMs: alarms
      .filter(isUnacknowledged)
      .reduce<number | undefined>((oldest, { raisedWallMs, sinceWallMs }) => {
        const atMs = raisedWallMs ?? sinceWallMs
        return oldest === undefined || atMs < oldest ? atMs : oldest
      }, undefined),
  }
}

/** Not acknowledged first, then the worst, then the newest; what asks for nobody comes after. */
function inOrder(a: AlarmView, b: AlarmView): number {
  return (
    placeOf(a) - placeOf(b) ||
    ALARM_SEVERITIES.indexOf(a.severity) - ALARM_SEVERITIES.indexOf(b.severity) ||
    (b.raisedWallMs ?? b.sinceWallMs) - (a.raisedWallMs ?? a.sinceWallMs)
  )
}

function placeOf(row: AlarmView): number {
  if (isAsking(row)) return row.acknowledged === undefined ? 0 : 2
  if (row.shelved !== undefined || row.maintenance) return 5
  if (row.inhibitedBy !== undefined) return 4
  return row.phase === 'cleared' ? 1 : 3
}

function countsOf(rows: readonly AlarmView[]): AlarmCounts {
  const count = (is: (row: AlarmView) => boolean): number => rows.filter(is).length
  const asking = (severity: AlarmView['severity']): number =>
    count((row) => isAsking(row) && row.severity === severity)
  const raised10Min = rows.reduce((sum, row) => sum + row.raised10Min, 0)
  return {
    critical: asking('critical'),
    warning: asking('warning'),
    info: asking('info'),
    unacknowledged: count(isUnacknowledged),
    unacknowledgedCritical: count((row) => isUnacknowledged(row) && row.severity === 'critical'),
    cleared: count(({ phase }) => phase === 'cleared'),
    pending: count(({ phase }) => phase === 'pending'),
    shelved: count(({ shelved }) => shelved !== undefined),
    inhibited: count(({ inhibitedBy }) => inhibitedBy !== undefined),
    maintenance: count(({ maintenance }) => maintenance),
    flapping: count(({ flapping }) => flapping),
    raised10Min,
    flood: raised10Min >= DEFAULTS.alarmFloodFrom,
  }
}
