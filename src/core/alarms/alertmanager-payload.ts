import {
  ALARM_SEVERITIES,
  type Acknowledged,
  type AlarmId,
  type AlarmPhase,
  type AlarmView,
} from './alarm.ts'
import { familyOf, isGroup } from './announcements.ts'
import type { AlarmFacts, DescribeAlarm } from './webhook-payload.ts'

/** One alert as `POST /api/v2/alerts` takes it. */
export type Alert = OpenAlert & { readonly endsAt: string }

/** One that is on. */
export type OpenAlert = {
  /** What tells one alert from another: an alert with other labels is another alert. */
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** RFC 3339, as `endsAt` is. */
  readonly startsAt: string
  readonly generatorURL: string
}

/** A screen that dies must not resolve its alerts, and one that is thrown away must not leave them for ever. */
export const ALERT_LIFE_MS = 86_400_000

const LABEL_CHARS_MAX = 512
const ANNOTATION_CHARS_MAX = 2_048

/** The alert of an alarm that is on, without its end. Names and words may change, so they are annotations. */
export function alertOf(alarm: AlarmView, facts: AlarmFacts): OpenAlert {
  return {
    labels: present(LABEL_CHARS_MAX, {
      alertname: `ImmuneNode${camelCased(alarm.kind)}`,
      severity: alarm.severity,
      rule: alarm.ruleId,
      service: facts.service,
      node: facts.nodeId,
      alarm: alarm.id,
    }),
    annotations: present(ANNOTATION_CHARS_MAX, {
      summary: facts.title,
      description: facts.text,
      node_name: facts.nodeName,
      todo: alarm.todo,
    }),
    startsAt: new Date(alarm.raisedWallMs ?? alarm.sinceWallMs).toISOString(),
    generatorURL: facts.link,
  }
}

/** The alarm's id in an alert's labels. */
const alarmIn = ({ labels }: OpenAlert): AlarmId | undefined => labels['alarm']

/**
 * The alarms that are sent: those of one family together, where they are one row or were sent as one. Members come and go
 * and rows fall apart, but an alert that ends means that nothing of it is on; so it also stays as severe as it was.
 */
function sentAlarms(on: readonly AlarmView[], open: readonly OpenAlert[]): readonly AlarmView[] {
  const families = new Map<string, AlarmView[]>()
  for (const alarm of on) families.set(familyOf(alarm), [...(families.get(familyOf(alarm)) ?? []), alarm])
  return Array.from(families).flatMap(([family, rows]) => {
    const before = open.find((alert) => alarmIn(alert) === `group ${family}`)
    return before === undefined && !rows.some(isGroup) ? rows : [together(family, rows, before)]
  })
}

function together(family: string, rows: readonly AlarmView[], before: OpenAlert | undefined): AlarmView {
  const severity =
    ALARM_SEVERITIES.find(
      (one) => before?.labels['severity'] === one || rows.some((row) => row.severity === one),
    ) ?? 'info'
  const [worst, ...others] = rows.toSorted((a, b) => orderOf(a) - orderOf(b))
  if (worst === undefined) throw new RangeError('A family without an alarm.')
  const beganMs = before === undefined ? Number.NaN : Date.parse(before.startsAt)
  return {
    ...worst,
    id: `group ${family}`,
    severity,
    raisedWallMs: Number.isNaN(beganMs)
      ? Math.min(...rows.map(({ raisedWallMs, sinceWallMs }) => raisedWallMs ?? sinceWallMs))
      : beganMs,
    acknowledged: others.every(({ acknowledged }) => acknowledged !== undefined)
      ? worst.acknowledged
      : undefined,
    memberCount: rows.reduce((sum, { memberCount }) => sum + memberCount, 0),
  }
}

const orderOf = ({ severity, memberCount }: AlarmView): number =>
  ALARM_SEVERITIES.indexOf(severity) - (memberCount > 1 ? 0.5 : 0)

/** An alert of what is on, and whether somebody has taken it on. */
export type SentAlert = {
  readonly alert: OpenAlert
  readonly acknowledged: Acknowledged | undefined
  readonly phase: AlarmPhase
}

type Member = Pick<AlarmView, 'id' | 'acknowledged' | 'phase'>

/** What an Alertmanager is to have: alerts of alarms, and those sent of single ones that are members of others by now. */
export function sentAlerts(
  on: readonly AlarmView[],
  open: readonly OpenAlert[],
  describe: DescribeAlarm,
  membersOf: (id: AlarmId) => readonly Member[],
): readonly SentAlert[] {
  const sent = sentAlarms(on, open)
  const ids = new Set(sent.map(({ id }) => id))
  const members = new Map(
    on
      .filter(({ id }) => !ids.has(id))
      .flatMap((row): readonly Member[] => (isGroup(row) ? membersOf(row.id) : [row]))
      .map((member) => [member.id, member]),
  )
  return [
    ...sent.map((alarm) => ({ ...alarm, alert: alertOf(alarm, describe(alarm)) })),
    ...open.flatMap((alert) => {
      const member = members.get(alarmIn(alert) ?? '')
      return member === undefined ? [] : [{ ...member, alert }]
    }),
  ]
}

/** What the test button sends; it ends by itself. */
export const testAlert = (wallMs: number, summary: string, link: string): Alert => ({
  labels: { alertname: 'ImmuneNodeDashboardTest', severity: 'info' },
  annotations: { summary },
  startsAt: new Date(wallMs).toISOString(),
  endsAt: new Date(wallMs + TEST_LIFE_MS).toISOString(),
  generatorURL: link,
})

const TEST_LIFE_MS = 300_000

/** Alertmanager drops empty labels; an empty annotation says nothing. */
const present = (
  charsMax: number,
  all: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, text]) =>
      text === undefined || text === '' ? [] : [[name, text.slice(0, charsMax)]],
    ),
  )

const camelCased = (kebab: string): string =>
  kebab
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
