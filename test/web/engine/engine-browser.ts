import * as v from 'valibot'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmNotification, AlarmsView } from '#alarms/alarm.ts'
import { createAlarmStore, type AlarmStore } from '#alarms/alarm-store.ts'
import { ok } from '#base/result.ts'
import { createEngineHost } from '#engine/engine-host.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createAlarmTexts } from '#texts/alarm-message.ts'
import { lockOf } from '#platform/worker-engine-lock.ts'
import { AlarmSettingsSchema } from '#settings/schema.ts'
import { mailbox, outboxMemory, receiver } from '#test/core/delivery/outgoing.ts'
import { nodes, record, service } from '#test/core/monitor/watch.ts'
import { aloneHere } from '#test/support/alone-here.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { fakeLocks } from '#test/support/fake-locks.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

export const INTERVAL_MS = 5_000
/** How long the operator's rule waits before it raises, and before it clears. */
export const HOLD_MS = 30_000

const RULES = [
  {
    id: 'low',
    scope: { for: 'all' },
    raiseAfter: { polls: 1, of: 1 },
    clearAfter: 1,
    forMs: HOLD_MS,
    keepFiringForMs: HOLD_MS,
    severity: 'critical',
    condition: { metric: 'participation', test: 'below', limit: 0.97 },
  },
  {
    id: 'changed',
    scope: { for: 'all' },
    raiseAfter: { polls: 1, of: 1 },
    condition: { metric: 'stake', test: 'changed' },
  },
]

export type ShownPage = {
  /** The alarms that the page shows. */
  readonly view: () => AlarmsView | undefined
  readonly act: (act: AlarmAct) => Promise<boolean>
  readonly ping: () => Promise<boolean>
  readonly crash: () => void
}

export type RunningEngine = {
  readonly open: () => Promise<ShownPage>
  readonly stop: () => void
  /** Ends its process without notice. */
  readonly crash: () => void
  /** Stops its timers, as an endless loop would, until `wakes` is called. */
  readonly hang: () => void
  readonly wakes: () => void
  readonly isRunning: () => boolean
}

/** A browser whose complete engines share one store, one lock, one service and one fake clock. */
export function engineBrowser() {
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const outbox = outboxMemory()
  const mail = mailbox()
  const locks = fakeLocks()
  const told: AlarmNotification[] = []
  const polls: string[] = []
  const facts: Record<string, unknown> = {}
  let count = 0

  const start = (steals = false): RunningEngine => {
    const id = String(++count)
    const held: (() => void)[] = []
    let isAlive = true
    let isHung = false
    const own = {
      ...clock,
      after: (delayMs: number, run: () => void) =>
        clock.after(delayMs, () => {
          if (isHung) held.push(run)
          else if (isAlive) run()
        }),
    }
    const pageLives = new Map<string, () => void>()
    let running = false
    const host = createEngineHost({
      ...aloneHere(),
      id,
      clock: own,
      lock: lockOf(locks.of(id), { clock: own, id, version: id }),
      life: Promise.resolve(`engine ${id}`),
      whenGone: (life, gone) => {
        pageLives.set(life, gone)
        return () => pageLives.delete(life)
      },
      transport: async () => {
        polls.push(id)
        const { beat_age_s: beatAgeS, ...others } = facts
        const beat = Math.floor(clock.wallMs() / 1_000) - Number(beatAgeS ?? 5)
        return ok({ status: 200, body: record('0x0001', { last_heartbeat: beat, ...others }) })
      },
      alarmStore: slowly(createAlarmStore(storage), clock),
      delivery: {
        post: mail.post,
        storage: outbox,
        texts: (fleet) => createAlarmTexts(fleet, 'http://127.0.0.1', METRICS),
      },
    })
    let pages = 0
    const open = async (): Promise<ShownPage> => {
      const life = `${id} ${++pages}`
      let isOpen = true
      let view: AlarmsView | undefined
      const page = host.open()
      await page.join({ life, steals: steals && pages === 1 }, () => undefined)
      const { port1, port2 } = new MessageChannel()
      await page.connectSigner(port1)
      port2.close()
      await page.watchState(({ kind }) => {
        running = kind === 'running'
      })
      await page.watchAlarms((next) => {
        if (isAlive && isOpen) view = next
      })
      await page.watchAnnouncements(
        (one) => {
          if (isAlive && isOpen && one.kind === 'notification') told.push(one.notification)
        },
        () => undefined,
      )
      await page.setChannels([receiver({ from: 'info' })], 'off')
      await page.configure({
        serverUrl: 'http://127.0.0.1',
        services: [service({ pollIntervalMs: INTERVAL_MS })],
        nodes: nodes(1),
        alarms: v.parse(AlarmSettingsSchema, { rules: RULES }),
      })
      return {
        view: () => view,
        act: page.alarmAct,
        ping: page.ping,
        crash: () => {
          isOpen = false
          pageLives.get(life)?.()
        },
      }
    }
    const crash = (): void => {
      isAlive = false
      locks.end(id)
    }
    return {
      open,
      crash,
      stop: () => {
        host.stop('ended')
        crash()
      },
      hang: () => {
        isHung = true
      },
      wakes: () => {
        isHung = false
        for (const run of held.splice(0)) run()
      },
      isRunning: () => running,
    }
  }

  return {
    clock,
    start,
    /** The notifications shown on any page. */
    told,
    mail,
    /** The id of the engine that made each poll. */
    polls,
    /** Changes the node's record from now on; `beat_age_s` sets the age of its heartbeat. */
    says: (next: Readonly<Record<string, unknown>>): void => {
      Object.assign(facts, next)
    },
  }
}

/** Delays reads and writes but keeps their order, as a browser's database does. */
function slowly(keeper: AlarmStore, clock: Pick<ReturnType<typeof createFakeClock>, 'after'>): AlarmStore {
  return {
    load: async () => {
      await new Promise<void>((done) => clock.after(STORE_MS, done))
      return keeper.load()
    },
    save: async (kept, withPoints) => {
      await new Promise<void>((done) => clock.after(STORE_MS, done))
      return keeper.save(kept, withPoints)
    },
  }
}

const STORE_MS = 40
