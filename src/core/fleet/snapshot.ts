import type { ServiceId } from '#record/service.ts'
import type { Cause } from './cause.ts'
import {
  nodeKeyOf,
  type AssessedNode,
  type NodeKey,
  type NodeLive,
  type ScreenLive,
  type ServiceLive,
} from './live.ts'

export type FleetSnapshot = {
  readonly revision: number
  readonly nowMs: number
  readonly wallMs: number
  readonly nodes: ReadonlyMap<NodeKey, AssessedNode>
  readonly services: ReadonlyMap<ServiceId, ServiceLive>
  readonly screen: ScreenLive
  /** Most severe first; the same object while nothing changes. */
  readonly causes: readonly Cause[]
}

/** Changes since the last update; `order`, `services` and `causes` are set only if they changed. */
export type FleetUpdate = Pick<FleetSnapshot, 'revision' | 'nowMs' | 'wallMs' | 'screen'> & {
  readonly changed: readonly AssessedNode[]
  readonly order?: readonly NodeKey[]
  readonly services?: readonly ServiceLive[]
  readonly causes?: readonly Cause[]
}

type Watched = Pick<FleetSnapshot, 'nodes' | 'services'>

/** Default nodes that are also watched by their id, each with the key by that id. */
export type Twins = ReadonlyMap<NodeKey, NodeKey>

export function twinsIn({ nodes, services }: Watched): Twins {
  return new Map(
    Array.from(services.keys()).flatMap((id) => {
      const own = nodeKeyOf(id, undefined)
      const named = nodes.get(own)?.reading?.record.nodeId
      const twin = named?.ok === true ? nodeKeyOf(id, named.value) : own
      return twin !== own && nodes.has(twin) ? [[own, twin] as const] : []
    }),
  )
}

/** Every node once. All counts of nodes use this. */
export function countedNodes(fleet: Watched): FleetSnapshot['nodes'] {
  const twice = twinsIn(fleet)
  if (twice.size === 0) return fleet.nodes
  const counted = new Map(fleet.nodes)
  for (const key of twice.keys()) counted.delete(key)
  return counted
}

/** The shortest poll interval of the services that have nodes, in ms. */
export const shortestIntervalMs = ({ nodes, services }: Watched): number =>
  Math.min(
    ...Array.from(
      nodes.values(),
      ({ serviceId }) => services.get(serviceId)?.service.pollIntervalMs ?? Number.POSITIVE_INFINITY,
    ),
  )

/** Removes keys whose twin is also in the list. */
export function countedKeys(keys: readonly NodeKey[], twins: Twins): readonly NodeKey[] {
  const all = new Set(keys)
  const isTwice = (key: NodeKey): boolean => {
    const twin = twins.get(key)
    return twin !== undefined && all.has(twin)
  }
  return twins.size === 0 ? keys : keys.filter((key) => !isTwice(key))
}

export const EMPTY_SNAPSHOT: FleetSnapshot = {
  revision: 0,
  nowMs: 0,
  wallMs: 0,
  nodes: new Map(),
  services: new Map(),
  screen: { startedWallMs: 0, gaps: [], behindMs: 0, answered: 0, failed: 0, offline: false },
  causes: [],
}

/** Nodes that are not in the update stay the same objects. */
export const applyUpdate = (
  snapshot: FleetSnapshot,
  { changed, order, services, causes = snapshot.causes, ...rest }: FleetUpdate,
): FleetSnapshot => ({
  ...rest,
  nodes: nodesAfter(snapshot.nodes, { changed, order }),
  services: servicesAfter(snapshot.services, { services }),
  causes,
})

export function nodesAfter<N extends NodeLive>(
  before: ReadonlyMap<NodeKey, N>,
  { changed, order }: { readonly changed: readonly N[]; readonly order?: readonly NodeKey[] | undefined },
): ReadonlyMap<NodeKey, N> {
  if (changed.length === 0 && order === undefined) return before
  const newer = new Map(changed.map((node) => [node.key, node]))
  const nodes = new Map<NodeKey, N>()
  for (const key of order ?? before.keys()) {
    const node = newer.get(key) ?? before.get(key)
    if (node !== undefined) nodes.set(key, node)
  }
  return nodes
}

/** Unchanged settings and rules stay the same objects, although an update crosses a Worker boundary as a copy. */
export const servicesAfter = (
  before: FleetSnapshot['services'],
  { services }: { readonly services?: readonly ServiceLive[] | undefined },
): FleetSnapshot['services'] =>
  services === undefined
    ? before
    : new Map(
        services.map((now) => {
          const known = before.get(now.id)
          const service = keptIfSame(known?.service, now.service)
          return [now.id, { ...now, service, rules: keptIfSame(known?.rules, now.rules) }]
        }),
      )

const keptIfSame = <T>(before: T | undefined, now: T): T =>
  before !== undefined && (before === now || JSON.stringify(before) === JSON.stringify(now)) ? before : now

export const wholeFleet = ({ nodes, services, ...rest }: FleetSnapshot): FleetUpdate => ({
  ...rest,
  changed: Array.from(nodes.values()),
  order: Array.from(nodes.keys()),
  services: Array.from(services.values()),
})
