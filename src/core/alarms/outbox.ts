import { type Result, err } from '#base/result.ts'
import { type Store, createStore } from '#base/store.ts'
import { ALARM_SEVERITIES, type AlarmNotification, type AlarmSeverity, type AlarmsView } from './alarm.ts'
import { type AlertQueue, createAlertQueue } from './alert-queue.ts'
import { alertOf, testAlert } from './alertmanager-payload.ts'
import type {
  Delivered,
  DeliveryFailure,
  DeliveryPorts,
  DeliveryQueue,
  DeliveryState,
  Outgoing,
} from './delivery.ts'
import { type MessageQueue, createMessageQueue } from './message-queue.ts'
import { createPingQueue } from './ping-queue.ts'
import { type SilenceQueue, createSilenceQueue, silencesFor } from './silence-queue.ts'
import { type DescribeAlarm, webhookMessage, webhookTest } from './webhook-payload.ts'

export type OutboxPorts = Omit<DeliveryPorts, 'changed'> & {
  readonly isWatching: () => boolean
  readonly describe: DescribeAlarm
  /** A notice in one line. */
  readonly summary: (notice: AlarmNotification) => string
  /** What a test message says, and where it leads. */
  readonly test: { readonly text: string; readonly link: string }
}

export type Outbox = {
  /** Replaces what is sent to. A receiver that stays as it was goes on. */
  readonly configure: (receivers: readonly Outgoing[]) => void
  /** Only the tab that leads sends. What waits is kept, and the next one goes on with it. */
  readonly setActive: (isActive: boolean) => void
  readonly notify: (notice: AlarmNotification) => void
  /** The alarms as they are; only what the engine has really judged. */
  readonly sync: (view: AlarmsView) => void
  /** Sends a test message at once, past the queue. */
  readonly test: (receiverId: string) => Promise<Result<Delivered, DeliveryFailure>>
  /** Tries at once what waits for its next try. */
  readonly tryNow: (receiverId: string) => void
  readonly states: Store<readonly DeliveryState[]>
}

type Open = { readonly receiver: Outgoing; readonly line: DeliveryQueue } & (
  | { readonly kind: 'webhook'; readonly line: MessageQueue }
  | { readonly kind: 'alertmanager'; readonly line: AlertQueue; readonly silences: SilenceQueue }
  | { readonly kind: 'ping' }
)

function open(receiver: Outgoing, ports: OutboxPorts & { readonly changed: () => void }): Open {
  switch (receiver.kind) {
    case 'webhook':
      return { kind: 'webhook', receiver, line: createMessageQueue(receiver, ports) }
    case 'alertmanager':
      return alertmanager(receiver, ports)
    case 'ping':
      return { kind: 'ping', receiver, line: createPingQueue(receiver, ports) }
  }
}

/** Alerts and silences go their own ways, and are one receiver for the screen. */
function alertmanager(receiver: Outgoing, ports: OutboxPorts & { readonly changed: () => void }): Open {
  const alerts = createAlertQueue(receiver, ports)
  const silences = createSilenceQueue(receiver, ports)
  const queues = [alerts, silences]
  const each = (run: (line: DeliveryQueue) => void) => () => queues.forEach(run)
  const line: AlertQueue = {
    sync: alerts.sync,
    state: () => bothOf(alerts.state(), silences.state()),
    now: each(({ now }) => now()),
    end: each(({ end }) => end()),
  }
  return { kind: 'alertmanager', receiver, line, silences }
}

/** Trouble with alerts is told before trouble with silences. */
function bothOf(alerts: DeliveryState, silences: DeliveryState): DeliveryState {
  const troubled = alerts.failure === undefined ? silences : alerts
  const { failure, failingSinceWallMs, nextTryWallMs } = troubled
  const waiting = alerts.waiting + silences.waiting
  const lost = alerts.lost + silences.lost
  return { ...alerts, waiting, lost, failure, failingSinceWallMs, nextTryWallMs }
}

/** How people outside of this browser are told: one line for each receiver. */
export function createOutbox(ports: OutboxPorts): Outbox {
  const { clock, post, describe, summary, test } = ports
  let receivers: readonly Outgoing[] = []
  let isActive = false
  let lines: readonly Open[] = []
  let view: AlarmsView | undefined
  const states = createStore<readonly DeliveryState[]>([])
  const changed = (): void => states.publish(lines.map(({ line }) => line.state()))

  const renew = (): void => {
    const wanted = isActive ? receivers : []
    const staying = lines.filter(({ receiver }) => wanted.some((other) => isSame(receiver, other)))
    for (const each of lines) if (!staying.includes(each)) each.line.end()
    lines = wanted.map(
      (receiver) =>
        staying.find((each) => isSame(each.receiver, receiver)) ?? open(receiver, { ...ports, changed }),
    )
    if (view !== undefined) mirror(view)
    changed()
  }
  const mirror = (shown: AlarmsView): void => {
    for (const each of lines) {
      if (each.kind !== 'alertmanager') continue
      const on = shown.alarms.filter(
        ({ notified, severity }) => notified && isLoudEnough(severity, each.receiver.from),
      )
      each.line.sync(on.map((alarm) => alertOf(alarm, describe(alarm))))
      each.silences.sync(each.receiver.silences?.share === true ? silencesFor(on, describe) : [])
    }
  }

  return {
    states,
    configure: (next) => {
      receivers = next
      renew()
    },
    setActive: (next) => {
      isActive = next
      // What another tab judges meanwhile is not known here.
      if (!next) view = undefined
      renew()
    },
    notify: (notice) => {
      for (const each of lines)
        if (each.kind === 'webhook')
          each.line.offer(notice, webhookMessage(notice, describe, summary(notice)))
    },
    sync: (next) => {
      view = next
      mirror(next)
    },
    test: async (receiverId) => {
      const receiver = receivers.find(({ id }) => id === receiverId)
      if (receiver === undefined) return err({ kind: 'unreachable' })
      const sent = await post({
        url: receiver.postUrl,
        body: JSON.stringify(testBody(receiver, clock.wallMs(), test)),
        blind: receiver.kind === 'ping' && receiver.via === 'direct',
      })
      if (sent.ok) lines.find((each) => each.receiver.id === receiverId)?.line.now()
      return sent
    },
    tryNow: (receiverId) => lines.find(({ receiver }) => receiver.id === receiverId)?.line.now(),
  }
}

function testBody({ kind }: Outgoing, wallMs: number, { text, link }: OutboxPorts['test']): object {
  switch (kind) {
    case 'webhook':
      return webhookTest(`test-${wallMs}`, wallMs, text).body
    case 'alertmanager':
      return [testAlert(wallMs, text, link)]
    case 'ping':
      return {}
  }
}

const isLoudEnough = (severity: AlarmSeverity, from: AlarmSeverity): boolean =>
  ALARM_SEVERITIES.indexOf(severity) <= ALARM_SEVERITIES.indexOf(from)

const isSame = (one: Outgoing, other: Outgoing): boolean => JSON.stringify(one) === JSON.stringify(other)
