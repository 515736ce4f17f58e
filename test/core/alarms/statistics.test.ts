import { describe, expect, it } from 'vitest'
import { episodesOf, severityRanges, statisticsOf } from '#alarms/statistics.ts'
import type { EventFacts, KeptEntry } from '#history/event-log.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 14)
const MINUTE_MS = 60_000

/** An entry `agoMinutes` before now. */
const entry = (agoMinutes: number, what: string, facts: EventFacts = {}): KeptEntry => ({
  id: `${what}-${agoMinutes}`,
  wallMs: NOW_MS - agoMinutes * MINUTE_MS,
  area: 'alarm',
  what,
  facts,
})
const raised = (agoMinutes: number, alarm: string) => entry(agoMinutes, 'alarm-raised', { alarm })
const cleared = (agoMinutes: number, alarm: string) => entry(agoMinutes, 'alarm-cleared', { alarm })
const newestFirst = (...entries: readonly KeptEntry[]) => entries.toSorted((a, b) => b.wallMs - a.wallMs)

describe('alarm episodes', () => {
  it('last from raise to clear, separately for each alarm', () => {
    const entries = newestFirst(raised(30, 'a'), raised(25, 'b'), cleared(20, 'a'), raised(10, 'a'))
    expect(episodesOf(entries).map(({ alarm, fromMs, toMs }) => [alarm, fromMs, toMs])).toEqual([
      ['a', NOW_MS - 30 * MINUTE_MS, NOW_MS - 20 * MINUTE_MS],
      ['b', NOW_MS - 25 * MINUTE_MS, undefined],
      ['a', NOW_MS - 10 * MINUTE_MS, undefined],
    ])
  })

  it('end when their alarm is closed, and need a raise', () => {
    const closed = entry(5, 'alarm-closed', { alarm: 'a' })
    expect(episodesOf(newestFirst(cleared(20, 'b'), raised(10, 'a'), closed))).toMatchObject([
      { alarm: 'a', toMs: NOW_MS - 5 * MINUTE_MS },
    ])
  })

  it('give the highest severity between any two changes', () => {
    const warning = { severity: 'warning' }
    const entries = newestFirst(
      entry(30, 'alarm-raised', { alarm: 'a', ...warning }),
      entry(20, 'alarm-worse', { alarm: 'a', severity: 'critical' }),
      entry(15, 'alarm-lowered', { alarm: 'a', ...warning }),
      entry(25, 'alarm-raised', { alarm: 'b', ...warning }),
      cleared(10, 'a'),
      cleared(5, 'b'),
      entry(2, 'alarm-raised', { alarm: 'c', severity: 'info' }),
    )
    const minutesAgo = (ms: number): number => (NOW_MS - ms) / MINUTE_MS
    const found = severityRanges(entries, NOW_MS).map(
      ({ fromMs, toMs, severity }) => `${minutesAgo(fromMs)} ${minutesAgo(toMs)} ${severity}`,
    )
    expect(found).toEqual([
      '30 25 warning',
      '25 20 warning',
      '20 15 critical',
      '15 10 warning',
      '10 5 warning',
      '2 0 info',
    ])
  })

  it('keep the last 1,000 changes', () => {
    const many = Array.from({ length: 600 }, (_, at) => [raised(2 * at + 2, 'a'), cleared(2 * at + 1, 'a')])
    const found = severityRanges(newestFirst(...many.flat()), NOW_MS)
    expect([found.length, found.at(-1)?.toMs]).toEqual([500, NOW_MS - MINUTE_MS])
  })
})

describe('inhibited alarms', () => {
  const heldBack = (agoMinutes: number, alarm: string) =>
    entry(agoMinutes, 'alarm-raised', { alarm, inhibitedBy: 'service' })
  const then = (agoMinutes: number, what: 'inhibited' | 'released', alarm: string) =>
    entry(agoMinutes, `alarm-${what}`, { alarm })
  const sum = (...entries: readonly KeptEntry[]) => statisticsOf(newestFirst(...entries), NOW_MS).raised

  it('do not count as raised if inhibited at once or before their notification', () => {
    expect(sum(raised(9, 'service'), heldBack(8, 'a'), raised(8, 'b'), then(7.6, 'inhibited', 'b'))).toBe(1)
  })

  it('count as raised if inhibited after 30 s, or released before they cleared', () => {
    expect(sum(raised(9, 'a'), then(8, 'inhibited', 'a'))).toBe(1)
    expect(sum(heldBack(9, 'a'), then(8, 'released', 'a'), cleared(7, 'a'))).toBe(1)
    // Notifications are sent within 30 s.
    expect(sum(raised(9, 'a'), then(8.5, 'inhibited', 'a'))).toBe(0)
    expect(sum(raised(9, 'a'), then(8.49, 'inhibited', 'a'))).toBe(1)
  })

  it('add no stretch of severity, as they mark no row', () => {
    expect(severityRanges(newestFirst(heldBack(8, 'a'), cleared(5, 'a')), NOW_MS)).toEqual([])
  })
})

describe('journal statistics', () => {
  it('count raises per 10 minutes over 12 h, up to now', () => {
    const entries = newestFirst(
      raised(0, 'a'),
      raised(9.9, 'b'),
      raised(10, 'c'),
      raised(719, 'd'),
      raised(720, 'e'),
    )
    const { per10Min, raised: sum, peak } = statisticsOf(entries, NOW_MS)
    expect([per10Min.length, per10Min.at(-1), per10Min.at(-2), per10Min[0]]).toEqual([72, 2, 1, 1])
    expect([sum, peak]).toEqual([4, 2])
    // An entry in the future, from before the clock was set back, does not count.
    expect(statisticsOf([raised(-11, 'a')], NOW_MS)).toMatchObject({ raised: 0, peak: 0 })
  })

  it('name the alarm raised most often and its share', () => {
    const entries = newestFirst(
      raised(50, 'a'),
      cleared(45, 'a'),
      raised(40, 'a'),
      cleared(35, 'a'),
      raised(30, 'b'),
      raised(20, 'c'),
    )
    const { repeated } = statisticsOf(entries, NOW_MS)
    expect([repeated?.entry.facts?.['alarm'], repeated?.count, repeated?.share]).toEqual(['a', 2, 0.5])
  })

  it('name no repeated alarm if each was raised once', () => {
    expect(statisticsOf(newestFirst(raised(50, 'a'), raised(40, 'b')), NOW_MS).repeated).toBeUndefined()
  })

  it('name the alarm that lasted longest, cleared or not', () => {
    const over = newestFirst(raised(50, 'a'), cleared(10, 'a'), raised(30, 'b'))
    expect(statisticsOf(over, NOW_MS).longest).toMatchObject({ lastedMs: 40 * MINUTE_MS, isOver: true })
    const on = newestFirst(raised(50, 'a'), cleared(30, 'a'), raised(30, 'b'))
    expect(statisticsOf(on, NOW_MS).longest).toMatchObject({ lastedMs: 30 * MINUTE_MS, isOver: false })
    expect(statisticsOf([], NOW_MS).longest).toBeUndefined()
  })

  it('sum the gaps in monitoring, without clock steps', () => {
    const gap = (agoMinutes: number, lengthMs: number, reason: string) =>
      entry(agoMinutes, 'gap', { reason, fromMs: 1_000, toMs: 1_000 + lengthMs })
    const entries = newestFirst(gap(9, 500, 'asleep'), gap(8, 700, 'closed'), gap(7, 900, 'clock-step'))
    expect(statisticsOf(entries, NOW_MS)).toMatchObject({ blindMs: 1_200, blindCount: 2 })
    // A gap that does not give its length counts with length 0; other entries are not gaps.
    const odd = [{ fromMs: 5 }, { toMs: 5 }, { fromMs: '1', toMs: '7' }].map((facts, at) =>
      entry(at, 'gap', facts),
    )
    const bare = { id: 'bare', wallMs: NOW_MS, area: 'alarm', what: 'gap' } as const
    expect(statisticsOf([bare, ...odd, raised(9, 'a')], NOW_MS)).toMatchObject({ blindMs: 0, blindCount: 4 })
  })
})
