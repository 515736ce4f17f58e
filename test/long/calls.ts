import type { BrowserContext, Page } from 'playwright-core'

/** A page's notifications so far: sounds, browser notifications by title, and the alarm group of each. */
type Calls = {
  readonly sounds: number
  readonly notifications: readonly string[]
  readonly groups: readonly string[]
}

/** Tones within this time are one sound: a sound lasts at most two seconds, and the next follows after ten or more. */
const SOUND_MS = 5_000
/** A sound repeats after 30 s, or sooner if the one before was late on a busy page. Repetitions do not count. */
const REPEATED_FROM_MS = 25_000

/** Makes all pages of a context record their sounds and notifications, at the browser's API. */
export async function tapCalls(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const tones: number[] = []
    const notifications: string[] = []
    const groups: string[] = []
    Object.assign(globalThis, { __calls: { tones, notifications, groups } })
    globalThis.OscillatorNode = class extends OscillatorNode {
      override start(when?: number): void {
        tones.push(performance.now())
        super.start(when)
      }
    }
    globalThis.Notification = class extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options)
        notifications.push(title)
        groups.push(options?.tag ?? '')
      }
    }
  })
}

/** Counts from the last load of the page. */
export async function callsOf(page: Page): Promise<Calls> {
  const { tones, notifications, groups } = await page.evaluate(
    () =>
      Reflect.get(globalThis, '__calls') as { tones: number[]; notifications: string[]; groups: string[] },
  )
  const begins = tones.filter((atMs, place) => atMs - (tones[place - 1] ?? -SOUND_MS) >= SOUND_MS)
  const repeated = begins.filter((atMs, place) => atMs - (begins[place - 1] ?? atMs) >= REPEATED_FROM_MS)
  return { sounds: begins.length - repeated.length, notifications, groups }
}
