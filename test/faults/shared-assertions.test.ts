import { expect, it } from 'vitest'
import { agoInSeconds } from '#test/support/ages.ts'
import { expectWithinBudget } from './shared-assertions.ts'

it('ages are parsed in every unit', () => {
  expect(agoInSeconds('as of 09:20:11, 12 s ago')).toBe(12)
  expect(agoInSeconds('1 m 05 s ago')).toBe(65)
  expect(agoInSeconds('2 h 03 m ago')).toBe(7_380)
  expect(agoInSeconds('1 d 2 h ago')).toBe(93_600)
  expect(agoInSeconds('ago')).toBeNaN()
})

it('one request more than the interval allows exceeds the budget, and so do two at once', () => {
  const asked = {
    requests: 5,
    elapsedMs: 4_200,
    intervalMs: 1_000,
    requestsPerPoll: 1,
    probes: 0,
    triesByHand: 0,
    inFlightOfNode: 1,
    probesAtOnce: 0,
    inFlight: 4,
  }
  expectWithinBudget(asked)
  expect(() => expectWithinBudget({ ...asked, requests: 6 })).toThrow()
  expect(() => expectWithinBudget({ ...asked, inFlightOfNode: 2 })).toThrow()
  expect(() => expectWithinBudget({ ...asked, inFlight: 5 })).toThrow()
})
