import { DEFAULTS } from '#base/defaults.ts'
import type { Round } from '#fleet/live.ts'
import { shareOf, suspectsMaxOf, type InFlightMax } from './limiter.ts'
import { isDown } from './when.ts'
import { type AnswerTime, type FleetState, type TrackedService, intervalOf } from './tracked.ts'

/** What one service asks of the places that its host has. */
export type ServiceLoad = {
  readonly host: string
  readonly nodes: number
  /** In one interval: more than nodes where some are asked more often than their service says. */
  readonly requests: number
  /** Hung last time; each holds a place until its timeout, as rarely as a failure is asked again. */
  readonly hung: number
  readonly intervalMs: number
  readonly timeoutMs: number
  /** How long one request holds its place. */
  readonly answerMs: number
  /** Requests a second that its settings allow; undefined: as many as there is room for. */
  readonly pace: number | undefined
}

/** How long each service's round takes, from what was measured, with the places that it gets beside the others of its host. */
export function roundsOf<K>(
  loads: ReadonlyMap<K, ServiceLoad>,
  inFlightMax: InFlightMax = () => DEFAULTS.inFlightPerHostMax,
): ReadonlyMap<K, Round> {
  const byHost = new Map<string, [K, ServiceLoad][]>()
  for (const [id, load] of loads) byHost.set(load.host, [...(byHost.get(load.host) ?? []), [id, load]])
  return new Map(Array.from(byHost).flatMap(([host, each]) => roundsAt(each, inFlightMax(host))))
}

function roundsAt<K>(
  loads: readonly (readonly [K, ServiceLoad])[],
  max: number,
): readonly (readonly [K, Round])[] {
  const isShared = loads.length > 1
  const places = max - Math.min(suspectsMaxOf(max), hungPlaces(loads.map(([, load]) => load)))
  const share = isShared ? Math.min(shareOf(max), places) : places
  // Services take turns, so that whoever needs less than an equal part leaves the rest to the others.
  const neediestLast = loads.toSorted(([, a], [, b]) => placesNeeded(a) - placesNeeded(b))
  let left = places
  const granted = neediestLast.map(([id, load], at) => {
    const taken = Math.min(placesNeeded(load), share, left / (neediestLast.length - at))
    left -= taken
    return { id, load, taken }
  })
  return granted.map(({ id, load, taken }) => [id, roundWith(load, Math.min(share, taken + left), isShared)])
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
  return { meanMs: meanMs + (tookMs - meanMs) / over, count }
}

/** A round that is longer than the interval by so much does not fit; once it does not, it has to fit in whole. */
const TOO_LONG = 1.1
/** What differs by less is the same to whoever reads it. */
const SAME = 0.1
const EVERY_MS = 1_000

/** Keeps up to date which services' rounds don't fit into their intervals. */
export function createRoundTimes(
  { services, changes }: Pick<FleetState, 'services' | 'changes'>,
  inFlightMax?: InFlightMax,
) {
  let dueMs = Number.NEGATIVE_INFINITY
  return (nowMs: number): void => {
    if (nowMs < dueMs) return
    dueMs = nowMs + EVERY_MS
    const rounds = roundsOf(loadsOf(services.values(), nowMs), inFlightMax)
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

function loadsOf(services: Iterable<TrackedService>, nowMs: number): ReadonlyMap<string, ServiceLoad> {
  const loads = new Map<string, ServiceLoad>()
  for (const tracked of services) {
    const { id, host, service, nodes, answerTime, asking } = tracked
    if (asking.hold !== undefined || answerTime === undefined) continue
    // Its failure is told instead.
    if (isDown(tracked, nowMs)) continue
    const all = Array.from(nodes.values())
    const hung = all.filter(({ suspect }) => suspect).length
    // What fails otherwise is asked ever more rarely.
    const asked = all.filter(({ live, suspect }) => live.episode === undefined && !suspect)
    if (asked.length === 0 || answerTime.count < Math.min(asked.length, MEAN_OVER_MIN)) continue
    const { pollIntervalMs: intervalMs, timeoutMs, pace } = service
    const requests = asked.reduce((sum, node) => sum + intervalMs / intervalOf(node), 0)
    const answerMs = answerTime.meanMs
    loads.set(id, { host, nodes: asked.length, requests, hung, intervalMs, timeoutMs, answerMs, pace })
  }
  return loads
}
