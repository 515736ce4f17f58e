import { expect, it } from 'vitest'
import { expectWithinBudget } from './shared-assertions.ts'

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
    inFlightMax: 4,
  }
  expectWithinBudget(asked)
  expect(() => expectWithinBudget({ ...asked, requests: 6 })).toThrow()
  expect(() => expectWithinBudget({ ...asked, inFlightOfNode: 2 })).toThrow()
  expect(() => expectWithinBudget({ ...asked, inFlight: 5 })).toThrow()
})
