import { describe, expect, it } from 'vitest'
import { createDetector, periodOf, roundedDown } from '#record/detect.ts'
import { recordOf } from '#test/support/fleet-fixture.ts'

const record = (fields: object) => recordOf(JSON.stringify(fields))
const detectorOf = (...participation: readonly unknown[]) => {
  const detector = createDetector()
  for (const value of participation) detector.learn('a', record({ network_participation: value }), undefined)
  return detector
}

describe('the unit of participation', () => {
  it.each([
    [[0.98], 'ratio'],
    [[1], 'ratio'],
    [[1.001], 'percent'],
    [[97], 'percent'],
    [[100], 'percent'],
    [[0, 0.5], 'ratio'],
    [[101, 97], 'percent'],
    // The first unit stays, whatever follows.
    [[0.97, ...Array.from({ length: 40 }, () => 97), 0.97], 'ratio'],
    [[97, ...Array.from({ length: 40 }, () => 0.97)], 'percent'],
    [[0.98, 1.001], 'ratio'],
  ] as const)('of %j is %s', (values, unit) => {
    expect(detectorOf(...values).detected().participation?.unit).toBe(unit)
  })

  it('comes with its number of readings, up to 50', () => {
    expect(detectorOf(...Array.from({ length: 60 }, () => 0.9)).detected().participation).toEqual({
      unit: 'ratio',
      readings: 50,
    })
  })

  it('is that of most watched nodes, and stays on a tie', () => {
    const detector = createDetector()
    const unitWith = (node: string, network_participation: number) => {
      detector.learn(node, record({ network_participation }), undefined)
      return detector.detected().participation?.unit
    }
    expect(unitWith('a', 97)).toBe('percent')
    expect(unitWith('b', 0.98)).toBe('percent')
    expect(unitWith('c', 0.98)).toBe('ratio')
    expect(unitWith('d', 97)).toBe('ratio')
    expect(unitWith('e', 97)).toBe('percent')
    detector.forget('e')
    detector.forget('d')
    expect(detector.detected().participation?.unit).toBe('ratio')
  })
})

it.each([
  [1_795_183_351, 's'],
  [1_795_183_351_000, 'ms'],
] as const)('the unit of the heartbeat of %i is %s', (last_heartbeat, unit) => {
  const detector = createDetector()
  detector.learn('a', record({ last_heartbeat }), undefined)
  expect(detector.detected()).toEqual({ heartbeat: { unit, readings: 1 } })
})

it.each([
  [0, 0],
  [1, 1],
  [2, 2],
  [4, 2],
  [5, 5],
  [9, 5],
  [10, 10],
  [19, 10],
  [20, 20],
  [99, 50],
  [100, 100],
  [999, 500],
  [1_000, 1_000],
  [1e9, 1_000],
])('the published number of %i readings is %i', (count, shown) => {
  expect(roundedDown(count)).toBe(shown)
})

const times = (count: number, ...steps: readonly number[]): readonly number[] =>
  Array.from({ length: count }, (_, place) => (steps[place % steps.length] ?? 0) * 1_000)

describe('the period of heartbeats', () => {
  it.each([
    ['every heartbeat is seen', times(10, 15), 15_000],
    ['heartbeats are rounded to whole seconds', times(10, 15, 14, 16, 15), 15_000],
    ['every second or third heartbeat is seen', times(16, 30, 45), 15_000],
    ['a few uneven steps, multiples of a part by chance', times(15, 12, 15, 18), 15_000],
    ['a few are missed', times(10, 10, 10, 10, 20), 10_000],
    ['one node stopped for a long time', [...times(19, 15), 607_000], 15_000],
    ['a difference of a second is rounding', times(10, 10, 11, 20), 10_000],
    ['uneven heartbeats: the median', times(11, 20, 27, 31, 36, 43, 49), 31_000],
    ['heartbeats faster than a second', times(10, 0.4), 1_000],
    ['one of ten is an outlier', [...times(9, 15), 607_000], 15_000],
    ['one heartbeat was late, so the next step is short', [...times(6, 15, 17, 13), 26_000, 3_000], 15_000],
    ['whole seconds that are no multiples of the shortest step', times(16, 4, 5, 9), 5_000],
    ['slightly less than two periods count as two', times(10, 10, 19.5), 10_000],
    ['steps further apart than rounding: the median', times(10, 10, 11.5), 12_000],
    ['the faster the heartbeat, the less rounding explains', times(10, 2, 2.8), 3_000],
    ['every second or every other second', times(10, 1, 2), 1_000],
    ['a difference below a second is not a period', times(10, 1.4, 2.1), 2_000],
    ['at most a day', times(10, 90_000), 86_400_000],
  ])('%s', (_what, steps, periodMs) => {
    expect(periodOf(steps)).toBe(periodMs)
  })

  const learned = (...steps: readonly number[]) => {
    const detector = createDetector()
    for (const step of [1, ...steps]) detector.learn('a', record({}), step)
    return detector.detected().heartbeatPeriod
  }

  it('ignores the first step of each node, which may follow an outage', () => {
    const detector = createDetector()
    for (const node of 'abcdefgh') detector.learn(node, record({}), 3_600_000)
    expect(detector.detected().heartbeatPeriod).toBeUndefined()
  })

  it('is reported from 8 steps on', () => {
    expect(learned(...times(7, 30))).toBeUndefined()
    expect(learned(...times(8, 30))).toEqual({ periodMs: 30_000, readings: 8 })
    expect(learned(...times(9, 30))).toEqual({ periodMs: 30_000, readings: 9 })
  })

  it('is settled after 32 steps, so that a network that slows down does not look well', () => {
    expect(learned(...times(32, 15), ...times(500, 300))).toEqual({ periodMs: 15_000, readings: 32 })
  })

  it('gets shorter only after 32 steps below 75 % of it', () => {
    expect(learned(...times(32, 300), ...times(31, 15))?.periodMs).toBe(300_000)
    expect(learned(...times(32, 300), ...times(32, 15))?.periodMs).toBe(15_000)
    expect(learned(...times(32, 100), ...times(32, 76))?.periodMs).toBe(100_000)
    expect(learned(...times(32, 100), ...times(32, 75))?.periodMs).toBe(100_000)
    expect(learned(...times(32, 100), ...times(32, 74))?.periodMs).toBe(74_000)
  })
})
