import { expect, it } from 'vitest'
import { timeFormats } from '#ui/chart/time-format.ts'
import { inZone } from '#test/support/in-zone.ts'

const HOUR = 3_600_000
/** In Berlin the clock goes back from 3 to 2 at one of these hours. */
const CHANGE_MS = Date.UTC(2026, 9, 25, 1)
const HALF_PAST = [CHANGE_MS - HOUR / 2, CHANGE_MS + HOUR / 2] as const

it.each([
  ['tells the two hours of the clock apart', 'local', HALF_PAST, ['02:30:00 CEST', '02:30:00 CET']],
  [
    'names no zone where no hour comes twice',
    'local',
    [CHANGE_MS, CHANGE_MS + HOUR],
    ['02:00:00', '03:00:00'],
  ],
  ['names no zone in UTC, whose clock never changes', 'utc', HALF_PAST, ['00:30:00', '01:30:00']],
] as const)('a time under the crosshair %s', (_, zone, range, told) => {
  inZone('Europe/Berlin', () => {
    const { exact } = timeFormats(zone, range)
    expect(range.map(exact)).toEqual(told)
  })
})

it('a time under the crosshair names its day in a range of more than one', () => {
  const { exact } = timeFormats('utc', [CHANGE_MS, CHANGE_MS + 25 * HOUR])
  expect(exact(CHANGE_MS)).toBe('25 Oct, 01:00:00')
})
