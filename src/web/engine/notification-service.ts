import type { AlarmsView, AlarmNotification } from '#alarms/alarm.ts'
import type { DeliveryState, OutboxStorage, Post } from '#alarms/delivery.ts'
import { createOutbox } from '#alarms/outbox.ts'
import type { Clock } from '#base/clock.ts'
import { err } from '#base/result.ts'
import type { Monitor } from '#monitor/monitor.ts'
import type { TabCall } from '#tabs/share-message.ts'
import type { Tabs } from '#tabs/tabs.ts'
import { createAlarmFacts } from './alarm-facts.ts'
import type { EngineApi } from './bridge.ts'
import { createWatchdog } from './watchdog.ts'

type OutgoingCall = Extract<TabCall, { what: 'deliveries' | 'try-receiver' }>
type Offered = 'sendTo' | 'watchDeliveries' | 'testReceiver' | 'tryReceiver'

/** How messages leave this browser. */
export type DeliveryWorld = {
  readonly post: Post
  readonly storage: OutboxStorage
  /** Where this dashboard is, for links in messages. */
  readonly origin: string
}

/** For an engine without a network. */
export const OFFLINE_DELIVERY: DeliveryWorld = {
  post: async () => err({ kind: 'unreachable' }),
  storage: { load: async () => undefined, save: async () => undefined },
  origin: '',
}

/** Where alarms are sent from: by the tab that leads; the others show what it says. */
export type NotificationService = {
  readonly api: Pick<EngineApi, Offered>
  readonly notify: (notice: AlarmNotification) => void
  /** Alarms as they were just judged here. */
  readonly evaluated: (view: AlarmsView) => void
  readonly answer: (call: OutgoingCall) => unknown
  readonly end: () => void
}

/** A tab that does not lead asks this often how deliveries are doing, while somebody wants to know. */
const HEAR_EVERY_MS = 5_000

type Ports = DeliveryWorld & {
  readonly clock: Clock
  readonly monitor: Pick<Monitor, 'snapshot'>
  readonly tabs: Pick<Tabs, 'state' | 'ask'>
}

export function createNotificationService({ clock, monitor, tabs, ...world }: Ports): NotificationService {
  const watchdog = createWatchdog(clock, monitor)
  const outbox = createOutbox({
    ...world,
    ...createAlarmFacts(monitor.snapshot, world.origin),
    clock,
    isWatching: watchdog.isWatching,
  })
  let listener: ((states: readonly DeliveryState[]) => void) | undefined
  const leads = (): boolean => tabs.state.get().role === 'leading'

  const follow = (): void => outbox.setActive(leads())
  const ends = [
    tabs.state.subscribe(follow),
    outbox.states.subscribe(() => leads() && tell(outbox.states.get())),
  ]
  const tell = (states: readonly DeliveryState[]): void => listener?.(states)
  follow()

  let cancelHearing = (): void => undefined
  const hear = async (): Promise<void> => {
    cancelHearing()
    cancelHearing = clock.after(HEAR_EVERY_MS, () => void hear())
    if (leads() || listener === undefined) return
    const states = await tabs.ask({ what: 'deliveries' })
    if (!leads() && isStates(states)) tell(states)
  }

  const answer: NotificationService['answer'] = (call) => {
    if (call.what === 'deliveries') return outbox.states.get()
    outbox.tryNow(call.id)
    return true
  }

  return {
    answer,
    notify: outbox.notify,
    evaluated: (view) => {
      watchdog.evaluated(view)
      outbox.sync(view)
    },
    end: () => {
      for (const end of ends) end()
      cancelHearing()
      outbox.setActive(false)
    },
    api: {
      sendTo: async (receivers) => outbox.configure(receivers),
      watchDeliveries: async (next) => {
        listener = next
        if (leads()) next(outbox.states.get())
        void hear()
      },
      testReceiver: outbox.test,
      tryReceiver: async (id) => {
        const call = { what: 'try-receiver', id } as const
        if (leads()) answer(call)
        else await tabs.ask(call)
      },
    },
  }
}

const isStates = (value: unknown): value is readonly DeliveryState[] => Array.isArray(value)
