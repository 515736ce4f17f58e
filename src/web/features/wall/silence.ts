import { pollIntervalOf } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'

/**
 * How long the engine has been silent although polls were due, in ms; undefined while all is well. A request may take
 * its whole timeout, and a tick may come late; two more intervals of silence are not a coincidence.
 */
export function silenceOf(
  { nodes, services, nowMs: heardMs }: FleetSnapshot,
  nowMs: number,
): number | undefined {
  let dueMs = Number.POSITIVE_INFINITY
  for (const node of nodes.values()) {
    const { serviceId, nextPollMs } = node
    const service = services.get(serviceId)
    if (service === undefined || nextPollMs === undefined) continue
    dueMs = Math.min(dueMs, nextPollMs + service.service.timeoutMs + 2 * pollIntervalOf(node, service))
  }
  return nowMs > dueMs ? nowMs - heardMs : undefined
}
