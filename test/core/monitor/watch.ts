import type { Log } from '#monitor/ports.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { History, HistoryBatch } from '#history/history.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { MonitorConfig } from '#monitor/configure.ts'
import { createStore } from '#base/store.ts'
import { nodeKeyOf, type NodeKey } from '#fleet/live.ts'
import { EMPTY_SNAPSHOT } from '#fleet/snapshot.ts'
import { createPipeline, type PipelinePorts } from '#pipeline/pipeline.ts'
import type {
  HttpReply,
  LocalNetworkPermission,
  OpaqueAnswer,
  Transport,
  TransportFailure,
} from '#protocol/transport.ts'
import type { Signer, SignFailure, VerifySignature } from '#signing/signer.ts'
import { serviceIdOf } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Service, WatchedNode } from '#settings/schema.ts'
import { KEEPS_NO_READINGS, MONITOR_PARTS, RAISES_NOTHING } from '#test/support/engine-parts.ts'
import { createFakeClock, type FakeClock } from '#test/support/fake-clock.ts'

export const BASE = 'https://api.example'

/** A service as settings give it, defaults filled in. */
export function service(given: Partial<Service> = {}): Service {
  const parsed = parseSettings({ version: 1, services: [{ baseUrl: BASE, via: 'direct', ...given }] })
  if (!parsed.ok || parsed.value.services[0] === undefined) throw new Error('not a service')
  return parsed.value.services[0]
}

/** "0x0001", "0x0002" … */
export const nodeId = (index: number): string => `0x${(index + 1).toString(16).padStart(4, '0')}`
export const keyOf = (index: number, baseUrl = BASE): NodeKey =>
  nodeKeyOf(serviceIdOf(baseUrl), nodeId(index))

export const nodes = (count: number, baseUrl = BASE, from = 0): WatchedNode[] =>
  Array.from({ length: count }, (_, index) => ({ id: nodeId(from + index), service: baseUrl, tags: [] }))

/** One request as the fake service saw it. Times are ms since the test began. */
export type Seen = { readonly atMs: number; readonly host: string; readonly node: string }

/** The most requests in one second, counted from the first or from this time. */
export function busiestSecond(seen: readonly Seen[], { atMs: fromMs } = seen[0] ?? { atMs: 0 }): number {
  const counts = new Map<number, number>()
  for (const { atMs } of seen) {
    const second = Math.floor((atMs - fromMs) / 1_000)
    counts.set(second, (counts.get(second) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}

export type Asked = {
  readonly node: string
  readonly host: string
  readonly url: string
  readonly atMs: number
  readonly wallMs: number
  /** The correction of the signed time. */
  readonly correctionMs: number
}

/** What the fake service does with a request; `hang` never answers. */
export type Answer =
  | (Partial<HttpReply> & { readonly afterMs?: number })
  | { readonly fails: TransportFailure['kind']; readonly afterMs?: number }
  | 'hang'

export const record = (node: string, given: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    node_id: node,
    status: 'ACTIVE',
    stake_deployed: 1_250_000,
    network_participation: 0.98,
    threat_responses_executed: 7,
    last_heartbeat: 1_780_315_190,
    cryptographic_proof: '0xabcd',
    ...given,
  })

const DEFAULT_LATENCY_MS = 20

/** A complete engine on a fake clock, with a function for the service and a history that records. */
export function watch(
  config: Partial<MonitorConfig> & { readonly nodeCount?: number } = {},
  options: {
    readonly clock?: FakeClock
    readonly history?: History
    /** The initial behaviour of the signer and the service; `world` changes it later. */
    readonly sign?: (correctionMs: number) => SignFailure | undefined
    readonly answer?: (asked: Asked) => Answer
    readonly verify?: VerifySignature
    readonly metrics?: MetricRegistry
    readonly log?: Log
    readonly isBatching?: () => boolean
  } = {},
) {
  const clock = options.clock ?? createFakeClock()
  const startMs = clock.monotonicMs()
  const seen: Seen[] = []
  const probes: { readonly url: string; readonly headers: object; readonly atMs: number }[] = []
  const inFlight = new Map<string, number>()
  const most = new Map<string, number>()
  const batches: HistoryBatch[] = []
  const forgotten: string[] = []
  const world = {
    answer: options.answer ?? ((asked: Asked): Answer => ({ body: record(asked.node) })),
    sign: options.sign ?? ((_correctionMs: number): SignFailure | undefined => undefined),
    signed: 0,
    /** The answer to an unsigned request; the same as for a poll by default. */
    probed: (asked: Asked & { readonly headers: object }): Answer => world.answer(asked),
    opaque: undefined as OpaqueAnswer | undefined,
    permission: 'unknown' as LocalNetworkPermission,
  }

  const transport: Transport = (request, signal) => {
    const url = new URL(request.url)
    const asked = {
      node: url.searchParams.get('node_id') ?? '',
      host: url.host,
      url: request.url,
      atMs: clock.monotonicMs() - startMs,
      wallMs: clock.wallMs(),
      correctionMs: Number(request.headers['X-Correction'] ?? 0),
    }
    // Only signed requests are polls.
    const isPoll = 'X-Correction' in request.headers
    if (isPoll) seen.push({ atMs: asked.atMs, host: asked.host, node: asked.node })
    else probes.push({ url: request.url, headers: request.headers, atMs: asked.atMs })
    const flying = (inFlight.get(url.host) ?? 0) + (isPoll ? 1 : 0)
    inFlight.set(url.host, flying)
    most.set(url.host, Math.max(most.get(url.host) ?? 0, flying))
    return new Promise((resolve) => {
      const cancels: (() => void)[] = []
      const end = (result: Result<HttpReply, TransportFailure>): void => {
        cancels.forEach((cancel) => cancel())
        inFlight.set(url.host, (inFlight.get(url.host) ?? 0) - (isPoll ? 1 : 0))
        resolve(result)
      }
      const onAbort = (): void => end(err({ kind: 'aborted' }))
      signal.addEventListener('abort', onAbort)
      cancels.push(() => signal.removeEventListener('abort', onAbort))
      const { timeoutMs } = request
      cancels.push(clock.after(timeoutMs, () => end(err({ kind: 'timeout', afterMs: timeoutMs }))))
      const answer = isPoll ? world.answer(asked) : world.probed({ ...asked, headers: request.headers })
      if (answer === 'hang') return
      const reply = resultOf(answer, asked)
      cancels.push(clock.after(answer.afterMs ?? DEFAULT_LATENCY_MS, () => end(reply)))
    })
  }

  const signer: Signer = {
    signStatusRequest: async (_, id, correctionMs = 0) => {
      const failure = world.sign(correctionMs)
      world.signed++
      if (failure !== undefined) return err(failure)
      const headers = { Authorization: 'Bearer test', 'X-Correction': String(correctionMs) }
      return ok({ headers, query: id === undefined ? '' : `node_id=${id}` })
    },
  }
  const history = options.history ?? rememberingHistory(batches, forgotten)
  const monitor = createPolling({
    clock,
    transport,
    signer,
    history,
    probe: { opaque: async () => world.opaque ?? 'unknown', localNetwork: async () => world.permission },
    ...(options.verify && { verify: options.verify }),
    ...(options.metrics && { metrics: options.metrics }),
    ...(options.isBatching && { isBatching: options.isBatching }),
    log: options.log,
  })
  const { nodeCount = 1, ...given } = config
  const full: MonitorConfig = {
    serverUrl: 'http://127.0.0.1:7420',
    services: [service()],
    nodes: nodes(nodeCount),
    ...given,
  }
  monitor.configure(full)
  const node = (index: number, baseUrl = BASE) => {
    const live = monitor.snapshot().nodes.get(keyOf(index, baseUrl))
    if (live === undefined) throw new Error(`node ${index} is not watched`)
    return live
  }
  return {
    clock,
    monitor,
    world,
    seen,
    probes,
    batches,
    forgotten,
    config: full,
    node,
    service: (baseUrl = BASE) => monitor.snapshot().services.get(serviceIdOf(baseUrl)),
    sinceStartMs: () => clock.monotonicMs() - startMs,
    mostInFlight: (host = new URL(BASE).host) => most.get(host) ?? 0,
    inFlight: () => Array.from(inFlight.values()).reduce((sum, count) => sum + count, 0),
    /** Times at which a node was polled, in ms since the start. */
    timesOf: (index: number) => seen.filter((one) => one.node === nodeId(index)).map((one) => one.atMs),
    samples: () => batches.flatMap((batch) => batch.samples),
  }
}

/** Polling with everything that follows it, except alarms. */
export function createPolling(
  ports: Pick<PipelinePorts, 'clock' | 'transport' | 'signer' | 'history'> & Partial<PipelinePorts>,
) {
  const fleet = createStore(EMPTY_SNAPSHOT)
  const onError = (error: unknown): never => {
    throw error
  }
  const { monitor, subscribe, dispose } = createPipeline({
    ...MONITOR_PARTS,
    alarms: RAISES_NOTHING,
    readingStore: KEEPS_NO_READINGS,
    ...ports,
    fleet,
    onError,
  })
  return { ...monitor, snapshot: fleet.get, subscribe, dispose }
}

function resultOf(answer: Exclude<Answer, 'hang'>, asked: Asked): Result<HttpReply, TransportFailure> {
  if ('fails' in answer) {
    const { fails: kind } = answer
    if (kind === 'timeout') return err({ kind, afterMs: answer.afterMs ?? 0 })
    return kind === 'too-large' ? err({ kind, limitBytes: 65_536 }) : err({ kind })
  }
  const { afterMs: _, ...reply } = answer
  return ok({ status: 200, body: reply.status === undefined ? record(asked.node) : '', ...reply })
}

const rememberingHistory = (batches: HistoryBatch[], forgotten: string[]): History => ({
  append: async (batch) => {
    batches.push(batch)
  },
  forget: async (keys) => {
    forgotten.push(...keys)
  },
})
