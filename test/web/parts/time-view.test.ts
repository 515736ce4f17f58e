import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressWith,
  barMsFor,
  columnMsFor,
  held,
  liveSpanMs,
  moveMsFor,
  RANGE_MS,
  RANGES,
  ranged,
  rangeOf,
  SPAN_MAX_MS,
  SPAN_MIN_MS,
  stepped,
  stretch,
  viewFromAddress,
  windowOf,
  type TimeView,
} from '#parts/time-view.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 20, 14)
const LIVE: TimeView = { kind: 'live', range: '1h' }
const still = (fromMs: number, toMs: number): TimeView => ({ kind: 'still', range: '1h', fromMs, toMs })

const viewArb: fc.Arbitrary<TimeView> = fc.oneof(
  fc.record({ kind: fc.constant('live' as const), range: fc.constantFrom(...RANGES) }),
  fc
    .tuple(
      fc.constantFrom(...RANGES),
      fc.integer({ min: 0, max: NOW }),
      fc.integer({ min: SPAN_MIN_MS, max: SPAN_MAX_MS }),
    )
    .map(([range, fromMs, spanMs]) => ({ kind: 'still' as const, range, fromMs, toMs: fromMs + spanMs })),
)

describe('a time range', () => {
  it.each([
    ['15m', 1_000, 5_000, 15_000],
    ['1h', 5_000, 10_000, 60_000],
    ['6h', 30_000, 60_000, 600_000],
    ['24h', 120_000, 120_000, 1_800_000],
    ['7d', 900_000, 1_800_000, 3 * HOUR],
    ['30d', HOUR, 2 * HOUR, 12 * HOUR],
  ] as const)('of %s has %d ms columns, %d ms steps and %d ms bars', (range, columnMs, moveMs, barMs) => {
    expect(columnMsFor(RANGE_MS[range])).toBe(columnMs)
    expect(moveMsFor(RANGE_MS[range])).toBe(moveMs)
    expect(barMsFor(RANGE_MS[range], 15_000)).toBe(barMs)
  })
})

describe('the window', () => {
  it('aligns with whole columns and covers its view', () => {
    fc.assert(
      fc.property(viewArb, fc.integer({ min: 0, max: NOW }), (view, ageMs) => {
        const { fromMs, toMs } = windowOf(view, NOW, NOW - ageMs)
        const columnMs = columnMsFor(
          view.kind === 'live' ? liveSpanMs(view.range, NOW, NOW - ageMs) : view.toMs - view.fromMs,
        )
        expect([fromMs % columnMs, toMs % columnMs]).toEqual([0, 0])
        expect(toMs).toBeGreaterThan(fromMs)
        if (view.kind === 'live') expect(toMs).toBeGreaterThanOrEqual(NOW)
        else {
          expect(fromMs).toBeLessThanOrEqual(view.fromMs)
          expect(toMs).toBeGreaterThanOrEqual(view.toMs)
        }
      }),
    )
  })

  it('starts with the history if that is shorter than the range', () => {
    const shortest: TimeView = { kind: 'live', range: '15m' }
    expect(windowOf(shortest, NOW, NOW - 600_000)).toEqual({ fromMs: NOW - 600_000, toMs: NOW, whole: false })
    expect(windowOf(shortest, NOW, NOW - 7_000)).toEqual({ fromMs: NOW - 7_000, toMs: NOW, whole: false })
    expect(windowOf(shortest, NOW, NOW).fromMs).toBe(NOW - 2_000)
    expect(windowOf(shortest, NOW, 0)).toEqual({ fromMs: NOW - 900_000, toMs: NOW, whole: true })
    expect(windowOf(LIVE, NOW, NOW - 31_000)).toEqual({ fromMs: NOW - 31_000, toMs: NOW, whole: false })
    const month: TimeView = { kind: 'live', range: '30d' }
    expect(windowOf(month, NOW, NOW - 720_000)).toEqual({ fromMs: NOW - 720_000, toMs: NOW, whole: false })
    expect(windowOf(month, NOW, 0)).toEqual({ fromMs: NOW - 720 * HOUR, toMs: NOW, whole: true })
  })
})

describe('navigation', () => {
  it('steps by half a window, and goes live where a step would pass now', () => {
    const back = stepped(LIVE, -1, windowOf(LIVE, NOW, 0), NOW)
    expect(back).toEqual(still(NOW - 1.5 * HOUR, NOW - 0.5 * HOUR))
    expect(stepped(back, 1, windowOf(back, NOW, 0), NOW)).toEqual(LIVE)
  })

  it('stops at now if the length is not a standard range', () => {
    const view = still(NOW - 3 * HOUR, NOW - 600_000)
    const window = windowOf(view, NOW, 0)
    const spanMs = window.toMs - window.fromMs
    expect(stepped(view, 1, window, NOW)).toEqual(still(NOW - spanMs, NOW))
  })

  it('centres a new range on the visible one, and goes live where it reaches now', () => {
    const view = still(NOW - 20 * HOUR, NOW - 18 * HOUR)
    const window = windowOf(view, NOW, 0)
    expect(ranged(LIVE, '24h', windowOf(LIVE, NOW, 0), NOW)).toEqual({ kind: 'live', range: '24h' })
    expect(ranged(view, '6h', window, NOW)).toEqual({
      kind: 'still',
      range: '6h',
      fromMs: NOW - 22 * HOUR,
      toMs: NOW - 16 * HOUR,
    })
    expect(ranged(view, '7d', window, NOW)).toEqual({ kind: 'live', range: '7d' })
  })

  it('names a range only if the length matches it', () => {
    const view = still(NOW - 24 * HOUR, NOW)
    expect(rangeOf(view, windowOf(view, NOW, 0))).toBe('24h')
    const odd = still(NOW - 25 * HOUR, NOW)
    expect(rangeOf(odd, windowOf(odd, NOW, 0))).toBeUndefined()
    expect(rangeOf(LIVE, windowOf(LIVE, NOW, 0))).toBe('1h')
  })

  it('keeps a dragged range within what can be shown', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: 0, max: 4e12 }),
        fc.double({ noNaN: true, min: 0, max: 4e12 }),
        (one, other) => {
          const view = stretch(LIVE, one, other, NOW)
          if (view.kind !== 'still') throw new Error('a stretch stands still')
          expect(view.toMs).toBeLessThanOrEqual(NOW)
          expect(view.toMs - view.fromMs).toBeGreaterThanOrEqual(SPAN_MIN_MS - 1)
          expect(view.toMs - view.fromMs).toBeLessThanOrEqual(SPAN_MAX_MS + 1)
        },
      ),
    )
  })
})

describe('the URL', () => {
  it('stores the whole view and keeps other parameters', () => {
    fc.assert(
      fc.property(viewArb, (view) => {
        const params = addressWith(new URLSearchParams('q=x&from=old'), view)
        expect(params.get('q')).toBe('x')
        expect(viewFromAddress(new URLSearchParams(params.toString()))).toEqual(view)
      }),
    )
  })

  it.each([
    '',
    'range=9y',
    'range=15m&from=2026-11-20T02:00:00Z',
    'range=15m&from=2026-11-20T02:00:00Z&to=2026-11-20T02:00:01Z',
    'range=15m&from=2026-11-20T02:00:00Z&to=2026-11-20T01:00:00Z',
    'range=15m&from=0001-01-01T00:00:00Z&to=2026-11-20T01:00:00Z',
    'from=x&to=y',
  ])('falls back to the shortest live range for %j', (text) => {
    expect(viewFromAddress(new URLSearchParams(text))).toEqual({ kind: 'live', range: '15m' })
  })
})

it('a link to the visible range opens exactly that range at any later time', () => {
  fc.assert(
    fc.property(viewArb, fc.integer({ min: 0, max: NOW }), fc.nat(RANGE_MS['90d']), (view, oldest, later) => {
      const shown = windowOf(view, NOW, oldest)
      fc.pre(shown.toMs - shown.fromMs >= SPAN_MIN_MS)
      const link = addressWith(new URLSearchParams('nodes=a'), held(view, shown)).toString()
      const opened = windowOf(viewFromAddress(new URLSearchParams(link)), NOW + later, NOW + later)
      expect([opened.fromMs, opened.toMs]).toEqual([shown.fromMs, shown.toMs])
    }),
  )
})
