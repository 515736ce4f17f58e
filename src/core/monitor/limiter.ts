import { DEFAULTS } from '#base/defaults.ts'
import { BATCH_MAX } from '#protocol/batch.ts'

export type QueueKey = {
  /** Actual host and port of the request, because browsers count connections by host. */
  readonly host: string
  readonly service: string
  /** Its last poll timed out, so the next one may too. */
  readonly suspect: boolean
  /** The node is in view and goes before the others. */
  readonly urgent?: boolean
  /** Requests that start together are sent as a batch. */
  readonly batched?: boolean
  /** Minimum time between the starts of two requests of the service; absent: no minimum. */
  readonly apartMs?: number | undefined
}

/** Permission to start. `release` gives up the request's share of its slot; further calls have no effect. */
export type Ticket<T> = { readonly item: T; readonly slot: object; readonly release: () => void }

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

/** How many slots a host has. A slot is a request in flight, or a batch of them. */
export type InFlightMax = (host: string) => number

/** How many requests share a slot if the transport sends those that start together as a batch. */
export const sharersOf = (slots: number, batched: boolean): number =>
  batched ? Math.max(1, Math.min(BATCH_MAX, Math.floor(DEFAULTS.inFlightMultiplexedMax / slots))) : 1

const ofHostMax = (share: number, max: number): number =>
  Math.max(1, Math.floor((share * max) / DEFAULTS.inFlightPerHostMax))

/** Maximum number of a host's slots for nodes whose last poll timed out. */
export const suspectsMaxOf = (max: number): number => ofHostMax(DEFAULTS.suspectsInFlightMax, max)
/** Slots per service if several services share a host, without suspects. */
export const shareOf = (max: number): number => ofHostMax(2, max)
/** Further slots per service for suspects, so that these cost the other nodes nothing. */
const suspectsOfShare = (max: number): number => ofHostMax(1, max)
/** After a late timer, requests make up for at most this much of the delay, because a pace allows no bursts. */
const PACE_SLACK_MS = 50

/**
 * Limits the slots in use per host, at most half of them for nodes whose last poll timed out. Services on one host take turns,
 * and the last free slot is reserved for a service with none in flight, so that hanging requests never stop another service's
 * polls. Suspects never share a slot with other nodes. Within a service, nodes in view go first, the others in order of
 * arrival. An item is queued at most once, so the fleet bounds the queue.
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

  const startNext = (host: HostQueue<T>, name: string, nowMs: number): readonly Ticket<T>[] => {
    const max = inFlightMax(name)
    const services = shares.get(name) ?? 1
    const free = max - host.inFlight
    const busy = Array.from(host.services.values()).filter(({ inFlight }) => inFlight > 0).length
    for (const [id, queue] of host.services) {
      if (queue.notBeforeMs > nowMs) continue
      const mayTake = queue.inFlight === 0 ? free > 0 : free > (busy < services ? 1 : 0)
      const first = mayTake ? firstOf(queue, host, max, services > 1) : undefined
      if (first === undefined) continue
      const started = sharersWith(first, queue, max)
      for (const { item } of started) remove(item)
      queue.notBeforeMs = nextByPace(queue, first.key, nowMs)
      host.services.delete(id)
      host.services.set(id, queue)
      return started.map(occupy(host, queue, first.key.suspect))
    }
    return []
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
    /** The requests that may start now in the next free slot; empty if none may. */
    take: (nowMs: number): readonly Ticket<T>[] => {
      for (const [name, host] of hosts) {
        const tickets = startNext(host, name, nowMs)
        if (tickets.length > 0) return tickets
      }
      return []
    },
    /** Whether a node whose last poll did not time out waits for a connection slot of this host. */
    isWaiting: (name: string): boolean => isHealthyWaiting(hosts.get(name)),
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

/** The entry and those behind it that start in the same slot. */
function sharersWith<T>({ key }: Entry<T>, queue: ServiceQueue<T>, slots: number): readonly Entry<T>[] {
  const { suspect, apartMs = 0, batched = false } = key
  const count = apartMs > 0 ? 1 : sharersOf(slots, batched)
  const found: Entry<T>[] = []
  for (const part of suspect ? [queue.suspects] : [queue.urgent, queue.healthy])
    for (const entry of part) {
      if (found.length === count) return found
      found.push(entry)
    }
  return found
}

function nextByPace<T>({ notBeforeMs }: ServiceQueue<T>, { apartMs = 0 }: QueueKey, nowMs: number): number {
  const paceMs = Math.max(notBeforeMs, nowMs - Math.min(PACE_SLACK_MS, apartMs))
  return apartMs === 0 ? 0 : paceMs + apartMs
}

const isHealthyWaiting = <T>(host: HostQueue<T> | undefined): boolean =>
  Array.from(host?.services.values() ?? []).some(({ urgent, healthy }) => urgent.size + healthy.size > 0)

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

/** The returned function makes the tickets of a slot, which is free once all of them are released. */
function occupy<T>(host: HostQueue<T>, queue: ServiceQueue<T>, suspect: boolean) {
  const add = (count: 1 | -1): void => {
    for (const place of [host, queue]) {
      place.inFlight += count
      if (suspect) place.suspectsInFlight += count
    }
  }
  const held = new Set<T>()
  add(1)
  return ({ item }: Entry<T>): Ticket<T> => {
    held.add(item)
    return {
      item,
      slot: held,
      release: () => {
        if (held.delete(item) && held.size === 0) add(-1)
      },
    }
  }
}
