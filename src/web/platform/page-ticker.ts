import type { Store } from '#base/store.ts'

/** Renews `seconds` once a second while the page is seen, and at once when it is seen again. Returns the undo. */
export function tickEverySecond(seconds: Store<number>, nowMs: () => number): () => void {
  const tick = (): void => {
    if (document.visibilityState === 'visible') seconds.publish(nowMs())
  }
  const timer = setInterval(tick, 1_000)
  document.addEventListener('visibilitychange', tick)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', tick)
  }
}
