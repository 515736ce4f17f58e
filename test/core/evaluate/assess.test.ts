import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { checkOf, isCurrentAt, stageAt } from '#fleet/assessment.ts'
import { ageAtReading, readingAgeMs, type NodeLive } from '#fleet/live.ts'
import type { Limits } from '#settings/schema.ts'
import type { PollFailure } from '#protocol/failure.ts'
import {
  episode,
  fleet,
  live,
  node,
  NOW_MS,
  reading,
  timeout,
  unreachable,
} from '#test/core/monitor/fleet.ts'
import { isAll } from '#test/fuzz/random.ts'
import { assess, causesOf } from '#test/support/evaluated.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const LATE_MS = DEFAULTS.lateAfterIntervals * INTERVAL_MS
const STALE_MS = DEFAULTS.staleAfterIntervals * INTERVAL_MS

const limited = (limits: Limits) => [{ from: { kind: 'node', by: 'browser' } as const, units: {}, limits }]
/** Answered just now, with a heartbeat of that age. */
const answered = (ageMs: number, limits: Limits = {}, more: Partial<NodeLive> = {}): NodeLive =>
  node(0, {
    reading: reading(
      {},
      { startedMs: NOW_MS, ages: { heartbeat: { kind: 'known', ageMs, uncertaintyMs: 0 } } },
    ),
    rules: limited(limits),
    ...more,
  })
const stagesOf = (one: NodeLive) =>
  assess(one, live()).stages.map(({ afterMs, link, severity }) => [afterMs - NOW_MS, link, severity])

describe('an assessment', () => {
  it('has a stage for late, for stale and for each limit of the heartbeat', () => {
    const limits = { heartbeatWarningMs: 5_000, heartbeatCriticalMs: 34_000 }
    expect(stagesOf(answered(4_000, limits))).toEqual([
      [Number.NEGATIVE_INFINITY, 'live', 'ok'],
      [1_000, 'live', 'warning'],
      [LATE_MS, 'late', 'warning'],
      [30_000, 'late', 'critical'],
      [STALE_MS, 'stale', 'no-data'],
    ])
  })

  it('names the exceeded limit, and marks checks without a limit', () => {
    const { stages, values } = assess(answered(9_000, { heartbeatWarningMs: 5_000 }), live())
    expect(checkOf(stages[0].checks, 'heartbeat')).toMatchObject({
      state: 'warning',
      limit: { side: 'above', value: 5_000 },
    })
    expect(checkOf(stages[0].checks, 'stake')).toMatchObject({ state: 'not-checked', reason: 'no-limit' })
    expect(values['heartbeat']).toEqual({ text: '9000', value: 9_000 })
  })

  it('keeps the checks of the last answer after it is stale', () => {
    const old = answered(0, {}, { episode: episode(timeout, 2) })
    const { atReading } = assess({ ...old, reading: reading({ status: 'DRAINING' }) }, live())
    expect(checkOf(atReading, 'status')?.reason).toBe('unknown-word')
  })

  it('gives a failing service the severity of its cause, however long it fails', () => {
    const failures = fc.constantFrom<PollFailure>(unreachable, timeout, { kind: 'server-error', status: 503 })
    fc.assert(
      fc.property(
        failures,
        fc.integer({ min: 2, max: 5 }),
        fc.integer({ min: 0, max: 1_200_000 }),
        (failure, misses, laterMs) => {
          const one = node(0, { episode: episode(failure, misses) })
          const nowMs = NOW_MS + laterMs
          const [cause] = causesOf(fleet([one]), nowMs)
          expect(checkOf(stageAt(assess(one, live()), nowMs).checks, 'service')?.state).toBe(cause?.severity)
        },
      ),
    )
  })

  it('has the link and the heartbeat state of any moment', () => {
    const limits = fc.option(fc.integer({ min: 1_000, max: 40_000 }), { nil: null })
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50_000 }),
        limits,
        limits,
        fc.integer({ min: -1_000, max: 60_000 }),
        fc.boolean(),
        (ageMs, heartbeatWarningMs, heartbeatCriticalMs, laterMs, misses) => {
          const one = answered(
            ageMs,
            { heartbeatWarningMs, heartbeatCriticalMs },
            misses ? { episode: episode(timeout) } : {},
          )
          const assessment = assess(one, live())
          const atMs = NOW_MS + laterMs
          const stage = stageAt(assessment, atMs)
          expect(isCurrentAt({ assessment }, atMs)).toBe(laterMs <= STALE_MS)
          if (laterMs > STALE_MS) return
          expect(stage.link).toBe(misses || laterMs > LATE_MS ? 'late' : 'live')
          const nowMs =
            one.reading && (ageAtReading(one.reading, 'heartbeat') ?? 0) + readingAgeMs(one.reading, atMs)
          const isOver = (limit: number | null) => limit !== null && nowMs !== undefined && nowMs > limit
          const expected = isOver(heartbeatCriticalMs)
            ? 'critical'
            : isOver(heartbeatWarningMs)
              ? 'warning'
              : heartbeatWarningMs === null && heartbeatCriticalMs === null
                ? 'not-checked'
                : 'ok'
          expect(checkOf(stage.checks, 'heartbeat')?.state).toBe(expected)
          expect(assessment.stages.map(({ afterMs }) => afterMs)).toEqual(
            assessment.stages.map(({ afterMs }) => afterMs).toSorted((a, b) => a - b),
          )
        },
      ),
      { numRuns: isAll() ? 1_000 : 200 },
    )
  })

  const server: PollFailure = { kind: 'server-error', status: 503 }
  const serviceIn = (one: NodeLive) =>
    assess(one, live()).stages.map(({ checks }) => checkOf(checks, 'service')?.state)

  it('becomes critical once a failure has lasted for 2 min, in a single stage', () => {
    const one = answered(0, {}, { episode: episode(server, 2, 5_000) })
    expect(stagesOf(one).map(([afterMs]) => afterMs)).toEqual([
      Number.NEGATIVE_INFINITY,
      -5_000 + 120_000 - 1,
    ])
    const long = answered(0, {}, { episode: episode(server, 1, 200_000) })
    expect(stagesOf(long).map(([afterMs]) => afterMs)).toEqual([Number.NEGATIVE_INFINITY, LATE_MS, STALE_MS])
    expect(serviceIn(long)).toEqual(['ok', 'ok', 'critical'])
  })

  it('is a warning, then critical, once the answer before a failure is stale', () => {
    expect(serviceIn(answered(0, {}, { episode: episode(server) }))).toEqual([
      'ok',
      'ok',
      'warning',
      'critical',
    ])
  })

  it('is late, not failing, for repeated answers from a cache while the reading is current', () => {
    const links = stagesOf(answered(0, {}, { episode: episode({ kind: 'repeated' }, 5) }))
    expect(links.map(([, link]) => link)).toEqual(['late', 'late', 'stale'])
  })
})
