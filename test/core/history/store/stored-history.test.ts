import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import type { Gap, SeriesQuery, Sample } from '#history/history.ts'
import { seriesDataOf } from '#history/series-data.ts'
import { rollSeries } from '#history/roll-series.ts'
import { rolledSeriesData } from '#history/rolled-series-data.ts'
import { appendNotWatched, appendSample, createSeries, type Series } from '#history/series.ts'
import { createStoredHistory, type StoredHistory } from '#history/store/stored-history.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { Storage } from '#history/storage.ts'
import { createFakeClock, TEST_START_MS, type FakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage, nodePacker, type MemoryStorage } from '#test/support/memory-storage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const EVERY_MS = 60_000
let writers = 0

/** A screen that is opened, watches, and is closed or killed, over one store. */
function aScreen(storage = createMemoryStorage(), startMs = TEST_START_MS) {
  const clock = createFakeClock(startMs)
  let history: StoredHistory | undefined
  let process = mortal(storage)
  const all = new Map<string, Series>()
  const seriesOf = (node: string) => {
    const series = all.get(node) ?? createSeries()
    all.set(node, series)
    return series
  }
  const current = () => {
    if (history === undefined) throw new Error('no screen is open')
    return history
  }
  return {
    clock,
    storage,
    seriesOf,
    current,
    open: async (known?: Sentinel) => {
      process = mortal(storage)
      history = createStoredHistory({
        clock,
        storage: process.storage,
        packer: nodePacker,
        pause: async () => undefined,
        writer: `w${writers++}`,
      })
      await history.start(known)
      return history
    },
    kill: () => {
      process.die()
      history?.dispose()
      history = undefined
    },
    poll: async (nodes: readonly string[], given: Partial<Sample> = {}) => {
      const samples = nodes.map((node): Sample => ({
        node,
        atMs: clock.wallMs(),
        everyMs: EVERY_MS,
        latencyMs: 20,
        outcome: 'answered',
        ...given,
      }))
      for (const sample of samples) appendSample(seriesOf(sample.node), sample, 1e9)
      await current().append({ samples, gaps: [] })
    },
    gap: async (gap: Gap) => {
      for (const series of all.values()) appendNotWatched(series, gap.fromMs, 1e9)
      await current().append({ samples: [], gaps: [gap] })
    },
  }
}

/** The store as one process has it: what that had under way when it was killed never happens. */
function mortal(storage: MemoryStorage): { readonly storage: Storage; readonly die: () => void } {
  let isDead = false
  const alive = async <T>(work: () => Promise<T>): Promise<T> =>
    isDead ? new Promise<never>(() => undefined) : work()
  const open: Storage['open'] = async (name) => {
    const opened = await storage.open(name)
    if (!opened.ok) return opened
    const { read, write, close } = opened.value
    return ok({
      close,
      read: async (ranges) => alive(async () => read(ranges)),
      write: async (changes, guard) => alive(async () => write(changes, guard)),
    })
  }
  return {
    storage: { ...storage, open: async (name) => alive(async () => open(name)) },
    die: () => {
      isDead = true
    },
  }
}

/** Time in which no poll ends. Its middle goes by without the timers of each quarter of a minute. */
async function pass(clock: FakeClock, byMs: number): Promise<void> {
  const ends = 2 * 60_000
  if (byMs <= 2 * ends) return clock.advance(byMs)
  await clock.advance(ends)
  clock.sleep(byMs - 2 * ends, 'runs')
  await clock.advance(ends)
}

const query = (given: Partial<SeriesQuery> = {}): SeriesQuery => ({
  node: 'a',
  fromMs: TEST_START_MS - HOUR_MS,
  toMs: TEST_START_MS + HOUR_MS,
  columns: 300,
  barMs: 60_000,
  maxGapMs: EVERY_MS * 2.5,
  ...given,
})

/** What the store should say, from all samples that there ever were. */
function expected(series: Series, asked: SeriesQuery) {
  const rangeMs = asked.toMs - asked.fromMs
  if (rangeMs <= 25 * HOUR_MS) return seriesDataOf(series, asked)
  const [stepMs, spreadMs] =
    rangeMs <= 50 * HOUR_MS
      ? [60_000, 900_000]
      : rangeMs <= 14 * DAY_MS
        ? [900_000, 900_000]
        : [HOUR_MS, HOUR_MS]
  const align = (step: number) => ({
    fromMs: Math.floor(asked.fromMs / step) * step,
    toMs: Math.ceil(asked.toMs / step) * step,
  })
  const fine = rollSeries(series, { ...align(stepMs), toMs: asked.toMs }, stepMs, stepMs >= 900_000)
  const spread = rollSeries(series, { ...align(spreadMs), toMs: asked.toMs }, spreadMs, true)
  return rolledSeriesData(fine, spread, asked)
}

describe('what was watched', () => {
  it('is read back as if every sample lay in memory, through hours, days, weeks, reloads and kills', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('poll' as const), times: fc.integer({ min: 1, max: 200 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('away' as const),
          hours: fc.constantFrom(0.01, 1, 7, 30, 200),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('kill' as const), hours: fc.constantFrom(0, 0.5, 30) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('sleep' as const), hours: fc.constantFrom(0.1, 3) }),
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.constantFrom(HOUR_MS, DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 30 * DAY_MS),
        fc.integer({ min: 1, max: 2_147_483_646 }),
        async (steps, rangeMs, seed) => {
          let drawn = seed
          const random = () => (drawn = (drawn * 48_271) % 2_147_483_647) / 2_147_483_647
          const screen = aScreen()
          await screen.open()
          let total = 100
          let lastProof: string | undefined
          for (const one of steps) {
            if (one.kind === 'poll')
              for (let n = 0; n < one.times; n++) {
                const fails = random() < 0.1
                // The counter stands still where nobody is told of it: each sample counts from the one before.
                const increase = fails ? 0 : Math.floor(random() * 3)
                total += increase
                const proof = (n >> 4).toString(16).padStart(8, '0')
                const proofChanged = lastProof !== undefined && proof !== lastProof
                if (!fails) lastProof = proof
                await screen.poll(
                  ['a', 'b'],
                  fails
                    ? { outcome: 'timeout' }
                    : {
                        status: 'ACTIVE',
                        participation: Math.round(random() * 1e4) / 1e4,
                        stake: 32_000,
                        heartbeatAgeMs: Math.round(random() * 15_000),
                        threatResponses: total,
                        threatResponsesIncrease: increase,
                        proof,
                        proofChanged,
                      },
                )
                await screen.clock.advance(EVERY_MS)
              }
            if (one.kind === 'away') await pass(screen.clock, one.hours * HOUR_MS)
            if (one.kind === 'sleep') {
              const fromMs = screen.clock.wallMs()
              screen.clock.sleep(one.hours * HOUR_MS)
              await screen.gap({ fromMs, toMs: screen.clock.wallMs(), reason: 'asleep' })
            }
            if (one.kind === 'kill') {
              await screen.current().saved()
              const aliveMs = screen.clock.wallMs()
              screen.kill()
              screen.clock.sleep(one.hours * HOUR_MS)
              await screen.open()
              if (one.hours > 0 && screen.seriesOf('a').length > 0)
                for (const node of ['a', 'b']) appendNotWatched(screen.seriesOf(node), aliveMs, 1e9)
            }
          }
          const toMs = screen.clock.wallMs() + 1
          const asked = query({ fromMs: toMs - rangeMs, toMs })
          const got = await screen.current().readSeriesData(asked)
          const wanted = expected(screen.seriesOf('a'), asked)
          expect(screen.current().status.get()).toMatchObject({ state: 'kept', damaged: 0, lost: undefined })
          expect(got).toEqual(wanted)
          screen.kill()
        },
      ),
      { numRuns: 10 },
    )
  })
})
