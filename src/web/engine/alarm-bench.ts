import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'
import type { AlarmNotification } from '#alarms/alarm.ts'
import { createAlarmEvaluator, type AlarmEvaluator } from '#alarms/alarm-evaluator.ts'
import { entryOf } from '#alarms/journal-entry.ts'
import type { AlarmStore, StoredAlarms } from '#alarms/alarm-store.ts'
import type { AlarmTransition } from '#alarms/room.ts'
import type { SelfFacts } from '#alarms/self-rules.ts'
import type { EventLog, LogEntry } from '#history/event-log.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import type { AlarmSettings } from '#settings/alarm-settings.ts'
import type { Monitor } from '#monitor/monitor.ts'

/** What people would miss is kept within a second; what was seen last, this often. */
const KEEP_MUCH_MS = 1_000
const KEEP_LITTLE_MS = 15_000
/** What rules saw within their windows may be megabytes: no more than so much of it is written in a second. */
const POINTS_PER_MS = 1

export type BenchPorts = {
  readonly clock: Clock
  readonly monitor: Monitor
  /** The journal, and how history is kept; absent where there is none. */
  readonly log: Pick<EventLog, 'append'> | undefined
  /** Keeps now what the journal has been given. */
  readonly saved?: (() => Promise<void>) | undefined
  readonly status: Store<HistoryStatus> | undefined
  /** Absent: alarms end with the tab. */
  readonly keeper: AlarmStore | undefined
  readonly notice: (notice: AlarmNotification) => void
}

/** Where the tab that leads judges: from when it leads, with what was kept, until it no longer does. */
export type AlarmBench = {
  readonly begin: (writer: string) => void
  readonly end: () => void
  /** Undefined while it does not judge, or has not read yet what was kept. */
  readonly alarms: () => AlarmEvaluator | undefined
  /** The operator's own rules from now on, and maintenance. */
  readonly configure: (settings: AlarmSettings) => void
  /** Judges what is seen now. */
  readonly look: (facts: SelfFacts) => void
  /** To be called after every act. */
  readonly acted: () => void
}

export function createAlarmBench(ports: BenchPorts): AlarmBench {
  const { clock, monitor, log, saved, status, keeper, notice: onNotification } = ports
  let alarms: AlarmEvaluator | undefined
  let writer = ''
  let settings: AlarmSettings = { rules: [], maintenance: [] }
  const journal = createJournal(log)
  const keeping = createKeeping(clock, keeper)

  const open = async (name: string): Promise<void> => {
    const kept = await keeper?.load()
    // Meanwhile another tab may have taken over, or this one has begun anew.
    if (writer !== name) return
    alarms = createAlarmEvaluator({ writer: name, onTransition: journal.add, onNotification, zoneOffsetMs })
    alarms.configure(settings)
    if (kept !== undefined) alarms.restore(kept, clock.wallMs())
    journal.flush()
  }

  return {
    alarms: () => alarms,
    begin: (name) => {
      writer = name
      void open(name)
    },
    end: () => {
      writer = ''
      if (alarms !== undefined) keeping.now(alarms, true)
      alarms = undefined
    },
    configure: (next) => {
      settings = next
      alarms?.configure(next)
      journal.flush()
    },
    look: (facts) => {
      if (alarms === undefined) return
      const all = { ...facts, ...(status !== undefined && { notSaving: notSaving(status.get()) }) }
      alarms.evaluate(monitor.snapshot(), all, monitor.nowMs(), clock.wallMs())
      journal.flush()
      keeping.soon(alarms)
    },
    acted: () => {
      journal.flush()
      // What a person did is in the journal even if the page is left in the same second.
      void saved?.()
      if (alarms !== undefined) keeping.now(alarms)
    },
  }
}

/** How far local time is ahead of UTC then. */
const zoneOffsetMs = (wallMs: number): number => -new Date(wallMs).getTimezoneOffset() * 60_000

const notSaving = ({ state, failure }: HistoryStatus): SelfFacts['notSaving'] => {
  if (state === 'not-kept') return failure ?? 'broken'
  return state === 'kept' ? false : undefined
}

/** Writes the steps of one look in one go. */
function createJournal(log: BenchPorts['log']) {
  let entries: LogEntry[] = []
  return {
    add: (step: AlarmTransition): void => {
      entries.push(entryOf(step))
    },
    flush: (): void => {
      if (entries.length > 0) void log?.append(entries)
      entries = []
    },
  }
}

const pointsIn = ({ memory }: StoredAlarms): number =>
  memory.reduce((sum, [, one]) => sum + (one.kind === 'points' ? one.points.length : 0), 0)

/** One write at a time; what changes meanwhile is written by the next, or at the end at once: the store keeps the order. */
function createKeeping(clock: Clock, keeper: AlarmStore | undefined) {
  let isBusy = false
  let lastMs = Number.NEGATIVE_INFINITY
  let pointsDueMs = Number.NEGATIVE_INFINITY
  const now = (alarms: AlarmEvaluator, isLast = false): void => {
    if (keeper === undefined || (isBusy && !isLast) || alarms.dirty() === 'nothing') return
    isBusy = true
    lastMs = clock.monotonicMs()
    const kept = alarms.stored()
    const withPoints = isLast || lastMs >= pointsDueMs
    if (withPoints) pointsDueMs = lastMs + Math.max(KEEP_LITTLE_MS, pointsIn(kept) / POINTS_PER_MS)
    const ended = (isKept: boolean): void => {
      isBusy = false
      if (!isKept && withPoints) pointsDueMs = Number.NEGATIVE_INFINITY
      alarms.setPersisted(isKept)
    }
    keeper.save(kept, withPoints).then(ended, () => ended(false))
  }
  return {
    now,
    soon: (alarms: AlarmEvaluator): void => {
      const waitMs = alarms.dirty() === 'much' ? KEEP_MUCH_MS : KEEP_LITTLE_MS
      if (clock.monotonicMs() - lastMs >= waitMs) now(alarms)
    },
  }
}
