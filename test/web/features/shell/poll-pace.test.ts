import { expect, it } from 'vitest'
import { furthestOffset, intervalsOf, nextPollOf } from '#features/shell/poll-pace.ts'
import { aNode, aService, aServiceLive, aSnapshot } from '#test/support/fleet-fixture.ts'

const clock = (ms: number | undefined) =>
  ms === undefined ? undefined : { lowMs: ms - 500, highMs: ms + 500 }

it.each([
  [[], undefined],
  [[undefined, undefined], undefined],
  [[30_500, -30_500], undefined],
  [[1_000, -90_000], -90_000],
  [[60_000, -90_000], -90_000],
  [[undefined, 60_000, -2_000], 60_000],
])('of the clock offsets %j ms, the largest relevant one is %s', (offsets, furthest) => {
  const services = offsets.map((ms) => aServiceLive(aService(), { offset: clock(ms) }))
  expect(furthestOffset(services)).toEqual(clock(furthest))
})

it('the next poll is the earliest one planned', () => {
  const nodes = [undefined, 9_000, 4_000, 7_000].map((nextPollMs) => aNode({ nextPollMs }))
  expect([nextPollOf(nodes), nextPollOf([])]).toEqual([4_000, undefined])
})

it('intervals range from shortest to longest, and a node’s own replaces its service’s', () => {
  const nodes = [aNode(), aNode({ pollIntervalMs: 60_000 }), aNode({ pollIntervalMs: 5_000 })]
  const fleet = aSnapshot([], [aServiceLive(aService({ pollIntervalMs: 10_000 }))])
  expect(intervalsOf(fleet, nodes)).toEqual({ fromMs: 5_000, toMs: 60_000 })
  expect(intervalsOf(fleet, [])).toBeUndefined()
})
