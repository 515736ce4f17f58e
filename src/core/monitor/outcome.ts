import { DEFAULTS } from '#base/defaults.ts'
import { effectiveSettings } from '#settings/effective-settings.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import { heartbeatAge } from '#record/heartbeat-age.ts'
import { isLoopback } from '#record/service.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { askAgainMs } from './backoff.ts'
import { exchangeOf } from './exchange.ts'
import { holdBackNode, holdLimited, holdRefused, pause, release } from './hold.ts'
import type { Reading } from '#fleet/live.ts'
import { afterAnswer, afterFailure } from './node-state.ts'
import { noteHeartbeat } from './heartbeat-clock.ts'
import { cachedForS, noteCorrection, noteOffset, serviceTimeOf } from './note-offset.ts'
import { plan } from './plan.ts'
import type { PollOutcome, SentPoll } from './poll.ts'
import { endProbes } from './prober.ts'
import { serviceAnswered } from './recovery.ts'
import { setLive, type Room } from './room.ts'
import { learn } from './service-rules.ts'
import { answeredSample, failedSample, type Asked } from './sample.ts'
import type { TrackedNode } from './tracked.ts'

/** Turns what a poll brought into the node's new state, a sample, and the plan for the next poll. */
export function takeOutcome(room: Room, node: TrackedNode, outcome: PollOutcome, nowMs: number): void {
  switch (outcome.kind) {
    case 'aborted':
      plan(room, node, nowMs)
      break
    case 'not-sent':
      takeNotSent(room, node, outcome.failure, outcome.startedMs, nowMs)
      break
    case 'sent':
      takeSent(room, node, outcome, nowMs)
      break
  }
  // The service may have been held back while this poll was under way.
  if (node.service.waiting !== undefined) holdBackNode(room, node, nowMs)
}

function takeNotSent(
  room: Room,
  node: TrackedNode,
  failure: PollFailure,
  startedMs: number,
  nowMs: number,
): void {
  if (FAILURES[failure.kind].again === 'wait') {
    pause(room, node.service, failure, nowMs)
    return
  }
  setLive(room, node, afterFailure(node.live, failure, startedMs, room.clock.wallMs(), false))
  planAfterFailure(room, node, failure, startedMs, nowMs)
}

function takeSent(room: Room, node: TrackedNode, sent: SentPoll, nowMs: number): void {
  room.exchanges.keep(node.key, exchangeOf(sent, sent.reply))
  noteOffset(room, node.service, sent, nowMs)
  noteCorrection(room, node.service, sent)
  if (sent.result.ok) takeRecord(room, node, sent, sent.result.value, nowMs)
  else takeFailure(room, node, sent, blame(room, node, sent.result.error), nowMs)
}

function takeRecord(
  room: Room,
  node: TrackedNode,
  sent: SentPoll,
  record: StatusRecord,
  nowMs: number,
): void {
  const { service } = node
  const { startedMs, startedWallMs, latencyMs, proof } = sent
  learn(room, node, sent, record)
  const clock = noteHeartbeat(room, node, record, sent, nowMs)
  const reading: Reading = {
    record,
    startedMs,
    startedWallMs,
    latencyMs,
    heartbeat: record.heartbeat.ok
      ? heartbeatAge(
          { heartbeatMs: record.heartbeat.value.atMs, startedWallMs, latencyMs },
          clock,
          effectiveSettings(service.rules, node.live).heartbeatPeriodMs.value,
        )
      : undefined,
    cachedForS: cachedForS(sent.reply),
    ...(proof !== undefined && { proof }),
  }
  const answered = afterAnswer(node.live, node.seen, reading)
  setLive(room, node, answered.live)
  node.seen = answered.seen
  node.suspect = false
  if (service.probed?.node === node) endProbes(room, service)
  room.screen.answered++
  room.screen.networkSeenMs = nowMs
  room.records.sample(
    answeredSample(
      asked(node, sent),
      reading,
      answered,
      effectiveSettings(service.rules, node.live).participation.value,
    ),
  )
  serviceAnswered(room, service, startedMs, nowMs)
  plan(room, node, Math.max(nowMs, startedMs + service.service.pollIntervalMs / 2))
}

function takeFailure(
  room: Room,
  node: TrackedNode,
  sent: SentPoll,
  failure: PollFailure,
  nowMs: number,
): void {
  const { service } = node
  const { scope, again } = FAILURES[failure.kind]
  setLive(room, node, afterFailure(node.live, failure, sent.startedMs, sent.startedWallMs, true))
  node.suspect = failure.kind === 'timeout'
  room.screen.failed++
  if (failure.kind !== 'unreachable' && failure.kind !== 'timeout' && failure.kind !== 'offline')
    room.screen.networkSeenMs = nowMs
  room.records.sample(failedSample(asked(node, sent), failure))
  room.prober.consider(node, failure, sent.reply, nowMs)
  if (scope !== 'node') service.failedSince = true
  if (again === 'refusal') service.refusals++
  if (again === 'refusal' && service.refusals >= DEFAULTS.refusalsBeforeSlow)
    holdRefused(room, service, failure, nowMs)
  else if (service.hold?.reason === 'refused' && service.probe === node) {
    // These two answers are given only to a caller who is known.
    if (failure.kind === 'node-unknown' || failure.kind === 'wrong-node') release(room, service, nowMs)
    else holdRefused(room, service, service.hold.failure, nowMs)
  }
  planAfterFailure(room, node, failure, sent.startedMs, nowMs)
}

function planAfterFailure(
  room: Room,
  node: TrackedNode,
  failure: PollFailure,
  startedMs: number,
  nowMs: number,
): void {
  const { service } = node
  const isLimit = failure.kind === 'rate-limited'
  if (isLimit) service.limitations++
  const againMs = askAgainMs(failure, {
    startedMs,
    endedMs: nowMs,
    intervalMs: service.service.pollIntervalMs,
    misses: isLimit ? service.limitations : (node.live.episode?.misses ?? 1),
    everAnswered: node.live.reading !== undefined,
    index: isLimit ? 0 : node.index,
  })
  if (isLimit && againMs !== undefined && service.hold?.reason !== 'refused')
    holdLimited(room, service, failure, Math.max(againMs, service.hold?.untilMs ?? 0))
  plan(room, node, Math.max(nowMs, againMs ?? nowMs))
}

/**
 * A browser that says "offline" is believed only when nothing has answered since: such
 * events are false on some machines. This computer itself is reached without a network.
 */
function blame(room: Room, { service }: TrackedNode, failure: PollFailure): PollFailure {
  const { offlineSinceMs, networkSeenMs } = room.screen
  const believed = offlineSinceMs !== undefined && networkSeenMs < offlineSinceMs
  return believed && failure.kind === 'unreachable' && !isLoopback(service.service.baseUrl)
    ? { kind: 'offline' }
    : failure
}

/** What is kept of any poll. Its time is later than the node's last, also where the clock was nudged back a little. */
function asked(node: TrackedNode, sent: SentPoll): Asked {
  node.sampledWallMs = Math.max(sent.startedWallMs, node.sampledWallMs + 1)
  const serviceMs = serviceTimeOf(sent)
  return {
    node: node.key,
    atMs: node.sampledWallMs,
    latencyMs: sent.latencyMs,
    everyMs: node.service.service.pollIntervalMs,
    ...(serviceMs !== undefined && { serviceMs }),
  }
}
