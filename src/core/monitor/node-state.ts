import { counterStep, type CounterStep } from '#record/counter.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import type { CounterTrack, NodeLive, Reading, ValueSince } from '#fleet/live.ts'
import type { LastValues } from './tracked.ts'

export type Answered = {
  readonly live: NodeLive
  readonly lastValues: LastValues
  /** By metric id; counters that could not be read are missing. */
  readonly steps: Readonly<Record<string, CounterStep>>
}

/** A good answer ends the episode. */
export function afterAnswer(
  live: NodeLive,
  before: LastValues,
  reading: Reading,
  registry: MetricRegistry,
  /** How long a reading remains valid. A longer gap to the next reading counts as unseen time. */
  holdsMs = Number.POSITIVE_INFINITY,
): Answered {
  const { seen, steps } = comparedWith(before, reading, registry)
  const isSame = (metric: Metric): boolean =>
    seen[metric.id] === before[metric.id] &&
    live.reading !== undefined &&
    fieldOf(metric, live.reading).ok === fieldOf(metric, reading).ok
  return {
    live: {
      ...live,
      reading,
      episode: undefined,
      answered: live.answered + 1,
      since: sinceWhen(live, reading, registry, isSame, holdsMs),
      counters: countOn(live.counters, steps, reading),
    },
    lastValues: seen,
    steps,
  }
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
      steps[id] = counterStep(
        last === undefined ? undefined : exactly(last),
        exactly(text),
        reading.clockSetBack,
      )
    seen[id] = text
  }
  return { seen, steps }
}

const exactly = (text: string): ExactNumber => ({ text, value: Number(text) })

function sinceWhen(
  live: NodeLive,
  reading: Reading,
  registry: MetricRegistry,
  isSame: (metric: Metric) => boolean,
  holdsMs: number,
): NodeLive['since'] {
  const apartMs = live.reading === undefined ? 0 : reading.startedMs - live.reading.startedMs
  const since: Record<string, ValueSince> = {}
  for (const metric of registry) {
    if (metric.field === undefined || metric.kind === 'timestamp' || metric.kind === 'counter') continue
    const last = isSame(metric) ? live.since[metric.id] : undefined
    if (last === undefined)
      since[metric.id] = { sinceMs: reading.startedMs, sinceWallMs: reading.startedWallMs, unseenMs: 0 }
    else since[metric.id] = apartMs > holdsMs ? { ...last, unseenMs: last.unseenMs + apartMs } : last
  }
  return since
}

/** Returns the same object if no counter changed. */
function countOn(
  tracks: NodeLive['counters'],
  steps: Answered['steps'],
  reading: Reading,
): NodeLive['counters'] {
  const moved = Object.entries(steps).filter(
    ([id, { increase, restarted }]) => tracks[id] === undefined || increase > 0 || restarted,
  )
  return moved.length === 0
    ? tracks
    : {
        ...tracks,
        ...Object.fromEntries(
          moved.map(([id, step]) => [id, trackAfter(tracks[id] ?? UNMOVED, step, reading)]),
        ),
      }
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

/** The last reading stays and ages. */
export function afterFailure(
  live: NodeLive,
  failure: PollFailure,
  startedMs: number,
  startedWallMs: number,
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

/** Applies the service's failure to a node, unless the node's own failure says more. */
export function withSharedFailure(
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

/** Shifts all stored wall times after the clock was set back by `byMs`. */
export function setBack(live: NodeLive, byMs: number): NodeLive {
  const earlier = (wallMs: number | undefined) => (wallMs === undefined ? undefined : wallMs - byMs)
  return {
    ...live,
    reading: live.reading && { ...live.reading, startedWallMs: live.reading.startedWallMs - byMs },
    episode: live.episode && { ...live.episode, sinceWallMs: live.episode.sinceWallMs - byMs },
    since: each(live.since, (one) => ({ ...one, sinceWallMs: one.sinceWallMs - byMs })),
    counters: each(live.counters, (one) => ({ ...one, lastRestartWallMs: earlier(one.lastRestartWallMs) })),
  }
}

const each = <T>(
  byId: Readonly<Partial<Record<string, T>>>,
  change: (one: T) => T,
): Readonly<Partial<Record<string, T>>> =>
  Object.fromEntries(
    Object.entries(byId).flatMap(([id, one]) => (one === undefined ? [] : [[id, change(one)]])),
  )
