import { describe, expect, it } from 'vitest'
import { silenceOf } from '#features/wall/silence.ts'
import { aNode, aService, aServiceLive, aSnapshot, NOW_MS } from '#test/support/fleet-fixture.ts'

const service = aServiceLive(aService({ pollIntervalMs: 10_000, timeoutMs: 5_000 }))
const paused = aNode({ nodeId: '0x02', nextPollMs: undefined })
/** A request is due in 10 s and may take 5 s; only 20 s after that is the engine silent. */
const fleet = (nextPollMs: number | undefined) => aSnapshot([paused, aNode({ nextPollMs })], [service])
const DUE_MS = 10_000 + 5_000 + 20_000

describe('an engine with a planned request', () => {
  it.each([
    [0, undefined],
    [DUE_MS, undefined],
    [DUE_MS + 1, DUE_MS + 1],
    [600_000, 600_000],
  ])('last heard from %d ms ago is silent for: %s', (laterMs, says) => {
    expect(silenceOf(fleet(NOW_MS + 10_000), NOW_MS + laterMs)).toBe(says)
  })
})

it('an engine with no planned request never counts as silent', () => {
  expect(silenceOf(fleet(undefined), NOW_MS + 10_000_000)).toBeUndefined()
  expect(silenceOf(aSnapshot([]), NOW_MS + 10_000_000)).toBeUndefined()
})
