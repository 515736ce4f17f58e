import { describe, expect, it } from 'vitest'
import { dayAt, fromFieldText, toFieldText } from '#parts/calendar-time.ts'
import { inZone } from '#test/support/in-zone.ts'

const HOUR = 3_600_000

describe('a date-and-time field', () => {
  it.each([
    ['UTC, whatever the computer’s time zone', 'America/New_York', 'utc', '2026-11-20T02:07'],
    ['local time', 'Asia/Kolkata', 'local', '2026-11-20T07:37'],
  ] as const)('shows and reads %s', (_, place, zone, text) => {
    inZone(place, () => {
      const at = Date.UTC(2026, 10, 20, 2, 7)
      expect(toFieldText(at, zone)).toBe(text)
      expect(fromFieldText(text, zone)).toBe(at)
      expect(fromFieldText(`${text}:05`, zone)).toBe(at + 5_000)
    })
  })

  it('uses the first of two equal hours, and moves past a skipped hour', () => {
    inZone('Europe/Berlin', () => {
      expect(fromFieldText('2026-10-25T02:30', 'local')).toBe(Date.UTC(2026, 9, 25, 0, 30))
      expect(fromFieldText('2026-03-29T02:30', 'local')).toBe(Date.UTC(2026, 2, 29, 1, 30))
    })
  })

  it.each(['', 'x', '2026-11-20', '2026-11-20 02:07', '999999-99-99T99:99'])('rejects %j', (text) => {
    expect(fromFieldText(text, 'utc')).toBeUndefined()
  })
})

describe('a day', () => {
  it('lasts 23 to 25 hours in local time', () => {
    inZone('Europe/Berlin', () => {
      const length = (wallMs: number, days: number) => {
        const { fromMs, toMs } = dayAt(wallMs, 'local', days)
        return (toMs - fromMs) / HOUR
      }
      expect(length(Date.UTC(2026, 2, 29, 12), 0)).toBe(23)
      expect(length(Date.UTC(2026, 9, 26, 12), -1)).toBe(25)
      expect(length(Date.UTC(2026, 10, 20, 12), 0)).toBe(24)
    })
  })
})
