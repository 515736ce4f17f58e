/** `off`: the page is hidden or no lock was requested. `refused`: for example because the battery is low. */
export type WakeState = 'held' | 'off' | 'refused' | 'unsupported'

/**
 * Keeps the screen on while the page is visible. The browser releases the lock on a hidden page, so it is requested again
 * later. Returns a function that stops it.
 */
export function keepAwake(onState: (state: WakeState) => void): () => void {
  let held: WakeLockSentinel | undefined
  let ended = false
  let isAsking = false
  let changes = 0
  const ask = async (): Promise<void> => {
    // Only one request at a time, because a second lock would never be released.
    if (ended || isAsking || held !== undefined || document.visibilityState !== 'visible') return
    // Missing on plain http, although the type is not optional.
    if (!('wakeLock' in navigator)) return onState('unsupported')
    isAsking = true
    const before = changes
    try {
      const lock = await navigator.wakeLock.request('screen')
      if (ended) return void lock.release()
      held = lock
      onState('held')
      lock.addEventListener('release', () => {
        held = undefined
        if (!ended) onState('off')
        void ask()
      })
    } catch {
      onState(document.visibilityState === 'visible' ? 'refused' : 'off')
    } finally {
      isAsking = false
    }
    // A request refused while the page was hidden may now succeed.
    if (changes !== before) void ask()
  }
  const seen = (): void => {
    changes++
    void ask()
  }
  document.addEventListener('visibilitychange', seen)
  void ask()
  return () => {
    ended = true
    document.removeEventListener('visibilitychange', seen)
    void held?.release()
  }
}
