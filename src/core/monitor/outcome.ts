import { DEFAULTS } from '#base/defaults.ts'
import type { Reading } from '#fleet/live.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { FAILURES, isOwnServerSilent, type PollFailure } from '#protocol/failure.ts'
import { isLoopback } from '#record/service.ts'
import { effectiveSettings } from '#settings/effective.ts'
import * as asking from './asking.ts'
import { exchangeOf } from './exchange.ts'
import { formerNodeId, pollFailed, polled, recordCame, withKnownTotals } from './node-state.ts'
import type { PollOutcome, SentPoll } from './poll.ts'
import type { MonitorParts } from './ports.ts'
import { agesOf } from './reinterpret.ts'
import { answeredSample, failedSample, type Asked } from './sample.ts'
import { DATE_MOVES_WITHIN_MS, cachedForS, collectedAgeMs, noveltyOf, serviceTimeOf } from './reply-clock.ts'
import { noteHeartbeat, noteReply } from './service-clock.ts'
import { explainGap } from './time-watch.ts'
import { type FleetState, type TrackedNode, intervalOf } from './tracked.ts'

/** Applies a poll's outcome: updates the node, records a sample and plans the next poll. */
export function takeOutcome(
  parts: MonitorParts,
  node: TrackedNode,
  outcome: PollOutcome,
  nowMs: number,
): void {
  switch (outcome.kind) {
    case 'aborted':
      if (outcome.asksAgain === true) asking.planOutOfTurn(parts, [node], nowMs)
      else asking.plan(parts, node, nowMs)
      break
    case 'not-sent':
      takeNotSent(parts, node, outcome.failure, outcome.startedMs, nowMs)
      break
    case 'sent':
      takeSent(parts, node, outcome, nowMs)
      break
  }
  // The service may have been given a hold while this poll was in flight.
  asking.showHold(parts, node, nowMs)
}

function takeNotSent(
  parts: MonitorParts,
  node: TrackedNode,
  failure: PollFailure,
  startedMs: number,
  nowMs: number,
): void {
  if (FAILURES[failure.kind].again === 'wait') {
    asking.pause(parts, node.service, failure, nowMs)
    return
  }
  const { clock, fleet } = parts
  pollFailed(fleet, node, failure, { startedMs, startedWallMs: clock.wallMs(), sent: false })
  node.service.asking.failures = { count: Number.POSITIVE_INFINITY, startedMs }
  asking.planAfter(parts, node, failure, startedMs, nowMs)
}

function takeSent(parts: MonitorParts, node: TrackedNode, sent: SentPoll, nowMs: number): void {
  const { exchanges, fleet } = parts
  const { service } = node
  exchanges.keep(node.key, exchangeOf(sent))
  const { kind, olderMs, isBehind, past, seen } = noveltyOf(node, sent, service.clock)
  Object.assign(node, { past, seen })
  if (sent.result.ok && kind === 'repeated') {
    takeFailure(parts, node, { ...sent, reply: undefined }, { kind }, nowMs)
    return
  }
  noteReply(fleet, service, sent, { kind, olderMs }, nowMs)
  explainGap(parts, service)
  if (!sent.result.ok) return takeFailure(parts, node, sent, blame(fleet, node, sent.result.error), nowMs)
  const { value } = sent.result
  const record = isBehind ? withKnownTotals(value, node, parts.metrics) : value
  takeRecord(parts, node, sent, record, olderMs, nowMs)
}

/** An answer that is older than this was not made after the previous poll, so a cache stored it. */
const newWithinMs = (node: TrackedNode): number => intervalOf(node) + DATE_MOVES_WITHIN_MS

function takeRecord(
  parts: MonitorParts,
  node: TrackedNode,
  sent: SentPoll,
  record: StatusRecord,
  cachedMs: number,
  nowMs: number,
): void {
  const { fleet, prober, records, metrics } = parts
  const { service } = node
  const { latencyMs, proof } = sent
  // A reading's age counts from when the service produced the answer, even if it passed through a collector or a cache.
  const collectedMs = collectedAgeMs(sent.reply)
  const olderMs = collectedMs + cachedMs
  // A reading that is old on arrival says nothing about the present, so the history has none.
  const isOfNow = olderMs <= DEFAULTS.staleAfterIntervals * intervalOf(node)
  polled(node, sent, isOfNow ? 'answered' : 'repeated')
  const startedMs = sent.startedMs - olderMs
  const startedWallMs = sent.startedWallMs - olderMs
  learn(parts, node, startedMs, record)
  const clocks = noteHeartbeat(fleet, node, record, sent, cachedMs > 0, nowMs)
  const settings = effectiveSettings(service.rules, node.live)
  const isSetBack = service.clock.setBackMs > (node.live.reading?.startedMs ?? Number.POSITIVE_INFINITY)
  const formerId = formerNodeId(node.live.reading, record)
  const reading: Reading = {
    record,
    startedMs,
    startedWallMs,
    latencyMs,
    // The node may have sent a heartbeat until the answer arrived, whatever a cache reports as the answer's age.
    ages: agesOf(record, { startedWallMs, latencyMs: latencyMs + olderMs }, clocks, settings, metrics),
    cachedForS: cachedMs > newWithinMs(node) ? Math.round(cachedMs / 1_000) : cachedForS(sent.reply),
    ...(sent.reply?.collectedAge !== undefined && { collectedMs }),
    ...(proof !== undefined && { proof }),
    ...(isSetBack && { clockSetBack: true }),
    ...(node.unwatched && { unwatched: true }),
    ...(formerId !== undefined && { formerNodeId: formerId }),
  }
  const before = node.lastValues
  const answered = recordCame(fleet, node, reading, sent.reply?.body, metrics)
  if (service.probed?.node === node) prober.end(service)
  fleet.screen.answered++
  noteNetwork(fleet, node, sent)
  records.sample(
    isOfNow
      ? answeredSample(asked(node, sent), reading, before, answered, settings, metrics)
      : failedSample(asked(node, sent), { kind: 'repeated' }),
  )
  asking.answered(parts, node, sent.startedMs, nowMs)
}

/**
 * An answer proves that the network worked when its request was sent; answers may arrive in another order. An answer of this
 * computer itself proves nothing.
 */
function noteNetwork({ screen }: FleetState, { service }: TrackedNode, { startedMs }: SentPoll): void {
  if (isLoopback(service.base) && isLoopback(service.service.baseUrl)) return
  screen.networkSeenMs = Math.max(screen.networkSeenMs, startedMs)
}

const SAYS_NOTHING_OF_NETWORK: readonly PollFailure['kind'][] = [
  'unreachable',
  'timeout',
  'offline',
  'signed-out',
  'repeated',
]

function takeFailure(
  parts: MonitorParts,
  node: TrackedNode,
  sent: SentPoll,
  failure: PollFailure,
  nowMs: number,
): void {
  const { fleet, prober, records } = parts
  polled(node, sent, failure.kind)
  pollFailed(fleet, node, failure, { ...sent, sent: true })
  fleet.screen.failed++
  if (!SAYS_NOTHING_OF_NETWORK.includes(failure.kind)) noteNetwork(fleet, node, sent)
  records.sample(failedSample(asked(node, sent), failure))
  prober.consider(node, failure, sent.reply, nowMs)
  asking.failed(parts, node, failure, sent.startedMs, nowMs)
}

/**
 * A browser's "offline" counts only if no request sent since was answered, because some machines report it falsely.
 * This computer itself is reachable without a network.
 */
function blame({ screen }: FleetState, { service }: TrackedNode, failure: PollFailure): PollFailure {
  const { offlineSinceMs, networkSeenMs } = screen
  if (offlineSinceMs === undefined || networkSeenMs >= offlineSinceMs || failure.kind !== 'unreachable')
    return failure
  return isOwnServerSilent(failure) || !isLoopback(service.service.baseUrl) ? { kind: 'offline' } : failure
}

/** Facts that a sample has whatever the outcome. */
function asked(node: TrackedNode, sent: SentPoll): Asked {
  const serviceMs = serviceTimeOf(sent)
  // Samples stay in order even if the clock was set back slightly.
  node.sampledWallMs = Math.max(sent.startedWallMs, node.sampledWallMs + 1)
  return {
    node: node.key,
    atMs: node.sampledWallMs,
    latencyMs: sent.latencyMs,
    everyMs: intervalOf(node),
    ...(serviceMs !== undefined && { serviceMs }),
  }
}

/** Heartbeat steps between readings further apart than this say little about the period. */
const STEP_INTERVALS_MAX = 3

/**
 * Detects units and periods that the service's interface does not specify. Call this while `node` still has the previous
 * reading.
 */
function learn(
  { fleet, clock, log }: MonitorParts,
  node: TrackedNode,
  startedMs: number,
  record: StatusRecord,
): void {
  const { service, live } = node
  const before = live.reading
  const isNear = before !== undefined && startedMs - before.startedMs <= STEP_INTERVALS_MAX * intervalOf(node)
  const stepMs =
    isNear && before.record.heartbeat.ok && record.heartbeat.ok
      ? record.heartbeat.value.atMs - before.record.heartbeat.value.atMs
      : undefined
  service.detector.learn(node.key, record, stepMs)
  const detected = service.detector.detected()
  const { participation } = service.rules.detected
  const unit = detected.participation?.unit
  if (detected === service.rules.detected) return
  // Stored samples were read in the earlier unit. They stay, and the log entry marks the change.
  if (participation !== undefined && unit !== participation.unit) {
    const facts = {
      metric: 'participation',
      from: participation.unit,
      to: unit ?? '',
      readings: participation.readings,
    }
    log({ wallMs: clock.wallMs(), area: 'service', what: 'unit-detected', serviceId: service.id, facts })
  }
  service.rules = { ...service.rules, detected }
  fleet.changes.services()
}
