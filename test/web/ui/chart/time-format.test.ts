import { expect, it } from 'vitest'
import { timeFormats } from '#ui/chart/time-format.ts'
import { inZone } from '#test/support/in-zone.ts'

const HOUR = 3_600_000
/** The time at which clocks in Berlin go back from 3 to 2. */
const CHANGE_MS = Date.UTC(2026, 9, 25, 1)
const HALF_PAST = [CHANGE_MS - HOUR / 2, CHANGE_MS + HOUR / 2] as const

it.each([
  ['distinguishes two equal hours', 'local', HALF_PAST, ['02:30:00 CEST', '02:30:00 CET']],
  ['has no zone name if no hour repeats', 'local', [CHANGE_MS, CHANGE_MS + HOUR], ['02:00:00', '03:00:00']],
  ['has no zone name in UTC', 'utc', HALF_PAST, ['00:30:00', '01:30:00']],
  ['has a date in a range longer than a day', 'utc', [0, 25 * HOUR], ['1 Jan, 00:00:00', '2 Jan, 01:00:00']],
] as const)('a time under the crosshair %s', (_, zone, range, told) => {
  inZone('Europe/Berlin', () => {
    const { exact } = timeFormats(zone, range)
    expect(range.map(exact)).toEqual(told)
  })
})
