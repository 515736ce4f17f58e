import { type Result, err } from '#base/result.ts'
import { type Store, createStore } from '#base/store.ts'
import type { AlarmId, AlarmMember, AlarmNotification, AlarmsView, AlarmView } from './alarm.ts'
import { reachesLevel } from './channels.ts'
import { createAlertQueue } from './alertmanager-receiver.ts'
import { sentAlerts, testAlert } from './alertmanager-payload.ts'
import type {
  Delivered,
  DeliveryFailure,
  DeliveryPorts,
  DeliveryQueue,
  DeliveryState,
  Outgoing,
} from './delivery-queue.ts'
import { createMessageQueue } from './webhook-receiver.ts'
import { createPingQueue } from './ping-receiver.ts'
import { createSilenceQueue, silencesFor } from './alertmanager-receiver.ts'
import { type DescribeAlarm, webhookMessage, webhookTest } from './webhook-payload.ts'

export type OutboxPorts = Omit<DeliveryPorts, 'changed'> & {
  readonly isWatching: () => boolean
  readonly describe: DescribeAlarm
  /** In one line. */
  readonly summary: (notification: AlarmNotification) => string
  /** What a test message says, and where it leads. */
  readonly test: { readonly text: string; readonly link: string }
}

/** Every alarm behind a row. */
type MembersOf = (id: AlarmId) => readonly AlarmMember[]

export type Outbox = {
  /** Replaces what is sent to. A receiver that stays as it was goes on. */
  readonly configure: (receivers: readonly Outgoing[]) => void
  /** Only the tab that leads sends. What waits is kept, and the next one goes on with it. */
  readonly setActive: (isActive: boolean) => void
  readonly notify: (notification: AlarmNotification) => void
  /** The alarms as they are; only what the engine has really evaluated. */
  readonly sync: (view: AlarmsView, membersOf: MembersOf) => void
  /** Sends a test message at once, past the queue. */
  readonly test: (receiverId: string) => Promise<Result<Delivered, DeliveryFailure>>
  /** Tries at once what waits for its next try. */
  readonly tryNow: (receiverId: string) => void
  readonly states: Store<readonly DeliveryState[]>
}

/** Sends to one receiver. A new kind of receiver is one of these below. */
type Sender = DeliveryQueue & {
  readonly notify: (notification: AlarmNotification) => void
  /** The alarms as they are; those that people were notified of, of this receiver's severities. */
  readonly sync: (alarms: readonly AlarmView[], membersOf: MembersOf) => void
}

type SenderKind = {
  readonly open: (receiver: Outgoing, ports: OutboxPorts & Pick<DeliveryPorts, 'changed'>) => Sender
  readonly testBody: (wallMs: number, test: OutboxPorts['test']) => object
  /** Its answer can't be read where the browser sends. */
  readonly isBlind?: true
}

const NOTHING = (): void => undefined

const SENDERS: Readonly<Record<Outgoing['kind'], SenderKind>> = {
  webhook: {
    open: (receiver, ports) => {
      const { describe, summary } = ports
      const { offer, ...queue } = createMessageQueue(receiver, ports)
      const notify: Sender['notify'] = (one) => offer(one, webhookMessage(one, describe, summary(one)))
      return { ...queue, notify, sync: NOTHING }
    },
    testBody: (wallMs, { text }) => webhookTest(`test-${wallMs}`, wallMs, text).body,
  },
  alertmanager: {
    open: alertmanager,
    testBody: (wallMs, { text, link }) => [testAlert(wallMs, text, link)],
  },
  ping: {
    open: (receiver, ports) => ({ ...createPingQueue(receiver, ports), notify: NOTHING, sync: NOTHING }),
    testBody: () => ({}),
    isBlind: true,
  },
}

/** Alerts and silences go their own ways, and are one receiver for the screen. */
function alertmanager(receiver: Outgoing, ports: OutboxPorts & Pick<DeliveryPorts, 'changed'>): Sender {
  const { describe } = ports
  const alerts = createAlertQueue(receiver, ports)
  const silences = createSilenceQueue(receiver, ports)
  const each = (run: (queue: DeliveryQueue) => void) => () => [alerts, silences].forEach(run)
  return {
    notify: NOTHING,
    sync: (on, membersOf) => {
      alerts.sync((open) => {
        const sent = sentAlerts(on, open, describe, membersOf)
        silences.sync(receiver.silences?.share === true ? silencesFor(sent) : [])
        return sent.map(({ alert }) => alert)
      })
    },
    state: () => bothOf(alerts.state(), silences.state()),
    now: each(({ now }) => now()),
    end: each(({ end }) => end()),
  }
}

/** Trouble with alerts is shown before trouble with silences. */
function bothOf(alerts: DeliveryState, silences: DeliveryState): DeliveryState {
  const troubled = alerts.failure === undefined ? silences : alerts
  const { failure, failingSinceWallMs, nextTryWallMs } = troubled
  const waiting = alerts.waiting + silences.waiting
  const lost = alerts.lost + silences.lost
  return { ...alerts, waiting, lost, failure, failingSinceWallMs, nextTryWallMs }
}

type Open = { readonly receiver: Outgoing; readonly sender: Sender }

/** How people outside of this browser are notified: one sender for each receiver. */
export function createOutbox(ports: OutboxPorts): Outbox {
  const { clock, post, test } = ports
  let receivers: readonly Outgoing[] = []
  let isActive = false
  let open: readonly Open[] = []
  let last: { readonly view: AlarmsView; readonly membersOf: MembersOf } | undefined
  const states = createStore<readonly DeliveryState[]>([])
  const changed = (): void => states.publish(open.map(({ sender }) => sender.state()))
  const openOf = (receiver: Outgoing): Open =>
    open.find((each) => isSame(each.receiver, receiver)) ?? {
      receiver,
      sender: SENDERS[receiver.kind].open(receiver, { ...ports, changed }),
    }
  const renew = (): void => {
    const next = isActive ? receivers.map(openOf) : []
    for (const each of open) if (!next.includes(each)) each.sender.end()
    open = next
    if (last !== undefined) sync(last.view, last.membersOf)
    changed()
  }
  const sync = ({ alarms }: AlarmsView, membersOf: MembersOf): void => {
    for (const { receiver, sender } of open)
      sender.sync(
        alarms.filter(({ notified, severity }) => notified && reachesLevel(severity, receiver.from)),
        membersOf,
      )
  }
  const senderOf = (id: string): Sender | undefined => open.find(({ receiver }) => receiver.id === id)?.sender

  return {
    states,
    configure: (next) => {
      receivers = next
      renew()
    },
    setActive: (next) => {
      isActive = next
      // What another engine evaluates meanwhile is not known here.
      if (!next) last = undefined
      renew()
    },
    notify: (notification) => {
      for (const { sender } of open) sender.notify(notification)
    },
    sync: (view, membersOf) => {
      last = { view, membersOf }
      sync(view, membersOf)
    },
    test: async (receiverId) => {
      const receiver = receivers.find(({ id }) => id === receiverId)
      if (receiver === undefined) return err({ kind: 'unreachable' })
      const { testBody, isBlind = false } = SENDERS[receiver.kind]
      const sent = await post({
        url: receiver.postUrl,
        body: JSON.stringify(testBody(clock.wallMs(), test)),
        blind: isBlind && receiver.via === 'direct',
      })
      if (sent.ok) senderOf(receiverId)?.now()
      return sent
    },
    tryNow: (receiverId) => senderOf(receiverId)?.now(),
  }
}

const isSame = (one: Outgoing, other: Outgoing): boolean => JSON.stringify(one) === JSON.stringify(other)
