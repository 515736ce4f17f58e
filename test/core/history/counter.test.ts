import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { counterStep, increasesOf } from '#history/counter.ts'
import { parseExactNumber, type ExactNumber } from '#record/exact-number.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './store/kept-history.ts'

const MINUTE_MS = 60_000

function exact(text: string): ExactNumber {
  const number = parseExactNumber(text)
  if (number === undefined) throw new Error(`no number: ${text}`)
  return number
}

/** What one would count by hand: each total from the one before, or from 0 where it is lower. The first adds nothing. */
const counted = (totals: readonly bigint[]) =>
  totals.map((total, place) => {
    const before = totals[place - 1] ?? total
    return { increase: total < before ? total : total - before, restarted: total < before }
  })

describe('a counter', () => {
  it('counts exactly what a count by hand gives, also far beyond what a double shows', () => {
    const total = fc.oneof(fc.bigInt(0n, 50n), fc.bigInt(2n ** 53n - 5n, 2n ** 53n + 50n))
    fc.assert(
      fc.property(fc.array(total, { maxLength: 30 }), (totals) => {
        const steps = totals.map((now, place) => {
          const before = totals[place - 1]
          return counterStep(before === undefined ? undefined : exact(String(before)), exact(String(now)))
        })
        const wanted = counted(totals).map((step) => ({ ...step, increase: Number(step.increase) }))
        expect(steps).toEqual(wanted)
      }),
    )
  })

  it('that falls with the clock it is reckoned from did not begin anew, and rises by all that it rises', () => {
    expect(counterStep(exact('10'), exact('4'), true)).toEqual({ increase: 0, restarted: false })
    expect(counterStep(exact('10'), exact('10'), true)).toEqual({ increase: 0, restarted: false })
    expect(counterStep(exact('10'), exact('14'), true)).toEqual({ increase: 4, restarted: false })
  })

  it('is expected to rise by what lies between two totals, or by the whole of one that is lower', () => {
    const totals = Float64Array.of(99, Number.NaN, 7, 10, Number.NaN, 10, 4, 6, 0, 99)
    expect(Array.from(increasesOf(totals, 1, 9))).toEqual([0, 0, 3, 0, 0, 4, 2, 0])
    expect(increasesOf(totals, 3, 3)).toHaveLength(0)
  })

  it('adds up to the same in what is kept, through failures, reloads and hours', async () => {
    const step = fc.record({
      total: fc.oneof({ weight: 4, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: fc.constant(undefined) }),
      goesUp: fc.boolean(),
      reload: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
      waitMinutes: fc.constantFrom(1, 1, 1, 90),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const clock = createFakeClock(TEST_START_MS)
        const storage = createMemoryStorage()
        let kept = createKept(storage, clock, 'w0')
        await kept.start()
        const totals: bigint[] = []
        /** What this session's monitor knows: nothing of the sessions before. */
        let before: ExactNumber | undefined
        for (const [place, { total, goesUp, reload, waitMinutes }] of steps.entries()) {
          if (reload) {
            await kept.history.saved()
            kept.history.dispose()
            kept = createKept(storage, clock, `w${place + 1}`)
            await kept.start()
            before = undefined
          }
          if (total === undefined) await kept.add('n', { outcome: 'timeout' })
          else {
            const now = BigInt(total) + (goesUp ? (totals.at(-1) ?? 0n) : 0n)
            totals.push(now)
            const { increase, restarted } = counterStep(before, exact(String(now)))
            before = exact(String(now))
            await kept.add('n', {
              threatResponses: Number(now),
              threatResponsesIncrease: increase,
              threatResponsesRestarted: restarted,
            })
          }
          await clock.advance(waitMinutes * MINUTE_MS)
          await kept.history.maintain()
        }
        const lanes = await kept.lanes('n', 3 * 24 * 60 * MINUTE_MS)
        const wanted = counted(totals)
        expect(lanes.increase).toBe(wanted.reduce((sum, { increase }) => sum + Number(increase), 0))
        expect(lanes.restarts.length > 0).toBe(wanted.some(({ restarted }) => restarted))
        kept.history.dispose()
      }),
      { numRuns: 40 },
    )
  })
})
