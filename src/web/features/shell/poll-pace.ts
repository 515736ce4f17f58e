import { type ClockOffset, isFarApart, offsetMs } from '#record/clock-offset.ts'
import { pollIntervalOf, type NodeKey, type NodeLive, type ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'

export const nodesInView = (fleet: FleetSnapshot, key: NodeKey | undefined): readonly NodeLive[] => {
  const node = key === undefined ? undefined : fleet.nodes.get(key)
  return node === undefined ? Array.from(fleet.nodes.values()) : [node]
}

export const servicesInView = (fleet: FleetSnapshot, key: NodeKey | undefined): readonly ServiceLive[] => {
  const node = key === undefined ? undefined : fleet.nodes.get(key)
  const service = node === undefined ? undefined : fleet.services.get(node.serviceId)
  return service === undefined ? Array.from(fleet.services.values()) : [service]
}

/** The earliest next poll, in monotonic ms; undefined while none is planned. */
export function nextPollOf(nodes: readonly NodeLive[]): number | undefined {
  let nextMs: number | undefined
  for (const { nextPollMs } of nodes)
    if (nextPollMs !== undefined && (nextMs === undefined || nextPollMs < nextMs)) nextMs = nextPollMs
  return nextMs
}

/** Shortest and longest poll interval in ms; undefined if there is none. */
export function intervalsOf(
  { services }: FleetSnapshot,
  nodes: readonly NodeLive[],
): { readonly fromMs: number; readonly toMs: number } | undefined {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, 0]
  for (const node of nodes) {
    const intervalMs = pollIntervalOf(node, services.get(node.serviceId))
    fromMs = Math.min(fromMs, intervalMs)
    toMs = Math.max(toMs, intervalMs)
  }
  return toMs === 0 ? undefined : { fromMs, toMs }
}

/** The offset that is furthest from this computer's clock, of those that cause trouble. */
export function furthestOffset(services: readonly ServiceLive[]): ClockOffset | undefined {
  let furthest: ClockOffset | undefined
  for (const { offset, heartbeatOffset } of services) {
    const known = offset ?? heartbeatOffset
    if (known === undefined || !isFarApart(known)) continue
    if (furthest === undefined || Math.abs(offsetMs(known)) > Math.abs(offsetMs(furthest))) furthest = known
  }
  return furthest
}
