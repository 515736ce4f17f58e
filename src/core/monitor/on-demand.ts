import { FAILURES } from '#protocol/failure.ts'
import type { Holds } from './hold.ts'
import type { ServiceId } from '#record/service.ts'
import { readingAgeMs, type NodeKey } from '#fleet/live.ts'
import type { Prober } from './prober.ts'
import { isDown } from './recovery.ts'
import type { Schedule } from './schedule.ts'
import { type FleetState, type TrackedNode, type TrackedService, intervalOf } from './tracked.ts'

type DemandParts = {
  readonly fleet: FleetState
  readonly schedule: Schedule
  readonly holds: Holds
  readonly prober: Prober
}

/**
 * A person asks for one node or for all. A service that holds its nodes back is asked by one node
 * at a time: a person's impatience must not lock a key out.
 */
export function askNow(
  { fleet, schedule, holds }: Omit<DemandParts, 'prober'>,
  key: NodeKey | undefined,
  nowMs: number,
): void {
  const asked = key === undefined ? undefined : fleet.nodes.get(key)
  if (key !== undefined && asked === undefined) return
  const free: TrackedNode[] = []
  for (const service of asked === undefined ? fleet.services.values() : [asked.service]) {
    if (waitsForKey(service)) holds.resume(service, nowMs)
    else if (service.hold === undefined)
      free.push(...(asked === undefined ? service.nodes.values() : [asked]))
    else if (!isAsked(service, schedule)) free.push(...(asked === undefined ? askingNode(service) : [asked]))
  }
  schedule.planOutOfTurn(free, nowMs)
}

/** A screenful. More at a time come in their turn. */
const LOOKED_AT_MAX = 60

/**
 * Somebody has these nodes in view, or they need attention. They are asked before others, closely one behind
 * the other, when nothing is known of them or what is known is older than an interval. A node that fails, and a
 * service that is down or holds its nodes back, keep their times: looking at a failure must not make it more frequent.
 */
export function lookAt(
  { fleet, schedule }: Pick<DemandParts, 'fleet' | 'schedule'>,
  keys: readonly NodeKey[],
  nowMs: number,
): void {
  const nodes = keys
    .flatMap((key) => fleet.nodes.get(key) ?? [])
    .filter((node) => isToBeAsked(node, nowMs))
    .slice(0, LOOKED_AT_MAX)
  for (const node of nodes) node.urgent = true
  schedule.planOutOfTurn(nodes, nowMs)
}

function isToBeAsked(node: TrackedNode, nowMs: number): boolean {
  const { flight, service, live, lastPoll } = node
  if (flight !== undefined || live.episode !== undefined) return false
  if (service.waiting !== undefined || service.hold !== undefined || isDown(service, nowMs)) return false
  // A reading may be older than its poll, where a cache or a collector had it.
  if (lastPoll !== undefined && nowMs - lastPoll.atMs < intervalOf(node)) return false
  return live.reading === undefined || readingAgeMs(live.reading, nowMs) >= intervalOf(node)
}

/**
 * A key came, was unlocked or changed, or another time may be signed: what failed for want of that is asked again, of
 * one service or of all.
 */
export function keyChanged(
  { fleet, schedule, holds, prober }: DemandParts,
  serviceId: ServiceId | undefined,
  nowMs: number,
): void {
  const all = Array.from(fleet.services.values())
  for (const service of serviceId === undefined ? all : all.filter(({ id }) => id === serviceId)) {
    prober.end(service)
    const lacking = Array.from(service.nodes.values()).filter(lackedKey)
    // What is under way may have been signed before: refused, it would have the node wait for long.
    for (const { flight } of lacking)
      if (flight !== undefined) {
        flight.asksAgain = true
        flight.abort.abort()
      }
    const refused = service.hold?.reason === 'refused'
    if (waitsForKey(service) || refused) holds.resume(service, nowMs)
    else schedule.planOutOfTurn(lacking, nowMs)
  }
}

const waitsForKey = ({ waiting }: TrackedService): boolean =>
  waiting !== undefined && waiting.kind !== 'mixed-content'

/** Its failure may be gone with another key or signer. */
const lackedKey = ({ live: { episode } }: TrackedNode): boolean =>
  episode !== undefined &&
  (episode.failure.kind === 'signer-failed' || FAILURES[episode.failure.kind].scope === 'key')

const isAsked = ({ nodes }: TrackedService, schedule: Schedule): boolean =>
  Array.from(nodes.values()).some((node) => node.flight !== undefined || schedule.isQueued(node))

/** The one node that asks for a service that holds back all of them. */
function askingNode({ probe, nodes }: TrackedService): readonly TrackedNode[] {
  const first = probe ?? nodes.values().next().value
  return first === undefined ? [] : [first]
}
