/** Runs code in another local time zone. Each Date created afterwards reads the zone from the environment. */
export function inZone<T>(zone: string, run: () => T): T {
  const before = process.env['TZ']
  process.env['TZ'] = zone
  try {
    return run()
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
}
