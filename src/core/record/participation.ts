import type { ExactNumber } from './exact-number.ts'

/** `auto`: detected from the value. */
export type ParticipationUnit = 'auto' | 'ratio' | 'percent'

export type Participation = {
  /** 0 to 1. */
  readonly ratio: number
  /** The unit used, and whether it was guessed. */
  readonly unit: 'ratio' | 'percent'
  readonly guessed: boolean
}

/**
 * With `auto`, a number up to 1 is a ratio and a larger one a percentage. Undefined if the value exceeds the unit's range: it
 * is shown as written and not charted.
 */
export function readParticipation(number: ExactNumber, unit: ParticipationUnit): Participation | undefined {
  const taken = unit === 'auto' ? (number.value <= 1 ? 'ratio' : 'percent') : unit
  const ratio = taken === 'ratio' ? number.value : number.value / 100
  return ratio > 1 ? undefined : { ratio, unit: taken, guessed: unit === 'auto' }
}
