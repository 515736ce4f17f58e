import type { Clock } from '#base/clock.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { Gap, Sample } from '#history/history.ts'
import type { InFlightMax } from './limiter.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { NetworkProbe, Transport } from '#protocol/transport.ts'
import type { Signer, VerifySignature } from '#signing/signer.ts'

/** Takes what polls brought, in order. What becomes of it never reaches the polls. */
export type Records = {
  readonly sample: (sample: Sample) => void
  readonly gap: (gap: Gap) => void
  readonly forget: (nodes: readonly NodeKey[]) => void
}

/** Takes what is worth an entry in the log, but for what samples tell. */
export type Log = (entries: readonly LogEntry[]) => void

/** What polling needs from the world. */
export type MonitorPorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly signer: Signer
  readonly records: Records
  /** There is something for the next batch. */
  readonly onChange: () => void
  /** Something threw, which is a defect; polling goes on. */
  readonly onError: (error: unknown) => void
  /** Absent: as many as a browser's connections to a host carry over HTTP/1.1. */
  readonly inFlightMax?: InFlightMax | undefined
  readonly probe?: NetworkProbe | undefined
  readonly log?: Log | undefined
  readonly metrics: MetricRegistry
  /** Checks proofs; absent: none is checked, and every reading says so. */
  readonly verify?: VerifySignature
}
