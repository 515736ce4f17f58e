import { DEFAULTS } from '#base/defaults.ts'
import { readingAgeMs, type NodeKey } from '#fleet/live.ts'
import {
  FAILURES,
  failureCode,
  failureLook,
  isAboutNode,
  isOwnServerSilent,
  type PollFailure,
} from '#protocol/failure.ts'
import type { ServiceId } from '#record/service.ts'
import { refusalsForgotten } from './node-state.ts'
import type { MonitorParts } from './ports.ts'
import {
  intervalOf,
  type Hold,
  type RejectionRow,
  type ServiceAsking,
  type TrackedNode,
  type TrackedService,
} from './tracked.ts'
import { askAgainMs, isDown, nextPoll, refusedWaitMs, silentFromMs, slotMs, type FailedPoll } from './when.ts'

/*
 * Decides when each node is polled. A service has no hold, or one of three: `paused` until a key or a setting changes;
 * `rate-limited` until the time that the service named; `refused` while the service refuses the key. While it is `refused`, one
 * node polls for all, at growing intervals and a different one each time, because a single node may be barred. A node that is
 * refused or rate-limited on its own waits on its own.
 */

const NO_ROW: RejectionRow = { count: 0, length: 0, sinceMs: Number.POSITIVE_INFINITY }
const NO_REJECTIONS = { refusals: NO_ROW, limitations: NO_ROW }
const NOT_KNOCKED: ServiceAsking['knocked'] = { atMs: Number.NEGATIVE_INFINITY, looks: [] }
/** Polls that start together fail together, so they count once. */
const NO_FAILURES = { count: 0, startedMs: Number.NEGATIVE_INFINITY }

export const newAsking = (): ServiceAsking => ({
  hold: undefined,
  ...NO_REJECTIONS,
  failures: NO_FAILURES,
  answeredMs: undefined,
  failedScope: undefined,
  isServerGone: false,
  backMs: Number.NEGATIVE_INFINITY,
  probe: undefined,
  askedMs: Number.NEGATIVE_INFINITY,
  knocked: NOT_KNOCKED,
})

/** Upper limit of the gap between polls outside the grid: first round, manual poll, new key. */
const OUT_OF_TURN_EVERY_MS = 100
/** About one screenful; the other nodes wait for their own slots. */
const LOOKED_AT_MAX = 60

/** Plans the poll at the node's first slot at or after `notBeforeMs`, or later if its service has a hold. */
export function plan({ schedule }: MonitorParts, node: TrackedNode, notBeforeMs: number): void {
  const { atMs, byAnother } = nextPoll(node, notBeforeMs)
  if (atMs === undefined || byAnother) schedule.unplan(node, atMs)
  else schedule.planAt(node, atMs)
}

export function planAll(parts: MonitorParts, { nodes }: TrackedService, notBeforeMs: number): void {
  for (const node of nodes.values()) if (node.flight === undefined) plan(parts, node, notBeforeMs)
}

/**
 * Polls the nodes as soon as possible but one after the other: the first at once, the rest at equal steps. A large fleet never
 * gets more polls than in a normal round. The order is that of the slots, so that the next round on the grid follows evenly.
 */
export function planOutOfTurn({ schedule }: MonitorParts, nodes: Iterable<TrackedNode>, nowMs: number): void {
  const idle = Array.from(nodes)
    .filter((node) => node.flight === undefined && node.service.asking.hold?.reason !== 'paused')
    .map((node) => ({ node, atMs: slotMs(node, nowMs) }))
    .toSorted((a, b) => a.atMs - b.atMs)
  idle.forEach(({ node: { service }, node }, place) => {
    const count = Math.max(idle.length, service.nodes.size)
    const stepMs = Math.min(OUT_OF_TURN_EVERY_MS, service.service.pollIntervalMs / count)
    schedule.planAt(node, nowMs + place * stepMs)
  })
}

/**
 * Marks a node's failure as outdated. A rate limit stays until an answer ends it, and so does a node's own failure, which an
 * outage of the service does not explain.
 */
function outdate({ fleet }: MonitorParts, node: TrackedNode): void {
  const { episode } = node.live
  if (episode === undefined || episode.failure.kind === 'rate-limited') return
  // Before the service's first answer, a single failed poll is no evidence of an outage.
  const { answeredMs, hold } = node.service.asking
  if (episode.misses < 2 && answeredMs === undefined && hold?.reason !== 'refused') return
  if (FAILURES[episode.failure.kind].scope !== 'node')
    fleet.setLive(node, { ...node.live, episode: { ...episode, isOutdated: true } })
}

/** This many failed polls in a row, over all nodes, are not failures of single nodes. */
const FAILURES_OF_OUTAGE = 3

const failsInARow = ({ asking, nodes }: TrackedService): boolean =>
  asking.failures.count >= Math.min(FAILURES_OF_OUTAGE, nodes.size)

const isServerGone = (failure: PollFailure): boolean =>
  (failure.kind === 'unreachable' || failure.kind === 'timeout') && isOwnServerSilent(failure)

/**
 * Marks failures that began in the outage that is now over. A node that was already failing an interval before the last
 * answer, `lastMs`, fails on its own.
 */
function outdateSince(
  parts: MonitorParts,
  { nodes, shortestMs }: TrackedService,
  lastMs: number,
  isMeant: (failure: PollFailure) => boolean = () => true,
): void {
  for (const node of nodes.values()) {
    const { episode } = node.live
    if (episode === undefined || (episode.changedMs ?? episode.sinceMs) < lastMs - shortestMs) continue
    if (isMeant(episode.failure)) outdate(parts, node)
  }
}

/**
 * An answer of any service shows that the dashboard server is back, for all services that lost it. If single polls of a service
 * fail at that server, they fail on their own.
 */
function serverIsBack(parts: MonitorParts): void {
  const proxied = Array.from(parts.fleet.services.values()).filter(({ service }) => service.via === 'proxy')
  const lastMs = Math.max(...proxied.map(({ asking }) => asking.answeredMs ?? Number.NEGATIVE_INFINITY))
  for (const service of proxied) {
    if (service.asking.isServerGone && failsInARow(service))
      outdateSince(parts, service, lastMs, isServerGone)
    service.asking.isServerGone = false
  }
}

/** Moves nodes that back off because of their service to their next slots, which are spread over the interval. */
function bringBack(parts: MonitorParts, { nodes }: TrackedService, nowMs: number): void {
  for (const node of nodes.values()) {
    const { episode, nextPollMs } = node.live
    if (episode === undefined || nextPollMs === undefined || node.flight !== undefined) continue
    if (nextPollMs <= slotMs(node, nowMs)) continue
    node.notBeforeMs = 0
    plan(parts, node, nowMs)
  }
}

function note(
  { clock, log }: MonitorParts,
  { id, nodes }: TrackedService,
  what: 'asking-slowed' | 'asking-paused' | 'asking-resumed',
  failure: PollFailure,
): void {
  const facts = { kind: failure.kind, code: failureCode(failure), nodes: nodes.size }
  log({ wallMs: clock.wallMs(), area: 'service', what, serviceId: id, facts })
}

/**
 * While no node can be polled, each shows why. A node that failed on its own keeps its failure, unless nothing can be polled at
 * all. A refusal is shown only at the nodes that were refused, because others may be accepted.
 */
export function showHold({ fleet, clock }: MonitorParts, node: TrackedNode, nowMs: number): void {
  const { hold } = node.service.asking
  const { live } = node
  if (hold === undefined || hold.reason === 'refused') return
  const { failure } = hold
  const own = live.episode?.isOutdated === true ? undefined : live.episode
  if (own?.failure.kind === failure.kind || (own !== undefined && hold.reason !== 'paused')) return
  const shared = { failure, sinceMs: nowMs, sinceWallMs: clock.wallMs(), misses: 0 }
  fleet.setLive(node, { ...live, episode: shared })
}

/**
 * Whether the service rejects the requests for all its nodes: since the first rejection in a row, each node was polled, none was
 * accepted, and most were rejected in this way. Nodes that were never polled do not count, unless an earlier engine read them.
 */
function isForAll(
  { nodes }: TrackedService,
  sinceMs: number,
  isMeant: (failure: PollFailure) => boolean,
): boolean {
  const polled = Array.from(nodes.values()).filter(
    ({ lastPoll, live }) => lastPoll !== undefined || live.reading !== undefined,
  )
  const isRejected = ({ live: { episode } }: TrackedNode) => episode !== undefined && isMeant(episode.failure)
  // Of polls that start together, one may be accepted.
  const hasFailed = ({ lastPoll, live: { episode } }: TrackedNode) =>
    lastPoll !== undefined && lastPoll.atMs >= sinceMs && episode !== undefined
  return (
    polled.every(hasFailed) && polled.filter(isRejected).length >= DEFAULTS.wholeServiceShare * polled.length
  )
}

/**
 * This many rejections in a row hold back a large fleet, too, so that the service does not lock the key. Nodes that failed in
 * another way are polled first, because a hold does not change what they show.
 */
const ROW_MAX = 16

/**
 * The row after one more rejection. Without evidence about the whole service, the count stays one short of the number that holds
 * the service back. A node that is rejected again adds nothing to the length, because others may still be accepted.
 */
function longer(
  { service, live: { episode } }: TrackedNode,
  row: RejectionRow,
  enough: number,
  isMeant: (failure: PollFailure) => boolean,
  startedMs: number,
): RejectionRow {
  const sinceMs = Math.min(row.sinceMs, startedMs)
  const [count, length] = [row.count + 1, row.length + (episode?.misses === 1 ? 1 : 0)]
  const failing = Array.from(service.nodes.values()).flatMap(({ live }) => live.episode ?? [])
  const hasOthers = failing.some(({ failure, isOutdated }) => isOutdated !== true && !isMeant(failure))
  // Many nodes were rejected while others were accepted, so a row of rejections says nothing about those.
  const knownMs = (service.asking.answeredMs ?? Number.NEGATIVE_INFINITY) - service.shortestMs
  const isOfSome =
    failing.filter(({ failure, sinceMs: ms }) => isMeant(failure) && ms < knownMs).length >= ROW_MAX
  const isLong = length >= ROW_MAX && !hasOthers && !isOfSome
  const isEnough = isLong || isForAll(service, sinceMs, isMeant)
  return { count: isEnough ? count : Math.min(count, enough - 1), length, sinceMs }
}

const isRateLimit = ({ kind }: PollFailure): boolean => kind === 'rate-limited'
const isRefusal = ({ kind }: PollFailure): boolean => FAILURES[kind].again === 'refusal'

function holdBack(parts: MonitorParts, service: TrackedService, hold: Hold): void {
  const { asking } = service
  const before = asking.hold
  const isPause = hold.reason === 'paused'
  const isNew = before?.reason !== hold.reason || (isPause && before.failure.kind !== hold.failure.kind)
  if (isNew) note(parts, service, isPause ? 'asking-paused' : 'asking-slowed', hold.failure)
  asking.hold = hold
  if (hold.reason === 'refused') asking.probe = inTurn(service, asking.probe)[0]
  for (const node of service.nodes.values()) {
    if (node.flight !== undefined) continue // The answer in flight will say more.
    showHold(parts, node, hold.sinceMs)
    plan(parts, node, hold.sinceMs)
  }
  parts.fleet.changes.services()
}

/** Stops polling: without a key nothing can be signed, and a page that must not reach the service need not try. */
export const pause = (
  parts: MonitorParts,
  service: TrackedService,
  failure: PollFailure,
  sinceMs: number,
): void => {
  const untilMs = Number.POSITIVE_INFINITY
  holdBack(parts, service, { reason: 'paused', sinceMs, untilMs, failure })
}

/** Waits longer after each refusal, because many services lock out a key after several refusals in a row. */
function refuse(parts: MonitorParts, service: TrackedService, failure: PollFailure, sinceMs: number): void {
  const { asking } = service
  const { pollIntervalMs } = service.service
  const waitMs = refusedWaitMs(pollIntervalMs, asking.refusals.count, DEFAULTS.slowAfterRefusalMs)
  asking.limitations = NO_ROW
  holdBack(parts, service, { reason: 'refused', sinceMs, untilMs: sinceMs + waitMs, failure })
}

function forgetHold(parts: MonitorParts, service: TrackedService): void {
  const { hold } = service.asking
  if (hold !== undefined) note(parts, service, 'asking-resumed', hold.failure)
  Object.assign(service.asking, { hold: undefined, probe: undefined, knocked: NOT_KNOCKED })
  for (const node of service.nodes.values()) {
    node.notBeforeMs = 0
    // A failure that the node only shared with its service ends too.
    if (node.live.episode?.misses === 0) parts.fleet.setLive(node, { ...node.live, episode: undefined })
  }
  parts.fleet.changes.services()
}

/** Ends a hold whose cause is gone or may be gone. The nodes are polled from their next slots on. */
function release(parts: MonitorParts, service: TrackedService, nowMs: number): void {
  forgetHold(parts, service)
  planAll(parts, service, nowMs)
}

/** Like `release`, but polls at once: for a new key or a manual poll. */
export function resume(parts: MonitorParts, service: TrackedService, nowMs: number): void {
  forgetHold(parts, service)
  service.asking.refusals = NO_ROW
  for (const node of service.nodes.values()) refusalsForgotten(parts.fleet, node)
  planOutOfTurn(parts, service.nodes.values(), nowMs)
}

/**
 * Call this after nodes were removed: if the removed nodes include the one that polls for a refusing service, another node
 * takes over. Without any node left, the refusal is forgotten, so that nodes added later are polled.
 */
export function nodesLeft(parts: MonitorParts, service: TrackedService, nowMs: number): void {
  const { asking } = service
  if (asking.probe !== undefined && !service.nodes.has(asking.probe.key)) asking.probe = undefined
  if (asking.hold?.reason !== 'refused' || asking.probe !== undefined) return
  if (service.nodes.size === 0) return forgetHold(parts, service)
  asking.probe = inTurn(service, undefined)[0]
  planAll(parts, service, nowMs)
}

/** A single node may be rate-limited on its own. */
function limit(parts: MonitorParts, node: TrackedNode, failure: PollFailure, poll: FailedPoll): void {
  const { service } = node
  const { asking } = service
  const { hold } = asking
  const enough = Math.min(DEFAULTS.limitationsBeforeSlow, service.nodes.size)
  if (hold === undefined || poll.startedMs >= hold.sinceMs)
    asking.limitations = longer(node, asking.limitations, enough, isRateLimit, poll.startedMs)
  const misses = asking.limitations.count - enough + 1
  if (misses < 1 || (hold !== undefined && hold.reason !== 'rate-limited')) return
  const untilMs = Math.max(askAgainMs(failure, { ...poll, misses, index: 0 }) ?? 0, hold?.untilMs ?? 0)
  holdBack(parts, service, { reason: 'rate-limited', sinceMs: poll.endedMs, untilMs, failure })
}

/** Plans the next poll after one that failed or could not be sent. */
export function planAfter(
  parts: MonitorParts,
  node: TrackedNode,
  failure: PollFailure,
  startedMs: number,
  nowMs: number,
): void {
  const { service, live, index } = node
  const { backMs } = service.asking
  // A request that started before the service came back says nothing about the service now.
  const isOutdated = startedMs < backMs
  if (isOutdated) outdate(parts, node)
  const misses = isOutdated ? 1 : (live.episode?.misses ?? 1)
  const poll = { startedMs, endedMs: nowMs, intervalMs: intervalOf(node), misses, index }
  const againMs = askAgainMs(failure, poll) ?? nowMs
  if ('retryAfterMs' in failure) node.notBeforeMs = againMs
  if (isRateLimit(failure)) limit(parts, node, failure, poll)
  plan(parts, node, Math.max(nowMs, againMs))
}

/** Whether nodes that do not fail would have answered since the last answer. Nodes can have longer intervals than others. */
function hasBeenSilent({ asking, nodes }: TrackedService, nowMs: number): boolean {
  const able = Array.from(nodes.values()).filter(({ live }) => live.episode === undefined)
  return nowMs > silentFromMs({ asking, shortestMs: Math.min(...able.map(intervalOf)) })
}

/** An answer ends any hold that began before the request was sent. */
export function answered(parts: MonitorParts, node: TrackedNode, startedMs: number, nowMs: number): void {
  const { service } = node
  const { asking } = service
  // While a few nodes still answer, none of their answers shows that the others are back.
  const isShortOutage =
    failsInARow(service) &&
    startedMs - (asking.answeredMs ?? Number.NEGATIVE_INFINITY) >= service.shortestMs / 2
  const wasDown = isShortOutage || (isDown(service, startedMs) && hasBeenSilent(service, startedMs))
  const { hold } = asking
  if (wasDown || (hold?.reason === 'refused' && startedMs >= hold.sinceMs)) {
    asking.backMs = nowMs
    outdateSince(parts, service, asking.answeredMs ?? Number.NEGATIVE_INFINITY)
  }
  if (service.service.via === 'proxy') serverIsBack(parts)
  // An answer to a request that was sent after the first rejection shows that not all are rejected.
  const row = hold?.reason === 'rate-limited' ? asking.limitations : asking.refusals
  const isNews = hold === undefined || startedMs >= Math.min(hold.sinceMs, row.sinceMs)
  const settled = { failedScope: undefined, failures: NO_FAILURES, ...(isNews && NO_REJECTIONS) }
  Object.assign(asking, { ...settled, answeredMs: startedMs })
  if (hold === undefined) {
    if (wasDown) bringBack(parts, service, nowMs)
  } else if (hold.reason !== 'paused' && isNews) release(parts, service, nowMs)
  plan(parts, node, Math.max(nowMs, startedMs + intervalOf(node) / 2))
}

/** Call this after `pollFailed`, so that the node's episode includes this failure. */
export function failed(
  parts: MonitorParts,
  node: TrackedNode,
  failure: PollFailure,
  startedMs: number,
  nowMs: number,
): void {
  const { service } = node
  const { asking } = service
  const { scope } = FAILURES[failure.kind]
  const isOtherwise = asking.failedScope !== scope && isDown(service, nowMs)
  asking.failedScope = scope
  const { count, startedMs: lastMs } = asking.failures
  const { answeredMs = Number.NEGATIVE_INFINITY } = asking
  // A node that fails again while others answer, or that failed while another one answered, fails on its own.
  const isFirst = node.live.episode?.misses === 1 && startedMs > Math.max(lastMs, answeredMs)
  if (scope === 'service' && isFirst) asking.failures = { count: count + 1, startedMs }
  asking.isServerGone ||= isServerGone(failure)
  // The failure now has another scope, so the nodes that back off may work again.
  if (isOtherwise) bringBack(parts, service, nowMs)
  const { hold } = asking
  // A request sent before the hold began is no evidence about it.
  const isNews = hold === undefined || startedMs >= hold.sinceMs
  const isRefused = isNews && isRefusal(failure)
  forgetLooks(asking, failure, startedMs)
  const enough = DEFAULTS.refusalsBeforeSlow
  if (isRefused) asking.refusals = longer(node, asking.refusals, enough, isRefusal, startedMs)
  else if (isNews && isAboutNode(failure)) Object.assign(asking, NO_REJECTIONS)
  if (isRefused && (asking.refusals.count >= enough || hold?.reason === 'refused'))
    refuse(parts, service, failure, nowMs)
  else if (hold?.reason === 'refused' && isNews && !isRefused)
    failedOtherwise(parts, node, hold, failure, nowMs)
  planAfter(parts, node, failure, startedMs, nowMs)
}

/**
 * While a service refuses the key, another failure says nothing about the key, and the earlier refusals say nothing about the
 * service now. A rate limit may concern this node alone, so another node is polled before it counts.
 */
function failedOtherwise(
  parts: MonitorParts,
  node: TrackedNode,
  hold: Hold,
  failure: PollFailure,
  nowMs: number,
): void {
  const { service } = node
  const { asking, shortestMs, nodes } = service
  if (isRateLimit(failure)) {
    if (asking.probe !== node) return
    if (asking.limitations.count === 0 && nodes.size > 1) {
      holdBack(parts, service, { ...hold, untilMs: nowMs + shortestMs })
      return
    }
  }
  outdateSince(parts, service, Number.NEGATIVE_INFINITY, isRefusal)
  asking.refusals = { ...asking.refusals, length: 0, sinceMs: Number.POSITIVE_INFINITY }
  release(parts, service, nowMs)
}

/** If a service that refuses the key starts to fail in another way, kinds of failure that were seen before count as new. */
function forgetLooks(asking: ServiceAsking, failure: PollFailure, startedMs: number): void {
  const { hold, knocked } = asking
  if (hold?.reason !== 'refused' || startedMs < hold.sinceMs) return
  if (failureLook(failure) !== failureLook(hold.failure))
    asking.knocked = { ...knocked, looks: knocked.looks.slice(-1) }
}

/** Ends expired rate limits. A refusal of the key ends only with an answer. */
export function endExpired({ fleet }: MonitorParts, nowMs: number): void {
  for (const { asking } of fleet.services.values()) {
    if (asking.hold?.reason !== 'rate-limited' || asking.hold.untilMs > nowMs) continue
    asking.hold = undefined
    fleet.changes.services()
  }
}

/** Call this after anything that may change when services are polled. Returns the latest time of the next call. */
export const keepProbing = (parts: MonitorParts, nowMs: number): number =>
  Math.min(...Array.from(parts.fleet.services.values(), (service) => keepProbingOne(parts, service, nowMs)))

/**
 * Each node of a service is polled less often the longer the service is down. To notice its return early, this polls one node
 * in turn after every interval without a poll. Returns when it must be called next, in ms of the steady clock.
 */
function keepProbingOne(parts: MonitorParts, service: TrackedService, nowMs: number): number {
  const { askedMs, hold } = service.asking
  if (hold?.reason === 'refused') return keepKnocking(parts, service, hold, nowMs)
  if (!mayBeProbed(service)) return Number.POSITIVE_INFINITY
  if (!isDown(service, nowMs)) return silentFromMs(service) + 1
  probeBy(parts, service, Math.max(nowMs, askedMs + service.shortestMs))
  return Number.POSITIVE_INFINITY
}

/** Plans a poll of the next node in turn, unless one is planned by then. */
function probeBy({ schedule }: MonitorParts, service: TrackedService, dueMs: number): void {
  const { asking } = service
  const { probe } = asking
  if (probe !== undefined && probe.flight === undefined && (probe.live.nextPollMs ?? dueMs + 1) <= dueMs)
    return
  const next = nextProbe(service, dueMs)
  if (next === undefined) return
  asking.probe = next
  if ((next.live.nextPollMs ?? dueMs) >= dueMs) schedule.planAt(next, dueMs)
}

/** Longest time without a request to a service that refuses the key. */
const KNOCKED_EVERY_MS = 30_000

/**
 * While a service refuses the key, signed requests become rare. In between, requests without a signature, which can lock no key,
 * show whether it still answers as before; if not, one signed request follows at once. Returns when this must be called next.
 */
function keepKnocking(parts: MonitorParts, service: TrackedService, hold: Hold, nowMs: number): number {
  const { asking } = service
  const { probe, knocked } = asking
  if (probe === undefined || hold.untilMs - hold.sinceMs <= KNOCKED_EVERY_MS) return Number.POSITIVE_INFINITY
  const nextMs = knocked.atMs + KNOCKED_EVERY_MS
  if (nextMs > nowMs) return nextMs
  const knock = { ...knocked, atMs: nowMs }
  asking.knocked = knock
  parts.prober.knock(probe, (look) => {
    if (asking.knocked !== knock || knock.looks.includes(look)) return
    asking.knocked = { atMs: nowMs, looks: [...knock.looks, look] }
    if (asking.probe === undefined || knock.looks.length === 0) return
    parts.schedule.planAt(asking.probe, nowMs)
    parts.wake()
  })
  return nowMs + KNOCKED_EVERY_MS
}

/** Polls one node of each failed service at once, at most once a second, because the network may be back. */
export function networkBack(parts: MonitorParts, nowMs: number): void {
  for (const service of parts.fleet.services.values())
    if (mayBeProbed(service))
      probeBy(parts, service, Math.max(nowMs, service.asking.askedMs + DEFAULTS.pollIntervalMinMs))
}

/**
 * A manual poll of one node or of all. While a service has a hold, only one of its nodes is polled at a time, so that
 * impatience cannot lock a key out.
 */
export function askNow(parts: MonitorParts, key: NodeKey | undefined, nowMs: number): void {
  const { fleet, schedule } = parts
  const asked = key === undefined ? undefined : fleet.nodes.get(key)
  if (key !== undefined && asked === undefined) return
  const free: TrackedNode[] = []
  for (const service of asked === undefined ? fleet.services.values() : [asked.service]) {
    const { hold, probe } = service.asking
    const all = Array.from(service.nodes.values())
    const isAsked = () => all.some((node) => node.flight !== undefined || schedule.isQueued(node))
    if (waitsForKey(service)) resume(parts, service, nowMs)
    else if (hold === undefined) free.push(...(asked === undefined ? all : [asked]))
    else if (!isAsked()) free.push(...[asked ?? probe ?? all[0]].filter((node) => node !== undefined))
  }
  planOutOfTurn(parts, free, nowMs)
}

/**
 * Polls nodes that are in view, or that need attention, before others if they have no reading or one older than an interval.
 * Failing nodes, and nodes of a service that is down or has a hold, keep their times: looking at a failure must not make it
 * more frequent.
 */
export function lookAt(parts: MonitorParts, keys: readonly NodeKey[], nowMs: number): void {
  const nodes = keys
    .flatMap((key) => parts.fleet.nodes.get(key) ?? [])
    .filter((node) => isToBeAsked(node, nowMs))
    .slice(0, LOOKED_AT_MAX)
  for (const node of nodes) node.urgent = true
  planOutOfTurn(parts, nodes, nowMs)
}

export function keyChanged(parts: MonitorParts, serviceId: ServiceId | undefined, nowMs: number): void {
  for (const service of parts.fleet.services.values()) {
    if (serviceId !== undefined && service.id !== serviceId) continue
    for (const node of service.nodes.values()) refusalsForgotten(parts.fleet, node)
    const lacking = Array.from(service.nodes.values()).filter(lackedKey)
    // A poll in flight may have been signed with the old key. Its refusal would make the node back off for a long time.
    for (const { flight } of lacking)
      if (flight !== undefined) {
        flight.asksAgain = true
        flight.abort.abort()
      }
    if (waitsForKey(service) || service.asking.hold?.reason === 'refused') resume(parts, service, nowMs)
    else planOutOfTurn(parts, lacking, nowMs)
  }
}

function isToBeAsked(node: TrackedNode, nowMs: number): boolean {
  const { flight, service, live, lastPoll } = node
  if (flight !== undefined || live.episode !== undefined) return false
  if (service.asking.hold !== undefined || isDown(service, nowMs)) return false
  // A reading from a cache or a collector may be older than its poll.
  if (lastPoll !== undefined && nowMs - lastPoll.atMs < intervalOf(node)) return false
  return live.reading === undefined || readingAgeMs(live.reading, nowMs) >= intervalOf(node)
}

const waitsForKey = ({ asking: { hold } }: TrackedService): boolean =>
  hold?.reason === 'paused' && hold.failure.kind !== 'mixed-content'

/** Whether another key or signer may end the failure. */
const lackedKey = ({ live: { episode } }: TrackedNode): boolean =>
  episode !== undefined &&
  (episode.failure.kind === 'signer-failed' || FAILURES[episode.failure.kind].scope === 'key')

const mayBeProbed = ({ asking: { failedScope, hold } }: TrackedService): boolean =>
  failedScope !== undefined && hold === undefined

/** Prefers nodes that answered before the outage, because they show best whether the service is back. */
function nextProbe(service: TrackedService, atMs: number): TrackedNode | undefined {
  const { probe, answeredMs = Number.POSITIVE_INFINITY } = service.asking
  const wellFromMs = answeredMs - 2 * service.shortestMs
  const wasWell = ({ live }: TrackedNode): boolean => (live.reading?.startedMs ?? 0) >= wellFromMs
  const able = inTurn(service, probe).filter((node) => mayProbe(node, atMs))
  return able.find(wasWell) ?? able[0]
}

/** Nodes that are rate-limited or refused get no extra requests. */
const mayProbe = ({ flight, notBeforeMs, live: { episode } }: TrackedNode, atMs: number): boolean =>
  flight === undefined &&
  (episode === undefined ||
    (FAILURES[episode.failure.kind].scope !== 'key' &&
      (episode.failure.kind !== 'rate-limited' || notBeforeMs <= atMs)))

/** The service's nodes, beginning after the one that was last. */
function inTurn({ nodes: all }: TrackedService, last: TrackedNode | undefined): readonly TrackedNode[] {
  const nodes = Array.from(all.values())
  const place = last === undefined ? -1 : nodes.indexOf(last)
  return [...nodes.slice(place + 1), ...nodes.slice(0, place + 1)]
}
