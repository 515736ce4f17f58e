import { DEFAULTS } from '#base/defaults.ts'

export type QueueKey = {
  /** Actual host and port of the request, because browsers count connections by host. */
  readonly host: string
  readonly service: string
  /** Its last poll timed out, so the next one may too. */
  readonly suspect: boolean
  /** The node is in view and goes before the others. */
  readonly urgent?: boolean
  /** Minimum time between the starts of two requests of the service; absent: no minimum. */
  readonly apartMs?: number | undefined
}

/** Permission to start. `release` frees the connection slot; further calls have no effect. */
export type Ticket<T> = { readonly item: T; readonly release: () => void }

type Entry<T> = {
  readonly item: T
  readonly key: QueueKey
  readonly order: number
  readonly slotMs: number
}

const newQueue = <T>() => ({
  urgent: new Set<Entry<T>>(),
  healthy: new Set<Entry<T>>(),
  suspects: new Set<Entry<T>>(),
  inFlight: 0,
  suspectsInFlight: 0,
  /** Earliest next start by the service's pace. */
  notBeforeMs: 0,
})
type ServiceQueue<T> = ReturnType<typeof newQueue<T>>
const newHost = <T>() => ({ services: new Map<string, ServiceQueue<T>>(), inFlight: 0, suspectsInFlight: 0 })
type HostQueue<T> = ReturnType<typeof newHost<T>>

/** How many requests a host may have in flight at once. */
export type InFlightMax = (host: string) => number

const ofHostMax = (share: number, max: number): number =>
  Math.max(1, Math.floor((share * max) / DEFAULTS.inFlightPerHostMax))

/** The maximum of a host's requests in flight for nodes whose last poll timed out. */
export const suspectsMaxOf = (max: number): number => ofHostMax(DEFAULTS.suspectsInFlightMax, max)
/** Requests in flight per service if several services share a host, without suspects. */
export const shareOf = (max: number): number => ofHostMax(2, max)
/** Further requests in flight per service for suspects, so that these cost the other nodes nothing. */
const suspectsOfShare = (max: number): number => ofHostMax(1, max)
/** A start that a late timer delayed is made up for by at most this much, because a pace has no bursts. */
const PACE_SLACK_MS = 50

/**
 * Limits the requests in flight per host, at most half of them for nodes whose last poll timed out. Services on one host take
 * turns, and the last free slot is reserved for a service with none in flight, so that hanging requests never stop another
 * service's polls. Within a service, nodes in view go first, the others in order of arrival. An item is queued at most once, so
 * the fleet bounds the queue.
 */
export function createLimiter<T>(inFlightMax: InFlightMax) {
  const hosts = new Map<string, HostQueue<T>>()
  const entries = new Map<T, Entry<T>>()
  let shares: ReadonlyMap<string, number> = new Map()
  let order = 0

  const queueFor = ({ host: hostName, service, suspect, urgent }: QueueKey): Set<Entry<T>> => {
    const host = hosts.get(hostName) ?? newHost<T>()
    hosts.set(hostName, host)
    const queue = host.services.get(service) ?? newQueue<T>()
    host.services.set(service, queue)
    // A suspect stays in the suspects' queue even if it is in view.
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
      const { apartMs = 0 } = entry.key
      const paceMs = Math.max(queue.notBeforeMs, nowMs - Math.min(PACE_SLACK_MS, apartMs))
      queue.notBeforeMs = apartMs === 0 ? 0 : paceMs + apartMs
      host.services.delete(id)
      host.services.set(id, queue)
      return { item: entry.item, release: occupy(host, queue, entry.key.suspect) }
    }
    return undefined
  }

  return {
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
    take: (nowMs: number): Ticket<T> | undefined => {
      for (const [name, host] of hosts) {
        const ticket = startNext(host, inFlightMax(name), shares.get(name) ?? 1, nowMs)
        if (ticket !== undefined) return ticket
      }
      return undefined
    },
    /** Earliest start of a request that waits only for its service's pace; infinite if there is none. */
    pacedUntilMs: (nowMs: number): number =>
      Math.min(
        ...queues()
          .filter((queue) => queue.notBeforeMs > nowMs && isWaiting(queue))
          .map(({ notBeforeMs }) => notBeforeMs),
      ),
    /** The slot of the node that has waited longest. Ignores suspects, because those wait on purpose. */
    oldestSlotMs: (): number => Math.min(...queues().flatMap(({ healthy }) => front(healthy)?.slotMs ?? [])),
  }
}

const front = <E>(queue: ReadonlySet<E>): E | undefined => queue.values().next().value

const isWaiting = <T>({ urgent, healthy, suspects }: ServiceQueue<T>): boolean =>
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
