import { DEFAULTS } from '#base/defaults.ts'

/** Where a poll queues up. */
export type QueueKey = {
  /** Host and port that the request really goes to: browsers count connections by these. */
  readonly host: string
  readonly service: string
  /** Its last poll timed out, so it may do so again. */
  readonly suspect: boolean
  /** Somebody looks at it, so it goes before those that nobody looks at. */
  readonly urgent?: boolean
  /** Two of its service start at least this far apart; absent: as close as there are places. */
  readonly apartMs?: number | undefined
}

/** Leave to start; `release` gives the place back, once. */
export type Ticket<T> = { readonly item: T; readonly release: () => void }

type Entry<T> = {
  readonly item: T
  readonly key: QueueKey
  readonly order: number
  readonly slotMs: number
}

const nobody = <T>() => ({
  urgent: new Set<Entry<T>>(),
  healthy: new Set<Entry<T>>(),
  suspects: new Set<Entry<T>>(),
})
/** `notBeforeMs`: by its pace. */
const newQueue = <T>() => ({ ...nobody<T>(), inFlight: 0, suspectsInFlight: 0, notBeforeMs: 0 })
type ServiceQueue<T> = ReturnType<typeof newQueue<T>>
const newHost = <T>() => ({ services: new Map<string, ServiceQueue<T>>(), inFlight: 0, suspectsInFlight: 0 })
type HostQueue<T> = ReturnType<typeof newHost<T>>

/** How many requests a host may have in flight at once, by what its connections carry. */
export type InFlightMax = (host: string) => number

/** As browsers can over HTTP/1.1, whatever the host. */
const BY_DEFAULT: InFlightMax = () => DEFAULTS.inFlightPerHostMax

const ofHostMax = (share: number, max: number): number =>
  Math.max(1, Math.floor((share * max) / DEFAULTS.inFlightPerHostMax))

/** Of those, for nodes whose last poll timed out. */
export const suspectsMaxOf = (max: number): number => ofHostMax(DEFAULTS.suspectsInFlightMax, max)
/** Of several services on one host, each may have so many requests in flight, */
export const shareOf = (max: number): number => ofHostMax(2, max)
/** and so many more for nodes that hung last time, so that these cost the others nothing. */
const suspectsOfShare = (max: number): number => ofHostMax(1, max)
/** What a late timer kept from starting is made up for, but not more of it than this: a pace has no bursts. */
const PACE_SLACK_MS = 50

/**
 * At most four requests per host, or as many as it is said to carry, at most half of them for nodes that hung last time.
 * Several services on one host take turns, and the last place that is free is for one that has none in flight: so whatever
 * hangs, another service's nodes are asked. First come, first served within a service, but for nodes
 * that somebody looks at. Bounded by the fleet: an item queues once at most.
 */
export function createLimiter<T>(inFlightMax = BY_DEFAULT) {
  const hosts = new Map<string, HostQueue<T>>()
  const entries = new Map<T, Entry<T>>()
  let shares: ReadonlyMap<string, number> = new Map()
  let order = 0

  const queueFor = ({ host: hostName, service, suspect, urgent }: QueueKey): Set<Entry<T>> => {
    const host = hosts.get(hostName) ?? newHost<T>()
    hosts.set(hostName, host)
    const queue = host.services.get(service) ?? newQueue<T>()
    host.services.set(service, queue)
    // A suspect stays with its like, whoever looks at it.
    return suspect ? queue.suspects : urgent === true ? queue.urgent : queue.healthy
  }
  const queues = (): readonly ServiceQueue<T>[] =>
    Array.from(hosts.values()).flatMap(({ services }) => Array.from(services.values()))

  const remove = (item: T): void => {
    const entry = entries.get(item)
    entries.delete(item)
    if (entry !== undefined) queueFor(entry.key).delete(entry)
  }

  const startNext = (host: HostQueue<T>, max: number, services: number, nowMs: number) => {
    const free = max - host.inFlight
    const busy = Array.from(host.services.values()).filter(({ inFlight }) => inFlight > 0).length
    for (const [id, queue] of host.services) {
      if (queue.notBeforeMs > nowMs) continue
      const mayTake = queue.inFlight === 0 ? free > 0 : free > (busy < services ? 1 : 0)
      const entry = mayTake ? firstOf(queue, host, max, services > 1) : undefined
      if (entry === undefined) continue
      remove(entry.item)
      queue.notBeforeMs = nextByPaceMs(queue, entry.key, nowMs)
      // Services are served in rotation.
      host.services.delete(id)
      host.services.set(id, queue)
      return { item: entry.item, release: occupy(host, queue, entry.key.suspect) }
    }
    return undefined
  }

  return {
    /** How many services share each host. */
    setHosts: (servicesByHost: ReadonlyMap<string, number>): void => {
      shares = servicesByHost
      for (const [name, host] of hosts) if (!shares.has(name) && host.inFlight === 0) hosts.delete(name)
    },
    enqueue: (item: T, key: QueueKey, slotMs: number): void => {
      remove(item)
      const entry = { item, key, order: order++, slotMs }
      entries.set(item, entry)
      queueFor(key).add(entry)
    },
    remove,
    has: (item: T): boolean => entries.has(item),
    /** The next that may start now. */
    take: (nowMs: number): Ticket<T> | undefined => {
      for (const [name, host] of hosts) {
        const ticket = startNext(host, inFlightMax(name), shares.get(name) ?? 1, nowMs)
        if (ticket !== undefined) return ticket
      }
      return undefined
    },
    /** When the next one may start that only its service's pace keeps waiting; infinite where none waits. */
    pacedUntilMs: (nowMs: number): number =>
      Math.min(
        ...queues()
          .filter(({ notBeforeMs, ...queue }) => notBeforeMs > nowMs && isWaiting(queue))
          .map(({ notBeforeMs }) => notBeforeMs),
      ),
    /** The slot of the node that has waited longest, hung nodes apart: those wait on purpose. */
    oldestSlotMs: (): number => Math.min(...queues().flatMap(({ healthy }) => front(healthy)?.slotMs ?? [])),
  }
}

const front = <E>(queue: ReadonlySet<E>): E | undefined => queue.values().next().value

const nextByPaceMs = (
  { notBeforeMs }: { readonly notBeforeMs: number },
  { apartMs = 0 }: QueueKey,
  nowMs: number,
): number => (apartMs === 0 ? 0 : Math.max(notBeforeMs, nowMs - Math.min(PACE_SLACK_MS, apartMs)) + apartMs)

const isWaiting = <T>({ urgent, healthy, suspects }: ReturnType<typeof nobody<T>>): boolean =>
  urgent.size + healthy.size + suspects.size > 0

function firstOf<T>(queue: ServiceQueue<T>, host: HostQueue<T>, max: number, isShared: boolean) {
  const { suspectsInFlight, inFlight } = queue
  const hasPlace = !isShared || inFlight - suspectsInFlight < shareOf(max)
  const hasSuspectPlace =
    host.suspectsInFlight < suspectsMaxOf(max) && (!isShared || suspectsInFlight < suspectsOfShare(max))
  const suspect = hasSuspectPlace ? front(queue.suspects) : undefined
  if (!hasPlace) return suspect
  const healthy = front(queue.healthy)
  const isSuspectNext = suspect !== undefined && suspect.order < (healthy?.order ?? Number.POSITIVE_INFINITY)
  return front(queue.urgent) ?? (isSuspectNext ? suspect : healthy)
}

function occupy<T>(host: HostQueue<T>, queue: ServiceQueue<T>, suspect: boolean): () => void {
  const add = (count: 1 | -1): void => {
    for (const place of [host, queue]) {
      place.inFlight += count
      if (suspect) place.suspectsInFlight += count
    }
  }
  let isHeld = true
  add(1)
  return () => {
    if (isHeld) add(-1)
    isHeld = false
  }
}
