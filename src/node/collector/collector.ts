import { textFingerprint } from '#base/fingerprint.ts'
import type { NodeKey, NodeLive, ServiceLive } from '#fleet/live.ts'
import { nodesAfter, servicesAfter } from '#fleet/snapshot.ts'
import { createVerifier } from '#keys/verify-signature.ts'
import type { Sample } from '#history/history.ts'
import { createMonitor } from '#monitor/monitor.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import type { Signer } from '#signing/signer.ts'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import type { Receiver } from '#settings/receiver.ts'
import type { BuiltInChange, ServerConfig, Service } from '#settings/schema.ts'
import { changedRuleFamilies } from './changed-rules.ts'
import type { Shard } from './collect-options.ts'
import { createExposition } from './exposition.ts'
import { classFamily, nodeFamilies, type ExposedFleet, type Family } from './node-families.ts'
import { createServerSigner, type SigningKeys } from '#server/signing-keys.ts'
import { watchFigures } from '#watch/watch-figures.ts'
import { createWatch, type Watch, type WatchPorts } from '#watch/watch.ts'

export type CollectorPorts = Pick<
  WatchPorts,
  'clock' | 'transport' | 'inFlightMax' | 'metrics' | 'onError'
> & {
  readonly keys: SigningKeys
  readonly tokens: ReadonlyMap<string, string>
  readonly shard?: Shard | undefined
  /** Absent: it raises no alarms. */
  readonly watch?: Pick<WatchPorts, 'files' | 'post' | 'dashboardUrl' | 'report'> | undefined
}

export type Collector = ReturnType<typeof createCollector>

/** The engine without a screen: polls, and exports its state to Prometheus. */
export function createCollector(ports: CollectorPorts) {
  const { metrics } = ports
  let services: readonly Service[] = []
  const signer = createServerSigner(ports.keys, () => services, ports.clock.wallMs, ports.tokens)
  let errors = 0
  const onError = (error: unknown): void => {
    errors++
    ports.onError(error)
  }
  /** By service id, which begins a node's key. Looked up, because reading an address for each sample costs 2 % of the CPU. */
  const baseUrls = new Map<string, string>()
  const onSample = (sample: Sample): void => {
    const id = sample.node.slice(0, sample.node.indexOf('!'))
    exposition.observe(baseUrls.get(id) ?? id, sample)
  }
  const poller = createPoller({ ...ports, onError }, signer, onSample)
  let changes: readonly BuiltInChange[] = []
  const changed = changedRuleFamilies(metrics, () => changes)
  const { fleet, watch } = poller
  const exposition = createExposition({
    fleet,
    ofNodes: [...nodeFamilies(metrics), changed.ofNodes],
    summed: [classFamily(metrics)],
    ofFleet: [
      ...ownMetrics(poller.behindMs, () => errors),
      changed.ofServices,
      ...(watch === undefined ? [] : watchFigures(watch)),
    ],
    onError,
  })
  return {
    configure: (config: ServerConfig, receivers: readonly Receiver[] = []): void => {
      const { services: named, nodes, rules, alarms } = effectiveConfig(config, EMPTY_SETTINGS)
      services = named.map((service) => ({ ...service, via: 'direct' }))
      for (const { baseUrl } of services) baseUrls.set(serviceIdOf(baseUrl), baseUrl)
      changes = alarms.builtIn
      const own = nodes.filter(({ id }) => isOfShard(id, ports.shard))
      poller.configure({ serverUrl: '', services, nodes: own, rules, alarms }, receivers)
    },
    exposition,
    progress: (): { readonly nodes: number; readonly polled: number } => {
      const { nodes } = fleet()
      const polled = nodes.filter(({ reading, episode }) => reading !== undefined || episode !== undefined)
      return { nodes: nodes.length, polled: polled.length }
    },
    /** When alarms were last evaluated; undefined before, and without a watch. */
    evaluatedWallMs: watch?.evaluatedWallMs,
    stop: poller.stop,
  }
}

type Poller = Pick<Watch, 'configure' | 'stop'> & {
  readonly fleet: () => ExposedFleet
  readonly behindMs: () => number
  readonly watch?: Watch
}

/** Polls alone, or as part of a watch, which evaluates at most a second later. */
function createPoller(ports: CollectorPorts, signer: Signer, onSample: (sample: Sample) => void): Poller {
  const { clock, transport, metrics, inFlightMax, onError } = ports
  const world = { clock, transport, signer, metrics, onError }
  if (ports.watch !== undefined) {
    const watch = createWatch({ ...ports.watch, ...world, inFlightMax, onSample })
    watch.start()
    const fleet = (): ExposedFleet => {
      const { nodes, services } = watch.fleet()
      return { nodes: Array.from(nodes.values()), services, nowMs: watch.nowMs() }
    }
    return { ...watch, fleet, behindMs: () => watch.fleet().screen.behindMs, watch }
  }
  let nodes: ReadonlyMap<NodeKey, NodeLive> = new Map()
  let services: ReadonlyMap<ServiceId, ServiceLive> = new Map()
  const monitor = createMonitor({
    ...world,
    inFlightMax: () => inFlightMax,
    isBatching: () => false,
    verify: createVerifier(),
    // Stores nothing between scrapes except each node's newest state.
    records: { sample: onSample, gap: () => undefined, forget: () => undefined },
    onChange: () => undefined,
  })
  return {
    configure: monitor.configure,
    fleet: () => {
      const batch = monitor.takeBatch()
      nodes = nodesAfter(nodes, batch)
      services = servicesAfter(services, batch)
      return { nodes: Array.from(nodes.values()), services, nowMs: batch.nowMs }
    },
    behindMs: () => monitor.screen().behindMs,
    stop: monitor.dispose,
  }
}

/** A node belongs to the same part on every computer; the default node belongs to part 1. */
export function isOfShard(id: string | undefined, shard: Shard | undefined): boolean {
  if (shard === undefined) return true
  if (id === undefined) return shard.part === 1
  const print = Number.parseInt(textFingerprint(canonicalNodeId(id)).slice(0, 8), 16)
  return print % shard.of === shard.part - 1
}

function ownMetrics(behindMs: () => number, errors: () => number): readonly Family[] {
  const own = (name: string, help: string, value: (fleet: ExposedFleet) => number): Family => ({
    name: `immune_node_collector_${name}`,
    help,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    points: (fleet) => [{ labels: {}, value: value(fleet) }],
  })
  const ofServices = (
    name: string,
    help: string,
    value: (service: ServiceLive) => number | undefined,
  ): Family => ({
    name: `immune_node_service_${name}`,
    help,
    type: 'gauge',
    points: ({ services }) =>
      Array.from(services.values()).flatMap((service) => {
        const found = value(service)
        return found === undefined ? [] : [{ labels: { service: service.service.baseUrl }, value: found }]
      }),
  })
  return [
    own('nodes', 'Nodes that this collector polls.', ({ nodes }) => nodes.length),
    own('behind_seconds', 'Delay of the most overdue poll.', () => behindMs() / 1_000),
    own('errors_total', 'Internal errors of the collector, none of which stopped polling.', errors),
    ofServices(
      'poll_interval_seconds',
      'Configured poll interval of the service.',
      ({ service }) => service.pollIntervalMs / 1_000,
    ),
    ofServices(
      'round_seconds',
      'Time to poll every node of the service once; absent if it fits within the interval.',
      ({ round }) => round && round.takesMs / 1_000,
    ),
    ofServices(
      'clock_offset_seconds',
      'How far the service’s clock is ahead of the collector’s; absent while its answers contain no time.',
      ({ offset }) => offset && (offset.lowMs + offset.highMs) / 2_000,
    ),
  ]
}
