import * as v from 'valibot'
import { DEFAULTS } from '#base/defaults.ts'
import { storedList } from '#base/stored.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { AlarmNotification, AlarmSeverity, AlarmValue, AlarmView } from './alarm.ts'
import { reachesLevel } from './channels.ts'
import {
  type AlarmFacts,
  type Attempt,
  type DeliveryFailure,
  type DeliveryPorts,
  type DeliveryQueue,
  type DescribeAlarm,
  type Outgoing,
  type SenderKind,
  createDeliveryQueue,
  createPersisted,
} from './delivery-queue.ts'

export const WEBHOOK: SenderKind = {
  open: (receiver, ports) => {
    const { describe, summary } = ports
    const { offer, ...queue } = createMessageQueue(receiver, ports)
    return { ...queue, notify: (one) => offer(one, webhookMessage(one, describe, summary(one))) }
  },
  testBody: (wallMs, { text }) => webhookTest(`test-${wallMs}`, wallMs, text).body,
}

export type WebhookMessage = {
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Version 1 of the body, described in `docs`; members are only ever added. */
export function webhookMessage(
  notification: AlarmNotification,
  describe: DescribeAlarm,
  summary: string,
): WebhookMessage {
  const { id, kind, reason, severity, group, count, wallMs } = notification
  return {
    id,
    body: {
      version: 1,
      id,
      kind,
      reason,
      severity,
      at: iso(wallMs),
      group,
      text: chatText(summary),
      count,
      alarms: notification.alarms.map((alarm) => alarmOf(alarm, describe(alarm))),
    },
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Names must not call a channel, look like a link or imitate our words. Slack and Mattermost read `<!channel>`
 * and links in angle brackets, and accept these three as entities; other markup of Slack, Mattermost, Teams and
 * Discord has no common escape, so it is written full-width. An underscore within a word is no markup.
 */
function chatText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\uff3f')
    .replace(/:\/\//g, ':\uff0f\uff0f')
    .replace(/[@*~`[\]|\\#!]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0))
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
}

export const webhookTest = (id: string, wallMs: number, text: string): WebhookMessage => ({
  id,
  body: {
    version: 1,
    id,
    kind: 'test',
    severity: 'info',
    at: iso(wallMs),
    text: chatText(text),
    count: 0,
    alarms: [],
  },
})

function alarmOf(alarm: AlarmView, { title, text, service, nodeId, nodeName, link }: AlarmFacts): object {
  return {
    id: alarm.id,
    rule: alarm.ruleId,
    kind: alarm.kind,
    severity: alarm.severity,
    phase: alarm.phase,
    title,
    text,
    link,
    since: iso(alarm.sinceWallMs),
    raised: iso(alarm.raisedWallMs),
    cleared: iso(alarm.clearedWallMs),
    service,
    node: nodeId,
    nodeName,
    nodeCount: alarm.nodeCount > 0 ? alarm.nodeCount : undefined,
    value: plainValue(alarm.value),
    limit: plainValue(alarm.limit),
    todo: alarm.todo,
  }
}

/** A failure's details are for the screen; its code is enough here. */
function plainValue(value: AlarmValue | undefined): object | undefined {
  if (value === undefined) return undefined
  switch (value.unit) {
    case 'failure':
      return { unit: value.unit, code: value.code }
    case 'nodes':
      return { unit: value.unit, value: value.value }
    case 'ms':
    case 'ratio':
    case 'per-hour':
    case 'count':
    case 'stake':
      return value
    case 'status':
    case 'reason':
      // A service's own word may contain characters that hide or reverse text.
      return { ...value, text: toVisibleText(value.text, DEFAULTS.proofCharsMax) }
  }
}

const iso = (wallMs: number | undefined): string | undefined =>
  wallMs === undefined ? undefined : new Date(wallMs).toISOString()

/** Statuses that reject the message rather than the sender. */
const OF_MESSAGE: ReadonlySet<number> = new Set([400, 413, 414, 415, 422])
/** A message is dropped after this many, so that it does not block the next. */
const REFUSALS_MAX = 3

/** The oldest beyond it are dropped and counted. */
export const MESSAGES_MAX = 500
/** Problems whose recovery a receiver still has to get; the oldest beyond it are dropped. */
const OPEN_PROBLEMS_MAX = 2_000

const Waiting = v.object({
  messages: storedList(v.object({ id: v.string(), body: v.record(v.string(), v.unknown()) })),
  /** Dropped messages that were not reported to the receiver yet. */
  lost: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  /** Alarms whose problem was sent, and whose recovery was not. */
  openProblems: storedList(v.string()),
})
type Waiting = v.InferOutput<typeof Waiting>

export type MessageQueue = DeliveryQueue & {
  readonly offer: (notification: AlarmNotification, message: WebhookMessage) => void
}

/**
 * Delivers messages in order, each until it is accepted. A message whose answer was lost is sent again with the
 * same id.
 */
export function createMessageQueue({ id, postUrl, from }: Outgoing, ports: DeliveryPorts): MessageQueue {
  const empty: Waiting = { messages: [], lost: 0, openProblems: [] }
  const stored = createPersisted<Waiting>(id, ports.storage, Waiting, empty)
  const { get, set } = stored
  let refused = 0
  let lastRefusal: DeliveryFailure | undefined
  let refusals = 0
  const drop = (message: WebhookMessage, reported: number): void => {
    const { messages, lost, openProblems } = get()
    refusals = 0
    set({ messages: messages.filter((other) => other !== message), lost: lost - reported, openProblems })
  }
  const next = (): Attempt | undefined => {
    const { messages, lost } = get()
    const [message] = messages
    if (message === undefined) return undefined
    const body = lost === 0 ? message.body : { ...message.body, missed: lost }
    return {
      message: { url: postUrl, body: JSON.stringify(body), blind: false },
      accepted: () => {
        drop(message, lost)
        return undefined
      },
      refused: (failure) => {
        if (failure.kind !== 'status' || !OF_MESSAGE.has(failure.status)) return false
        if (++refusals < REFUSALS_MAX) return false
        refused++
        lastRefusal = failure
        drop(message, 0)
        return true
      },
    }
  }
  const state = () => ({ waiting: get().messages.length, lost: get().lost, refused, lastRefusal })
  const { update, repeat: _, ...queue } = createDeliveryQueue(id, ports, { next, state }, stored)
  return {
    ...queue,
    offer: (notification, message) =>
      update(() => {
        const { messages, lost, openProblems } = get()
        const open = openProblemsAfter(notification, from, openProblems)
        if (open === undefined) return false
        const all = [...messages, message]
        const dropped = Math.max(0, all.length - MESSAGES_MAX)
        set({ messages: all.slice(-MESSAGES_MAX), lost: lost + dropped, openProblems: open })
        return true
      }),
  }
}

/**
 * The open problems after a notification; undefined if this receiver does not get it. The receiver of a problem
 * gets its recovery, whatever its severity became; no other receiver does.
 */
function openProblemsAfter(
  { kind, severity, alarms }: AlarmNotification,
  from: AlarmSeverity,
  before: readonly string[],
): readonly string[] | undefined {
  const ids = new Set(alarms.map(({ id }) => id))
  if (kind === 'recovery') {
    const open = before.filter((id) => !ids.has(id))
    return open.length === before.length ? undefined : open
  }
  if (!reachesLevel(severity, from)) return undefined
  return Array.from(new Set([...before, ...ids])).slice(-OPEN_PROBLEMS_MAX)
}
