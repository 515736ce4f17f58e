import type { BrowserContext, Page } from 'playwright-core'

/** How a page called people so far: sounds, each of several tones, and notifications by their titles, each of a group of alarms. */
type Calls = {
  readonly sounds: number
  readonly notifications: readonly string[]
  readonly groups: readonly string[]
}

/** Tones that are nearer to each other are one sound: it lasts two seconds at most, and there is none for ten after it. */
const SOUND_MS = 5_000
/** A sound is repeated after 30 s, and a busy page may have been late with the one before: that is no other sound. */
const REPEATED_FROM_MS = 25_000

/** Has pages of a context note how they call people, as they do it by the browser's own means. */
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

/** Since the page was loaded. */
export async function callsOf(page: Page): Promise<Calls> {
  const { tones, notifications, groups } = await page.evaluate(
    () =>
      Reflect.get(globalThis, '__calls') as { tones: number[]; notifications: string[]; groups: string[] },
  )
  const begins = tones.filter((atMs, place) => atMs - (tones[place - 1] ?? -SOUND_MS) >= SOUND_MS)
  const repeated = begins.filter((atMs, place) => atMs - (begins[place - 1] ?? atMs) >= REPEATED_FROM_MS)
  return { sounds: begins.length - repeated.length, notifications, groups }
}
