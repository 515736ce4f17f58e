import { groupBy } from '#base/group-by.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { Round } from '#fleet/live.ts'
import { shareOf, sharersOf, suspectsMaxOf, type InFlightMax } from './limiter.ts'
import { isDown } from './when.ts'
import { type AnswerTime, type FleetState, type TrackedService, intervalOf } from './tracked.ts'

/** A service's demand for its host's connection slots. */
export type ServiceLoad = Pick<Round, 'nodes' | 'requests'> & {
  readonly id: string
  readonly host: string
  /** Nodes whose last poll timed out. Each occupies a slot until its timeout, as rarely as the back-off allows. */
  readonly hung: number
  readonly intervalMs: number
  readonly timeoutMs: number
  /** How long one request occupies its slot. */
  readonly answerMs: number
  /** Requests per second that the settings allow; undefined: no limit. */
  readonly pace: number | undefined
  readonly batched: boolean
}

/** How long each service's round takes by the measured response times, with the share of slots that it gets on its host. */
export function roundsOf(
  loads: readonly ServiceLoad[],
  inFlightMax: InFlightMax,
): ReadonlyMap<string, Round> {
  const byHost = groupBy(loads, ({ host }) => host)
  return new Map(
    Array.from(byHost).flatMap(([host, each]) => roundsAt(each, requestsMax(each, inFlightMax(host)))),
  )
}

const requestsMax = (loads: readonly ServiceLoad[], slots: number): number =>
  slots *
  sharersOf(
    slots,
    loads.every(({ batched }) => batched),
  )

function roundsAt(loads: readonly ServiceLoad[], max: number): readonly (readonly [string, Round])[] {
  const isShared = loads.length > 1
  const places = max - Math.min(suspectsMaxOf(max), hungPlaces(loads))
  const share = isShared ? Math.min(shareOf(max), places) : places
  // Services take turns, so a service that needs less than an equal share leaves the rest to the others.
  const neediestLast = loads.toSorted((a, b) => placesNeeded(a) - placesNeeded(b))
  let left = places
  const granted = neediestLast.map((load, at) => {
    const taken = Math.min(placesNeeded(load), share, left / (neediestLast.length - at))
    left -= taken
    return { load, taken }
  })
  return granted.map(({ load, taken }) => [load.id, roundWith(load, Math.min(share, taken + left), isShared)])
}

function roundWith(
  { nodes, requests, answerMs, pace, intervalMs }: ServiceLoad,
  inFlight: number,
  isShared: boolean,
): Round {
  const byPlacesMs = requests <= inFlight ? answerMs : (requests * answerMs) / inFlight
  const byPaceMs = pace === undefined ? 0 : (requests / pace) * 1_000
  return {
    nodes,
    requests,
    takesMs: Math.max(byPlacesMs, byPaceMs),
    intervalMs,
    answerMs,
    inFlight,
    isShared,
    limit: byPaceMs > byPlacesMs ? 'pace' : requests <= inFlight ? 'answers' : 'in-flight',
  }
}

const placesNeeded = ({ requests, intervalMs, answerMs, pace = Number.POSITIVE_INFINITY }: ServiceLoad) =>
  Math.min(requests / intervalMs, pace / 1_000) * answerMs

const hungPlaces = (loads: readonly ServiceLoad[]): number =>
  loads.reduce(
    (sum, { hung, timeoutMs, intervalMs }) =>
      sum + (hung * timeoutMs) / (Math.max(DEFAULTS.backOffMaxMs, intervalMs) + timeoutMs),
    0,
  )

const MEAN_OVER_MIN = 20

export function withAnswer(known: AnswerTime | undefined, tookMs: number, nodes: number): AnswerTime {
  const count = (known?.count ?? 0) + 1
  const over = Math.min(count, Math.max(MEAN_OVER_MIN, nodes / 2))
  const meanMs = known?.meanMs ?? tookMs
  return { meanMs: meanMs + (tookMs - meanMs) / over, lastMs: tookMs, count }
}

/**
 * A round that exceeds the interval by this factor does not fit. Afterwards it must fit completely to count as fitting again.
 */
const TOO_LONG = 1.1
/** Smaller relative differences are not published. */
const SAME = 0.1
const EVERY_MS = 1_000

/** Updates which services' rounds do not fit into their intervals. */
export function createRoundTimes(
  { services, changes }: Pick<FleetState, 'services' | 'changes'>,
  inFlightMax: InFlightMax,
  isBatched: (service: TrackedService) => boolean,
) {
  let dueMs = Number.NEGATIVE_INFINITY
  return (nowMs: number): void => {
    if (nowMs < dueMs) return
    dueMs = nowMs + EVERY_MS
    const rounds = roundsOf(loadsOf(services.values(), nowMs, isBatched), inFlightMax)
    for (const service of services.values()) {
      const round = tooLong(service, rounds.get(service.id))
      if (round === service.round) continue
      service.round = round
      changes.services()
    }
  }
}

function tooLong({ round: before }: TrackedService, now: Round | undefined): Round | undefined {
  if (now === undefined) return undefined
  const { takesMs, intervalMs } = now
  if (takesMs <= intervalMs * (before === undefined ? TOO_LONG : 1)) return undefined
  const isSame =
    before !== undefined &&
    before.limit === now.limit &&
    before.intervalMs === intervalMs &&
    Math.abs(takesMs / before.takesMs - 1) < SAME
  return isSame ? before : now
}

function loadsOf(
  services: Iterable<TrackedService>,
  nowMs: number,
  isBatched: (service: TrackedService) => boolean,
): readonly ServiceLoad[] {
  return Array.from(services).flatMap((tracked) => {
    const { id, host, service, nodes, answerTime, asking } = tracked
    // The service's failure is shown instead.
    if (asking.hold !== undefined || answerTime === undefined || isDown(tracked, nowMs)) return []
    const all = Array.from(nodes.values())
    const hung = all.filter(({ suspect }) => suspect).length
    // Nodes with other failures back off and hardly count.
    const asked = all.filter(({ live, suspect }) => live.episode === undefined && !suspect)
    if (asked.length === 0 || answerTime.count < Math.min(asked.length, MEAN_OVER_MIN)) return []
    const { pollIntervalMs: intervalMs, timeoutMs, pace } = service
    const requests = asked.reduce((sum, node) => sum + intervalMs / intervalOf(node), 0)
    const answerMs = answerTime.meanMs
    return [
      {
        id,
        host,
        nodes: asked.length,
        requests,
        hung,
        intervalMs,
        timeoutMs,
        answerMs,
        pace,
        batched: isBatched(tracked),
      },
    ]
  })
}
