import type { NodeKey } from '#fleet/live.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { Gap, Sample } from '#history/history.ts'
import type { createExchangeLog } from './exchange.ts'
import type { InFlightMax } from './limiter.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { PollPorts } from './poll.ts'
import type { Prober } from './probes.ts'
import type { Schedule } from './schedule.ts'
import type { FleetState } from './tracked.ts'
import type { NetworkProbe } from '#protocol/transport.ts'
import type { VerifySignature } from '#signing/signer.ts'

/** Receives samples and gaps in order. Its failures never reach the polls. */
export type Records = {
  readonly sample: (sample: Sample) => void
  readonly gap: (gap: Gap) => void
  readonly forget: (nodes: readonly NodeKey[]) => void
}

/** Receives log entries for what samples do not show. */
export type Log = (entry: LogEntry) => void

export type MonitorPorts = Omit<PollPorts, 'nowMs'> & {
  readonly records: Records
  readonly onChange: () => void
  /** The configuration, the keys or the network changed, or an operator acted and waits for the result. */
  readonly onAct?: () => void
  /** An exception, which is a defect; polling continues. */
  readonly onError: (error: unknown) => void
  readonly inFlightMax: InFlightMax
  /** Whether requests through the dashboard server that start together are currently sent as batches. */
  readonly isBatching: () => boolean
  readonly probe?: NetworkProbe | undefined
  readonly log?: Log | undefined
  readonly metrics: MetricRegistry
  /** Verifies proofs. */
  readonly verify: VerifySignature
}

/** The parts that the monitor's stages share. */
export type MonitorParts = Pick<MonitorPorts, 'clock' | 'records' | 'metrics'> & {
  readonly log: Log
  readonly fleet: FleetState
  readonly schedule: Schedule
  readonly prober: Pick<Prober, 'consider' | 'end' | 'knock'>
  readonly exchanges: Pick<ReturnType<typeof createExchangeLog>, 'keep' | 'forget'>
  /** Starts the polls that were planned outside a tick. */
  readonly wake: () => void
}
