import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { Gap } from '#history/history.ts'
import { readRollups, readSamples } from '#history/store/read-history.ts'
import { rollSeries } from '#history/roll-series.ts'
import { isAll } from '#test/fuzz/random.ts'
import { plain, rowsOf } from '#test/core/history/samples.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'
import { createMemoryStorage, type MemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const NODES = ['a', 'b', 'c']
const EVERY_MS = 10 * MINUTE_MS
const WEEK_MS = 7 * DAY_MS
const SAMPLES_DAYS = 14
/** Longer than any case lasts, in either direction. */
const AROUND_MS = 400 * DAY_MS

type Step =
  | { readonly do: 'poll'; readonly rounds: number; readonly everyMs: number }
  | { readonly do: 'fail' | 'maintain' | 'reload' | 'second' }
  /** A sleep after which the next maintenance removes weeks of samples by age. */
  | { readonly do: 'weeks' }
  | { readonly do: 'setBack' | 'sleep' | 'closed'; readonly ms: number }
  /** Kills the browser at the operation with this number, of a maintenance or of a write. */
  | { readonly do: 'kill'; readonly at: number; readonly maintains: boolean }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('poll' as const),
        rounds: fc.integer({ min: 1, max: 30 }),
        everyMs: fc.constantFrom(10_000, EVERY_MS),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom('maintain' as const, 'reload', 'fail', 'second') }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('setBack' as const, 'sleep', 'closed'),
        ms: fc.constantFrom(7_001, 3 * MINUTE_MS + 1, HOUR_MS + 1, 3 * HOUR_MS + 1, 2 * DAY_MS + 1),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'weeks' as const }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('kill' as const),
        at: fc.nat({ max: 12 }),
        maintains: fc.boolean(),
      }),
    },
  ),
  { minLength: 2, maxLength: 14 },
)

/** A browser, with an array of every poll that it acknowledged as the model. */
function createModel(storage: MemoryStorage) {
  const clock = createFakeClock()
  let kept = createKept(storage, clock, 'writer 0')
  let writers = 0
  let polls = 0
  let setBacks = 0
  /** The numbers of the polls that are stored, and of those that may be. */
  let acknowledged: readonly number[] = []
  let pending: readonly number[] = []
  /** The node and time of each poll, as last read. */
  const known = new Map<number, { readonly node: string; readonly atMs: number }>()
  /** Polls whose samples were removed by age. */
  const gone = new Set<number>()
  const goneUntilMs = (): number => Math.floor((clock.wallMs() - SAMPLES_DAYS * DAY_MS) / WEEK_MS) * WEEK_MS
  const open = async (): Promise<void> => {
    kept = createKept(storage, clock, `writer ${++writers}`)
    kept.history.configure({ samplesDays: SAMPLES_DAYS, rollupsDays: 2 * 365, budgetBytes: 1e9 })
    await kept.start()
    expect(kept.status()).toMatchObject({ state: 'kept', lost: undefined, damaged: 0 })
    await check()
  }
  const poll = async (rounds: number, everyMs: number, given = {}): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      for (const node of NODES) {
        await kept.add(node, {
          everyMs,
          serviceMs: ++polls,
          participation: polls / 7,
          status: polls % 3 === 0 ? 'IDLE' : 'ACTIVE',
          ...given,
        })
        pending = [...pending, polls]
        known.set(polls, { node, atMs: clock.wallMs() })
      }
      await clock.advance(everyMs)
    }
  }
  const save = async (): Promise<void> => {
    await kept.history.saved()
    if (kept.status().state !== 'kept') return
    acknowledged = [...acknowledged, ...pending]
    pending = []
  }
  const range = (node: string) => ({
    node,
    fromMs: clock.wallMs() - AROUND_MS,
    toMs: clock.wallMs() + AROUND_MS,
  })
  /** Records the time of each poll, because a clock that is set back moves those in memory. */
  const read = async (node: string) => {
    const samples = await readSamples(kept.history.state, range(node))
    const found = rowsOf(samples).filter(({ serviceMs }) => !Number.isNaN(serviceMs))
    for (const { serviceMs, atMs } of found) known.set(Number(serviceMs), { node, atMs: Number(atMs) })
    return { samples, found: found.map(({ serviceMs }) => Number(serviceMs)) }
  }
  /**
   * Checks that each acknowledged poll is stored once and no other one twice. Samples that are too old are removed,
   * but still counted in every rollup.
   */
  const check = async (): Promise<void> => {
    const all: number[] = []
    for (const node of NODES) {
      const { samples, found } = await read(node)
      all.push(...found)
      const missing = acknowledged.filter(
        (number) => known.get(number)?.node === node && !found.includes(number),
      )
      expect(missing.filter((number) => (known.get(number)?.atMs ?? 0) >= goneUntilMs())).toEqual([])
      for (const number of missing) gone.add(number)
      const old = Array.from(gone).filter((number) => known.get(number)?.node === node)
      for (const tier of ['minute', 'quarter', 'hour'] as const) {
        const rolled = await readRollups(kept.history.state, tier, range(node))
        const expected = rollSeries(samples, range(node), rolled.stepMs, tier !== 'minute')
        if (tier !== 'hour' && old.length === 0)
          expect([tier, plain(rolled)]).toEqual([tier, plain(expected)])
        else expect([tier, pollsOf(rolled)]).toEqual([tier, pollsOf(expected) + old.length])
      }
    }
    expect(all.length).toBe(new Set(all).size)
    expect(acknowledged.filter((number) => !all.includes(number) && !gone.has(number))).toEqual([])
    expect(all.filter((number) => gone.has(number))).toEqual([])
    acknowledged = all
    pending = []
  }
  const gap = (fromMs: number, reason: Gap['reason']): Promise<void> =>
    kept.history.append({ samples: [], gaps: [{ fromMs, toMs: clock.wallMs(), reason }] })

  const run = async (step: Step): Promise<void> => {
    switch (step.do) {
      case 'poll':
        return poll(step.rounds, step.everyMs)
      case 'fail':
        return poll(2, 10_000, { outcome: 'timeout', participation: undefined, status: undefined })
      case 'maintain':
        await save()
        await clock.advance(HOUR_MS)
        await kept.history.maintain()
        return save()
      case 'setBack': {
        const beforeMs = clock.wallMs()
        const oldest = Math.max(0, ...Array.from(gone, (number) => known.get(number)?.atMs ?? 0))
        // Never goes back into weeks whose samples were removed.
        if (beforeMs - 2 * step.ms < oldest + WEEK_MS) return undefined
        // The extra offset keeps the millisecond of every poll unique.
        clock.stepWall(-step.ms - 1_009 * ++setBacks)
        await gap(beforeMs, 'clock-step')
        for (const node of NODES) await read(node)
        return undefined
      }
      case 'sleep': {
        const beforeMs = clock.wallMs()
        clock.sleep(step.ms)
        return gap(beforeMs, 'asleep')
      }
      case 'weeks': {
        await save()
        const beforeMs = clock.wallMs()
        clock.sleep(3 * WEEK_MS, 'runs')
        return gap(beforeMs, 'asleep')
      }
      case 'reload':
      case 'closed':
        await save()
        kept.history.dispose()
        if (step.do === 'closed') clock.stepWall(step.ms)
        return open()
      case 'second': {
        await save()
        // Another engine writes; this one reads its samples before it continues.
        const other = createKept(storage, clock, `other ${++writers}`)
        await other.start()
        await clock.advance(1)
        await other.add('a', { serviceMs: ++polls })
        known.set(polls, { node: 'a', atMs: clock.wallMs() })
        await other.history.saved()
        await clock.advance(1)
        if (other.status().state === 'kept') acknowledged = [...acknowledged, polls]
        other.history.dispose()
        await poll(1, 10_000)
        await clock.advance(10_000)
        return save()
      }
      case 'kill': {
        let operations = 0
        const dies = new Promise<void>((ended) => {
          storage.fault = () => {
            const isDead = operations++ >= step.at
            if (isDead) ended()
            return isDead ? 'crash' : undefined
          }
        })
        // Waits for neither to end, because the store may never answer again.
        await (step.maintains ? clock.advance(HOUR_MS) : poll(2, 10_000))
        const works = step.maintains ? kept.history.maintain().then(save) : save()
        await Promise.race([dies, works])
        storage.fault = () => 'crash'
        kept.history.dispose()
        await settle()
        storage.fault = () => undefined
        return open()
      }
    }
  }
  return { run, save, check, open, end: () => kept.history.dispose() }
}

const pollsOf = ({ polls }: { readonly polls: ReadonlyMap<number, readonly number[]> }): number =>
  Array.from(polls.values())
    .flat()
    .reduce((sum, count) => sum + count, 0)

const rarePolls: Step = { do: 'poll', rounds: 8, everyMs: EVERY_MS }
/** The last poll in blocks covers an hour without other polls, until another engine's poll ends it. */
const HELD_INTO_NEXT_HOUR: readonly Step[] = [
  { do: 'poll', rounds: 26, everyMs: 10_000 },
  { do: 'sleep', ms: 7_001 },
  { do: 'fail' },
  rarePolls,
  { do: 'second' },
  rarePolls,
  { do: 'second' },
  { do: 'reload' },
]
/** The last poll in blocks covers a day without other polls, until a poll of this day ends it. */
const HELD_INTO_NEXT_DAY: readonly Step[] = [
  { do: 'closed', ms: HOUR_MS + 1 },
  { do: 'poll', rounds: 65, everyMs: EVERY_MS },
  { do: 'second' },
  { do: 'reload' },
]
/** The last poll in blocks is of the day before and covers part of the newest hour. */
const HELD_FROM_DAY_BEFORE: readonly Step[] = [
  { do: 'poll', rounds: 8, everyMs: 10 * EVERY_MS },
  { do: 'poll', rounds: 1, everyMs: 10_000 },
]

it('history equals an array of all polls, despite reloads, sleeps, clock steps and kills', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const model = createModel(createMemoryStorage())
      await model.open()
      for (const step of all) {
        await model.run(step)
        if (step.do !== 'poll') continue
        await model.save()
        await model.check()
      }
      await model.save()
      await model.check()
      model.end()
    }),
    {
      numRuns: isAll() ? 1_000 : 25,
      examples: [[HELD_INTO_NEXT_HOUR], [HELD_INTO_NEXT_DAY], [HELD_FROM_DAY_BEFORE]],
    },
  )
})
