const SECONDS_BELOW_MS = 10 * 60_000
const DATE_ABOVE_MS = 24 * 3_600_000

const LOCALE = 'en-GB'

export function timeFormats(zone: 'utc' | 'local', [fromMs, toMs]: readonly [number, number]) {
  const spanMs = toMs - fromMs
  const base: Intl.DateTimeFormatOptions = { hourCycle: 'h23', ...(zone === 'utc' && { timeZone: 'UTC' }) }
  const make = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(LOCALE, { ...base, ...options })
    return (atMs: number): string => format.format(atMs)
  }
  const clock = { hour: '2-digit', minute: '2-digit' } as const
  const day = { day: 'numeric', month: 'short' } as const
  const offset = (atMs: number): number => new Date(atMs).getTimezoneOffset()
  const isChanged = zone === 'local' && offset(fromMs) !== offset(toMs)
  return {
    /** On the axis: "15:00", or "15:00:30" if ticks are less than a minute apart. */
    tick: make(spanMs < SECONDS_BELOW_MS ? { ...clock, second: '2-digit' } : clock),
    /** On the axis at midnight: "20 Nov". */
    date: make(day),
    /** At the crosshair: "20 Nov, 15:00:30". Includes the zone name if the range contains an hour twice: "02:30:00 CET". */
    exact: make({
      ...(spanMs > DATE_ABOVE_MS && day),
      ...clock,
      second: '2-digit',
      ...(isChanged && { timeZoneName: 'short' }),
    }),
  }
}

export type TimeFormats = ReturnType<typeof timeFormats>
