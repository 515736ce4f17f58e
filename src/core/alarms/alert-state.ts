import type { Alert } from './alertmanager-payload.ts'

export type OpenAlert = Omit<Alert, 'endsAt'>

/** An alert that an Alertmanager was told of, or is to be. */
export type Held = {
  readonly alert: OpenAlert
  /** Undefined while it is on. */
  readonly endedWallMs: number | undefined
  /** Not told yet; otherwise it is only sent again. */
  readonly isNews: boolean
}

/** An alert's labels are what it is. */
export const keyOf = ({ labels }: OpenAlert): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** What is held once exactly `wanted` is on; the same map where nothing is to be told. */
export function stepped(
  held: Map<string, Held>,
  wanted: readonly OpenAlert[],
  wallMs: number,
): Map<string, Held> {
  const next = new Map<string, Held>()
  let isChanged = false
  const on = new Map(wanted.map((alert): [string, OpenAlert] => [keyOf(alert), alert]))
  for (const [key, before] of held) {
    const isOn = on.has(key)
    const ends = !isOn && before.endedWallMs === undefined
    if (ends) isChanged = true
    if (!isOn) next.set(key, ends ? { ...before, endedWallMs: wallMs, isNews: true } : before)
  }
  for (const [key, alert] of on) {
    const before = held.get(key)
    const isOld = before !== undefined && before.endedWallMs === undefined
    // Its beginning may be corrected, its words may change: both are told with the next round.
    next.set(key, isOld ? { ...before, alert } : { alert, endedWallMs: undefined, isNews: true })
    if (!isOld) isChanged = true
  }
  if (!isChanged) for (const [key, value] of next) held.set(key, value)
  return isChanged ? next : held
}

/** What was kept; nothing where it can't be read. */
export function parseStoredAlerts(kept: unknown): readonly Held[] {
  const alerts: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'alerts') : undefined
  return Array.isArray(alerts) ? alerts.filter(isHeld) : []
}

const isHeld = (value: unknown): value is Held =>
  typeof value === 'object' &&
  value !== null &&
  'isNews' in value &&
  typeof value.isNews === 'boolean' &&
  'alert' in value &&
  typeof value.alert === 'object' &&
  value.alert !== null &&
  'labels' in value.alert &&
  typeof value.alert.labels === 'object' &&
  value.alert.labels !== null

/** Notes that an alert was taken as `told`. What ended or began anew meanwhile is news still. */
export function markDelivered(held: Map<string, Held>, key: string, told: Held): void {
  const now = held.get(key)
  if (now?.endedWallMs !== told.endedWallMs || now?.alert.startsAt !== told.alert.startsAt) return
  if (now.endedWallMs === undefined) held.set(key, { ...now, isNews: false })
  else held.delete(key)
}
