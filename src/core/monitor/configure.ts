import { groupBy } from '#base/group-by.ts'
import { parseNodeId } from '#record/node-id.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { requestBase, isMixedContent, serviceIdOf, type ServiceId } from '#record/service.ts'
import type { Service, WatchedNode } from '#settings/schema.ts'
import {
  NO_SERVICE_RULES,
  type ServiceRules,
  type ScopedRule,
  scopedRule,
  type SetRule,
} from '#settings/effective.ts'
import { createDetector } from '#record/detect.ts'
import * as asking from './asking.ts'
import { nodeKeyOf, type NodeKey } from '#fleet/live.ts'
import { proofForgotten } from './node-state.ts'
import type { MonitorParts } from './ports.ts'
import { heartbeatUnits, reinterpretHeartbeats } from './reinterpret.ts'
import { newClock } from './reply-clock.ts'
import { intervalOf, newNodeLive, type FleetState, type TrackedNode, type TrackedService } from './tracked.ts'
import { phaseOf } from './when.ts'

/** The complete configuration of the engine. It is passed whole at every change; unchanged nodes keep polling undisturbed. */
export type MonitorConfig = {
  /** Origin of the page, for requests through the proxy; without a trailing slash. */
  readonly serverUrl: string
  readonly services: readonly Service[]
  readonly nodes: readonly WatchedNode[]
  /** Units and limits. Of several rules for one scope the first applies. */
  readonly rules?: readonly SetRule[]
}

export function applyConfig(parts: MonitorParts, config: MonitorConfig, nowMs: number): void {
  const { fleet, schedule } = parts
  const units = heartbeatUnits(fleet)
  const services = config.services.slice(0, DEFAULTS.servicesMax)
  const touched = services.flatMap((service) => applyService(parts, service, config, nowMs) ?? [])
  // Services first, because removing a service also removes its nodes.
  const ids = new Set(services.map((service) => serviceIdOf(service.baseUrl)))
  for (const id of fleet.services.keys()) if (!ids.has(id)) fleet.services.delete(id)
  const wanted = wantedNodes(fleet, config)
  removeNodes(parts, wanted, nowMs)
  const added = addNodes(parts, wanted, nowMs)
  for (const service of fleet.services.values()) service.shortestMs = shortestOf(service)
  schedule.setHosts(servicesByHost(fleet))
  for (const service of touched)
    if (isMixedContent(config.serverUrl, service.base))
      asking.pause(parts, service, { kind: 'mixed-content' }, nowMs)
    else asking.resume(parts, service, nowMs)
  for (const node of added) asking.showHold(parts, node, nowMs)
  const unread = reinterpretHeartbeats(fleet, units, parts.metrics)
  const isFree = ({ service }: TrackedNode): boolean => service.asking.hold === undefined
  asking.planOutOfTurn(parts, [...added, ...unread].filter(isFree), nowMs)
  for (const node of added) if (!isFree(node)) asking.planAll(parts, node.service, nowMs)
  fleet.changes.order()
  fleet.changes.services()
}

/** Returns the service if it is new or its route, key or profile changed, so that earlier failures may no longer apply. */
function applyService(
  parts: MonitorParts,
  service: Service,
  { serverUrl, rules = [] }: MonitorConfig,
  nowMs: number,
): TrackedService | undefined {
  const { fleet, prober } = parts
  const id = serviceIdOf(service.baseUrl)
  const own = rulesForService(rules, service)
  const base = requestBase(id, service.via, serverUrl)
  const known = fleet.services.get(id)
  if (known === undefined) {
    const tracked = newService(id, service, base, own)
    fleet.services.set(id, tracked)
    return tracked
  }
  const before = known.service
  const sameRoute =
    known.base === base &&
    before.key === service.key &&
    JSON.stringify(before.profile) === JSON.stringify(service.profile)
  if (!sameRoute) {
    // The key, the profile or the route changed, so the service may accept what it refused before.
    known.clock.correction = undefined
    known.answerTime = undefined
    prober.end(known)
  }
  if (JSON.stringify(before.proof) !== JSON.stringify(service.proof))
    for (const node of known.nodes.values()) proofForgotten(fleet, node)
  known.service = service
  known.base = base
  known.host = new URL(base).host
  known.rules = { ...own, detected: known.detector.detected() }
  const hasSameTimes = before.pollIntervalMs === service.pollIntervalMs && before.pace === service.pace
  if (sameRoute && !hasSameTimes) asking.planAll(parts, known, nowMs)
  return sameRoute ? undefined : known
}

function newService(
  id: ServiceId,
  service: Service,
  base: string,
  rules: Omit<ServiceRules, 'detected'>,
): TrackedService {
  const detector = createDetector()
  return {
    id,
    service,
    base,
    host: new URL(base).host,
    shortestMs: service.pollIntervalMs,
    asking: asking.newAsking(),
    clock: newClock(),
    answerTime: undefined,
    round: undefined,
    probed: undefined,
    probedMs: [],
    nodes: new Map(),
    rules: { ...rules, detected: detector.detected() },
    detector,
  }
}

type Wanted = {
  readonly node: WatchedNode
  readonly service: TrackedService
  readonly rules: readonly ScopedRule[]
}

function wantedNodes(
  fleet: FleetState,
  { services, nodes, rules = [] }: MonitorConfig,
): Map<NodeKey, Wanted> {
  const ofNodes = rules.filter((rule) => rule.for === 'node')
  const rulesByNode = groupBy(ofNodes, (rule) => nodeKeyOf(serviceIdOf(rule.service), rule.node))
  const wanted = new Map<NodeKey, Wanted>()
  for (const node of nodes.slice(0, DEFAULTS.nodesMax)) {
    const baseUrl = node.service ?? services[0]?.baseUrl
    const service = baseUrl === undefined ? undefined : fleet.services.get(serviceIdOf(baseUrl))
    if (service === undefined || (node.id !== undefined && !parseNodeId(node.id).ok)) continue
    const key = nodeKeyOf(service.id, node.id)
    wanted.set(key, { node, service, rules: (rulesByNode.get(key) ?? []).map(scopedRule) })
  }
  return wanted
}

function removeNodes(parts: MonitorParts, wanted: ReadonlyMap<NodeKey, Wanted>, nowMs: number): void {
  const { fleet, schedule, prober, exchanges, records } = parts
  const removed = Array.from(fleet.nodes.values()).filter((node) => !wanted.has(node.key))
  for (const node of removed) {
    fleet.nodes.delete(node.key)
    node.service.nodes.delete(node.key)
    node.service.detector.forget(node.key)
    if (node.service.probed?.node === node) prober.end(node.service)
    schedule.unplan(node, undefined)
    node.flight?.abort.abort()
    exchanges.forget(node.key)
  }
  for (const { service } of removed) asking.nodesLeft(parts, service, nowMs)
  records.forget(removed.map((node) => node.key))
}

function shortestOf({ nodes, service }: TrackedService): number {
  return nodes.size === 0 ? service.pollIntervalMs : Math.min(...Array.from(nodes.values(), intervalOf))
}

/** Adds new nodes, updates known ones and puts all of them into the configured order. Returns the new ones. */
function addNodes(
  parts: MonitorParts,
  wanted: ReadonlyMap<NodeKey, Wanted>,
  nowMs: number,
): readonly TrackedNode[] {
  const { fleet } = parts
  const taken = new Set(Array.from(fleet.nodes.values(), (node) => node.index))
  // A new node takes the lowest free index, so that it fills the gap that a removed node left in the grid.
  let index = 0
  const freeIndex = (): number => {
    while (taken.has(index)) index++
    return index++
  }
  const known = new Map(fleet.nodes)
  fleet.nodes.clear()
  const added: TrackedNode[] = []
  for (const [key, { node, service, rules }] of wanted) {
    const old = known.get(key)
    const tracked = old ?? newNode(key, service, node, rules, freeIndex())
    fleet.nodes.set(key, tracked)
    service.nodes.set(key, tracked)
    if (old === undefined) {
      added.push(tracked)
      fleet.changes.node(key)
    } else if (
      renew(fleet, old, node, rules) &&
      old.flight === undefined &&
      service.asking.hold === undefined
    )
      asking.plan(parts, old, nowMs)
  }
  return added
}

/**
 * Updates a node's name, tags, interval and rules; keeps the same object if nothing changed. Returns whether its interval
 * changed.
 */
function renew(
  { setLive }: FleetState,
  node: TrackedNode,
  { name, tags, pollIntervalMs }: WatchedNode,
  rules: readonly ScopedRule[],
): boolean {
  const { pollIntervalMs: intervalMs, ...live } = node.live
  const before = [live.name, live.tags, intervalMs, live.rules]
  if (JSON.stringify(before) !== JSON.stringify([name, tags, pollIntervalMs, rules]))
    setLive(node, { ...live, name, tags, rules, ...(pollIntervalMs !== undefined && { pollIntervalMs }) })
  return intervalMs !== pollIntervalMs
}

function newNode(
  key: NodeKey,
  service: TrackedService,
  watched: WatchedNode,
  rules: readonly ScopedRule[],
  index: number,
): TrackedNode {
  return {
    key,
    service,
    nodeId: watched.id,
    index,
    phase: phaseOf(index),
    live: newNodeLive(key, service.id, watched.id, watched, rules),
    lastValues: {},
    lastBody: undefined,
    failedBefore: undefined,
    checked: undefined,
    heartbeatClock: undefined,
    suspect: false,
    urgent: false,
    past: [],
    seen: [],
    notBeforeMs: 0,
    flight: undefined,
    sampledWallMs: 0,
    lastPoll: undefined,
    unwatched: false,
  }
}

function servicesByHost({ services }: FleetState): ReadonlyMap<string, number> {
  const polled = Array.from(services.values()).filter(({ nodes }) => nodes.size > 0)
  return new Map(
    Array.from(
      groupBy(polled, ({ host }) => host),
      ([host, each]) => [host, each.length],
    ),
  )
}

function rulesForService(
  rules: readonly SetRule[],
  { baseUrl, pollIntervalMs }: Service,
): Omit<ServiceRules, 'detected'> {
  const service = rules.filter((rule) => rule.for === 'service' && rule.service === baseUrl).map(scopedRule)
  const tags = rules.filter((rule) => rule.for === 'tag').map(scopedRule)
  return { ...NO_SERVICE_RULES, pollIntervalMs, service, tags }
}
