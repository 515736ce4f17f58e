import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  ageParts,
  exactParts,
  formatAge,
  formatAvailability,
  formatBytes,
  formatCompact,
  formatCount,
  formatExact,
  formatLatency,
  formatPercent,
  formatSpan,
} from '#texts/format.ts'
import { METRICS } from '#metrics/metrics.ts'
import { formatCharted } from '#texts/format-charted.ts'
import { doubtOf } from '#texts/age-doubt.ts'
import { formatOffset, formatUncertainty } from '#texts/format-clock.ts'
import { networkText } from '#texts/format-network.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { shortProof } from '#texts/format-metric.ts'
import { formatClock, formatDay, formatFullTime, formatMoment, zoneName } from '#texts/format-time.ts'
import { inZone } from '#test/support/in-zone.ts'

/** Replaces no-break spaces with plain ones. */
const read = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ')

describe('an age', () => {
  it.each([
    [0, '0 s'],
    [999, '0 s'],
    [4_999, '4 s'],
    [59_999, '59 s'],
    [60_000, '1 m 00 s'],
    [94_000, '1 m 34 s'],
    [3_599_999, '59 m 59 s'],
    [3_600_000, '1 h 00 m'],
    [7_560_000, '2 h 06 m'],
    [86_399_999, '23 h 59 m'],
    [709_200_000, '8 d 5 h'],
    [-5_000, '0 s'],
    [Number.NaN, '–'],
    [Number.POSITIVE_INFINITY, '–'],
  ])('of %d ms reads %s', (ms, text) => {
    expect(read(formatAge(ms))).toBe(text)
  })

  it('is never rounded up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
        const weights: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }
        const shown = ageParts(ms).reduce(
          (sum, part) => sum + Number(part.figure) * (weights[part.unit] ?? NaN),
          0,
        )
        expect(shown).toBeLessThanOrEqual(ms)
        expect(ms - shown).toBeLessThan(3_600_000)
      }),
    )
  })
})

describe('a configured duration', () => {
  it.each([
    [0, '0 s'],
    [500, '500 ms'],
    [1_000, '1 s'],
    [1_500, '1.5 s'],
    [15_000, '15 s'],
    [60_000, '1 m'],
    [180_000, '3 m'],
    [90_000, '1 m 30 s'],
    [3_600_000, '1 h'],
    [86_400_000, '1 d'],
    [93_784_000, '1 d 2 h'],
    [Number.NaN, '–'],
  ])('of %d ms reads %s', (ms, text) => {
    expect(read(formatSpan(ms))).toBe(text)
  })
})

it.each([
  [undefined, undefined],
  [{ kind: 'known', ageMs: 0, uncertaintyMs: 1_999 }, undefined],
  [{ kind: 'known', ageMs: 0, uncertaintyMs: 2_001 }, '3 s'],
  [{ kind: 'unchecked', ageMs: 0 }, 'unchecked'],
  [{ kind: 'at-least', ageMs: 0 }, 'at-least'],
  [{ kind: 'uncertain', uncertaintyMs: 40_000 }, undefined],
] as const)('the age %j is uncertain by %s', (age, doubt) => {
  expect(doubtOf(age)?.replace(/\u00a0/g, ' ')).toBe(doubt)
})

describe('figures', () => {
  it.each([
    [formatLatency(184.4), '184 ms'],
    [formatLatency(9_999), '9,999 ms'],
    [formatLatency(10_000), '10 s'],
    [formatLatency(12_460), '12.4 s'],
    [formatLatency(-1), '0 ms'],
    [formatLatency(Number.NaN).trim(), '–'],
    [formatCount(1_204_882), '1,204,882'],
    [formatCount(Number.NaN), '–'],
    [nodeHistoryTexts.chart.points(20, 20, 25), '25 polls'],
    [
      nodeHistoryTexts.chart.points(1_440, 8_600, 8_640),
      '1,440 of 8,600 answers drawn (minimum and maximum kept)',
    ],
    [formatExact('1250000'), '1,250,000'],
    [formatExact('9007199254740993'), '9,007,199,254,740,993'],
    [formatExact('1250000.000000000000000001'), '1,250,000.000000000000000001'],
    [formatExact('0'), '0'],
    [formatExact('999'), '999'],
    [formatCompact(1_250_000), '1.25 M'],
    [formatCompact(0), '0'],
    [formatCompact(97), '97'],
    [formatCompact(1e30), '1E30'],
    [formatCompact(5e-324), '5E-324'],
    [formatCompact(Number.NaN), '–'],
    [formatPercent(0.9842), '98.42 %'],
    [formatPercent(0.99999), '99.99 %'],
    [formatPercent(1), '100.00 %'],
    [formatPercent(0.29), '29.00 %'],
    [formatPercent(0), '0.00 %'],
    [formatPercent(Number.NaN), '–'],
    [formatAvailability(0.99987), '99.987 %'],
    [formatOffset(80), '+0.08 s'],
    [formatOffset(-250_000), '−4 m 10 s'],
    [formatOffset(-1_500), '−1.50 s'],
    [formatOffset(Number.NaN), '–'],
    [formatUncertainty(521), '0.53 s'],
    [shortProof('0x9c41aa0077ab5cde'), '0x9c41…5cde'],
    [formatBytes(65_536), '64 KiB'],
    [formatBytes(100), '100 bytes'],
  ])('are formatted as %s', (shown, text) => {
    expect(read(shown)).toBe(text)
  })

  it('group an exact amount without changing a digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 80n }), (amount) => {
        expect(formatExact(amount.toString()).replaceAll(',', '')).toBe(amount.toString())
      }),
    )
    expect(exactParts('1250000.5')).toEqual({ whole: '1,250,000', fraction: '.5' })
  })
})

it.each([
  [4, '60.00 %'],
  [0, undefined],
])('the share of fresh heartbeats with %d of 5 known is %s', (nodes, said) => {
  const [metric] = METRICS
  const coverage = { nodes, old: 0, of: 5, oldestMs: 0 }
  const text = metric && networkText({ metric, kind: 'ages', counts: [3, 1], coverage })
  expect(text && read(text)).toBe(said)
})

describe('an instant', () => {
  const instant = Date.UTC(2026, 10, 20, 14, 2, 35, 123)

  it('is shown in UTC, with the date if it is on another day', () => {
    expect(formatClock(instant, 'utc')).toBe('14:02:35')
    expect(formatClock(Date.UTC(2026, 0, 1), 'utc')).toBe('00:00:00')
    expect(formatDay(instant, 'utc')).toBe('20 Nov')
    expect(formatMoment(instant, instant + 60_000, 'utc')).toBe('14:02:35')
    expect(formatMoment(instant, instant + 86_400_000, 'utc')).toBe('20 Nov 14:02:35')
  })

  it('is shown in local time with the date only if that is another local day', async () => {
    vi.stubEnv('TZ', 'Pacific/Kiritimati')
    vi.resetModules() // The formats keep the zone of their first use.
    const local = await import('#texts/format-time.ts')
    expect(local.formatMoment(instant, instant + 3_600_000, 'local')).toBe('04:02:35')
    expect(local.formatMoment(instant, instant - 5 * 3_600_000, 'local')).toBe('21 Nov 04:02:35')
    vi.unstubAllEnvs()
  })

  it('has a tooltip with weekday, UTC time and Unix time', () => {
    expect(formatFullTime(instant)).toContain('Fri')
    expect(formatFullTime(instant)).toContain('14:02:35.123 UTC')
    expect(formatFullTime(instant)).toContain('1795183355.123')
  })

  it.each([Number.NaN, 8.64e15 + 1, Number.NEGATIVE_INFINITY])('is a dash if invalid (%d)', (wallMs) => {
    expect(formatClock(wallMs, 'utc')).toBe('–')
    expect(formatMoment(wallMs, 0, 'local')).toBe('–')
    expect(formatFullTime(wallMs)).toBe('–')
  })

  it.each([
    ['Europe/Berlin', [Date.UTC(2026, 6, 1)], 'CEST'],
    ['Europe/Berlin', [Date.UTC(2026, 0, 1)], 'CET'],
    ['Europe/Berlin', [Date.UTC(2026, 9, 24), Date.UTC(2026, 9, 26)], 'CEST/CET'],
    ['Europe/Berlin', [], 'CET/CEST'],
    ['Europe/Berlin', [Number.NaN], 'CET/CEST'],
    ['Asia/Kathmandu', [], 'GMT+5:45'],
  ])('in %s has the zone name for %j: %s', (place, instants, name) => {
    inZone(place, () => expect(zoneName('local', ...instants)).toBe(name))
  })
})

it.each([
  [0, '0'],
  [1_204_882, '1,204,882'],
  [1_250_000.25, '1,250,000.25'],
  [0.1, '0.1'],
  [-3.5, '-3.5'],
  [2 ** 53 - 1, '9,007,199,254,740,991'],
  [2 ** 53, 'about 9,007,199,254,740,990'],
  [1e21, 'about 1,000,000,000,000,000,000,000'],
  [1 / 3, 'about 0.333333333333333'],
  [Number.NaN, '–'],
  [Number.POSITIVE_INFINITY, '–'],
])('a charted %d reads %s', (value, told) => {
  expect(formatCharted(value)).toBe(told)
})
