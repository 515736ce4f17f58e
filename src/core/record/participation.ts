import type { ExactNumber } from './exact-number.ts'

/** How a service states participation; `auto` tells by the values seen. */
export type ParticipationUnit = 'auto' | 'ratio' | 'percent'

export type Participation = {
  /** 0 to 1. */
  readonly ratio: number
  /** What the number was taken as, and whether that was a guess. */
  readonly unit: 'ratio' | 'percent'
  readonly guessed: boolean
}

/**
 * A number up to 1 is read as a ratio, one up to 100 as a percentage, unless the setting
 * says which. Undefined beyond the unit's range: the value is shown as written, not charted.
 */
export function readParticipation(number: ExactNumber, unit: ParticipationUnit): Participation | undefined {
  const taken = unit === 'auto' ? (number.value <= 1 ? 'ratio' : 'percent') : unit
  const ratio = taken === 'ratio' ? number.value : number.value / 100
  return ratio > 1 ? undefined : { ratio, unit: taken, guessed: unit === 'auto' }
}
