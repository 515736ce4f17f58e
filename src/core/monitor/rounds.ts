import { DEFAULTS } from '#base/defaults.ts'
import { groupBy } from '#base/group-by.ts'
import { err } from '#base/result.ts'
import { statusQuery, statusUrl } from '#signing/signing-values.ts'
import type { SteadyClock } from '#base/steady.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { proofProfileOf } from '#proof/proof-profile.ts'
import { suspectsMaxOf, type InFlightMax, type Ticket } from './limiter.ts'
import { timeToSign } from './service-clock.ts'
import { createProofChecks } from './proof-check.ts'
import { endExpired, keepProbing, plan } from './asking.ts'
import { takeOutcome } from './outcome.ts'
import { runPoll, targetFor, type PollOutcome } from './poll.ts'
import type { MonitorParts, MonitorPorts } from './ports.ts'
import { readAsOf } from './reinterpret.ts'
import { createRoundTimes, withAnswer } from './round-time.ts'
import { mindTime, readTime, WAKE_EVERY_MS } from './time-watch.ts'
import { isDown } from './when.ts'
import { type FleetState, type Flight, type TrackedNode, intervalOf } from './tracked.ts'

/** The fleet's only timer and everything it starts. */
export function createRounds(ports: MonitorPorts, steady: SteadyClock, parts: MonitorParts) {
  const { fleet, schedule } = parts
  const { clock } = ports
  /** When the timer fires next, by the steady clock; undefined while there are no nodes. */
  let wakeMs: number | undefined
  const measureRounds = createRoundTimes(fleet, ports.inFlightMax, schedule.isBatched)
  let cancel = (): void => undefined
  let disposed = false

  /** Reads the steady clock and handles a sleep or a set clock. */
  const notice = (): number => {
    const found = readTime(steady, wakeMs, shortestIntervalMs(fleet))
    if (wakeMs !== undefined) wakeMs = Math.max(wakeMs, found.nowMs) // Each delay is handled once.
    mindTime(parts, found)
    return found.nowMs
  }

  const setTimer = (nowMs: number, otherMs: number): void => {
    cancel()
    const soonestMs = Math.min(schedule.soonestMs(nowMs), otherMs)
    wakeMs = fleet.nodes.size === 0 ? undefined : Math.min(soonestMs, nowMs + WAKE_EVERY_MS)
    // Rounds up to whole milliseconds, because a timer that fires a fraction too early would have to fire twice.
    if (wakeMs !== undefined) cancel = clock.after(Math.ceil(Math.max(0, wakeMs - nowMs)), tick)
  }

  /** Starts every poll that may start now and sets the timer. */
  const tick = (): void => {
    if (disposed) return
    const nowMs = notice()
    flights.giveUpOverdue(nowMs)
    endExpired(parts, nowMs)
    measureRounds(nowMs)
    schedule.queueDue(nowMs)
    for (let tickets = schedule.take(nowMs); tickets.length > 0; tickets = schedule.take(nowMs))
      for (const ticket of tickets) {
        ticket.item.service.asking.askedMs = nowMs
        flights.start(ticket)
      }
    const hangsMs = flights.makeWay(nowMs, schedule.isWaiting)
    setTimer(nowMs, Math.min(keepProbing(parts, nowMs), hangsMs))
  }

  /** Plans the node's next poll even if handling the outcome throws. */
  const landed: Landed = (node, outcome, nowMs) => {
    try {
      takeOutcome(parts, node, outcome, nowMs)
    } catch (error) {
      plan(parts, node, nowMs + intervalOf(node) / 2)
      ports.onError(error)
    }
  }

  const flights = createFlights({ ...ports, nowMs: steady.nowMs }, fleet, { notice, landed, ended: tick })

  return {
    notice,
    tick,
    dispose: () => {
      disposed = true
      cancel()
      flights.dispose()
    },
  }
}

const shortestIntervalMs = ({ services }: FleetState): number =>
  Math.min(DEFAULTS.pollIntervalMaxMs, ...Array.from(services.values(), ({ shortestMs }) => shortestMs))

/** Transport and signer end within their timeouts. One that does not must not occupy its slot for ever. */
const OVERDUE_SLACK_MS = 15_000

/** The outcome of an overdue poll; assumes that its request was sent. */
const overdue = (
  { service, nodeId }: TrackedNode,
  latencyMs: number,
  startedMs: number,
  wallMs: number,
): PollOutcome => ({
  kind: 'sent',
  result: err({
    kind: 'timeout',
    afterMs: latencyMs,
    hop: service.service.via === 'proxy' ? 'proxy' : 'service',
  }),
  reply: undefined,
  startedMs,
  startedWallMs: wallMs - latencyMs,
  latencyMs,
  url: statusUrl(service.base, statusQuery(nodeId)),
  requestHeaders: {},
  correction: undefined,
})

type Landed = (node: TrackedNode, outcome: PollOutcome, nowMs: number) => void

/** Adds the verdict on an answer's proof, if the service has a proof profile. */
function createProving(ports: MonitorPorts & { readonly nowMs: () => number }, fleet: FleetState) {
  const proofs = createProofChecks(ports.clock, ports.verify)
  return async (node: TrackedNode, outcome: PollOutcome): Promise<PollOutcome> => {
    const profile = proofProfileOf(node.service.service)
    if (profile === undefined || outcome.kind !== 'sent' || !outcome.result.ok) return outcome
    const { verdict, checked } = await proofs.check({
      profile,
      body: outcome.reply?.body ?? '',
      last: node.checked,
      nodes: fleet.nodes.size,
      nowMs: ports.nowMs(),
    })
    // If another profile was set in the meantime, the verdict does not apply.
    if (proofProfileOf(node.service.service) !== profile) return outcome
    node.checked = checked
    return { ...outcome, proof: verdict }
  }
}

/** A poll hangs after this time, or after this many mean response times or last ones if that is longer. */
const HANGS_AFTER_MS = 500
const HANGS_AFTER_MEANS = 10
/** A service that has become slow is slow for all its nodes. */
const HANGS_AFTER_LAST = 2

/** When the poll counts as hanging. While the service itself is down, none of its nodes is to blame. */
function hangsFromMs({ flight, service }: TrackedNode, nowMs: number): number {
  const { answerTime } = service
  if (answerTime === undefined || isDown(service, nowMs)) return Number.POSITIVE_INFINITY
  const { meanMs, lastMs } = answerTime
  const afterMs = Math.max(HANGS_AFTER_MS, HANGS_AFTER_MEANS * meanMs, HANGS_AFTER_LAST * lastMs)
  return (flight?.sinceMs ?? nowMs) + afterMs
}

function sendAgain(node: TrackedNode): void {
  node.suspect = true
  if (node.flight === undefined) return
  node.flight.asksAgain = true
  node.flight.abort.abort()
}

/**
 * If others wait, polls that hang hold at most half of a host's slots. The rest are sent again among the suspects, with their
 * whole timeout, so that no node fails because of others. Returns when the next poll hangs.
 */
function makeWay(
  inFlight: ReadonlySet<TrackedNode>,
  nowMs: number,
  inFlightMax: InFlightMax,
  isWaiting: (host: string) => boolean,
): number {
  let nextMs = Number.POSITIVE_INFINITY
  for (const [host, nodes] of groupBy(inFlight, ({ service }) => service.host)) {
    if (!isWaiting(host)) continue
    const slots = Array.from(groupBy(nodes, ({ flight }) => flight?.slot).values())
    const others = slots.filter(([{ suspect }]) => !suspect)
    let left = suspectsMaxOf(inFlightMax(host)) - (slots.length - others.length)
    for (const sharers of others) {
      const hangsMs = Math.max(...sharers.map((node) => hangsFromMs(node, nowMs)))
      if (hangsMs > nowMs) nextMs = Math.min(nextMs, hangsMs)
      else if (left-- <= 0) for (const node of sharers) sendAgain(node)
    }
  }
  return nextMs
}

/** Polls in flight: at most one per node, the limiter decides how many. */
function createFlights(
  ports: MonitorPorts & { readonly nowMs: () => number },
  fleet: FleetState,
  hooks: { readonly notice: () => number; readonly landed: Landed; readonly ended: () => void },
) {
  const { nowMs } = ports
  const inFlight = new Set<TrackedNode>()
  const withProof = createProving(ports, fleet)

  const land = (node: TrackedNode, flight: Flight, outcome: PollOutcome): void => {
    if (node.flight !== flight) return // The poll was given up before.
    const landedMs = hooks.notice()
    flight.release()
    node.flight = undefined
    fleet.setLive(node, { ...node.live, inFlight: false })
    inFlight.delete(node)
    if (fleet.nodes.get(node.key) !== node) return // The node is no longer watched.
    const { abort, asksAgain, sinceMs } = flight
    if (abort.signal.aborted) return hooks.landed(node, { kind: 'aborted', asksAgain }, landedMs)
    const { service } = node
    const tookMs = Math.min(landedMs - sinceMs, service.service.timeoutMs)
    // A poll without an answer hangs or ends at once; neither shows how long answers take.
    if (outcome.kind === 'sent' && outcome.reply !== undefined && outcome.reply.proxyFailure === undefined)
      service.answerTime = withAnswer(service.answerTime, tookMs, service.nodes.size)
    hooks.landed(node, outcome, landedMs)
  }

  const fly = async (node: TrackedNode, flight: Flight): Promise<void> => {
    const { service, nodeId } = node
    const target = {
      ...targetFor(service.service, service.base, nodeId),
      correctionMs: timeToSign(service.clock),
      // The settings may change while the request is under way.
      get readAs() {
        return readAsOf(effectiveSettings(service.rules, node.live))
      },
      metrics: ports.metrics,
    }
    const outcome = await runPoll(ports, target, flight.abort.signal)
    const checked = withProof(node, outcome).catch((error: unknown) => {
      ports.onError(error) // The answer still counts, with its proof unchecked.
      return outcome
    })
    land(node, flight, await checked)
    hooks.ended()
  }

  return {
    start: ({ item: node, slot, release }: Ticket<TrackedNode>): void => {
      const flight = { abort: new AbortController(), sinceMs: nowMs(), slot, release, asksAgain: false }
      Object.assign(node, { flight, urgent: false })
      fleet.setLive(node, { ...node.live, inFlight: true })
      inFlight.add(node)
      // A poll that a defect of the dashboard ended is given up as overdue.
      fly(node, flight).catch(ports.onError)
    },
    /** Frees the slots of polls that exceeded their timeout by more than `OVERDUE_SLACK_MS`. */
    giveUpOverdue: (atMs: number): void => {
      for (const node of Array.from(inFlight)) {
        const { flight, service } = node
        if (flight === undefined || atMs - flight.sinceMs <= service.service.timeoutMs + OVERDUE_SLACK_MS)
          continue
        land(node, flight, overdue(node, atMs - flight.sinceMs, flight.sinceMs, ports.clock.wallMs()))
        flight.abort.abort()
      }
    },
    makeWay: (atMs: number, isWaiting: (host: string) => boolean): number =>
      makeWay(inFlight, atMs, ports.inFlightMax, isWaiting),
    dispose: () => {
      for (const node of inFlight) {
        node.flight?.abort.abort()
        node.flight = undefined
      }
    },
  }
}
