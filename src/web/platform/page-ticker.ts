import type { Store } from '#base/store.ts'

const SECOND_MS = 1_000
/** Of a large fleet an update comes each second: what goes by time waits for it a little, and the page is drawn once. */
const WAITS_MS = 200
/** Less has nothing to show. */
const SOON_MS = 400

/** Renews `seconds` once a second while the page is seen, at once when it is seen again, and together with what is heard. */
export function createTicking(seconds: Store<number>, nowMs: () => number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let heardMs = Number.NEGATIVE_INFINITY
  const renew = (): void => {
    if (document.visibilityState === 'visible') seconds.publish(nowMs())
  }
  const wait = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      renew()
      wait(SECOND_MS)
    }, ms)
  }
  return {
    start: (): void => {
      wait(SECOND_MS)
      document.addEventListener('visibilitychange', renew)
    },
    /** An update has just been published, seen or not. */
    heard: (): void => {
      const atMs = nowMs()
      const isSteady = atMs - heardMs < SECOND_MS + WAITS_MS
      heardMs = atMs
      const passedMs = atMs - seconds.get()
      const isSoon = passedMs >= 0 && passedMs < SOON_MS
      // Else time would go on to pass a moment before each update, and the page be drawn twice a second.
      if (isSoon && !isSteady) return
      if (!isSoon) seconds.publish(atMs)
      if (timer !== undefined) wait(SECOND_MS + WAITS_MS)
    },
  }
}
