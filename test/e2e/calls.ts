import type { BrowserContext, Page } from 'playwright-core'

/** How a page called people so far: sounds, each of several tones, and titles of notifications. */
type Calls = { readonly sounds: number; readonly notifications: readonly string[] }

/** Tones that are nearer to each other are one sound: it lasts two seconds at most, and there is none for ten after it. */
const SOUND_MS = 5_000

/** Has pages of a context note how they call people, as they do it by the browser's own means. */
export async function tapCalls(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const tones: number[] = []
    const notifications: string[] = []
    Object.assign(globalThis, { __calls: { tones, notifications } })
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
      }
    }
  })
}

/** Since the page was loaded. */
export async function callsOf(page: Page): Promise<Calls> {
  const { tones, notifications } = await page.evaluate(
    () => Reflect.get(globalThis, '__calls') as { tones: number[]; notifications: string[] },
  )
  const sounds = tones.filter((atMs, place) => atMs - (tones[place - 1] ?? -SOUND_MS) >= SOUND_MS)
  return { sounds: sounds.length, notifications }
}
