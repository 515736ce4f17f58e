import { describe, expect, it } from 'vitest'
import {
  isFarApart,
  narrowOffset,
  offsetFromDate,
  offsetMs,
  offsetUncertaintyMs,
  type ClockOffset,
} from '#record/clock-offset.ts'
import { heartbeatAge } from '#record/heartbeat-age.ts'
import { participationRatio } from '#record/detect.ts'

const DATE = 'Fri, 20 Nov 2026 14:02:31 GMT'
const dateMs = 1_795_183_351_000

describe("a service's clock, from its Date header", () => {
  it('is known to within a second plus the round trip', () => {
    const offset = offsetFromDate(DATE, dateMs - 100, dateMs + 300)
    expect(offset).toEqual({ lowMs: -300, highMs: 1_100 })
    if (offset === undefined) return
    expect(offsetMs(offset)).toBe(400)
    expect(offsetUncertaintyMs(offset)).toBe(700)
  })

  it.each([undefined, '', 'yesterday', '2026-11-20T14:02:31Z', 'Fri, 20 Nov 2026 14:02:31 +0100'])(
    'is not known from %j',
    (date) => {
      expect(offsetFromDate(date, dateMs, dateMs)).toBeUndefined()
    },
  )

  it('always contains the true offset, and narrows with each answer', () => {
    const trueOffsetMs = 73_400
    let known: ReturnType<typeof offsetFromDate>
    let widthMs = Number.POSITIVE_INFINITY
    for (let i = 0; i < 50; i++) {
      const sentMs = dateMs + i * 15_137
      const writtenMs = sentMs + 40 + trueOffsetMs
      const header = new Date(Math.floor(writtenMs / 1_000) * 1_000).toUTCString()
      const next = offsetFromDate(header, sentMs, sentMs + 80)
      if (next === undefined) throw new Error('unreadable')
      known = narrowOffset(known, next, 15_137)
      expect(known.lowMs).toBeLessThanOrEqual(trueOffsetMs)
      expect(known.highMs).toBeGreaterThanOrEqual(trueOffsetMs)
      widthMs = Math.min(widthMs, known.highMs - known.lowMs)
    }
    expect(widthMs).toBeLessThan(250)
  })

  it('starts over when an answer contradicts the known offset', () => {
    const next = { lowMs: 60_000, highMs: 61_000 }
    expect(narrowOffset({ lowMs: 0, highMs: 1_000 }, next, 0)).toEqual(next)
    expect(narrowOffset(undefined, next, 0)).toEqual(next)
    expect(narrowOffset({ lowMs: 0, highMs: 60_000 }, next, 0)).toEqual({ lowMs: 60_000, highMs: 60_000 })
  })

  it.each([
    [{ lowMs: 30_000, highMs: 30_000 }, false],
    [{ lowMs: 30_001, highMs: 30_001 }, true],
    [{ lowMs: -30_001, highMs: -30_001 }, true],
    // A difference within the uncertainty is not certain.
    [{ lowMs: 30_000, highMs: 90_000 }, false],
    [{ lowMs: 30_001, highMs: 90_000 }, true],
    [{ lowMs: -90_000, highMs: -30_001 }, true],
    [{ lowMs: -60_000, highMs: 60_000 }, false],
  ])('%j is certainly far apart: %s', (offset, apart) => {
    expect(isFarApart(offset)).toBe(apart)
  })

  it.each([
    'xFri, 20 Nov 2026 14:02:31 GMT',
    'Fri, 20 Nov 2026 14:02:31 GMT+1',
    'Fri, 2 Nov 2026 14:02:31 GMT',
    'Fri, 20 Nov 26 14:02:31 GMT',
    'Fri, 20 Nov 2026 4:02:31 GMT',
    'Fri, 20 November 2026 14:02:31 GMT',
    'Frx, 20 Nov 2026 14:02:31 GMT',
  ])('%j is not an HTTP date, even if a browser can parse it', (date) => {
    expect(offsetFromDate(date, dateMs, dateMs)).toBeUndefined()
  })
})

const ageOf = (
  heartbeatMs: number,
  startedWallMs: number,
  offset: ClockOffset | undefined,
  latencyMs: number,
  periodMs = 15_000,
) => heartbeatAge({ heartbeatMs, startedWallMs, latencyMs }, offset, periodMs)

describe("a heartbeat's age at the start of its request", () => {
  const offset = { lowMs: 1_900, highMs: 2_100 }

  it('is corrected for the clock of the service and carries its uncertainty', () => {
    expect(ageOf(dateMs, dateMs + 10_000, offset, 50)).toEqual({
      kind: 'known',
      ageMs: 12_000,
      uncertaintyMs: 100,
    })
  })

  it.each([
    [-2_150, 'known', 0],
    [-2_151, 'unknown', 2_151],
  ])('%i ms with an exact offset and a latency of 150 ms is %s', (ageMs, kind, shown) => {
    const age = ageOf(dateMs - ageMs, dateMs, { lowMs: 0, highMs: 0 }, 150)
    expect(age).toEqual(
      kind === 'known' ? { kind, ageMs: shown, uncertaintyMs: 0 } : { kind, aheadMs: shown },
    )
  })

  const within = (uncertaintyMs: number): ClockOffset => ({ lowMs: -uncertaintyMs, highMs: uncertaintyMs })

  it.each([
    ['by one period', 15_000, 15_000, 'known'],
    ['by more, and possibly fresh', 15_000, 15_001, 'uncertain'],
    ['by more, and possibly just one period old', 35_000, 20_000, 'uncertain'],
    ['by more, but late in any case', 35_001, 20_000, 'known'],
  ])('uncertain %s', (_how, ageMs, uncertaintyMs, kind) => {
    expect(ageOf(dateMs - ageMs, dateMs, within(uncertaintyMs), 0)).toEqual(
      kind === 'known' ? { kind, ageMs, uncertaintyMs } : { kind, uncertaintyMs },
    )
  })
})

it.each([
  [0.9842, undefined, 0.9842],
  [1, undefined, 1],
  [97, undefined, 0.97],
  [100, undefined, 1],
  [100.1, undefined, undefined],
  [0.5, 'percent', 0.005],
  [0.5, 'ratio', 0.5],
  [1.01, 'ratio', undefined],
  [101, 'percent', undefined],
  [0, undefined, 0],
] as const)('participation %d as %s', (value, unit, expected) => {
  const ratio = participationRatio({ text: String(value), value }, unit)
  expect(ratio && Math.round(ratio * 1e9) / 1e9).toBe(expected)
})
