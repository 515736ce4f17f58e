import { describe, expect, it } from 'vitest'
import { createSteadyClock } from '#base/steady.ts'
import type { LogEntry } from '#history/event-log.ts'
import { explainGap, readTime, unwatchedAfterMs } from '#monitor/time-watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { record, service, watch } from './watch.ts'
import { WALL_MS } from './fleet.ts'
import { tracked } from './tracked.ts'

const MINUTE_MS = 60_000

describe('unwatched time', () => {
  it.each([
    [1_000, 5_000],
    [2_500, 5_000],
    [15_000, 30_000],
    [30_000, 60_000],
    [600_000, 60_000],
  ])('at intervals of %i ms counts from %i ms', (intervalMs, afterMs) => {
    expect(unwatchedAfterMs(intervalMs)).toBe(afterMs)
  })

  /** Reads the time after an event on a computer whose timer was due 10 s after the start. */
  const readAfter = (happens: (clock: ReturnType<typeof createFakeClock>) => void) => {
    const clock = createFakeClock()
    const steady = createSteadyClock(clock)
    clock.advanceSync(10_000)
    steady.nowMs()
    happens(clock)
    return readTime(steady, 10_000, 15_000)
  }

  type Happens = Parameters<typeof readAfter>[0]
  const sleptAndSet =
    (ms: number): Happens =>
    (clock) => {
      clock.sleep(ms, 'runs')
      clock.stepWall(45_000)
    }
  const QUIET = { unwatchedMs: 0, byWallAlone: false, setBackMs: 0, setAheadMs: 0 }
  it.each<[string, Happens, nowMs: number, Partial<ReturnType<typeof readTime>>]>([
    ['nothing happened', () => undefined, 10_000, {}],
    ['the timer was late, as on a busy computer', (clock) => clock.advanceSync(30_000), 40_000, {}],
    [
      'the computer slept and both clocks went on',
      (clock) => clock.sleep(30_001, 'runs'),
      40_001,
      { unwatchedMs: 30_001 },
    ],
    [
      'the wall clock alone went on',
      (clock) => clock.sleep(45_000),
      55_000,
      { unwatchedMs: 45_000, byWallAlone: true, setAheadMs: 45_000 },
    ],
    [
      'the wall clock was set ahead by less than the threshold',
      (clock) => clock.stepWall(20_000),
      30_000,
      { byWallAlone: true, setAheadMs: 20_000 },
    ],
    ['the wall clock was set back', (clock) => clock.stepWall(-45_000), 10_000, { setBackMs: 45_000 }],
    [
      'all but 5 s passed on the wall clock alone',
      sleptAndSet(5_000),
      60_000,
      { unwatchedMs: 50_000, byWallAlone: true, setAheadMs: 45_000 },
    ],
    [
      'all but more than 5 s passed on the wall clock alone',
      sleptAndSet(5_001),
      60_001,
      { unwatchedMs: 50_001, setAheadMs: 45_000 },
    ],
  ])('is measured if %s', (_what, happens, nowMs, expected) => {
    expect(readAfter(happens)).toEqual({ nowMs, ...QUIET, ...expected })
  })

  it('is measured only by the wall clock if the engine has no timer due', () => {
    const clock = createFakeClock()
    const steady = createSteadyClock(clock)
    clock.sleep(MINUTE_MS, 'runs')
    expect(readTime(steady, undefined, 15_000).unwatchedMs).toBe(0)
    clock.sleep(MINUTE_MS)
    expect(readTime(steady, undefined, 15_000).unwatchedMs).toBe(MINUTE_MS)
  })
})

/** A screen of one node, with its log entries and its gaps. */
async function watched(clockOfService: 'dated' | 'none' = 'none') {
  const log: LogEntry[] = []
  const clock = createFakeClock()
  // The true time, relative to this computer's clock.
  let trueAheadMs = 0
  const screen = watch(
    { services: [service({ pollIntervalMs: 15_000 })] },
    {
      clock,
      log: (entry) => log.push(entry),
      answer: ({ node }) => ({
        body: record(node, { last_heartbeat: Math.floor((clock.wallMs() + trueAheadMs) / 1_000) }),
        ...(clockOfService === 'dated' && { date: new Date(clock.wallMs() + trueAheadMs).toUTCString() }),
      }),
    },
  )
  await clock.advance(MINUTE_MS)
  const gaps = () => screen.monitor.snapshot().screen.gaps
  const told = () => log.map(({ what, facts }) => [what, facts?.['reason']])
  const set = (byMs: number) => {
    clock.stepWall(byMs)
    trueAheadMs -= byMs
  }
  return { ...screen, log, gaps, told, set }
}

describe('a computer that slept', () => {
  it('may have slept or had its clock set if both happened', async () => {
    const { clock, set, gaps, told } = await watched('dated')
    set(5 * MINUTE_MS)
    clock.sleep(5 * MINUTE_MS)
    await clock.advance(30_000)
    expect(gaps()).toMatchObject([{ set: 'maybe' }])
    expect(told()).toEqual([['gap', 'asleep-or-set']])
  })

  it.each([true, false])(
    'is told by heartbeats from one whose clock was set, without a Date: %s',
    async (isSet) => {
      const { clock, set, gaps, told } = await watched()
      if (isSet) set(5 * MINUTE_MS)
      else clock.sleep(5 * MINUTE_MS)
      await clock.advance(MINUTE_MS)
      expect(gaps().map((gap) => gap.set)).toEqual([isSet ? 'ahead' : undefined])
      expect(told().at(-1)).toEqual(['gap-explained', isSet ? 'set-ahead' : 'asleep'])
    },
  )

  it('keeps its last 50 gaps', async () => {
    const { clock, gaps } = await watched()
    const first = clock.wallMs()
    for (let night = 0; night < 52; night++) {
      clock.sleep(2 * MINUTE_MS, 'runs')
      await clock.advance(16_000)
    }
    expect(gaps()).toHaveLength(50)
    expect(gaps()[0]?.fromWallMs).toBeGreaterThan(first + 4 * MINUTE_MS)
  })
})

it('a clock that was set back shifts recorded times with it, so that none lies in the future, and adds its own gap', async () => {
  const { clock, gaps, told, batches, node, monitor, samples } = await watched()
  const byMs = 10 * MINUTE_MS
  clock.sleep(2 * MINUTE_MS, 'runs')
  await clock.advance(16_000)
  const before = { node: node(0), gap: gaps()[0], startedWallMs: monitor.snapshot().screen.startedWallMs }
  const wallMs = clock.wallMs()
  const count = samples().length
  clock.stepWall(-byMs)
  await clock.advance(16_000)
  expect(gaps()).toHaveLength(2)
  expect(gaps()[0]).toEqual({
    ...before.gap,
    fromWallMs: (before.gap?.fromWallMs ?? 0) - byMs,
    toWallMs: (before.gap?.toWallMs ?? 0) - byMs,
  })
  const [, step] = gaps()
  expect(step?.reason).toBe('clock-step')
  expect((step?.fromWallMs ?? 0) - (step?.toWallMs ?? 0)).toBe(byMs)
  expect(step?.toWallMs).toBeLessThanOrEqual(wallMs - byMs + 16_000)
  expect(monitor.snapshot().screen.startedWallMs).toBe(before.startedWallMs - byMs)
  expect(node(0).since['status']?.sinceWallMs).toBe((before.node.since['status']?.sinceWallMs ?? 0) - byMs)
  expect(told()).toEqual([
    ['gap', 'asleep'],
    ['clock-set-back', 'clock-step'],
  ])
  expect(batches.flatMap((batch) => batch.gaps)).toHaveLength(2)
  // Later samples carry the new time.
  const next = samples()[count]
  expect(next?.atMs).toBeLessThan(wallMs)
  expect(next?.atMs).toBeGreaterThan(wallMs - byMs - 1_000)
})

const around = (ms: number) => ({ lowMs: ms - 500, highMs: ms + 500 })
const GAP = {
  fromWallMs: WALL_MS - 100_000,
  toWallMs: WALL_MS,
  reason: 'asleep' as const,
  set: 'maybe' as const,
}
const explained = (movedMs: number) => {
  const { parts, fleet, serviceAt, logged } = tracked()
  fleet.screen.gaps = [GAP]
  Object.assign(serviceAt(0).clock, { offset: around(-movedMs), offsetBefore: around(0) })
  explainGap(parts, serviceAt(0))
  return [fleet.screen.gaps[0]?.set, logged[0]?.facts?.['reason']]
}

it.each([
  [0, [undefined, 'asleep']],
  [3_000, [undefined, 'asleep']],
  [3_001, ['maybe', undefined]],
  [-3_000, [undefined, 'asleep']],
  [96_999, ['maybe', undefined]],
  [97_000, ['ahead', 'set-ahead']],
  [103_000, ['ahead', 'set-ahead']],
  [103_001, ['maybe', undefined]],
])(
  'a gap of 100 s that only the wall clock shows is explained by a service whose offset moved by %i ms: %j',
  (movedMs, expected) => {
    expect(explained(movedMs)).toEqual(expected)
  },
)
