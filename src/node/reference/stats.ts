import type { Clock } from '#base/clock.ts'

export type SeenRequest = {
  /** Unix time in ms, by the computer's clock. */
  readonly atMs: number
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The requested node, as far as known before any check; lower case. */
  readonly node: string | undefined
  readonly origin: string | undefined
}

type NodeCount = {
  readonly requests: number
  readonly lastAtMs: number
  /** Maximum number of concurrent requests for the node. */
  readonly maxInFlight: number
}

export type Stats = ReturnType<typeof createStats>

const RECENT_MAX = 1_000
const PATHS_MAX = 200
const NODES_MAX = 100_000

export function createStats(clock: Pick<Clock, 'wallMs'>) {
  let requests = 0
  let preflights = 0
  let inFlight = 0
  let maxInFlight = 0
  const byPath = new Map<string, number>()
  const byStatus = new Map<string, number>()
  const byNode = new Map<string, NodeCount>()
  const inFlightOf = new Map<string, number>()
  let recent: SeenRequest[] = []
  const waiting = new Set<{ fits: (seen: SeenRequest) => boolean; done: (seen: SeenRequest) => void }>()

  const record = (seen: SeenRequest): void => {
    requests++
    if (seen.method === 'OPTIONS') preflights++
    countUp(byPath, byPath.has(seen.path) || byPath.size < PATHS_MAX ? seen.path : 'other')
    const { node } = seen
    if (node !== undefined && (byNode.has(node) || byNode.size < NODES_MAX)) {
      const { requests: before = 0, maxInFlight: most = 0 } = byNode.get(node) ?? {}
      const atOnce = Math.max(most, inFlightOf.get(node) ?? 0)
      byNode.set(node, { requests: before + 1, lastAtMs: seen.atMs, maxInFlight: atOnce })
    }
    recent.push(seen)
    if (recent.length > 2 * RECENT_MAX) recent = recent.slice(-RECENT_MAX)
    for (const waiter of waiting) {
      if (!waiter.fits(seen)) continue
      waiting.delete(waiter)
      waiter.done(seen)
    }
  }

  return {
    /** Returns a function to call once when the request has ended; without a status if nothing was answered. */
    begin: (about: Omit<SeenRequest, 'atMs'>): ((status: number | undefined) => void) => {
      const { node } = about
      const count = (by: number): void => {
        if (node === undefined) return
        const now = (inFlightOf.get(node) ?? 0) + by
        if (now > 0) inFlightOf.set(node, now)
        else inFlightOf.delete(node)
      }
      count(1)
      record({ ...about, atMs: clock.wallMs() })
      inFlight++
      maxInFlight = Math.max(maxInFlight, inFlight)
      return (status) => {
        inFlight--
        count(-1)
        countUp(byStatus, status === undefined ? 'none' : String(status))
      }
    },
    snapshot: () => ({
      requests,
      /** OPTIONS requests, which are included in `requests`. */
      preflights,
      inFlight,
      maxInFlight,
      byPath: Object.fromEntries(byPath),
      byNode: Object.fromEntries(byNode),
      byStatus: Object.fromEntries(byStatus),
      /** The latest, oldest first. */
      recent: recent.slice(-RECENT_MAX),
    }),
    reset: (): void => {
      requests = preflights = 0
      maxInFlight = inFlight
      for (const counts of [byPath, byStatus, byNode]) counts.clear()
      recent = []
    },
    next: (fits: (seen: SeenRequest) => boolean): Promise<SeenRequest> =>
      new Promise((done) => waiting.add({ fits, done })),
  }
}

const countUp = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
