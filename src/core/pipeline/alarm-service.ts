import type { Clock } from '#base/clock.ts'
import { createStore, type Store } from '#base/store.ts'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmId, AlarmMember, AlarmView, AlarmsView, AlarmNotification } from '#alarms/alarm.ts'
import { AlarmEvaluator } from '#alarms/alarm-evaluator.ts'
import { entryOf, type AlarmTransition } from '#alarms/alarm-state.ts'
import type { AlarmStore, StoredAlarms } from '#alarms/alarm-store.ts'
import { localOffsetMs } from '#alarms/maintenance-windows.ts'
import type { RaisedAlarms } from '#alarms/alarm-rows.ts'
import type { PagesFacts, SelfFacts } from '#alarms/shared-rules.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { EventLog, LogEntry } from '#history/event-log.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { AlarmSettings } from '#settings/schema.ts'

/** Changes whose loss an operator would notice are saved within a second; last values every 15 s. */
const SAVE_SOON_MS = 1_000
const SAVE_RARELY_MS = 15_000
/** The values in rule windows can be megabytes, so at most this many are written per millisecond. */
const POINTS_PER_MS = 1

export type AlarmServicePorts = {
  readonly clock: Clock
  /** Journal and status of the history; absent without history. */
  readonly log: Pick<EventLog, 'append'> | undefined
  readonly saved?: (() => Promise<void>) | undefined
  readonly status: Store<HistoryStatus> | undefined
  readonly store: AlarmStore
  readonly onNotification: (notification: AlarmNotification) => void
  readonly metrics: MetricRegistry
  readonly evaluated: (view: AlarmsView, awaited: readonly AlarmView[]) => void
}

export type AlarmService = ReturnType<typeof createAlarmService>

/** The pipeline's alarm stage: evaluates and stores alarms, and applies operators' acts. */
export function createAlarmService(ports: AlarmServicePorts) {
  const { clock, log, saved, status, store, metrics, onNotification, evaluated } = ports
  const view = createStore<AlarmsView | undefined>(undefined)
  const journal = createJournal(clock, log)
  const persistence = createPersistence(clock, store, () => isStopped)
  let alarms: AlarmEvaluator | undefined
  let settings: AlarmSettings | undefined
  let facts: SelfFacts = {}
  let [isStopped, hasNotified] = [false, false]
  let evaluatedWallMs: number | undefined

  const open = async (writer: string): Promise<void> => {
    const stored = await store.load()
    if (isStopped) return
    const sinks = { onTransition: journal.add, onNotification: notify }
    alarms = new AlarmEvaluator({ writer, registry: metrics, zoneOffsetMs: localOffsetMs, ...sinks })
    alarms.configure(settings ?? EMPTY_SETTINGS.alarms)
    if (stored !== undefined) alarms.restore(stored, clock.wallMs())
    journal.flush(alarms)
  }
  // Saved at once, because the next engine must know which notified problems still need a recovery.
  const notify = (notification: AlarmNotification): void => {
    hasNotified = true
    onNotification(notification)
  }
  const save = (now: AlarmEvaluator): void => {
    if (hasNotified) persistence.now(now)
    else persistence.soon(now)
    hasNotified = false
  }

  return {
    view,
    /** When alarms were last evaluated, by the computer's clock; undefined before. */
    evaluatedWallMs: () => evaluatedWallMs,
    /** Starts with the stored alarms. `writer`: id of this engine. */
    start: (writer: string): void => void open(writer),
    /** `lateMs`: how late timers fire. */
    evaluate: (fleet: FleetSnapshot, nowMs: number, lateMs: number): void => {
      if (alarms === undefined || settings === undefined) return
      const all = { ...facts, lateMs, ...(status !== undefined && { notSaving: notSaving(status.get()) }) }
      evaluatedWallMs = clock.wallMs()
      alarms.evaluate(fleet, all, nowMs, evaluatedWallMs)
      journal.flush(alarms, 'mute-ended')
      save(alarms)
      evaluated(alarms.view(), alarms.awaited())
    },
    /** The same object until something changes. */
    raised: (): RaisedAlarms => alarms?.raised() ?? NO_ALARMS,
    publish: (): void => {
      if (alarms !== undefined && settings !== undefined) view.publish(alarms.view())
    },
    /** Sets the operator's rules and maintenance windows. Evaluation starts with the first call. */
    configure: (next: AlarmSettings): void => {
      settings = next
      alarms?.configure(next)
      journal.flush(alarms)
    },
    /** Facts that only pages know, such as whether sound is blocked. */
    setFacts: (next: Partial<PagesFacts>): void => {
      facts = next
    },
    /** False: the stored alarms are not loaded yet, so the act was not applied. */
    act: (act: AlarmAct): boolean => {
      if (alarms === undefined) return false
      alarms.act(act, clock.wallMs())
      journal.flush(alarms, 'by-person')
      // Ensures that the journal has the act even if the last page closes within the same second.
      void saved?.()
      persistence.now(alarms)
      view.publish(alarms.view())
      return true
    },
    members: (id: AlarmId): readonly AlarmMember[] => alarms?.members(id) ?? [],
    /** `saves`: writes unsaved changes first. */
    stop: (saves: boolean): void => {
      isStopped = true
      if (saves && alarms !== undefined) persistence.now(alarms, true)
      alarms = undefined
    },
  }
}

const NO_ALARMS: RaisedAlarms = new Map()

const notSaving = ({ state, failure }: HistoryStatus): SelfFacts['notSaving'] => {
  if (state === 'not-kept') return failure ?? 'broken'
  return state === 'kept' ? false : undefined
}

function createJournal(clock: Clock, log: AlarmServicePorts['log']) {
  let entries: LogEntry[] = []
  let mutedUntilMs: number | undefined
  return {
    add: (transition: AlarmTransition): void => {
      entries.push(entryOf(transition))
    },
    /** `muteReason`: why the sound was muted or unmuted. Absent: unchanged. */
    flush: (alarms?: AlarmEvaluator, muteReason?: 'by-person' | 'mute-ended'): void => {
      const before = mutedUntilMs
      mutedUntilMs = alarms?.view().mutedUntilWallMs
      if (mutedUntilMs !== before && muteReason !== undefined)
        entries.push({
          wallMs: clock.wallMs(),
          // A mute that runs out is not an operator's act.
          area: muteReason === 'by-person' ? 'operator' : 'alarm',
          what: mutedUntilMs === undefined ? 'sound-unmuted' : 'sound-muted',
          facts: { reason: muteReason, ...(mutedUntilMs !== undefined && { untilMs: mutedUntilMs }) },
        })
      if (entries.length > 0) void log?.append(entries)
      entries = []
    },
  }
}

const pointsIn = ({ memory }: StoredAlarms): number =>
  memory.reduce((sum, [, one]) => sum + (one.kind === 'points' ? one.points.length : 0), 0)

/**
 * One write at a time; an urgent change is written right after it. The last write does not wait, because the store keeps the
 * order.
 */
function createPersistence(clock: Clock, store: AlarmStore, isStopped: () => boolean) {
  let isBusy = false
  let isUrgent = false
  let lastMs = Number.NEGATIVE_INFINITY
  let pointsDueMs = Number.NEGATIVE_INFINITY
  const now = (alarms: AlarmEvaluator, isLast = false): void => {
    isUrgent = isBusy
    if ((isBusy && !isLast) || alarms.dirty() === 'nothing') return
    isBusy = true
    lastMs = clock.monotonicMs()
    const stored = alarms.stored()
    const withPoints = isLast || lastMs >= pointsDueMs
    if (withPoints) pointsDueMs = lastMs + Math.max(SAVE_RARELY_MS, pointsIn(stored) / POINTS_PER_MS)
    const ended = (isSaved: boolean): void => {
      isBusy = false
      if (!isSaved && withPoints) pointsDueMs = Number.NEGATIVE_INFINITY
      alarms.setPersisted(isSaved)
      if (isUrgent && !isStopped()) now(alarms)
    }
    store.save(stored, withPoints).then(ended, () => ended(false))
  }
  return {
    now,
    soon: (alarms: AlarmEvaluator): void => {
      const waitMs = alarms.dirty() === 'alarms' ? SAVE_SOON_MS : SAVE_RARELY_MS
      if (!isBusy && clock.monotonicMs() - lastMs >= waitMs) now(alarms)
    },
  }
}
