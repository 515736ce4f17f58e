/**
 * Accepts only RFC 9110's preferred date format, in ms; NaN for anything else. Date.parse accepts many other texts, differently
 * in each engine.
 */
export const httpDateMs = (text: string): number =>
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN

/**
 * How far a service's clock is ahead of this computer's, as the interval that all answers so far allow: [lowMs, highMs].
 * Negative if this computer is ahead.
 */
export type ClockOffset = { readonly lowMs: number; readonly highMs: number }

export type WhoseClock = 'service' | 'computer'

export const offsetMs = ({ lowMs, highMs }: ClockOffset): number => (lowMs + highMs) / 2
export const offsetUncertaintyMs = ({ lowMs, highMs }: ClockOffset): number => (highMs - lowMs) / 2

export const overlap = (one: ClockOffset, other: ClockOffset): boolean =>
  one.lowMs <= other.highMs && other.lowMs <= one.highMs

/** A larger offset makes a service refuse current signatures sooner or later. */
export const OFFSET_WARNING_MS = 30_000

/** Whether the offset exceeds the warning limit even after subtracting its uncertainty. */
export const isFarApart = (offset: ClockOffset): boolean =>
  Math.abs(offsetMs(offset)) - offsetUncertaintyMs(offset) > OFFSET_WARNING_MS

/**
 * The offset by one answer. The Date header is truncated to whole seconds and was written between sending and receiving, so the
 * true offset lies in this interval. `date` is the header's text; `sentMs` and `receivedMs` are this computer's wall clock.
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
 * Narrows the known interval by one more answer. If the intervals do not overlap, a clock was set in between, and only the new
 * answer counts. The old interval widens with time by 100 parts per million, the drift of a poor crystal.
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

/** Set if the clocks were compared by the nodes' heartbeats instead of the service's Date. */
export type ByHeartbeats = { readonly by?: 'heartbeats' }

/** A heartbeat as an answer reported it. Times are Unix ms: the node's clock, and this computer's clock around the request. */
export type HeartbeatSighting = {
  readonly atMs: number
  readonly sentMs: number
  readonly receivedMs: number
}

/** A heartbeat in whole seconds may be truncated, or rounded up by half a second. */
const ROUNDED_UP_MS = 500
const CUT_MS = 1_000

/**
 * The offset of a node's clock from two answers, for services whose Date can't be read. The newer heartbeat happened between
 * sending the first request and receiving the second answer; that interval is wide, so several are needed to narrow the offset.
 * Undefined without a new heartbeat.
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
 * The narrowest interval on which most offsets agree (Marzullo's algorithm, as used to select time servers). Undefined unless
 * more than half agree; otherwise the nodes' clocks differ.
 */
export function mostAllow(offsets: readonly ClockOffset[]): ClockOffset | undefined {
  const edges = offsets
    .flatMap(({ lowMs, highMs }) => [
      { atMs: lowMs, step: 1 },
      { atMs: highMs, step: -1 },
    ])
    // Intervals that only touch share a point.
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

/** The offset by the Date of the answers, otherwise by the nodes' heartbeats. */
export const clocksOf = ({
  offset,
  heartbeatOffset,
}: {
  readonly offset: ClockOffset | undefined
  readonly heartbeatOffset?: ClockOffset | undefined
}): ComparedClocks | undefined =>
  offset !== undefined ? { offset } : heartbeatOffset && { offset: heartbeatOffset, by: 'heartbeats' }

export type ComparedClocks = { readonly offset: ClockOffset } & ByHeartbeats
