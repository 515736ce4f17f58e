import type { Store } from '#base/store.ts'

const SECOND_MS = 1_000
/** Large fleets update every second. The tick waits this long for the update, so that the page renders once. */
const WAITS_MS = 200
/** A shorter time has nothing new to show. */
const SOON_MS = 400

/**
 * Updates `seconds` once a second while the page is visible, at once when it becomes visible, and together with fleet updates.
 */
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
    /** Call this after every fleet update, visible or not. */
    heard: (): void => {
      const atMs = nowMs()
      const isSteady = atMs - heardMs < SECOND_MS + WAITS_MS
      heardMs = atMs
      const passedMs = atMs - seconds.get()
      const isSoon = passedMs >= 0 && passedMs < SOON_MS
      // Otherwise the tick would come shortly before each update, and the page would render twice a second.
      if (isSoon && !isSteady) return
      if (!isSoon) renew()
      if (timer !== undefined) wait(SECOND_MS + WAITS_MS)
    },
  }
}
