import { DEFAULTS } from '#base/defaults.ts'
import type { Sample } from '#history/history.ts'
import { isWatchedBetween, OUTCOME_CODES } from '#history/series.ts'
import { ok } from '#base/result.ts'
import { parseExactNumber } from '#record/exact-number.ts'
import { counterStep, type CounterStep } from '#record/counter.ts'
import { sameNode } from '#record/node-id.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { fieldOf } from '#metrics/answer.ts'
import { FAILURES, failureLook, type PollFailure } from '#protocol/failure.ts'
import type { CounterTrack, NodeLive, Reading, ValueSince } from '#fleet/live.ts'
import type { SentPoll } from './poll.ts'
import { intervalOf, type FleetState, type LastValues, type TrackedNode } from './tracked.ts'

type Fleet = Pick<FleetState, 'setLive'>

/** In characters. A record has about 400; a longer answer is not stored. */
export const KEPT_BODY_MAX = 4_096

export function polled(node: TrackedNode, { startedMs }: SentPoll, outcome: Sample['outcome']): void {
  const before = node.lastPoll
  node.lastPoll = { atMs: startedMs, everyMs: intervalOf(node), outcome: OUTCOME_CODES[outcome] }
  if (before !== undefined && !isWatchedBetween(before, node.lastPoll)) node.unwatched = true
}

export function recordCame(
  { setLive }: Fleet,
  node: TrackedNode,
  reading: Reading,
  body: string | undefined,
  metrics: MetricRegistry,
): Answered {
  const holdsMs = DEFAULTS.staleAfterIntervals * intervalOf(node)
  const live = withRefusal(node.live, reading, intervalOf(node))
  const answered = afterAnswer(live, node.lastValues, reading, metrics, holdsMs)
  Object.assign(node, {
    lastValues: answered.lastValues,
    lastBody: body !== undefined && body.length <= KEPT_BODY_MAX ? body : undefined,
    failedBefore: undefined,
    suspect: false,
    unwatched: false,
    notBeforeMs: 0,
  } satisfies Partial<TrackedNode>)
  setLive(node, answered.live)
  return answered
}

/** A node that only shares its service's failure was not refused itself. */
function withRefusal(live: NodeLive, { startedMs: atMs }: Reading, intervalMs: number): NodeLive {
  const { episode, endedRefusals: last } = live
  if (episode === undefined || episode.misses === 0) return live
  const { kind } = episode.failure
  if (!['key', 'node'].includes(FAILURES[kind].scope)) return live
  const isAgain = last?.kind === kind && atMs - last.atMs <= DEFAULTS.alternatingIntervals * intervalMs
  return { ...live, endedRefusals: { kind, count: isAgain ? last.count + 1 : 1, atMs } }
}

/** Another key or profile was set, so earlier refusals say nothing about the present requests. */
export function refusalsForgotten({ setLive }: Fleet, node: TrackedNode): void {
  if (node.live.endedRefusals === undefined) return
  const { endedRefusals: _, ...live } = node.live
  setLive(node, live)
}

export type Answered = ReturnType<typeof afterAnswer>

/** A good answer ends the episode. */
export function afterAnswer(
  liveBefore: NodeLive,
  valuesBefore: LastValues,
  reading: Reading,
  registry: MetricRegistry,
  /** How long a reading remains valid. A longer gap to the next reading counts as unseen time. */
  holdsMs = Number.POSITIVE_INFINITY,
) {
  const isOther = reading.formerNodeId !== undefined
  const live = isOther ? { ...liveBefore, reading: undefined, since: {}, counters: {} } : liveBefore
  const before = isOther ? {} : valuesBefore
  const lastValues: Record<string, string> = { ...before }
  /** By metric id; counters that could not be read are missing. */
  const steps: Record<string, CounterStep> = {}
  const since: Record<string, ValueSince> = {}
  let { counters } = live
  for (const metric of registry) {
    const { id } = metric
    if (metric.field === undefined) continue
    if (metric.kind === 'timestamp') {
      if (!fieldOf(metric, reading).ok) since[id] = sinceWhen(live.since[id], live.reading, reading, holdsMs)
      continue
    }
    const field = fieldOf(metric, reading)
    if (field.ok) lastValues[id] = typeof field.value === 'string' ? field.value : field.value.text
    const text = lastValues[id]
    if (metric.kind !== 'counter') {
      const last = live.reading && fieldOf(metric, live.reading)
      const isSame = text === before[id] && last?.ok === field.ok
      since[id] = sinceWhen(isSame ? live.since[id] : undefined, live.reading, reading, holdsMs)
    } else if (field.ok && text !== undefined) {
      const step = counterStep(before[id], text, reading.clockSetBack)
      steps[id] = step
      if (counters[id] === undefined || step.increase > 0 || step.restarted)
        counters = { ...counters, [id]: trackAfter(counters[id] ?? UNMOVED, step, reading) }
    }
  }
  const answered = live.answered + 1
  const next: NodeLive = { ...live, reading, episode: undefined, answered, since, counters }
  return { live: next, lastValues, steps }
}

/** A service can answer for another default node from one poll to the next. */
export function formerNodeId(before: Reading | undefined, { nodeId: is }: StatusRecord): string | undefined {
  const was = before?.record.nodeId
  return was?.ok === true && is.ok && !sameNode(was.value, is.value) ? was.value : undefined
}

/**
 * The record of a server that lags behind, with the totals that the node had already reported. Its lower totals would count as
 * restarts, and the next answer's increase would be counted again.
 */
export function withKnownTotals(
  record: StatusRecord,
  { live, lastValues }: TrackedNode,
  registry: MetricRegistry,
): StatusRecord {
  if (formerNodeId(live.reading, record) !== undefined) return record
  const known = registry.flatMap((metric) => {
    if (metric.kind !== 'counter') return []
    const field = fieldOf(metric, { record, latencyMs: 0 })
    const total = parseExactNumber(lastValues[metric.id] ?? '')
    const isLower = field.ok && total !== undefined && BigInt(field.value.text) < BigInt(total.text)
    return isLower ? [[metric.id, ok(total)] as const] : []
  })
  return { ...record, ...Object.fromEntries(known) }
}

/** `last`: since when the metric had this value at the previous reading; undefined if the value is new. */
function sinceWhen(
  last: ValueSince | undefined,
  before: Reading | undefined,
  { startedMs, startedWallMs }: Reading,
  holdsMs: number,
): ValueSince {
  if (last === undefined) return { sinceMs: startedMs, sinceWallMs: startedWallMs, unseenMs: 0 }
  const apartMs = before === undefined ? 0 : startedMs - before.startedMs
  if (apartMs <= holdsMs) return last
  // A reading from a cache is dated back, so the gap after it may begin before the value did.
  return { ...last, unseenMs: Math.min(last.unseenMs + apartMs, startedMs - last.sinceMs) }
}

const UNMOVED: CounterTrack = { increase: 0, unwatched: 0, restarts: 0, lastRestartWallMs: undefined }

function trackAfter(
  track: CounterTrack,
  { increase, restarted }: CounterStep,
  { startedWallMs, unwatched }: Reading,
): CounterTrack {
  return {
    increase: track.increase + (unwatched === true ? 0 : increase),
    unwatched: track.unwatched + (unwatched === true ? increase : 0),
    restarts: track.restarts + (restarted ? 1 : 0),
    lastRestartWallMs: restarted ? startedWallMs : track.lastRestartWallMs,
  }
}

/** The last reading stays and ages. An episode that began under an earlier engine continues. */
export function pollFailed(
  { setLive }: Fleet,
  node: TrackedNode,
  failure: PollFailure,
  { startedMs, startedWallMs, sent }: Pick<SentPoll, 'startedMs' | 'startedWallMs'> & { sent: boolean },
): void {
  const { live } = node
  const before = live.episode
  const began = before ?? { sinceMs: startedMs, sinceWallMs: startedWallMs, misses: 0 }
  const isOtherwise = before !== undefined && failureLook(before.failure) !== failureLook(failure)
  const changedMs = isOtherwise ? startedMs : before?.changedMs
  const { sinceMs, misses } = node.failedBefore ?? { sinceMs: began.sinceWallMs, misses: 0 }
  const episode = {
    failure,
    sinceMs: began.sinceMs - (began.sinceWallMs - sinceMs),
    sinceWallMs: sinceMs,
    misses: misses + began.misses + 1,
    atMs: startedMs,
    ...(changedMs !== undefined && { changedMs }),
  }
  node.failedBefore = undefined
  if (sent) node.suspect = failure.kind === 'timeout'
  setLive(node, { ...live, episode, failed: live.failed + (sent ? 1 : 0) })
}

/** The proof profile changed, so earlier verdicts no longer apply. */
export function proofForgotten({ setLive }: Fleet, node: TrackedNode): void {
  node.checked = undefined
  const { reading } = node.live
  if (reading?.proof === undefined) return
  const { proof: _, ...unchecked } = reading
  setLive(node, { ...node.live, reading: unchecked })
}

/** Shifts all stored wall times by as much as this computer's clock was set back. */
export function clockSetBack({ setLive }: Fleet, node: TrackedNode, byMs: number): void {
  const { live } = node
  const earlier = (wallMs: number | undefined) => (wallMs === undefined ? undefined : wallMs - byMs)
  node.sampledWallMs -= byMs
  setLive(node, {
    ...live,
    reading: live.reading && { ...live.reading, startedWallMs: live.reading.startedWallMs - byMs },
    episode: live.episode && { ...live.episode, sinceWallMs: live.episode.sinceWallMs - byMs },
    since: mapValues(live.since, (one) => ({ ...one, sinceWallMs: one.sinceWallMs - byMs })),
    counters: mapValues(live.counters, (one) => ({
      ...one,
      lastRestartWallMs: earlier(one.lastRestartWallMs),
    })),
  })
}

export const mapValues = <T, U>(
  byId: Readonly<Partial<Record<string, T>>>,
  change: (one: T, id: string) => U,
): Readonly<Partial<Record<string, U>>> =>
  Object.fromEntries(
    Object.entries(byId).flatMap(([id, one]) => (one === undefined ? [] : [[id, change(one, id)]])),
  )
