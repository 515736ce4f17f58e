/** RFC 9110's preferred date form only, in ms; NaN for anything else. Date.parse takes many other texts, each engine its own. */
export const httpDateMs = (text: string): number =>
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN

/**
 * How far a service's clock is ahead of this computer's, as the interval that every answer
 * so far allows: [lowMs, highMs]. Negative when this computer is ahead.
 */
export type ClockOffset = { readonly lowMs: number; readonly highMs: number }

export const offsetMs = ({ lowMs, highMs }: ClockOffset): number => (lowMs + highMs) / 2
export const offsetUncertaintyMs = ({ lowMs, highMs }: ClockOffset): number => (highMs - lowMs) / 2

/** Clocks further apart than this make a service refuse what is signed now, sooner or later. */
export const OFFSET_WARNING_MS = 30_000

/** Only what is certain counts: the part of the difference that the uncertainty can't explain. */
export const isFarApart = (offset: ClockOffset): boolean =>
  Math.abs(offsetMs(offset)) - offsetUncertaintyMs(offset) > OFFSET_WARNING_MS

/**
 * What one answer says. Its Date header is cut to whole seconds and was written somewhere
 * between sending and receiving, so the true offset lies in this interval.
 * `date` is the header's text, `sentMs` and `receivedMs` are this computer's wall clock.
 */
export function offsetFromDate(
  date: string | undefined,
  sentMs: number,
  receivedMs: number,
): ClockOffset | undefined {
  const dateMs = date === undefined ? Number.NaN : httpDateMs(date)
  if (Number.isNaN(dateMs) || receivedMs < sentMs) return undefined
  return { lowMs: dateMs - receivedMs, highMs: dateMs + 1_000 - sentMs }
}

/**
 * Narrows what is known by one more answer. Where the two exclude each other a clock was
 * set meanwhile, and only the new answer counts. Drift is allowed for by widening the old
 * interval with time: 100 parts per million is a poor crystal.
 */
export function narrowOffset(
  known: ClockOffset | undefined,
  next: ClockOffset,
  elapsedMs: number,
): ClockOffset {
  if (known === undefined) return next
  const driftMs = elapsedMs * 1e-4
  const lowMs = Math.max(known.lowMs - driftMs, next.lowMs)
  const highMs = Math.min(known.highMs + driftMs, next.highMs)
  return lowMs <= highMs ? { lowMs, highMs } : next
}

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
