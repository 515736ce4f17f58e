import { counterStep, type CounterStep } from '#history/counter.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { fieldOf } from '#metrics/status-record.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import type { CounterTrack, NodeLive, Reading } from '#fleet/live.ts'
import type { LastValues } from './tracked.ts'

export type Answered = {
  readonly live: NodeLive
  readonly lastValues: LastValues
  /** What each counter did, by its id; none of one that could not be read. */
  readonly steps: Readonly<Record<string, CounterStep>>
}

/** The node after a good answer: the run of failures is over, and what changed is noted. */
export function afterAnswer(
  live: NodeLive,
  before: LastValues,
  reading: Reading,
  registry: MetricRegistry = METRICS,
  /** How long a reading holds: a longer time to the next one is one in which nothing was known. */
  holdsMs = Number.POSITIVE_INFINITY,
): Answered {
  const { seen, steps } = comparedWith(before, reading, registry)
  const last = live.reading
  const isSame = (metric: 'status' | 'stake' | 'proof'): boolean =>
    seen[metric] === before[metric] && last?.record[metric].ok === reading.record[metric].ok
  const apartMs = last === undefined ? 0 : reading.startedMs - last.startedMs
  const unseenMs = (metric: 'status' | 'stake' | 'proof'): number =>
    isSame(metric) ? live.unseenMs[metric] + (apartMs > holdsMs ? apartMs : 0) : 0
  const threats = steps['threatResponses']
  return {
    live: {
      ...live,
      reading,
      episode: undefined,
      answered: live.answered + 1,
      statusSinceWallMs: isSame('status') ? live.statusSinceWallMs : reading.startedWallMs,
      stakeSinceWallMs: isSame('stake') ? live.stakeSinceWallMs : reading.startedWallMs,
      proofSinceMs: isSame('proof') ? live.proofSinceMs : reading.startedMs,
      unseenMs: { status: unseenMs('status'), stake: unseenMs('stake'), proof: unseenMs('proof') },
      counter: threats === undefined ? live.counter : countOn(live.counter, threats, reading.startedWallMs),
    },
    lastValues: seen,
    steps,
  }
}

/** A counter that a service reckons from its clock falls when that is set back. That is no restart: it counts on from there. */
export function withoutFallenCounters(
  before: LastValues,
  reading: Reading,
  registry: MetricRegistry = METRICS,
): LastValues {
  const { steps } = comparedWith(before, reading, registry)
  return Object.fromEntries(Object.entries(before).filter(([id]) => steps[id]?.restarted !== true))
}

function comparedWith(
  before: LastValues,
  reading: Reading,
  registry: MetricRegistry,
): Pick<Answered, 'steps'> & { readonly seen: LastValues } {
  const seen: Record<string, string> = { ...before }
  const steps: Record<string, CounterStep> = {}
  for (const metric of registry) {
    const { id, kind } = metric
    if (metric.field === undefined || kind === 'timestamp') continue
    const field = fieldOf(metric, reading)
    if (!field.ok) continue
    const text = typeof field.value === 'string' ? field.value : 'text' in field.value ? field.value.text : ''
    const last = before[id]
    if (kind === 'counter')
      steps[id] = counterStep(last === undefined ? undefined : exactly(last), exactly(text))
    seen[id] = text
  }
  return { seen, steps }
}

const exactly = (text: string): ExactNumber => ({ text, value: Number(text) })

function countOn(track: CounterTrack, step: CounterStep, wallMs: number): CounterTrack {
  if (step.increase === 0 && !step.restarted) return track
  return {
    increase: track.increase + step.increase,
    restarts: track.restarts + (step.restarted ? 1 : 0),
    lastRestartWallMs: step.restarted ? wallMs : track.lastRestartWallMs,
  }
}

/** The node after a poll that failed. The last reading stays, and gets older. */
export function afterFailure(
  live: NodeLive,
  failure: PollFailure,
  startedMs: number,
  startedWallMs: number,
  /** Whether a request went out. */
  sent: boolean,
): NodeLive {
  const { episode } = live
  return {
    ...live,
    episode:
      episode === undefined
        ? { failure, sinceMs: startedMs, sinceWallMs: startedWallMs, misses: 1 }
        : { ...episode, failure, misses: episode.misses + 1 },
    failed: live.failed + (sent ? 1 : 0),
  }
}

/**
 * The node of a service that can't be asked, or is held back: the cause is known without
 * asking this node. A failure of its own says more, unless nothing can be asked at all.
 */
export function heldBack(
  live: NodeLive,
  failure: PollFailure,
  sinceMs: number,
  sinceWallMs: number,
): NodeLive {
  const { episode } = live
  const ownSaysMore = episode !== undefined && FAILURES[failure.kind].again !== 'wait'
  if (ownSaysMore || episode?.failure.kind === failure.kind) return live
  return { ...live, episode: { failure, sinceMs, sinceWallMs, misses: 0 } }
}

/** Every wall time that was noted, moved to a clock that was set back by `byMs` meanwhile. */
export function setBack(live: NodeLive, byMs: number): NodeLive {
  const earlier = (wallMs: number | undefined) => (wallMs === undefined ? undefined : wallMs - byMs)
  return {
    ...live,
    reading: live.reading && { ...live.reading, startedWallMs: live.reading.startedWallMs - byMs },
    episode: live.episode && { ...live.episode, sinceWallMs: live.episode.sinceWallMs - byMs },
    statusSinceWallMs: earlier(live.statusSinceWallMs),
    stakeSinceWallMs: earlier(live.stakeSinceWallMs),
    counter: { ...live.counter, lastRestartWallMs: earlier(live.counter.lastRestartWallMs) },
  }
}
