import { DEFAULTS } from '#base/defaults.ts'
import { createDueQueue, type DueQueue } from './due-queue.ts'

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

/** Decides who may start. Bounded by the fleet: an item queues once at most. */
export type Limiter<T> = {
  /** How many services share each host. */
  readonly setHosts: (servicesByHost: ReadonlyMap<string, number>) => void
  readonly enqueue: (item: T, key: QueueKey, slotMs: number) => void
  readonly remove: (item: T) => void
  readonly has: (item: T) => boolean
  /** The next that may start now. */
  readonly take: (nowMs: number) => Ticket<T> | undefined
  /** When the next one may start that only its service's pace keeps waiting. */
  readonly pacedUntilMs: (nowMs: number) => number | undefined
  /** The slot of the node that has waited longest, hung nodes apart: those wait on purpose. */
  readonly oldestSlotMs: () => number | undefined
}

type Entry<T> = {
  readonly item: T
  readonly key: QueueKey
  readonly order: number
  readonly slotMs: number
}
type ServiceQueue<T> = {
  urgent: DueQueue<Entry<T>>
  healthy: DueQueue<Entry<T>>
  suspects: DueQueue<Entry<T>>
  inFlight: number
  suspectsInFlight: number
  /** By its pace. */
  notBeforeMs: number
}
type HostQueue<T> = { services: Map<string, ServiceQueue<T>>; inFlight: number; suspectsInFlight: number }

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
 * that somebody looks at.
 */
export function createLimiter<T>(inFlightMax = BY_DEFAULT): Limiter<T> {
  const hosts = new Map<string, HostQueue<T>>()
  const entries = new Map<T, Entry<T>>()
  let shares: ReadonlyMap<string, number> = new Map()
  let order = 0

  const remove = (item: T): void => {
    const entry = entries.get(item)
    if (entry === undefined) return
    entries.delete(item)
    queueFor(hosts, entry.key).delete(entry)
  }

  const startNext = (
    host: HostQueue<T>,
    { max, services }: { readonly max: number; readonly services: number },
    nowMs: number,
  ): Ticket<T> | undefined => {
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
    setHosts: (servicesByHost) => {
      shares = servicesByHost
      for (const [name, host] of hosts) if (!shares.has(name) && host.inFlight === 0) hosts.delete(name)
    },
    enqueue: (item, key, slotMs) => {
      remove(item)
      const entry = { item, key, order: order++, slotMs }
      entries.set(item, entry)
      queueFor(hosts, key).set(entry, entry.order)
    },
    remove,
    has: (item) => entries.has(item),
    take: (nowMs) => {
      for (const [name, host] of hosts) {
        const ticket = startNext(host, { max: inFlightMax(name), services: shares.get(name) ?? 1 }, nowMs)
        if (ticket !== undefined) return ticket
      }
      return undefined
    },
    pacedUntilMs: (nowMs) => pacedUntil(hosts.values(), nowMs),
    oldestSlotMs: () => {
      const slots = Array.from(hosts.values()).flatMap((host) =>
        Array.from(host.services.values()).flatMap(({ healthy }) => healthy.soonest()?.item.slotMs ?? []),
      )
      return slots.length === 0 ? undefined : Math.min(...slots)
    },
  }
}

function queueOf<T>(hosts: Map<string, HostQueue<T>>, key: QueueKey) {
  const host = hosts.get(key.host) ?? { services: new Map(), inFlight: 0, suspectsInFlight: 0 }
  hosts.set(key.host, host)
  const service = host.services.get(key.service) ?? {
    urgent: createDueQueue<Entry<T>>(),
    healthy: createDueQueue<Entry<T>>(),
    suspects: createDueQueue<Entry<T>>(),
    inFlight: 0,
    suspectsInFlight: 0,
    notBeforeMs: 0,
  }
  host.services.set(key.service, service)
  return { host, service }
}

const nextByPaceMs = <T>(
  { notBeforeMs }: ServiceQueue<T>,
  { apartMs = 0 }: QueueKey,
  nowMs: number,
): number => (apartMs === 0 ? 0 : Math.max(notBeforeMs, nowMs - Math.min(PACE_SLACK_MS, apartMs)) + apartMs)

function pacedUntil<T>(hosts: Iterable<HostQueue<T>>, nowMs: number): number | undefined {
  let soonestMs: number | undefined
  for (const { services } of hosts)
    for (const queue of services.values())
      if (queue.notBeforeMs > nowMs && isWaiting(queue))
        soonestMs = Math.min(soonestMs ?? queue.notBeforeMs, queue.notBeforeMs)
  return soonestMs
}

const isWaiting = <T>({ urgent, healthy, suspects }: ServiceQueue<T>): boolean =>
  (urgent.soonest() ?? healthy.soonest() ?? suspects.soonest()) !== undefined

/** A suspect stays with its like, whoever looks at it. */
function queueFor<T>(hosts: Map<string, HostQueue<T>>, key: QueueKey): DueQueue<Entry<T>> {
  const { urgent, healthy, suspects } = queueOf(hosts, key).service
  if (key.suspect) return suspects
  return key.urgent === true ? urgent : healthy
}

function firstOf<T>(
  queue: ServiceQueue<T>,
  host: HostQueue<T>,
  max: number,
  isShared: boolean,
): Entry<T> | undefined {
  const { suspectsInFlight, inFlight } = queue
  const hasPlace = !isShared || inFlight - suspectsInFlight < shareOf(max)
  const hasSuspectPlace =
    host.suspectsInFlight < suspectsMaxOf(max) && (!isShared || suspectsInFlight < suspectsOfShare(max))
  const urgent = hasPlace ? queue.urgent.soonest()?.item : undefined
  if (urgent !== undefined) return urgent
  const healthy = hasPlace ? queue.healthy.soonest()?.item : undefined
  const suspect = hasSuspectPlace ? queue.suspects.soonest()?.item : undefined
  if (healthy === undefined || suspect === undefined) return healthy ?? suspect
  return healthy.order < suspect.order ? healthy : suspect
}

function occupy<T>(host: HostQueue<T>, queue: ServiceQueue<T>, suspect: boolean): () => void {
  let held = true
  host.inFlight++
  queue.inFlight++
  if (suspect) {
    host.suspectsInFlight++
    queue.suspectsInFlight++
  }
  return () => {
    if (!held) return
    held = false
    host.inFlight--
    queue.inFlight--
    if (!suspect) return
    host.suspectsInFlight--
    queue.suspectsInFlight--
  }
}
