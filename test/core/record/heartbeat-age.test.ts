import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetFromDate, type ClockOffset, narrowOffset } from '#record/clock-offset.ts'
import { judgedHeartbeatAge, type ClockEvidence, type HeartbeatAge } from '#record/heartbeat-age.ts'
import { offsetFromHeartbeats } from '#record/heartbeat-offset.ts'

const T0_MS = 1_795_183_351_000
const POLL_MS = 5_000
const PERIOD_MS = 15_000

/** Clocks are ahead of true time by so much; a record shows what was true `lagMs` ago. */
type World = {
  readonly ownMs: number
  readonly serviceMs: number
  /** Undefined: answers carry no Date. */
  readonly dateMs: number | undefined
  readonly lagMs: number
  readonly latencyMs: readonly number[]
  /** From then on the node beats no more. */
  readonly stopsAtMs: number
}

/** What is shown at each poll, with how old the heartbeat truly was when it was asked for. */
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
    return { shown: judgedHeartbeatAge(seen, clocks, PERIOD_MS), trueMs: askedMs - beatMs }
  })
}

/** A heartbeat in whole seconds, and one that came while the request was under way. */
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

describe('the age that is shown holds the true age within its bound, or is not known', () => {
  it('with a Date of the clock by which heartbeats are dated, whatever this computer’s clock and however late records come', () => {
    fc.assert(
      fc.property(offsets, offsets, lags, latencies, stops, (ownMs, serviceMs, lagMs, latencyMs, stopsAtMs) =>
        expectBounds({ ownMs, serviceMs, dateMs: serviceMs, lagMs, latencyMs, stopsAtMs }),
      ),
      { numRuns: 500 },
    )
  })

  it('without a Date no bound is claimed, and no more than a least age', () => {
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

  it('a record that comes 120 s late, without a Date, is not shown as fresh: it is not known', () => {
    const latencyMs = Array.from({ length: 20 }, () => 100)
    const world = { ownMs: 0, serviceMs: 0, dateMs: undefined, lagMs: 120_000, latencyMs, stopsAtMs: 600_000 }
    expect(watched(world)[0]?.shown.kind).toBe('unchecked')
    expect(watched(world).at(-1)?.shown).toMatchObject({ kind: 'uncertain', disagree: true })
  })
})

describe('a gateway whose Date is wrong', () => {
  const right = { ownMs: 0, serviceMs: 0, lagMs: 0, stopsAtMs: 3_600_000 }
  const latencyMs = Array.from({ length: 60 }, () => 100)

  it.each([600_000, -600_000, 90_000])('%d ms: nodes that beat are never shown as late', (dateMs) => {
    for (const { shown } of watched({ ...right, dateMs, latencyMs }))
      expect('ageMs' in shown ? shown.ageMs : 0).toBeLessThanOrEqual(PERIOD_MS + ROUNDING_MS)
  })

  it('never hides for long that a node stopped', () => {
    const all = watched({ ...right, dateMs: 600_000, latencyMs, stopsAtMs: 60_000 })
    expect(all.at(-1)?.shown).toMatchObject({ kind: 'at-least' })
    const shown = all.at(-1)?.shown
    expect(shown !== undefined && 'ageMs' in shown ? shown.ageMs : 0).toBeGreaterThan(180_000)
  })

  it('is told from this computer’s clock by other services', () => {
    const seen = { heartbeatMs: T0_MS - 200_000, startedWallMs: T0_MS - 600_000, latencyMs: 0 }
    const date = { lowMs: 599_500, highMs: 600_500 }
    const others = { lowMs: 599_000, highMs: 601_000 }
    expect(judgedHeartbeatAge(seen, { date, others }, PERIOD_MS)).toMatchObject({
      kind: 'known',
      ageMs: 200_000,
    })
  })
})
