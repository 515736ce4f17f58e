import * as v from 'valibot'
import type { AlarmAct, AlarmsView, AlarmNotification } from '#alarms/alarm.ts'
import { createAlarmStore, type AlarmStore } from '#alarms/alarm-store.ts'
import { ok } from '#base/result.ts'
import { createEngine, type Engine } from '#engine/create-engine.ts'
import { createMemoryHistory } from '#history/memory-history.ts'
import { AlarmSettingsSchema } from '#settings/alarm-settings.ts'
import type { LeaderLock } from '#tabs/elect-by-lock.ts'
import type { OpenTabChannel } from '#tabs/channel.ts'
import { mailbox, outboxMemory, receiver } from '#test/core/alarms/outgoing.ts'
import { nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
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
    check: { kind: 'participation-below', limit: 0.8 },
  },
]

export type AlarmTab = {
  readonly engine: Engine
  /** What its page shows. */
  readonly view: () => AlarmsView | undefined
  readonly act: (act: AlarmAct) => Promise<boolean>
  /** The tab is gone without a word. */
  readonly crash: () => void
  /** The tab is put aside by a person who closes it: it says so. */
  readonly close: () => void
  readonly leads: () => boolean
}

type Claim = { readonly tab: string; readonly granted: () => void; readonly lost: () => void }

/** A browser with tabs that are whole engines over one store, one lock and one service, all on one fake clock. */
export function tabBrowser() {
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const outbox = outboxMemory()
  const mail = mailbox()
  const told: AlarmNotification[] = []
  const polls: number[] = []
  const facts: Record<string, unknown> = {}
  const alive = new Set<string>()
  const channels = new Map<string, Set<{ tab: string; hear: (data: unknown) => void }>>()
  let claims: readonly Claim[] = []
  let count = 0

  /** The first in the line has the lock. */
  const grantFirst = (before: Claim | undefined): void => {
    const [first] = claims
    if (first !== undefined && first !== before) clock.after(1, () => claims[0] === first && first.granted())
  }
  const drop = (gone: (claim: Claim) => boolean): void => {
    const [before] = claims
    claims = claims.filter((claim) => !gone(claim))
    grantFirst(before)
  }
  const lockOf = (tab: string): LeaderLock => ({
    request: (how, hooks) => {
      const claim: Claim = { tab, ...hooks }
      const [before] = claims
      if (how === 'steal' && before !== undefined) {
        claims = [claim, ...claims.slice(1)]
        clock.after(1, () => alive.has(before.tab) && before.lost())
      } else claims = [...claims, claim]
      grantFirst(before)
      return () => drop((one) => one === claim)
    },
    look: (hear) => {
      clock.after(1, () => alive.has(tab) && hear({ mine: claims[0]?.tab === tab, tabs: new Set(alive) }))
    },
  })
  const channelsOf = (tab: string): OpenTabChannel => {
    return (name, hear) => {
      const mine = { tab, hear }
      const all = channels.get(name) ?? new Set()
      channels.set(name, all)
      all.add(mine)
      return {
        post: (message) => {
          if (!alive.has(tab)) return
          const copy: unknown = structuredClone(message)
          for (const each of all)
            if (each.tab !== tab)
              clock.after(1, () => all.has(each) && alive.has(each.tab) && each.hear(copy))
        },
        close: () => all.delete(mine),
      }
    }
  }

  const open = async (): Promise<AlarmTab> => {
    const id = (++count).toString(16).padStart(16, '0')
    alive.add(id)
    let view: AlarmsView | undefined
    const engine = createEngine({
      world: { id, build: 'test', random: () => 0.5, lock: lockOf(id), openChannel: channelsOf(id) },
      clock: { ...clock, after: (delayMs, run) => clock.after(delayMs, () => alive.has(id) && run()) },
      transport: async () => {
        polls.push(clock.monotonicMs())
        const { beat_age_s: beatAgeS, ...own } = facts
        const beat = Math.floor(clock.wallMs() / 1_000) - Number(beatAgeS ?? 5)
        return ok({ status: 200, body: record('0x0001', { last_heartbeat: beat, ...own }) })
      },
      history: createMemoryHistory(),
      alarmKeeper: slowly(createAlarmStore(storage), clock),
      outgoing: { post: mail.post, storage: outbox, origin: 'http://127.0.0.1' },
      openSigner: () => ({ signStatusRequest: async () => ok({ headers: {}, query: 'node_id=0x0001' }) }),
    })
    await engine.watchAlarms((next) => {
      if (alive.has(id)) view = next
    })
    await engine.watchNotices((notice) => {
      if (alive.has(id)) told.push(notice)
    })
    const { port1, port2 } = new MessageChannel()
    await engine.connectSigner(port1)
    port2.close()
    await engine.sendTo([receiver({ from: 'info' })])
    await engine.configure({
      serverOrigin: 'http://127.0.0.1',
      services: [service({ pollIntervalMs: INTERVAL_MS })],
      nodes: nodes(1),
      alarms: v.parse(AlarmSettingsSchema, { rules: RULES }),
    })
    const crash = (): void => {
      alive.delete(id)
      drop(({ tab }) => tab === id)
    }
    return {
      engine,
      view: () => view,
      act: (act) => engine.alarmAct(act),
      crash,
      close: () => {
        engine.dispose()
        crash()
      },
      leads: () => alive.has(id) && claims[0]?.tab === id,
    }
  }

  return {
    clock,
    open,
    /** What people were told, in whichever tab. */
    told,
    /** What the receiver took. */
    mail,
    /** When the service was asked. */
    polls,
    /** What the node's record says from now on; `beat_age_s`: how old its heartbeat is. */
    says: (next: Readonly<Record<string, unknown>>): void => {
      Object.assign(facts, next)
    },
  }
}

/** Reads and writes take their time, in the order in which they were asked for, as in a browser's database. */
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
