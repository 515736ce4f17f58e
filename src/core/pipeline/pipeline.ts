import { DEFAULTS } from '#base/defaults.ts'
import type { Store } from '#base/store.ts'
import { applyUpdate, wholeFleet, type FleetSnapshot, type FleetUpdate } from '#fleet/live.ts'
import type { History } from '#history/history.ts'
import { createMonitor, type Monitor } from '#monitor/monitor.ts'
import type { MonitorPorts } from '#monitor/ports.ts'
import { evaluateBatch } from './evaluate-batch.ts'
import { createRecorder } from './recorder.ts'
import { createTicker } from './ticker.ts'

/** Steps alarms on what was just evaluated, and publishes what came of it. */
export type AlarmStage = {
  /** `lateMs`: by how much timers ring late. */
  readonly evaluate: (fleet: FleetSnapshot, nowMs: number, lateMs: number) => void
  readonly publish: () => void
}

export type PipelinePorts = Omit<MonitorPorts, 'records' | 'onChange'> & {
  /** Where the newest snapshot stands. */
  readonly fleet: Store<FleetSnapshot>
  readonly history: Pick<History, 'append' | 'forget'>
  /** Absent: nothing is raised. */
  readonly alarms?: AlarmStage
}

export type Pipeline = {
  readonly monitor: Monitor
  /** At most every 250 ms; the first update, sent at once, is the whole fleet. Returns the end of the subscription. */
  readonly subscribe: (listener: (update: FleetUpdate) => void) => () => void
  /** Evaluates alarms from now on also where no poll brings anything, since some are raised by time alone. */
  readonly start: () => void
  readonly dispose: () => void
}

/** What becomes of polls: at most every 250 ms, whatever they brought is taken through every stage once. */
export function createPipeline({ fleet, history, alarms, ...ports }: PipelinePorts): Pipeline {
  const { clock, onError } = ports
  let lastBatchMs = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  const listeners = new Set<(update: FleetUpdate) => void>()
  const recorder = createRecorder(history)
  const monitor = createMonitor({ ...ports, records: recorder, onChange: planBatch })
  const ticker = createTicker(clock, evaluateTime)
  fleet.publish({ ...fleet.get(), screen: monitor.screen() })

  function planBatch(): void {
    const dueMs = lastBatchMs + DEFAULTS.publishEveryMs
    cancel ??= clock.after(Math.max(0, dueMs - clock.monotonicMs()), processBatch)
  }

  /** poll → record → evaluate → alarms → publish */
  function processBatch(): void {
    cancel = undefined
    lastBatchMs = clock.monotonicMs()
    const polled = monitor.takeBatch()
    recorder.flush()
    const update = evaluateBatch(fleet.get(), polled, onError, ports.metrics)
    fleet.publish(applyUpdate(fleet.get(), update))
    stepAlarms()
    publish(update)
  }

  function evaluateTime(): void {
    stepAlarms()
    safely(() => alarms?.publish())
  }

  function stepAlarms(): void {
    safely(() => alarms?.evaluate(fleet.get(), monitor.nowMs(), ticker.lateMs()))
  }

  function publish(update: FleetUpdate): void {
    for (const listener of Array.from(listeners)) safely(() => listener(update))
    safely(() => alarms?.publish())
  }

  function safely(stage: () => void): void {
    try {
      stage()
    } catch (error) {
      onError(error)
    }
  }

  return {
    monitor,
    subscribe: (listener) => {
      listeners.add(listener)
      listener(wholeFleet(fleet.get()))
      return () => {
        listeners.delete(listener)
      }
    },
    start: ticker.start,
    dispose: () => {
      monitor.dispose()
      ticker.end()
      cancel?.()
      listeners.clear()
      recorder.flush()
    },
  }
}
