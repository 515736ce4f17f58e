import { isOn, type AlarmId, type AlarmSeverity, type AlarmView, type AlarmsView } from './alarm.ts'

type AlarmNews = {
  /** Includes alarms that became critical. */
  readonly raised: readonly AlarmView[]
  readonly over: readonly AlarmView[]
}

const NONE: AlarmNews = { raised: [], over: [] }

/**
 * Returns what is new in each view. Only notified alarms count, so flapping, inhibited and shelved ones do not. A group
 * that splits into its alarms is not new, and neither are alarms that become a group. Nothing in the first view is new,
 * because it is already on the screen.
 */
export function createAlarmNews(): (view: AlarmsView) => AlarmNews {
  let known: Known | undefined
  return (view) => {
    const before = known
    const now = knownOf(view)
    known = now
    if (before === undefined) return NONE
    const raised = Array.from(now.rows.values()).filter((alarm) =>
      isWorse(alarm.severity, (before.rows.get(alarm.id) ?? before.groups.get(familyOf(alarm)))?.severity),
    )
    const over = Array.from(before.rows.values()).filter((alarm) => {
      const family = familyOf(alarm)
      if (now.rows.has(alarm.id) || now.groups.has(family)) return false
      return !isGroup(alarm) || !now.families.has(family)
    })
    return raised.length + over.length === 0 ? NONE : { raised, over }
  }
}

type Known = {
  readonly rows: ReadonlyMap<AlarmId, AlarmView>
  readonly groups: ReadonlyMap<string, AlarmView>
  readonly families: ReadonlySet<string>
}

function knownOf({ alarms }: AlarmsView): Known {
  const on = alarms.filter((one) => one.notified && isOn(one))
  return {
    rows: new Map(on.map((alarm) => [alarm.id, alarm])),
    groups: new Map(on.filter(isGroup).map((alarm) => [familyOf(alarm), alarm])),
    families: new Set(on.map(familyOf)),
  }
}

export const isGroup = ({ memberCount }: AlarmView): boolean => memberCount > 1

export const familyOf = (alarm: AlarmView): string =>
  (isGroup(alarm) || alarm.subject.kind === 'node') && 'serviceId' in alarm.subject
    ? `${alarm.ruleId} ${alarm.subject.serviceId}`
    : alarm.id

const isWorse = (now: AlarmSeverity, before: AlarmSeverity | undefined): boolean =>
  before === undefined || (now === 'critical' && before !== 'critical')

const ANNOUNCE_EVERY_MS = 30_000

/** `only` is set if there is exactly one alarm; otherwise the counts summarize them. */
export type Announcement = {
  readonly urgency: 'assertive' | 'polite'
  readonly critical: number
  readonly others: number
  readonly over: number
  readonly only: AlarmView | undefined
}

/** Collects news for screen readers, so that a storm is one sentence. `nowMs` is on a steady clock. */
export function createAnnouncements() {
  let raised = new Map<string, AlarmView>()
  let over = new Map<string, AlarmView>()
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    add: (news: AlarmNews): void => {
      for (const alarm of news.raised) {
        raised.set(alarm.id, alarm)
        over.delete(alarm.id)
      }
      for (const alarm of news.over) {
        // An alarm that ended before it was announced is not announced.
        if (!raised.delete(alarm.id)) over.set(alarm.id, alarm)
      }
    },
    /** Undefined: nothing to announce yet. Call this at every change and every second. */
    next: (nowMs: number): Announcement | undefined => {
      const all = [...raised.values(), ...over.values()]
      if (all.length === 0 || nowMs - lastMs < ANNOUNCE_EVERY_MS) return undefined
      const critical = Array.from(raised.values()).filter(({ severity }) => severity === 'critical').length
      const announcement: Announcement = {
        urgency: critical > 0 ? 'assertive' : 'polite',
        critical,
        others: raised.size - critical,
        over: over.size,
        only: all.length === 1 ? all[0] : undefined,
      }
      raised = new Map()
      over = new Map()
      lastMs = nowMs
      return announcement
    },
  }
}
