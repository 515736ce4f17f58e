import { TAB_LIMITS, type BeatLimits } from './limits.ts'

/** Counts the beats that a leader leaves out. */
export type Silence = {
  readonly heard: () => void
  /** One beat's time has passed. `ask`: it is time to ask who leads; `say`: and to say so; `take`: nobody answered. */
  readonly pulse: (lateMs: number) => 'wait' | 'ask' | 'say' | 'take'
  /** From now on twice as many beats may stay out, up to a bound: on this computer tabs are held up and go on. */
  readonly bePatient: () => void
}

/**
 * Counted in beats of this tab's own timer, not in time: while the whole computer sleeps nobody
 * misses anything. `hesitates`: as patient as can be from the start.
 */
export function createSilence(limits: BeatLimits, random: () => number, hesitates = false): Silence {
  let patience = hesitates ? TAB_LIMITS.patienceMax : 1
  let missed = 0
  let takeAt = 0
  const heard = (): void => {
    missed = 0
    takeAt = patience * limits.beatsBeforeTaking + Math.round(random() * limits.staggerBeats)
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
      if (missed >= limits.beatsBeforeSaying) return 'say'
      return missed >= limits.beatsBeforeAsking ? 'ask' : 'wait'
    },
    bePatient: () => {
      patience = Math.min(2 * patience, TAB_LIMITS.patienceMax)
      heard()
    },
  }
}
