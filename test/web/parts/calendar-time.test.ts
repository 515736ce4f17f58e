import { describe, expect, it } from 'vitest'
import { dayAt, fromFieldText, toFieldText } from '#parts/calendar-time.ts'
import { inZone } from '#test/support/in-zone.ts'

const HOUR = 3_600_000

describe('a date-and-time field', () => {
  it('shows and reads UTC, whatever the computer’s time zone', () => {
    inZone('America/New_York', () => {
      const at = Date.UTC(2026, 10, 20, 2, 7)
      expect(toFieldText(at, 'utc')).toBe('2026-11-20T02:07')
      expect(fromFieldText('2026-11-20T02:07', 'utc')).toBe(at)
      expect(fromFieldText('2026-11-20T02:07:05', 'utc')).toBe(at + 5_000)
    })
  })

  it('shows and reads local time', () => {
    inZone('Asia/Kolkata', () => {
      const at = Date.UTC(2026, 10, 20, 2, 7)
      expect(toFieldText(at, 'local')).toBe('2026-11-20T07:37')
      expect(fromFieldText('2026-11-20T07:37', 'local')).toBe(at)
      expect(fromFieldText('2026-11-20T07:37:05', 'local')).toBe(at + 5_000)
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
