import type { ClockOffset } from './clock-offset.ts'

/** By what clocks were compared where it is not the Date of a service's answers: the beats of its nodes. */
export type ByHeartbeats = { readonly by?: 'heartbeats' }

/** A heartbeat as an answer reported it. Times are Unix ms: the node's, and this computer's around the request. */
export type HeartbeatSighting = {
  readonly atMs: number
  readonly sentMs: number
  readonly receivedMs: number
}

/** A heartbeat in whole seconds may be cut, or rounded up by half of one. */
const ROUNDED_UP_MS = 500
const CUT_MS = 1_000

/**
 * What two answers say of a node's clock where the service's own time can't be read: the newer
 * beat came after the first was asked for, and before the second answer was here. Undefined
 * where there was no beat between them. As wide as the time between the two, so several narrow it.
 */
export function offsetFromHeartbeats(
  first: HeartbeatSighting,
  second: HeartbeatSighting,
): ClockOffset | undefined {
  if (second.atMs <= first.atMs || second.receivedMs < first.sentMs) return undefined
  return {
    lowMs: second.atMs - ROUNDED_UP_MS - second.receivedMs,
    highMs: second.atMs + CUT_MS - first.sentMs,
  }
}

/**
 * What most of several nodes say of this computer's clock: the narrowest stretch that the most of
 * them allow, as time servers are chosen among (Marzullo's algorithm). Undefined unless that
 * is more than half of them: then it is the nodes' clocks that are apart.
 */
export function mostAllow(offsets: readonly ClockOffset[]): ClockOffset | undefined {
  const edges = offsets
    .flatMap(({ lowMs, highMs }) => [
      { atMs: lowMs, step: 1 },
      { atMs: highMs, step: -1 },
    ])
    // Stretches that only touch share a point.
    .toSorted((a, b) => a.atMs - b.atMs || b.step - a.step)
  let open = 0
  let most = 0
  let best: ClockOffset | undefined
  edges.forEach(({ atMs, step }, place) => {
    open += step
    if (open <= most) return
    most = open
    best = { lowMs: atMs, highMs: edges[place + 1]?.atMs ?? atMs }
  })
  return 2 * most > offsets.length ? best : undefined
}

/** How the clocks compare: by the Date of the answers, or else by the nodes' heartbeats. */
export const clocksOf = ({
  offset,
  heartbeatOffset,
}: {
  readonly offset: ClockOffset | undefined
  readonly heartbeatOffset?: ClockOffset | undefined
}): ComparedClocks | undefined =>
  offset !== undefined ? { offset } : heartbeatOffset && { offset: heartbeatOffset, by: 'heartbeats' }

export type ComparedClocks = { readonly offset: ClockOffset } & ByHeartbeats
