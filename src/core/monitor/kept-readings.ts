import * as v from 'valibot'
import { textFingerprint } from '#base/fingerprint.ts'
import type { PastAnswer } from './reply-clock.ts'
import { readStored } from '#base/stored.ts'
import { nodeKeyFromText, type NodeKey, type NodeLive, type Reading } from '#fleet/live.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { readStatusRecord } from '#metrics/status-record.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { narrowOffset } from '#record/clock-offset.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { afterAnswer, KEPT_BODY_MAX, mapValues } from './node-state.ts'
import { readAsOf } from './reinterpret.ts'
import { unwatchedAfterMs } from './time-watch.ts'
import { type FleetState, type TrackedNode, intervalOf } from './tracked.ts'

const Ms = v.pipe(v.number(), v.finite(), v.minValue(0))
const Times = v.record(v.string(), v.optional(Ms))
const Yes = v.exactOptional(v.literal(true))

/** Same shape as `HeartbeatAge`. */
const Age = v.variant('kind', [
  v.object({ kind: v.literal('known'), ageMs: Ms, uncertaintyMs: Ms }),
  v.object({ kind: v.picklist(['unchecked', 'at-least']), ageMs: Ms }),
  v.object({ kind: v.literal('unknown'), aheadMs: Ms, unchecked: Yes }),
  v.object({ kind: v.literal('uncertain'), uncertaintyMs: Ms, disagree: Yes }),
])

const KeptReadingSchema = v.object({
  node: v.string(),
  /** As received; it is validated in full when it is read again. */
  body: v.pipe(v.string(), v.maxLength(KEPT_BODY_MAX)),
  /** The answer's Date, by which a repetition is recognized after a reload. */
  dateMs: v.optional(Ms),
  /** See `Reading.collectedMs`. A collector's answer lacks the fields that collectors do not export. */
  collectedMs: v.optional(Ms),
  startedMs: Ms,
  latencyMs: Ms,
  /** See `Reading.ages`. */
  ages: v.record(v.string(), v.optional(Age)),
  /** See `NodeLive.since`; same ids. */
  sinceMs: Times,
  unseenMs: Times,
  /** Set while the node's polls fail: the start of the episode and the number of failed polls in a row. */
  failing: v.optional(v.object({ sinceMs: Ms, misses: Ms })),
})

/**
 * A node's last good answer. The next engine shows it at once with its true age; otherwise a page that is reloaded during an
 * outage would be empty. All times are wall times.
 */
export type KeptReading = v.InferOutput<typeof KeptReadingSchema>

/** Undefined unless every field is valid. */
export const parseKeptReading = (value: unknown): KeptReading | undefined =>
  readStored(KeptReadingSchema, value)

/** `watchedMs`: last wall time at which the engine that saved the readings was polling. */
export type KeptReadings = { readonly watchedMs: number; readonly readings: readonly KeptReading[] }

type Now = { readonly nowMs: number; readonly wallMs: number }

export const readingsToKeep = ({ nodes }: FleetState, now: Now): KeptReadings => ({
  watchedMs: now.wallMs,
  readings: Array.from(nodes.values()).flatMap((node) => toKeep(node) ?? []),
})

function toKeep({ key, live, lastBody, past, service }: TrackedNode): KeptReading | undefined {
  const { reading, episode, since } = live
  if (reading === undefined || lastBody === undefined) return undefined
  const answer = past.findLast(({ body }) => body === textFingerprint(lastBody))
  const isDated = answer?.isByOtherClock === false && !service.clock.hasNone
  return {
    node: key,
    body: lastBody,
    dateMs: isDated ? answer.dateMs : undefined,
    collectedMs: reading.collectedMs,
    startedMs: reading.startedWallMs,
    latencyMs: reading.latencyMs,
    ages: reading.ages,
    sinceMs: mapValues(since, ({ sinceWallMs }) => sinceWallMs),
    unseenMs: mapValues(since, ({ unseenMs }) => unseenMs),
    failing:
      episode && episode.misses > 0 ? { sinceMs: episode.sinceWallMs, misses: episode.misses } : undefined,
  }
}

/** Restores readings of nodes that have no reading yet. Returns the nodes that were failing. */
export function restoreReadings(
  fleet: FleetState,
  { watchedMs, readings }: KeptReadings,
  { nowMs, wallMs }: Now,
  metrics: MetricRegistry,
): readonly NodeKey[] {
  const failing: NodeKey[] = []
  // Counters start from the first value that this engine sees.
  const uncounted = metrics.filter(({ kind }) => kind !== 'counter')
  // The newest answer is the last to set the service's clock, because this computer's clock may have been set since an older one.
  for (const kept of readings.toSorted((a, b) => a.startedMs - b.startedMs)) {
    const node = fleet.nodes.get(nodeKeyFromText(kept.node))
    // A time in the future comes from another clock.
    if (node === undefined || node.live.reading !== undefined || kept.startedMs > wallMs) continue
    const reading = readingOf(kept, node, nowMs - (wallMs - kept.startedMs), metrics)
    if (reading === undefined) continue
    const { live, lastValues } = afterAnswer(node.live, node.lastValues, reading, uncounted)
    const since = sinceAsKept(live.since, kept, { nowMs, wallMs })
    fleet.setLive(node, { ...node.live, reading, since })
    Object.assign(node, {
      lastValues,
      lastBody: kept.body,
      past: pastOf(kept, reading),
      failedBefore: isContinued(node, wallMs - watchedMs) ? kept.failing : undefined,
    })
    if (isContinued(node, wallMs - watchedMs)) restoreClock(node, kept, nowMs)
    if (kept.failing !== undefined) failing.push(node.key)
  }
  return failing
}

/** Without a clock, a cache's answer from before the reload would count as new. A collector's Date is not the service's. */
function restoreClock(
  { service: { clock } }: TrackedNode,
  { dateMs, startedMs, latencyMs, collectedMs }: KeptReading,
  nowMs: number,
): void {
  if (dateMs === undefined || collectedMs !== undefined) return
  const read = { lowMs: dateMs - (startedMs + latencyMs), highMs: dateMs + 1_000 - startedMs }
  clock.offset = narrowOffset(clock.offset, read, 0)
  clock.confirmedMs = nowMs
}

const pastOf = ({ body, dateMs }: KeptReading, { startedMs, latencyMs }: Reading): readonly PastAnswer[] =>
  dateMs === undefined
    ? []
    : [
        {
          dateMs,
          body: textFingerprint(body),
          progress: undefined,
          startedMs,
          endedMs: startedMs + latencyMs,
          madeMs: Number.NEGATIVE_INFINITY,
          isByOtherClock: false,
        },
      ]

/** Only for metrics that this build has. */
const sinceAsKept = (
  since: NodeLive['since'],
  { sinceMs, unseenMs }: KeptReading,
  { nowMs, wallMs }: Now,
): NodeLive['since'] =>
  mapValues(since, (one, id) => {
    const sinceWallMs = sinceMs[id]
    return sinceWallMs === undefined
      ? one
      : { sinceMs: nowMs - (wallMs - sinceWallMs), sinceWallMs, unseenMs: unseenMs[id] ?? 0 }
  })

/** Maximum age of the stored `watchedMs` while an engine runs. */
export const WATCHED_EVERY_MS = 15_000

/** A reload takes moments. During a longer absence the node's state is unknown. */
const isContinued = (node: TrackedNode, awayMs: number): boolean =>
  awayMs <= WATCHED_EVERY_MS + unwatchedAfterMs(intervalOf(node))

function readingOf(
  { body, startedMs: startedWallMs, latencyMs, ages, collectedMs }: KeptReading,
  { live, service }: TrackedNode,
  startedMs: number,
  metrics: MetricRegistry,
): Reading | undefined {
  const json = parseJsonRecord(body)
  if (!json.ok) return undefined
  const readAs = {
    ...readAsOf(effectiveSettings(service.rules, live)),
    isCollected: collectedMs !== undefined,
  }
  const record = readStatusRecord(json.value, metrics, readAs)
  const collected = collectedMs !== undefined && { collectedMs }
  return { record, startedMs, startedWallMs, latencyMs, ages, cachedForS: undefined, ...collected }
}
