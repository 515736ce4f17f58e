import { describe, expect, it } from 'vitest'
import { clocksOf, mostAllow, offsetFromHeartbeats } from '#record/clock-offset.ts'

const beat = (atMs: number, sentMs: number, receivedMs = sentMs + 20) => ({ atMs, sentMs, receivedMs })

describe('two answers with a heartbeat between them', () => {
  it('bound the clock offset by the first request and the second answer', () => {
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 65_000))).toEqual({
      lowMs: 115_000 - 500 - 65_020,
      highMs: 115_000 + 1_000 - 50_000,
    })
  })

  it('give no offset without a newer heartbeat or after a clock was set back', () => {
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(100_000, 65_000))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(99_000, 65_000))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 40_000))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 40_000, 49_999))).toBeUndefined()
    expect(offsetFromHeartbeats(beat(100_000, 50_000), beat(115_000, 40_000, 50_000))).toBeDefined()
  })
})

const around = (ms: number, widthMs = 10_000) => ({ lowMs: ms - widthMs, highMs: ms + widthMs })

it.each([
  ['none', [], undefined],
  ['one', [around(0)], around(0)],
  ['two that agree', [around(0), around(5_000)], { lowMs: -5_000, highMs: 10_000 }],
  ['two that touch', [around(0), around(20_000)], { lowMs: 10_000, highMs: 10_000 }],
  ['two that disagree', [around(0), around(20_001)], undefined],
  [
    'one of three that disagrees',
    [around(0), around(90_000), around(2_000)],
    { lowMs: -8_000, highMs: 10_000 },
  ],
  [
    'one that agrees with two others, which disagree: the first of these',
    [around(0), around(15_000), around(30_000)],
    { lowMs: 5_000, highMs: 10_000 },
  ],
  ['only two of four that agree', [around(0), around(90_000), around(1_000), around(300_000)], undefined],
  ['one within another', [around(0), around(1_000, 2_000)], { lowMs: -1_000, highMs: 3_000 }],
])('the common offset of several nodes %s', (_which, offsets, common) => {
  expect(mostAllow(offsets)).toEqual(common)
})

it('clocks are compared by the Date of answers, and by heartbeats only without a Date', () => {
  const offset = { lowMs: 0, highMs: 1_000 }
  const heartbeatOffset = { lowMs: -5_000, highMs: 5_000 }
  expect(clocksOf({ offset, heartbeatOffset })).toEqual({ offset })
  expect(clocksOf({ offset: undefined, heartbeatOffset })).toEqual({
    offset: heartbeatOffset,
    by: 'heartbeats',
  })
  expect(clocksOf({ offset: undefined })).toBeUndefined()
})
