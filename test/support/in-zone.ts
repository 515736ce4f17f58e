/** Runs with another local time zone: it is read from the environment by every Date that is made later. */
export function inZone(zone: string, run: () => void): void {
  const before = process.env['TZ']
  process.env['TZ'] = zone
  try {
    run()
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
}
