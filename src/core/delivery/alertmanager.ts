import { groupBy } from '#base/group-by.ts'
import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { storedList } from '#base/stored.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { ALARM_SEVERITIES, isOn, type AlarmId, type AlarmView } from '#alarms/alarm.ts'
import { reachesReceiver } from '#alarms/channels.ts'
import { isRouted } from '#receivers/routing.ts'
import { SILENCES_PATH } from '#settings/receiver-traits.ts'
import { familyOf, isGroup } from '#alarms/announcements.ts'
import {
  type AlarmFacts,
  type Attempt,
  type DeliveryFailure,
  type DeliveryPorts,
  type DeliveryState,
  type DescribeAlarm,
  type Outgoing,
  type ReceiverKind,
  createDeliveryQueue,
  createPersisted,
} from './delivery-queue.ts'

export const ALERTMANAGER: ReceiverKind = {
  open: (receiver, ports) => {
    const alerts = createAlertQueue(receiver, ports)
    const silences = createSilenceQueue(receiver, ports)
    return {
      sync: (all, membersOf, awaited) => {
        const on = all.filter(
          (alarm) =>
            alarm.notified &&
            reachesReceiver(alarm.severity, alarm.kind, receiver) &&
            isRouted(ports.describe(alarm), receiver.routing),
        )
        alerts.sync((open) => {
          const sent = sentAlerts(on, open, ports.describe, membersOf, awaited)
          silences.sync(receiver.silences ? silencesFor(sent) : [])
          return sent.map(({ alert }) => alert)
        })
      },
      state: () => bothOf(alerts.state(), silences.state()),
      now: (isReached) => {
        alerts.now(isReached)
        silences.now()
      },
      end: () => {
        alerts.end()
        silences.end()
      },
    }
  },
  testBody: (wallMs, { text, link }) => [testAlert(wallMs, text, link)],
}

/** Problems with alerts are shown before problems with silences. */
function bothOf(alerts: DeliveryState, silences: DeliveryState): DeliveryState {
  const { failure, failingSinceWallMs, nextTryWallMs } = alerts.failure === undefined ? silences : alerts
  const waiting = alerts.waiting + silences.waiting
  const lost = alerts.lost + silences.lost
  return { ...alerts, waiting, lost, failure, failingSinceWallMs, nextTryWallMs }
}

const OpenAlert = v.object({
  /** They identify the alert; with other labels it would be another alert. */
  labels: v.record(v.string(), v.string()),
  annotations: v.record(v.string(), v.string()),
  startsAt: v.string(),
  generatorURL: v.string(),
})
export type OpenAlert = Readonly<v.InferOutput<typeof OpenAlert>>

/** One alert as `POST /api/v2/alerts` accepts it. */
type Alert = OpenAlert & { readonly endsAt: string }

/** A dashboard that stops must not resolve its alerts, and one that is gone must not leave them forever. */
const ALERT_LIFE_MS = DAY_MS

const LABEL_CHARS_MAX = 512
const ANNOTATION_CHARS_MAX = 2_048

/** Names and words can change, so they are annotations. */
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

const alarmIn = ({ labels }: OpenAlert): AlarmId | undefined => labels['alarm']

/**
 * One alert covers a family of alarms that was once shown as one row or sent as one. Members come and go and groups split, but
 * the alert ends only when no member is active, so it keeps the highest severity.
 */
function sentAlarms(on: readonly AlarmView[], open: readonly OpenAlert[]): readonly AlarmView[] {
  return Array.from(groupBy(on, familyOf)).flatMap(([family, rows]) => {
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

type Member = Pick<AlarmView, 'id' | 'acknowledged' | 'phase'>
type SentAlert = Omit<Member, 'id'> & { readonly alert: OpenAlert }

/** The alerts that Alertmanager should have, including those of single alarms that have since joined a group. */
export function sentAlerts(
  on: readonly AlarmView[],
  open: readonly OpenAlert[],
  describe: DescribeAlarm,
  membersOf: (id: AlarmId) => readonly Member[],
  /** Alarms whose nodes may be listed later, so their alerts stay open unchanged. */
  awaited: readonly AlarmView[] = [],
): readonly SentAlert[] {
  const known = new Set(open.map(alarmIn))
  // A problem that cleared before it could be sent is not reported.
  const wanted = on.filter((row) => isOn(row) || known.has(row.id) || known.has(`group ${familyOf(row)}`))
  const sent = sentAlarms(wanted, open)
  const ids = new Set(sent.map(({ id }) => id))
  const members = new Map(
    on
      .filter(({ id }) => !ids.has(id))
      .flatMap((row): readonly Member[] => (isGroup(row) ? membersOf(row.id) : [row]))
      .map((member) => [member.id, member]),
  )
  for (const row of awaited)
    for (const id of [row.id, `group ${familyOf(row)}`]) if (!ids.has(id)) members.set(id, row)
  return [
    ...sent.map((alarm) => ({ ...alarm, alert: alertOf(alarm, describe(alarm)) })),
    ...open.flatMap((alert) => {
      const member = members.get(alarmIn(alert) ?? '')
      return member === undefined ? [] : [{ ...member, alert }]
    }),
  ]
}

export const testAlert = (wallMs: number, summary: string, link: string): Alert => ({
  labels: { alertname: 'ImmuneNodeDashboardTest', severity: 'info' },
  annotations: { summary },
  startsAt: new Date(wallMs).toISOString(),
  endsAt: new Date(wallMs + TEST_LIFE_MS).toISOString(),
  generatorURL: link,
})

const TEST_LIFE_MS = 5 * MINUTE_MS

/** Alertmanager drops empty labels. */
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

/** Alertmanager loses its alerts at a restart, so open ones are sent again this often. */
const RESEND_MS = MINUTE_MS
/** Keeps the body below the relay's limit with the longest words. */
export const BATCH_MAX = 32
/** Maximum number of open alerts; further alarms wait until others end. Also the maximum number of ended alerts that wait. */
export const ALERTS_MAX = 2_000

const Queued = v.object({
  key: v.string(),
  alert: OpenAlert,
  endedWallMs: v.optional(finite),
  /** Its start or its end was not accepted yet. */
  isNews: v.boolean(),
})
type Queued = v.InferOutput<typeof Queued>
const Alerts = v.object({ alerts: storedList(Queued) })

/**
 * Keeps Alertmanager in step: new and ended alerts are sent at once, open ones every minute. It sends states, not
 * events: an alarm that came and went while Alertmanager was down is sent as ended.
 */
export function createAlertQueue({ id, postUrl }: Outgoing, ports: DeliveryPorts) {
  const { clock } = ports
  const stored = createPersisted(id, ports.storage, Alerts)
  let due = new Set<string>()
  let resentMs = Number.NEGATIVE_INFINITY
  let lost = 0

  const open = (): readonly OpenAlert[] =>
    stored.get().alerts.flatMap(({ alert, endedWallMs }) => (endedWallMs === undefined ? [alert] : []))

  const next = (): Attempt | undefined => {
    const batch = nextBatch(stored.get().alerts, due)
    if (batch.length === 0) return undefined
    return {
      message: { url: postUrl, body: bodyOf(batch, clock.wallMs()), blind: false },
      accepted: () => {
        for (const { key } of batch) due.delete(key)
        if (batch.some(({ isNews }) => isNews))
          stored.set({ alerts: withDelivered(stored.get().alerts, batch) })
        return undefined
      },
    }
  }
  const state = () => ({ waiting: stored.get().alerts.filter(({ isNews }) => isNews).length, lost })
  const { update, ...queue } = createDeliveryQueue(id, ports, { next, state }, stored)

  return {
    ...queue,
    sync: (wanted: (open: readonly OpenAlert[]) => readonly OpenAlert[]): void =>
      update(() => {
        const before = stored.get().alerts
        const { alerts, lost: lostNow } = withOpen(before, wanted(open()), clock.wallMs())
        const nowMs = clock.monotonicMs()
        if (nowMs - resentMs >= RESEND_MS) {
          due = new Set(alerts.map(({ key }) => key))
          resentMs = nowMs
        }
        const isSame = isSameNews(before, alerts)
        // A corrected start and new words go out with the next resend.
        if (isSame) stored.revise({ alerts })
        else stored.set({ alerts })
        const isAsMany = lostNow === lost
        lost = lostNow
        return !isSame || !isAsMany
      }),
  }
}

/** New alerts are accepted before ended ones are sent, so that a replaced alert leaves no gap. */
function nextBatch(queued: readonly Queued[], due: ReadonlySet<string>): readonly Queued[] {
  const waiting = queued.filter(({ isNews, key }) => isNews || due.has(key))
  const begun = waiting.filter(({ isNews, endedWallMs }) => isNews && endedWallMs === undefined)
  return (begun.length > 0 ? begun : waiting).slice(0, BATCH_MAX)
}

const bodyOf = (batch: readonly Queued[], wallMs: number): string =>
  JSON.stringify(
    batch.map(({ alert, endedWallMs }) => ({
      ...alert,
      endsAt: new Date(endedWallMs ?? wallMs + ALERT_LIFE_MS).toISOString(),
    })),
  )

const alertKey = ({ labels }: OpenAlert): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

function withOpen(queued: readonly Queued[], wanted: readonly OpenAlert[], wallMs: number) {
  const byKey = new Map(queued.map((each) => [each.key, each]))
  const keyed = Array.from(new Map(wanted.map((alert) => [alertKey(alert), alert])))
  // Sent alerts come first: Alertmanager would resolve one that is left out.
  const fitting = [
    ...keyed.filter(([key]) => byKey.has(key)),
    ...keyed.filter(([key]) => !byKey.has(key)),
  ].slice(0, ALERTS_MAX)
  const isOpen = new Set(fitting.map(([key]) => key))
  const ended = queued
    .filter(({ key }) => !isOpen.has(key))
    .map((each) => (each.endedWallMs === undefined ? { ...each, endedWallMs: wallMs, isNews: true } : each))
  const open = fitting.map(([key, alert]): Queued => {
    const before = byKey.get(key)
    const isNews = before === undefined || before.endedWallMs !== undefined || before.isNews
    return { key, alert, endedWallMs: undefined, isNews }
  })
  return { alerts: [...ended.slice(-ALERTS_MAX), ...open], lost: keyed.length - fitting.length }
}

function isSameNews(before: readonly Queued[], after: readonly Queued[]): boolean {
  const known = new Map(before.map((each) => [each.key, each]))
  return (
    before.length === after.length &&
    after.every(({ key, endedWallMs, isNews }) => {
      const each = known.get(key)
      return each !== undefined && each.endedWallMs === endedWallMs && each.isNews === isNews
    })
  )
}

/** An alert that ended or restarted in the meantime still has to be sent. */
function withDelivered(queued: readonly Queued[], batch: readonly Queued[]): readonly Queued[] {
  const sent = new Map(batch.map((each) => [each.key, each]))
  return queued.flatMap((each) => {
    const delivered = sent.get(each.key)
    const isAsSent =
      delivered !== undefined &&
      delivered.endedWallMs === each.endedWallMs &&
      delivered.alert.startsAt === each.alert.startsAt
    if (!isAsSent) return [each]
    return each.endedWallMs === undefined ? [{ ...each, isNews: false }] : []
  })
}

/** A silence ends after this time unless it is renewed, so that a dashboard that stops does not silence a pager for longer. */
const SILENCE_LIFE_MS = HOUR_MS
/** A silence is renewed once less than this is left. */
const SILENCE_RENEW_MS = SILENCE_LIFE_MS / 2
/** A silence is set to end this far ahead, because Alertmanager refuses an end in its past and clocks differ. */
export const SILENCE_END_MS = 30_000
/** Maximum number of silences; further alarms stay unsilenced. */
export const SILENCES_MAX = 200
const COMMENT_CHARS_MAX = 1_024

/** The two labels identify the alert of an acknowledged alarm; one that got worse is another alert. */
const WantedSilence = v.object({
  alarm: v.string(),
  severity: v.string(),
  comment: v.string(),
  /** Who acknowledged it, if known. */
  by: v.optional(v.string()),
})
type WantedSilence = v.InferOutput<typeof WantedSilence>
/** The `id` is empty until Alertmanager assigns one. */
const StoredSilence = v.object({
  ...WantedSilence.entries,
  id: v.string(),
  startsWallMs: finite,
  endsWallMs: finite,
})
type StoredSilence = v.InferOutput<typeof StoredSilence>
const Silences = v.object({ silences: storedList(StoredSilence) })

/**
 * Shares acknowledgements as silences, so that Alertmanager stops notifying of an alarm that someone is working on.
 * A silence ends with the acknowledgement and with the alarm.
 */
export function createSilenceQueue({ id, via, postUrl }: Outgoing, ports: DeliveryPorts) {
  // The relay serves silences below the receiver's own path; an Alertmanager serves them next to its alerts.
  const url = via === 'relay' ? `${postUrl}/${SILENCES_PATH}` : new URL(SILENCES_PATH, postUrl).href
  const stored = createPersisted(`${id} silences`, ports.storage, Silences)
  const wallMs = (): number => ports.clock.wallMs()
  let wanted: ReadonlyMap<string, WantedSilence> | undefined
  let lost = 0

  const storedFor = (key: string): StoredSilence | undefined =>
    stored.get().silences.find((each) => silenceKey(each) === key)
  const keep = (one: WantedSilence, next?: StoredSilence): void => {
    const others = stored.get().silences.filter((each) => silenceKey(each) !== silenceKey(one))
    stored.set({ silences: next === undefined ? others : [...others, next] })
  }
  /** Creates, changes or ends a silence. */
  const request = (next: StoredSilence, isEnd: boolean): Attempt => ({
    message: { url, body: JSON.stringify(silenceOf(next)), blind: false },
    accepted: ({ status, answer }) => {
      const silenceId = isEnd ? next.id : silenceIdIn(answer)
      if (silenceId === undefined) return { kind: 'status', status: status ?? 0, answer }
      keep(next, isEnd ? undefined : { ...next, id: silenceId })
      return undefined
    },
    // Alertmanager restarted without it. A wanted one is created anew.
    refused: (failure) => {
      const isForgotten = next.id !== '' && isUnknown(failure)
      if (isForgotten) keep(next)
      return isForgotten
    },
  })
  /** To be created, renewed, or given another comment. */
  const isDue = ([key, { comment }]: readonly [string, WantedSilence]): boolean => {
    const before = storedFor(key)
    return before?.comment !== comment || before.endsWallMs - wallMs() < SILENCE_RENEW_MS
  }
  const next = (): Attempt | undefined => {
    if (wanted === undefined) return undefined
    for (const one of stored.get().silences) {
      if (wanted.has(silenceKey(one))) continue
      if (one.endsWallMs > wallMs()) return request({ ...one, endsWallMs: wallMs() + SILENCE_END_MS }, true)
      keep(one)
    }
    const [key, due] = Array.from(wanted).find(isDue) ?? []
    if (key === undefined || due === undefined) return undefined
    const { id: silenceId = '', startsWallMs = wallMs() } = storedFor(key) ?? {}
    return request({ ...due, id: silenceId, startsWallMs, endsWallMs: wallMs() + SILENCE_LIFE_MS }, false)
  }
  const waiting = (): number => {
    const all = wanted
    if (all === undefined) return 0
    const over = stored.get().silences.filter((each) => !all.has(silenceKey(each)))
    return Array.from(all).filter(isDue).length + over.length
  }
  const state = () => ({ waiting: waiting(), lost })
  const { update, ...queue } = createDeliveryQueue(id, ports, { next, state }, stored)

  return {
    ...queue,
    sync: (all: readonly WantedSilence[]): void =>
      update(() => {
        const before = wanted
        wanted = new Map(all.slice(0, SILENCES_MAX).map((one) => [silenceKey(one), one]))
        lost = Math.max(0, all.length - SILENCES_MAX)
        return (
          before?.size !== wanted.size ||
          Array.from(wanted).some(([key, { comment }]) => before.get(key)?.comment !== comment)
        )
      }),
  }
}

const silenceKey = ({ alarm, severity }: WantedSilence): string => `${severity} ${alarm}`

const isUnknown = (failure: DeliveryFailure): boolean =>
  failure.kind === 'status' && (failure.status === 404 || isUnknownSilence(failure.answer))

/** Older versions answer "silence not found" with 500 instead of 404. */
export const isUnknownSilence = (answer: string): boolean => /not found|already expired/i.test(answer)

export const silencesFor = (alerts: readonly SentAlert[]): readonly WantedSilence[] =>
  alerts.flatMap(({ phase, acknowledged, alert: { labels, annotations } }) => {
    const { alarm, severity } = labels
    if (acknowledged === undefined || !isOn({ phase })) return []
    if (alarm === undefined || severity === undefined) return []
    const { by } = acknowledged
    const comment = `Acknowledged on the dashboard${by === undefined ? '' : ` by ${by}`}: ${acknowledged.note ?? annotations['summary'] ?? alarm}`
    return [
      { alarm, severity, comment: comment.slice(0, COMMENT_CHARS_MAX), ...(by !== undefined && { by }) },
    ]
  })

/** As `POST /api/v2/silences` accepts it; an id changes an existing silence. */
export const silenceOf = ({ id, alarm, severity, comment, by, startsWallMs, endsWallMs }: StoredSilence) => ({
  ...(id !== '' && { id }),
  matchers: [equal('alarm', alarm), equal('severity', severity)],
  startsAt: new Date(startsWallMs).toISOString(),
  endsAt: new Date(endsWallMs).toISOString(),
  createdBy: by ?? 'immune node dashboard',
  comment,
})

const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true })

export const silenceIdIn = (answer: string): string | undefined =>
  /"silenceID"\s*:\s*"([0-9a-f-]{1,64})"/i.exec(answer)?.[1]
