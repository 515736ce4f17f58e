import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { counterStep } from '#record/counter.ts'
import { counted } from './counting.ts'

describe('a counter', () => {
  it('matches a simple model, even beyond double precision', () => {
    const total = fc.oneof(fc.bigInt(0n, 50n), fc.bigInt(2n ** 53n - 5n, 2n ** 53n + 50n))
    fc.assert(
      fc.property(fc.array(total, { maxLength: 30 }), (totals) => {
        const steps = totals.map((now, place) => {
          const before = totals[place - 1]
          return counterStep(before === undefined ? undefined : String(before), String(now))
        })
        const wanted = counted(totals).map((step) => ({ ...step, increase: Number(step.increase) }))
        expect(steps).toEqual(wanted)
      }),
    )
  })

  it('that falls because its clock was set back has not restarted, and still counts increases', () => {
    expect(counterStep('10', '4', true)).toEqual({ increase: 0, restarted: false })
    expect(counterStep('10', '10', true)).toEqual({ increase: 0, restarted: false })
    expect(counterStep('10', '14', true)).toEqual({ increase: 4, restarted: false })
  })
})
