import { type Result, err } from '#base/result.ts'
import { createStore } from '#base/store.ts'
import { ALERTMANAGER } from './alertmanager.ts'
import type { AlarmNotification, AlarmView, AlarmsView } from '#alarms/alarm.ts'
import type {
  Delivered,
  DeliveryFailure,
  DeliveryState,
  MembersOf,
  OutboxPorts,
  Outgoing,
  ReceiverKind,
  Sender,
} from './delivery-queue.ts'
import { knownProblems } from './follow-ups.ts'
import { MESSAGES } from './message-queue.ts'
import { PING } from './ping.ts'

/** All other kinds get the webhook's body, which the server renders for them. */
const KINDS: ReadonlyMap<string, ReceiverKind> = new Map([
  ['alertmanager', ALERTMANAGER],
  ['ping', PING],
])
const kindOf = ({ kind }: Outgoing): ReceiverKind => KINDS.get(kind) ?? MESSAGES

type Open = { readonly receiver: Outgoing; readonly sender: Sender }

type Synced = readonly [view: AlarmsView, membersOf: MembersOf, awaited?: readonly AlarmView[]]

export function createOutbox(ports: OutboxPorts) {
  const { clock, post, test } = ports
  /** Undefined before the first configuration. */
  let receivers: readonly Outgoing[] | undefined
  let isActive = false
  let open: readonly Open[] = []
  let last: Synced | undefined
  const states = createStore<readonly DeliveryState[]>([])
  const changed = (): void => states.publish(open.map(({ sender }) => sender.state()))
  const openOf = (receiver: Outgoing): Open =>
    open.find((each) => isSame(each.receiver, receiver)) ?? {
      receiver,
      sender: kindOf(receiver).open(receiver, { ...ports, changed }),
    }
  const renew = (): void => {
    const next = isActive ? (receivers ?? []).filter(({ isTestOnly }) => isTestOnly !== true).map(openOf) : []
    for (const each of open) if (!next.includes(each)) each.sender.end()
    open = next
    sync()
    changed()
  }
  const sync = (): void => {
    if (last === undefined) return
    const [{ alarms }, membersOf, awaited] = last
    for (const { sender } of open) sender.sync(alarms, membersOf, awaited)
  }
  /** Receivers that were added during an outage get its problems, because later messages would not name them. */
  const catchUp = (known: readonly Outgoing[]): void => {
    if (last === undefined) return
    const [{ alarms }, membersOf] = last
    const added = open.filter(({ receiver }) => !known.some(({ id }) => id === receiver.id))
    for (const notification of knownProblems(alarms, membersOf, clock.wallMs()))
      for (const { sender } of added) sender.notify?.(notification)
  }
  const senderOf = (id: string): Sender | undefined => open.find(({ receiver }) => receiver.id === id)?.sender

  return {
    states,
    /** An unchanged receiver keeps its queue. */
    configure: (next: readonly Outgoing[]): void => {
      const known = receivers
      receivers = next
      renew()
      if (known !== undefined) catchUp(known)
    },
    /** Only the active engine sends. Undelivered messages are stored, and the next active engine continues. */
    setActive: (next: boolean): void => {
      isActive = next
      // Another engine evaluates now.
      if (!next) last = undefined
      renew()
    },
    notify: (notification: AlarmNotification): void => {
      for (const { sender } of open) sender.notify?.(notification)
    },
    /** `view` has only alarms that the engine has evaluated; `awaited` has the others that have not ended. */
    sync: (...next: Synced): void => {
      last = next
      sync()
    },
    /** Sends a test message at once, bypassing the queue. */
    test: async (receiverId: string): Promise<Result<Delivered, DeliveryFailure>> => {
      const receiver = receivers?.find(({ id }) => id === receiverId)
      if (receiver === undefined) return err({ kind: 'unreachable' })
      const { postUrl, kind, via } = receiver
      const body = JSON.stringify(kindOf(receiver).testBody(clock.wallMs(), test))
      const sent = await post({ url: postUrl, body, blind: kind === 'ping' && via === 'direct' })
      if (sent.ok) senderOf(receiverId)?.now(true)
      return sent
    },
    tryNow: (receiverId: string): void => senderOf(receiverId)?.now(),
  }
}

const isSame = (one: Outgoing, other: Outgoing): boolean => JSON.stringify(one) === JSON.stringify(other)
