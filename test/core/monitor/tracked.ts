import { ok, type Result } from '#base/result.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { applyConfig, type MonitorConfig } from '#monitor/configure.ts'
import { createExchangeLog } from '#monitor/exchange.ts'
import type { SentPoll } from '#monitor/poll.ts'
import type { Prober } from '#monitor/probes.ts'
import { createSchedule } from '#monitor/schedule.ts'
import { createFleetState, type TrackedNode, type TrackedService } from '#monitor/tracked.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { MONITOR_PARTS } from '#test/support/engine-parts.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { NOW_MS, reading, WALL_MS } from './fleet.ts'
import { nodes, service } from './watch.ts'

/** The engine's services and nodes with their schedule and holds, before the first poll. */
export function tracked(given: Partial<MonitorConfig> = {}) {
  const clock = createFakeClock(WALL_MS, NOW_MS)
  const logged: LogEntry[] = []
  const samples: Sample[] = []
  /** Services whose diagnosis ended. */
  const ended: TrackedService[] = []
  const fleet = createFleetState(() => undefined, WALL_MS)
  const { take } = fleet.changes
  const schedule = createSchedule(fleet, MONITOR_PARTS.inFlightMax, MONITOR_PARTS.isBatching)
  const log = (entry: LogEntry) => void logged.push(entry)
  const prober: Prober = {
    consider: () => undefined,
    end: (one) => void ended.push(one),
    knock: () => undefined,
    dispose: () => undefined,
  }
  const parts = {
    metrics: METRICS,
    clock,
    log,
    fleet,
    schedule,
    prober,
    exchanges: createExchangeLog(),
    wake: () => undefined,
    records: {
      sample: (sample: Sample) => void samples.push(sample),
      gap: () => undefined,
      forget: () => undefined,
    },
  }
  const configure = (config: Partial<MonitorConfig>) =>
    applyConfig(
      parts,
      { serverUrl: 'http://127.0.0.1', services: [service()], nodes: nodes(1), ...config },
      NOW_MS,
    )
  configure(given)
  take()
  const nodeAt = (index: number): TrackedNode => {
    const node = Array.from(fleet.nodes.values())[index]
    if (node === undefined) throw new Error('not watched')
    return node
  }
  const serviceAt = (index: number): TrackedService => {
    const found = Array.from(fleet.services.values())[index]
    if (found === undefined) throw new Error('no such service')
    return found
  }
  return { clock, logged, samples, ended, take, fleet, schedule, parts, configure, nodeAt, serviceAt }
}

/** A poll that began at this time, and its outcome. */
export const sentAt = (
  startedMs: number,
  result: Result<StatusRecord, PollFailure> = ok(reading().record),
  more: Partial<SentPoll> = {},
): SentPoll => ({
  kind: 'sent',
  result,
  reply: undefined,
  startedMs,
  startedWallMs: WALL_MS + startedMs - NOW_MS,
  latencyMs: 20,
  url: 'https://api.example',
  requestHeaders: {},
  correction: undefined,
  ...more,
})
