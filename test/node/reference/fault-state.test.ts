import { describe, expect, it } from 'vitest'
import { createFaultState } from '#reference/fault-state.ts'
import { seedWords } from '#reference/random.ts'

const NODE = `0x${'a'.repeat(64)}`

function chaosOf(rate: number, requests: number): readonly (readonly string[])[] {
  const state = createFaultState(seedWords('chaos test'))
  state.set({ node: '*', name: 'chaos', value: rate }, 0)
  return Array.from({ length: requests }, () => state.meet(NODE).map(({ name }) => name))
}

describe('chaos', () => {
  it('is the same in every run', () => {
    expect(chaosOf(0.3, 200)).toEqual(chaosOf(0.3, 200))
  })

  it.each([0, 0.1, 0.5, 1])('troubles its share of requests: %d', (rate) => {
    const troubled = chaosOf(rate, 2_000).filter((met) => met.length === 1).length
    expect(Math.abs(troubled / 2_000 - rate)).toBeLessThan(0.03)
  })

  it('brings many kinds of fault, and never itself', () => {
    const names = new Set(chaosOf(1, 1_000).flat())
    expect(names.size).toBeGreaterThan(10)
    expect(names.has('chaos')).toBe(false)
  })
})

describe('faults that are on', () => {
  it('are replaced by the same fault with another value', () => {
    const state = createFaultState(seedWords(''))
    state.set({ node: NODE, name: 'late', value: 1 }, 0)
    state.set({ node: NODE, name: 'late', value: 2 }, 0)
    expect(state.list()).toEqual([{ node: NODE, name: 'late', value: 2 }])
  })

  it('on all nodes are met by requests for no node, too', () => {
    const state = createFaultState(seedWords(''))
    state.set({ node: '*', name: 'hang', value: undefined }, 0)
    expect(state.meet(undefined).map(({ name }) => name)).toEqual(['hang'])
  })

  it('are bounded', () => {
    const state = createFaultState(seedWords(''))
    const id = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`
    for (let i = 0; i < 20_000; i++) state.set({ node: id(i), name: 'hang', value: undefined }, 0)
    expect(() => state.set({ node: '*', name: 'hang', value: undefined }, 0)).toThrow('20000 faults')
  })
})
