import { TAB_LIMITS } from './limits.ts'

/** Counts the beats that a leader leaves out. */
export type Silence = {
  readonly heard: () => void
  /** One beat's time has passed. `ask`: it is time to ask who leads; `take`: nobody answered. */
  readonly pulse: (lateMs: number) => 'wait' | 'ask' | 'take'
}

/** Counted in beats of this tab's own timer, not in time: while the whole computer sleeps nobody misses anything. */
export function createSilence(random: () => number): Silence {
  let missed = 0
  let takeAt = 0
  const heard = (): void => {
    missed = 0
    takeAt = TAB_LIMITS.beatsBeforeTaking + Math.round(random() * TAB_LIMITS.staggerBeats)
  }
  heard()
  return {
    heard,
    pulse: (lateMs) => {
      if (lateMs > TAB_LIMITS.lateMs) heard()
      else missed++
      if (missed >= takeAt) {
        heard()
        return 'take'
      }
      return missed >= TAB_LIMITS.beatsBeforeAsking ? 'ask' : 'wait'
    },
  }
}
