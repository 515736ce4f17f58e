import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { timeTicks } from '#ui/chart/time-ticks.ts'
import { inZone } from '#test/support/in-zone.ts'

const utc = (text: string) => Date.parse(`${text}Z`)
const shown = (ticks: ReturnType<typeof timeTicks>) =>
  ticks.map(({ atMs, isDate }) => `${new Date(atMs).toISOString().slice(5, 19)}${isDate ? ' date' : ''}`)

describe('timeTicks in UTC', () => {
  it.each([
    ['a minute', '2026-11-20T14:02:35', MINUTE_MS, 4, '11-20T14:02:45', 15_000],
    ['a quarter of an hour', '2026-11-20T14:02:35', 15 * MINUTE_MS, 8, '11-20T14:04:00', 2 * MINUTE_MS],
    ['an hour', '2026-11-20T13:02:35', HOUR_MS, 8, '11-20T13:10:00', 10 * MINUTE_MS],
    ['a day', '2026-11-19T14:02:35', DAY_MS, 8, '11-19T15:00:00', 3 * HOUR_MS],
    ['a month', '2026-11-01T00:00:00', 30 * DAY_MS, 8, '11-01T00:00:00 date', 5 * DAY_MS],
  ])('steps evenly through %s', (_name, from, span, ticks, first, step) => {
    const found = timeTicks(utc(from), utc(from) + span, 'utc', ticks)
    expect(shown(found)[0]).toBe(first)
    expect(found.length).toBeLessThanOrEqual(ticks + 1)
    for (const [place, tick] of found.entries()) expect(tick.atMs - (found[0]?.atMs ?? 0)).toBe(place * step)
  })

  it('marks midnight as a date', () => {
    const from = utc('2026-11-19T22:00:00')
    expect(shown(timeTicks(from, from + 4 * HOUR_MS, 'utc', 4))).toContain('11-20T00:00:00 date')
  })

  it.each([
    [0, 0],
    [1, 0],
    [0, Number.NaN],
    [0, Number.POSITIVE_INFINITY],
  ])('returns none from %d to %d', (from, to) => expect(timeTicks(from, to, 'utc', 8)).toEqual([]))

  it('returns a limited number over a century', () => {
    expect(timeTicks(0, 36_525 * DAY_MS, 'utc', 8).length).toBeLessThan(62)
  })
})

describe('timeTicks in local time', () => {
  const local = (ticks: ReturnType<typeof timeTicks>) => ticks.map(({ atMs }) => new Date(atMs).getHours())

  it('stays on full hours of the clock through a day of 23 hours', () => {
    inZone('Europe/Berlin', () => {
      const from = new Date(2026, 2, 28, 18).getTime()
      expect(local(timeTicks(from, from + DAY_MS, 'local', 8))).toEqual([18, 21, 0, 3, 6, 9, 12, 15, 18])
      const hourly = timeTicks(
        new Date(2026, 2, 29, 0).getTime(),
        new Date(2026, 2, 29, 5).getTime(),
        'local',
        5,
      )
      expect(local(hourly)).toEqual([0, 1, 3, 4, 5])
    })
  })

  it('stays on full hours of the clock through a day of 25 hours', () => {
    inZone('Europe/Berlin', () => {
      const from = new Date(2026, 9, 24, 18).getTime()
      const ticks = timeTicks(from, from + 49 * HOUR_MS, 'local', 9)
      expect(local(ticks)).toEqual([18, 0, 6, 12, 18, 0, 6, 12, 18])
      expect(ticks.map(({ atMs }) => new Date(atMs).getDate())).toEqual([24, 25, 25, 25, 25, 26, 26, 26, 26])
    })
  })

  it('steps on quarter hours in a zone with a 45-minute offset', () => {
    inZone('Asia/Kathmandu', () => {
      const from = utc('2026-11-20T14:02:35')
      expect(
        timeTicks(from, from + HOUR_MS, 'local', 4).map(({ atMs }) => new Date(atMs).getMinutes()),
      ).toEqual([0, 15, 30, 45])
    })
  })
})
