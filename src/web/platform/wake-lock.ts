/** `off`: the page is not seen, or nobody asked. `refused`: for example because the battery is low. */
export type WakeState = 'held' | 'off' | 'refused' | 'unsupported'

/**
 * Keeps the screen on while the page is seen. The browser takes the lock away when the page is
 * hidden; it is asked for again when it is back. Returns what ends it.
 */
export function keepAwake(told: (state: WakeState) => void): () => void {
  let held: WakeLockSentinel | undefined
  let ended = false
  let isAsking = false
  /** How often the page came or went. */
  let changes = 0
  const ask = async (): Promise<void> => {
    // One request at a time: of two locks one would never be given back.
    if (ended || isAsking || held !== undefined || document.visibilityState !== 'visible') return
    // Missing on plain http, whatever the types say.
    if (!('wakeLock' in navigator)) return told('unsupported')
    isAsking = true
    const before = changes
    try {
      const lock = await navigator.wakeLock.request('screen')
      if (ended) return void lock.release()
      held = lock
      told('held')
      lock.addEventListener('release', () => {
        held = undefined
        if (!ended) told('off')
        void ask()
      })
    } catch {
      told(document.visibilityState === 'visible' ? 'refused' : 'off')
    } finally {
      isAsking = false
    }
    // What was refused while the page was away may be granted now.
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
