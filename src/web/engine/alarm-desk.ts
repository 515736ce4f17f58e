import type { Clock } from '#base/clock.ts'
import type { AlarmsView, AlarmNotification } from '#alarms/alarm.ts'
import type { SelfFacts } from '#alarms/self-rules.ts'
import type { AlarmSettings } from '#settings/alarm-settings.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { TabCall } from '#tabs/share-message.ts'
import type { Tabs } from '#tabs/tabs.ts'
import { createAlarmBench, type BenchPorts } from './alarm-bench.ts'
import type { EngineApi } from './bridge.ts'
import { whileLeading } from './while-leading.ts'
import type { NotificationService } from './notification-service.ts'

/** Alarms are looked at with every batch, and this often when there is none. */
const LOOK_EVERY_MS = 1_000
const UNTOLD_MAX = 50

type AlarmCall = Extract<TabCall, { what: 'alarms' | 'alarm-members' | 'alarm-act' }>
type Offered = 'watchAlarms' | 'watchNotices' | 'alarmAct' | 'readAlarmMembers' | 'sayOfScreen'

type Ports = Omit<BenchPorts, 'notice'> & {
  /** This tab. */
  readonly id: string
  readonly tabs: Pick<Tabs, 'state' | 'ask'>
  /** Hears what people are to be told, and alarms as they were just judged. */
  readonly outgoing?: Pick<NotificationService, 'notify' | 'evaluated'> | undefined
}

/** Alarms among several tabs: the one that leads judges; the others show what it says, and pass on what people do. */
export type AlarmDesk = {
  readonly api: Pick<EngineApi, Offered>
  /** To be called when what is watched is known. */
  readonly configured: (settings: AlarmSettings | undefined) => void
  readonly answer: (call: AlarmCall) => unknown
  readonly end: () => void
}

export function createAlarmDesk({ id, tabs, outgoing, ...ports }: Ports): AlarmDesk {
  const { clock, monitor } = ports
  const notices = createNotices()
  let facts: SelfFacts = {}
  let isConfigured = false
  const teller = createTeller(clock)
  const bench = createAlarmBench({
    ...ports,
    notice: (notice) => {
      outgoing?.notify(notice)
      notices.tell(notice)
    },
  })
  const leads = (): boolean => tabs.state.get().role === 'leading'

  const look = (lateMs: number): void => {
    if (!leads() || !isConfigured) return
    bench.look({ ...facts, lateMs })
    const alarms = bench.alarms()
    if (alarms === undefined) return
    outgoing?.evaluated(alarms.view())
    if (teller.isDue()) teller.tell(alarms.view())
  }
  const hear = async (): Promise<void> => {
    const view = await tabs.ask({ what: 'alarms', known: teller.known() })
    if (!leads() && isView(view)) teller.tell(view)
  }
  const ticker = createTicker(clock, (lateMs) => {
    if (leads()) look(lateMs)
    else void hear()
  })
  const endUpdates = monitor.subscribe(() => look(ticker.lateMs()))
  const endLead = whileLeading(tabs.state, () => bench.begin(`${id} ${tabs.state.get().term}`), bench.end)

  const answer: AlarmDesk['answer'] = (call) => answerOf(bench, teller, clock, call)
  const asked = async (call: AlarmCall): Promise<unknown> => (leads() ? answer(call) : tabs.ask(call))

  return {
    answer,
    configured: (settings) => {
      isConfigured = true
      bench.configure(settings ?? { rules: [], maintenance: [] })
    },
    end: () => {
      ticker.end()
      endUpdates()
      endLead()
      bench.end()
    },
    api: {
      watchAlarms: async (listener) => teller.listen(listener),
      watchNotices: async (listener) => notices.listen(listener),
      alarmAct: async (act) => {
        const done = (await asked({ what: 'alarm-act', act })) === true
        if (done && !leads()) await hear()
        return done
      },
      readAlarmMembers: async (row) => {
        const members = await asked({ what: 'alarm-members', id: row })
        // The same code answered, or none.
        return Array.isArray(members) ? members : []
      },
      sayOfScreen: async (next) => {
        facts = next
      },
    },
  }
}

/** What is asked of the tab that judges, and what people do there. */
function answerOf(
  bench: ReturnType<typeof createAlarmBench>,
  teller: ReturnType<typeof createTeller>,
  clock: Clock,
  call: AlarmCall,
): unknown {
  const alarms = bench.alarms()
  if (alarms === undefined) return undefined
  if (call.what === 'alarms') {
    const view = alarms.view()
    return knownAs(view) === call.known ? undefined : view
  }
  if (call.what === 'alarm-members') return alarms.members(call.id)
  alarms.act(call.act, clock.wallMs())
  bench.acted()
  teller.tell(alarms.view())
  return true
}

/** Passes on what people are to be told; until somebody listens, which is soon, it waits. */
function createNotices() {
  let waiting: readonly AlarmNotification[] = []
  let listener: ((notice: AlarmNotification) => void) | undefined
  return {
    tell: (notice: AlarmNotification): void => {
      if (listener === undefined) waiting = [...waiting, notice].slice(-UNTOLD_MAX)
      else listener(notice)
    },
    listen: (next: (notice: AlarmNotification) => void): void => {
      listener = next
      for (const notice of waiting) next(notice)
      waiting = []
    },
  }
}

/** Tells the page what it does not know yet. */
function createTeller(clock: Clock) {
  let listener: (view: AlarmsView) => void = () => undefined
  let told: AlarmsView | undefined
  let toldMs = Number.NEGATIVE_INFINITY
  const known = (): string => (told === undefined ? '' : knownAs(told))
  return {
    known,
    isDue: () => clock.monotonicMs() - toldMs >= DEFAULTS.publishEveryMs,
    tell: (view: AlarmsView): void => {
      if (knownAs(view) === known()) return
      told = view
      toldMs = clock.monotonicMs()
      listener(view)
    },
    listen: (next: (view: AlarmsView) => void): void => {
      listener = next
      if (told !== undefined) next(told)
    },
  }
}

/** Looks every second; says how much later than that it came to it. */
function createTicker(clock: Clock, run: (lateMs: number) => void) {
  let beforeMs = clock.monotonicMs()
  let lateMs = 0
  const tick = (): void => {
    const nowMs = clock.monotonicMs()
    lateMs = Math.max(0, nowMs - beforeMs - LOOK_EVERY_MS)
    beforeMs = nowMs
    end = clock.after(LOOK_EVERY_MS, tick)
    run(lateMs)
  }
  let end = clock.after(LOOK_EVERY_MS, tick)
  return { lateMs: () => lateMs, end: () => end() }
}

const knownAs = ({ writer, revision }: AlarmsView): string => `${writer} ${revision}`

// The same code answered, so one field tells an answer from none.
const isView = (value: unknown): value is AlarmsView =>
  typeof value === 'object' && value !== null && 'alarms' in value
