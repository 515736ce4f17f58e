import { describe, expect, it } from 'vitest'
import type { SeriesSpan } from '#charts/charts.ts'
import type { Sample } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import { appendNotWatched, appendSamples, createSeries } from '#history/series.ts'
import { coarsenSpans, spansOf } from '#charts/spans.ts'
import { answered } from './asked.ts'

/** "a" answered, "n" not watched, "t" and "s" no answer; each letter is 10 ms wide. */
const KINDS: Readonly<Record<string, Omit<SeriesSpan, 'fromMs' | 'toMs'>>> = {
  a: { kind: 'answered' },
  n: { kind: 'not-watched' },
  t: { kind: 'no-answer', failure: 'timeout' },
  s: { kind: 'no-answer', failure: 'server-error' },
}
const drawn = (letters: string, fromMs = 0): SeriesSpan[] =>
  Array.from(letters.matchAll(/(.)\1*/g), (match) => ({
    fromMs: fromMs + match.index * 10,
    toMs: fromMs + (match.index + match[0].length) * 10,
    ...(KINDS[match[0].charAt(0)] ?? { kind: 'answered' }),
  }))

describe('spans on few columns', () => {
  it.each([
    ['stay unchanged if there are enough columns', 'atan', 4, 'atan'],
    ['stay unchanged, however uneven', 'aat', 2, 'aat'],
    ['show an answer only without anything worse', 'anan', 2, 'nnnn'],
    ['show a miss rather than unwatched time', 'ntntnt', 3, 'tttttt'],
    ['show a miss that follows unwatched time', 'ntaaaaat', 2, 'tttttttt'],
    ['show the first of two misses', 'tasaaaaatata', 3, 'ttttaaaatttt'],
    ['leave a column alone when the miss before it ends at its edge', 'atataaaaaaaa', 3, 'ttttaaaaaaaa'],
    ['leave a column alone when the miss after it begins at its edge', 'aaaatataaaaa', 3, 'aaaattttaaaa'],
    ['keep misses of different kinds apart', 'tatasasa', 2, 'ttttssss'],
    ['join columns that show the same', 'tatatataaaaaaaaa', 4, 'ttttttttaaaaaaaa'],
    ['keep a later miss out of earlier columns', 'aaaananatata', 3, 'aaaannnntttt'],
  ])('%s', (_what, letters, columns, expected) => {
    for (const fromMs of [0, 5_000]) {
      const toMs = fromMs + letters.length * 10
      expect(coarsenSpans(drawn(letters, fromMs), fromMs, toMs, columns)).toEqual(drawn(expected, fromMs))
    }
  })

  it('end exactly where the range ends, however uneven the columns', () => {
    for (let columns = 1; columns < 50; columns++) {
      const coarse = coarsenSpans(drawn('at'.repeat(50)), 0, 1_000, columns)
      expect(coarse.at(-1)?.toMs).toBe(1_000)
    }
  })

  it('are one column wide if each column differs', () => {
    const coarse = coarsenSpans(drawn('tataaatataaa'), 0, 120, 4)
    expect(coarse).toEqual(drawn('tttaaatttaaa'))
  })
})

describe('a span without an answer', () => {
  const spans = (outcomes: readonly Sample['outcome'][]) => {
    const series = createSeries(METRICS)
    const samples = outcomes.map((outcome, place) => answered(place * 10, { outcome }))
    for (const sample of samples) appendSamples(series, [sample])
    return spansOf(series, { fromMs: 0, toMs: outcomes.length * 10, maxGapAt: () => 10 })
  }

  it('has one failure', () => {
    const failed = { kind: 'no-answer' }
    expect(spans(['timeout', 'timeout', 'server-error', 'timeout'])).toStrictEqual([
      { fromMs: 0, toMs: 20, ...failed, failure: 'timeout' },
      { fromMs: 20, toMs: 30, ...failed, failure: 'server-error' },
      { fromMs: 30, toMs: 40, ...failed, failure: 'timeout' },
    ])
  })

  it.each(['offline', 'signed-out'] as const)('is not watched if no request was possible (%s)', (outcome) => {
    expect(spans(['answered', outcome])).toStrictEqual([
      { fromMs: 0, toMs: 10, kind: 'answered' },
      { fromMs: 10, toMs: 20, kind: 'not-watched' },
    ])
  })
})

describe('the time that a sample covers', () => {
  /** Samples at these times; an undefined one starts unwatched time. */
  const told = (
    samples: Readonly<Record<number, Sample['outcome'] | undefined>>,
    maxGapAt: (place: number) => number = () => 20,
    [fromMs, toMs]: readonly [number, number] = [0, 100],
  ) => {
    const series = createSeries(METRICS)
    for (const [time, outcome] of Object.entries(samples))
      if (outcome === undefined) appendNotWatched(series, Number(time))
      else appendSamples(series, [answered(Number(time), { outcome })])
    return spansOf(series, { fromMs, toMs, maxGapAt }).map(
      (span) => `${span.fromMs}-${span.toMs} ${span.failure ?? span.kind}`,
    )
  }

  const cut = { 10: 'answered', 15: undefined, 30: 'answered' } as const
  const failed = { 10: 'answered', 30: 'timeout', 60: 'answered' } as const
  const byPlace = (place: number) => (place === 0 ? 15 : 30)
  const N = 'not-watched'
  it.each<[string, Parameters<typeof told>, string]>([
    [
      'ends after the gap limit of its own index if no sample follows',
      [{ 10: 'answered', 40: 'answered' }, byPlace],
      `0-10 ${N}, 10-25 answered, 25-40 ${N}, 40-70 answered, 70-100 ${N}`,
    ],
    [
      'includes a sample from before the range',
      [failed, () => 20, [35, 90]],
      `35-60 timeout, 60-80 answered, 80-90 ${N}`,
    ],
    [
      'excludes samples at or after the end of the range',
      [{ 10: 'answered', 20: 'timeout' }, () => 20, [0, 20]],
      `0-10 ${N}, 10-20 answered`,
    ],
    [
      'ends where unwatched time starts',
      [cut],
      `0-10 ${N}, 10-15 answered, 15-30 ${N}, 30-50 answered, 50-100 ${N}`,
    ],
  ])('%s', (_what, given, expected) => expect(told(...given).join(', ')).toBe(expected))

  it('is 10 min after a failure, or its gap limit if that is longer', () => {
    const hour = 3_600_000
    const until = (maxGapMs: number) => told({ 0: 'timeout' }, () => maxGapMs, [0, hour])[0]
    expect(until(20)).toBe('0-600000 timeout')
    expect(until(700_000)).toBe('0-700000 timeout')
  })
})
