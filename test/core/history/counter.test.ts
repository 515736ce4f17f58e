import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { counterStep } from '#record/counter.ts'
import { increasesOf } from '#history/codec/series-codec.ts'
import { counted } from '#test/core/record/counting.ts'
import { isAll } from '#test/fuzz/random.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './store/kept-history.ts'

const failed = { total: undefined, goesUp: false, reload: true, waitMs: 25_000, sleeps: false }
/** A gap right after a failed poll that is already in a block: it ends the time that the poll covers. */
const GAP_AFTER_FAILURE = [
  { ...failed, sleeps: true },
  { ...failed, total: 0, waitMs: 60_000 },
  { ...failed, total: 1 },
]

describe('a counter', () => {
  it('increases by the difference of two totals, or by the whole of a lower one', () => {
    const totals = Float64Array.of(Number.NaN, 7, 10, Number.NaN, 10, 4, 6, 0)
    expect(Array.from(increasesOf(totals, new Float64Array(totals.length)))).toEqual([0, 0, 3, 0, 0, 4, 2, 0])
    expect(increasesOf(new Float64Array(), new Float64Array())).toHaveLength(0)
  })

  it('has its exact watched and unwatched increase in history, despite failures, reloads and gaps', async () => {
    const anyStep = fc.record({
      total: fc.oneof({ weight: 4, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: fc.constant(undefined) }),
      goesUp: fc.boolean(),
      reload: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
      waitMs: fc.constantFrom(25_000, 25_000, 25_001, 60_000, 600_001, 90 * MINUTE_MS),
      sleeps: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 25 }), async (steps) => {
        const clock = createFakeClock(TEST_START_MS)
        const storage = createMemoryStorage()
        let kept = createKept(storage, clock, 'w0')
        await kept.start()
        const totals: bigint[] = []
        /** The expected increase after a sleep, or a wait longer than the time that the poll before it covers. */
        let isUnwatched = false
        let unwatched = 0
        /** The last total known to this session's monitor, which starts without one. */
        let before: string | undefined
        for (const [place, { total, goesUp, reload, waitMs, sleeps }] of steps.entries()) {
          if (reload) {
            await kept.history.saved()
            kept.history.dispose()
            kept = createKept(storage, clock, `w${place + 1}`)
            await kept.start()
            before = undefined
          }
          if (total === undefined) await kept.add('n', { outcome: 'timeout', everyMs: 10_000 })
          else {
            const now = BigInt(total) + (goesUp ? (totals.at(-1) ?? 0n) : 0n)
            totals.push(now)
            if (isUnwatched) unwatched += Number(counted(totals).at(-1)?.increase ?? 0n)
            isUnwatched = false
            const { increase, restarted } = counterStep(before, String(now))
            before = String(now)
            await kept.add('n', {
              everyMs: 10_000,
              threatResponses: Number(now),
              threatResponsesIncrease: increase,
              threatResponsesRestarted: restarted,
            })
          }
          await clock.advance(waitMs)
          isUnwatched ||= sleeps || waitMs > (total === undefined ? 600_000 : 25_000)
          if (sleeps) {
            const toMs = clock.wallMs()
            await kept.history.append({ samples: [], gaps: [{ fromMs: toMs - 1, toMs, reason: 'asleep' }] })
          }
          await kept.history.maintain()
        }
        const wanted = counted(totals)
        const all = wanted.reduce((sum, { increase }) => sum + Number(increase), 0)
        // From rollups, and from samples if they reach back far enough.
        for (const hours of [24 * 3, 24].filter((each) => TEST_START_MS > clock.wallMs() - each * HOUR_MS)) {
          const drawn = await kept.lanes('n', hours * HOUR_MS)
          const sum = (of: readonly { readonly increase: number }[]) =>
            of.reduce((total, { increase }) => total + increase, 0)
          expect(sum(drawn.unwatched)).toBe(unwatched)
          expect([drawn.increase, sum(drawn.bars)]).toEqual([all - unwatched, all - unwatched])
          expect(drawn.restarts.length > 0).toBe(wanted.some(({ restarted }) => restarted))
        }
        kept.history.dispose()
      }),
      { numRuns: isAll() ? 40 : 12, examples: [[GAP_AFTER_FAILURE]] },
    )
  })
})
