import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { assess, withAssessment } from '#evaluate/assess.ts'
import {
  applyUpdate,
  EMPTY_SNAPSHOT,
  type FleetSnapshot,
  type FleetUpdate,
  type AssessedNode,
  type NodeKey,
  type NodeLive,
  type ScreenLive,
  type ServiceLive,
} from '#fleet/live.ts'

/** Where the publisher reads what it publishes. */
export type Sources = {
  readonly nowMs: () => number
  readonly node: (key: NodeKey) => NodeLive | undefined
  readonly order: () => readonly NodeKey[]
  readonly services: () => readonly ServiceLive[]
  readonly screen: () => ScreenLive
  /** Called with every batch, before it goes out. */
  readonly beforeBatch: () => void
}

/** Collects what changed and tells it at most every 250 ms: thousands of polls cost the page one frame. */
export type Publisher = {
  readonly node: (key: NodeKey) => void
  readonly order: () => void
  readonly services: () => void
  readonly screen: () => void
  readonly snapshot: () => FleetSnapshot
  /** The first update is the whole fleet; returns the end of the subscription. */
  readonly subscribe: (listener: (update: FleetUpdate) => void) => () => void
  readonly dispose: () => void
}

export function createPublisher(clock: Clock, sources: Sources): Publisher {
  let snapshot: FleetSnapshot = { ...EMPTY_SNAPSHOT, screen: sources.screen() }
  let lastMs = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  const changed = new Set<NodeKey>()
  let orderChanged = false
  let servicesChanged = false
  const listeners = new Set<(update: FleetUpdate) => void>()

  const publish = (): void => {
    cancel = undefined
    lastMs = clock.monotonicMs()
    sources.beforeBatch()
    const services = new Map(sources.services().map((service) => [service.id, service]))
    for (const node of snapshot.nodes.values())
      if (meansOther(node, snapshot.services.get(node.serviceId), services.get(node.serviceId)))
        changed.add(node.key)
    const update: FleetUpdate = {
      revision: snapshot.revision + 1,
      nowMs: sources.nowMs(),
      wallMs: clock.wallMs(),
      changed: Array.from(changed).flatMap((key) => assessed(sources.node(key), services)),
      ...(orderChanged ? { order: sources.order() } : {}),
      ...(servicesChanged ? { services: Array.from(services.values()) } : {}),
      screen: sources.screen(),
    }
    changed.clear()
    orderChanged = false
    servicesChanged = false
    snapshot = applyUpdate(snapshot, update)
    for (const listener of Array.from(listeners)) listener(update)
  }

  const plan = (): void => {
    cancel ??= clock.after(Math.max(0, lastMs + DEFAULTS.publishEveryMs - clock.monotonicMs()), publish)
  }

  return {
    node: (key) => {
      changed.add(key)
      plan()
    },
    order: () => {
      orderChanged = true
      plan()
    },
    services: () => {
      servicesChanged = true
      plan()
    },
    screen: plan,
    snapshot: () => snapshot,
    subscribe: (listener) => {
      listeners.add(listener)
      listener(wholeFleet(snapshot))
      return () => {
        listeners.delete(listener)
      }
    },
    dispose: () => {
      cancel?.()
      listeners.clear()
    },
  }
}

/** Whether other settings of its service make the same state mean something else. */
const meansOther = (
  node: AssessedNode,
  before: ServiceLive | undefined,
  now: ServiceLive | undefined,
): boolean =>
  now !== undefined &&
  (before?.service !== now.service || before.rules !== now.rules) &&
  JSON.stringify(assess(node, now)) !== JSON.stringify(node.assessment)

function assessed(
  node: NodeLive | undefined,
  services: ReadonlyMap<ServiceLive['id'], ServiceLive>,
): readonly AssessedNode[] {
  const service = node && services.get(node.serviceId)
  return node === undefined || service === undefined ? [] : [withAssessment(node, service)]
}

/** The update that makes any other picture into this one. */
export const wholeFleet = (snapshot: FleetSnapshot): FleetUpdate => ({
  revision: snapshot.revision,
  nowMs: snapshot.nowMs,
  wallMs: snapshot.wallMs,
  changed: Array.from(snapshot.nodes.values()),
  order: Array.from(snapshot.nodes.keys()),
  services: Array.from(snapshot.services.values()),
  screen: snapshot.screen,
})
