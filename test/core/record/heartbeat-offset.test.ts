import { describe, expect, it } from 'vitest'
import { clocksOf, mostAllow, offsetFromHeartbeats } from '#record/clock-offset.ts'

const beat = (atMs: number, sentMs: number, receivedMs = sentMs + 20) => ({ atMs, sentMs, receivedMs })

describe('two answers with a beat between them', () => {
  it('say where the node’s clock is: the beat came after the first was sent and before the second was here', () => {
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 65_000))).toEqual({
      lowMs: 115_000 - 500 - 65_020,
      highMs: 115_000 + 1_000 - 50_000,
    })
  })

  it('say nothing without a new beat, with an older one, or when a clock was set back meanwhile', () => {
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(100_000, 65_000))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(99_000, 65_000))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 40_000))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 40_000, 49_999))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 40_000, 50_000))).toBeDefined()
  })
})

describe('several nodes', () => {
  const around = (ms: number, widthMs = 10_000) => ({ lowMs: ms - widthMs, highMs: ms + widthMs })

  it.each([
    ['none', [], undefined],
    ['one', [around(0)], around(0)],
    ['two that agree', [around(0), around(5_000)], { lowMs: -5_000, highMs: 10_000 }],
    ['two that touch', [around(0), around(20_000)], { lowMs: 10_000, highMs: 10_000 }],
    ['two that do not agree', [around(0), around(20_001)], undefined],
    [
      'one of three that is apart',
      [around(0), around(90_000), around(2_000)],
      { lowMs: -8_000, highMs: 10_000 },
    ],
    [
      'one that two others allow, which do not agree: the first of the two',
      [around(0), around(15_000), around(30_000)],
      { lowMs: 5_000, highMs: 10_000 },
    ],
    ['half of four', [around(0), around(90_000), around(1_000), around(300_000)], undefined],
    ['one within another', [around(0), around(1_000, 2_000)], { lowMs: -1_000, highMs: 3_000 }],
  ])('%s', (_which, offsets, common) => {
    expect(mostAllow(offsets)).toEqual(common)
  })
})

it('clocks are compared by the Date of the answers, and by heartbeats only where there is none', () => {
  const offset = { lowMs: 0, highMs: 1_000 }
  const heartbeatOffset = { lowMs: -5_000, highMs: 5_000 }
  expect(clocksOf({ offset, heartbeatOffset })).toEqual({ offset })
  expect(clocksOf({ offset: undefined, heartbeatOffset })).toEqual({
    offset: heartbeatOffset,
    by: 'heartbeats',
  })
  expect(clocksOf({ offset: undefined })).toBeUndefined()
})
