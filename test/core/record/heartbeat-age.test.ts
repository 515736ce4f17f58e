import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetFromDate, type ClockOffset, narrowOffset, offsetFromHeartbeats } from '#record/clock-offset.ts'
import { heartbeatAgeByClocks, type ClockEvidence, type HeartbeatAge } from '#record/heartbeat-age.ts'

const T0_MS = 1_795_183_351_000
const POLL_MS = 5_000
const PERIOD_MS = 15_000

/** Clocks are ahead of true time by these amounts; a record shows the state of `lagMs` ago. */
type World = {
  readonly ownMs: number
  readonly serviceMs: number
  /** Undefined: answers carry no Date. */
  readonly dateMs: number | undefined
  readonly lagMs: number
  readonly latencyMs: readonly number[]
  /** The node's heartbeats stop at this time. */
  readonly stopsAtMs: number
}

/** The age shown at each poll, with the true age of the heartbeat at the time of the request. */
function watched(world: World): readonly { readonly shown: HeartbeatAge; readonly trueMs: number }[] {
  let date: ClockOffset | undefined
  let heartbeats: ClockOffset | undefined
  let last: { atMs: number; sentMs: number; receivedMs: number } | undefined
  let sinceMs = 0
  return world.latencyMs.map((latencyMs, poll) => {
    const askedMs = T0_MS + poll * POLL_MS
    const answeredMs = askedMs + latencyMs / 2
    const knownMs = Math.min(answeredMs - world.lagMs, T0_MS + world.stopsAtMs)
    const beatMs = Math.floor(knownMs / PERIOD_MS) * PERIOD_MS
    const heartbeatMs = Math.floor((beatMs + world.serviceMs) / 1_000) * 1_000
    const [sentMs, receivedMs] = [askedMs + world.ownMs, askedMs + latencyMs + world.ownMs]
    const header = world.dateMs === undefined ? undefined : new Date(answeredMs + world.dateMs).toUTCString()
    const read = offsetFromDate(header, sentMs, receivedMs)
    if (read !== undefined) date = narrowOffset(date, read, POLL_MS)
    const sighting = { atMs: heartbeatMs, sentMs, receivedMs }
    const measured = last === undefined ? undefined : offsetFromHeartbeats(last, sighting)
    if (measured !== undefined) heartbeats = narrowOffset(heartbeats, measured, POLL_MS)
    if (last?.atMs !== heartbeatMs) sinceMs = receivedMs
    last = sighting
    const clocks: ClockEvidence = { date, heartbeats, unchangedMs: Math.max(0, sentMs - sinceMs) }
    const seen = { heartbeatMs, startedWallMs: sentMs, latencyMs }
    return { shown: heartbeatAgeByClocks(seen, clocks, PERIOD_MS), trueMs: askedMs - beatMs }
  })
}

/** Heartbeats come in whole seconds, and one may come during the request. */
const ROUNDING_MS = 2_000

const offsets = fc.integer({ min: -900_000, max: 900_000 })
const lags = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 600_000 }))
const latencies = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 60 })
const stops = fc.integer({ min: -600_000, max: 600_000 })

const expectBounds = (world: World): void => {
  for (const { shown, trueMs } of watched(world)) {
    if (shown.kind === 'known') {
      const latestMs = trueMs + ROUNDING_MS + shown.uncertaintyMs
      expect(shown.ageMs).toBeLessThanOrEqual(latestMs)
      expect(shown.ageMs).toBeGreaterThanOrEqual(trueMs - ROUNDING_MS - shown.uncertaintyMs - 4_000)
    }
    if (shown.kind === 'at-least') expect(shown.ageMs).toBeLessThanOrEqual(trueMs + ROUNDING_MS)
  }
}

describe('the displayed age of a heartbeat', () => {
  it('is within its bounds of the true age if Date and heartbeats use the same clock', () => {
    fc.assert(
      fc.property(offsets, offsets, lags, latencies, stops, (ownMs, serviceMs, lagMs, latencyMs, stopsAtMs) =>
        expectBounds({ ownMs, serviceMs, dateMs: serviceMs, lagMs, latencyMs, stopsAtMs }),
      ),
      { numRuns: 500 },
    )
  })

  it('is at most a minimum age without a Date', () => {
    fc.assert(
      fc.property(
        offsets,
        offsets,
        lags,
        latencies,
        stops,
        (ownMs, serviceMs, lagMs, latencyMs, stopsAtMs) => {
          const world = { ownMs, serviceMs, dateMs: undefined, lagMs, latencyMs, stopsAtMs }
          expectBounds(world)
          for (const { shown } of watched(world)) expect(shown.kind).not.toBe('known')
        },
      ),
      { numRuns: 500 },
    )
  })

  it('becomes uncertain without a Date if records come 120 s late', () => {
    const latencyMs = Array.from({ length: 20 }, () => 100)
    const world = { ownMs: 0, serviceMs: 0, dateMs: undefined, lagMs: 120_000, latencyMs, stopsAtMs: 600_000 }
    expect(watched(world)[0]?.shown.kind).toBe('unchecked')
    expect(watched(world).at(-1)?.shown).toMatchObject({ kind: 'uncertain', disagree: true })
  })
})

describe('a gateway whose Date is wrong', () => {
  const right = { ownMs: 0, serviceMs: 0, lagMs: 0, stopsAtMs: 3_600_000 }
  const latencyMs = Array.from({ length: 60 }, () => 100)

  it.each([600_000, -600_000, 90_000])('by %d ms never makes healthy nodes look late', (dateMs) => {
    for (const { shown } of watched({ ...right, dateMs, latencyMs }))
      expect('ageMs' in shown ? shown.ageMs : 0).toBeLessThanOrEqual(PERIOD_MS + ROUNDING_MS)
  })

  it('does not hide for long that a node stopped', () => {
    const all = watched({ ...right, dateMs: 600_000, latencyMs, stopsAtMs: 60_000 })
    expect(all.at(-1)?.shown).toMatchObject({ kind: 'at-least' })
    const shown = all.at(-1)?.shown
    expect(shown !== undefined && 'ageMs' in shown ? shown.ageMs : 0).toBeGreaterThan(180_000)
  })

  it('is distinguished from a wrong clock of this computer by other services', () => {
    const seen = { heartbeatMs: T0_MS - 200_000, startedWallMs: T0_MS - 600_000, latencyMs: 0 }
    const date = { lowMs: 599_500, highMs: 600_500 }
    const others = { lowMs: 599_000, highMs: 601_000 }
    expect(heartbeatAgeByClocks(seen, { date, others }, PERIOD_MS)).toMatchObject({
      kind: 'known',
      ageMs: 200_000,
    })
  })
})

/** The age of a heartbeat that is `ageMs` old by this computer's clock, given evidence of the clocks. */
const judged = (ageMs: number, clocks: ClockEvidence, periodMs = PERIOD_MS): HeartbeatAge =>
  heartbeatAgeByClocks({ heartbeatMs: T0_MS, startedWallMs: T0_MS + ageMs, latencyMs: 0 }, clocks, periodMs)
const exactly = (ms: number): ClockOffset => ({ lowMs: ms, highMs: ms })

describe('a Date that may be a gateway’s own', () => {
  it('is trusted if it agrees with this computer within two seconds', () => {
    const late = { kind: 'known', ageMs: 98_000, uncertaintyMs: 0 }
    expect(judged(100_000, { date: exactly(-2_000) })).toEqual(late)
    expect(judged(96_000, { date: exactly(2_000) })).toEqual(late)
    expect(judged(100_000, { date: exactly(-2_001) }).kind).toBe('at-least')
    expect(judged(96_000, { date: exactly(2_001) }).kind).toBe('at-least')
  })

  it('is trusted if it makes the heartbeat fresh', () => {
    expect(judged(-45_000, { date: exactly(60_000) })).toMatchObject({ kind: 'known', ageMs: 15_000 })
    expect(judged(-62_000, { date: exactly(60_000) })).toMatchObject({ kind: 'known', ageMs: 0 })
    expect(judged(-44_999, { date: exactly(60_000) }).kind).not.toBe('known')
  })

  it('is trusted if heartbeats or other services agree', () => {
    const date = exactly(60_000)
    const known = { kind: 'known', ageMs: 160_000, uncertaintyMs: 0 }
    const touching = { lowMs: 60_000, highMs: 70_000 }
    const apart = { lowMs: 60_001, highMs: 70_000 }
    const under = { lowMs: 50_000, highMs: 59_999 }
    expect(judged(100_000, { date, heartbeats: touching })).toEqual(known)
    expect(judged(100_000, { date, others: touching })).toEqual(known)
    expect(judged(100_000, { date, others: { lowMs: 50_000, highMs: 60_000 } })).toEqual(known)
    for (const other of [apart, under]) {
      expect(judged(100_000, { date, heartbeats: other }).kind).toBe('at-least')
      expect(judged(100_000, { date, others: other }).kind).toBe('at-least')
    }
  })

  it('makes a heartbeat uncertain that is fresh by this computer’s clock', () => {
    const disagree = { kind: 'uncertain', uncertaintyMs: 60_000, disagree: true }
    for (const ageMs of [0, 15_000, -2_000])
      expect(judged(ageMs, { date: exactly(60_000) })).toEqual(disagree)
    expect(judged(10_000, { date: exactly(-60_000) })).toEqual(disagree)
  })

  it('gives a minimum age to a heartbeat unchanged for longer than a period', () => {
    const date = exactly(60_000)
    expect(judged(10_000, { date, unchangedMs: 15_001 })).toEqual({ kind: 'at-least', ageMs: 15_001 })
    expect(judged(10_000, { date, unchangedMs: 15_000 }).kind).toBe('uncertain')
  })

  it('gives a heartbeat that is late by both clocks the lower age as a minimum', () => {
    expect(judged(100_000, { date: exactly(60_000) })).toEqual({ kind: 'at-least', ageMs: 100_000 })
    expect(judged(100_000, { date: { lowMs: -50_000, highMs: -40_000 } })).toEqual({
      kind: 'at-least',
      ageMs: 50_000,
    })
    expect(judged(100_000, { date: exactly(60_000), unchangedMs: 120_000 })).toEqual({
      kind: 'at-least',
      ageMs: 120_000,
    })
    expect(judged(100_000, { date: exactly(-200_000) })).toMatchObject({ kind: 'uncertain', disagree: true })
  })
})

describe('without a Date', () => {
  it('the age follows this computer’s clock and is unchecked', () =>
    expect(judged(100_000, {})).toEqual({ kind: 'unchecked', ageMs: 100_000 }))

  it('other services correct this computer’s clock if it is off by more than two seconds', () => {
    expect(judged(100_000, { others: exactly(60_000) })).toEqual({ kind: 'unchecked', ageMs: 160_000 })
    expect(judged(100_000, { others: exactly(2_000) })).toEqual({ kind: 'unchecked', ageMs: 100_000 })
    expect(judged(100_000, { others: exactly(2_001) })).toEqual({ kind: 'unchecked', ageMs: 102_001 })
  })

  it('heartbeats that contradict this computer’s clock leave no age but a minimum', () => {
    expect(judged(100_000, { heartbeats: exactly(60_000) })).toEqual({
      kind: 'uncertain',
      uncertaintyMs: 60_000,
      disagree: true,
    })
    expect(judged(100_000, { heartbeats: exactly(-60_000), unchangedMs: 16_000 })).toEqual({
      kind: 'at-least',
      ageMs: 16_000,
    })
    expect(judged(100_000, { heartbeats: exactly(2_000) }).kind).toBe('unchecked')
  })

  it('a future heartbeat that is unchanged for longer than a period has a minimum age', () => {
    const ahead = { kind: 'unknown', aheadMs: 60_000, unchecked: true }
    expect(judged(-60_000, {})).toEqual(ahead)
    expect(judged(-60_000, { unchangedMs: 15_000 })).toEqual(ahead)
    expect(judged(-60_000, { unchangedMs: 15_001 })).toEqual({ kind: 'at-least', ageMs: 15_001 })
  })
})
