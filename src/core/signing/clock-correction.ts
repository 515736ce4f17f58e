import { offsetMs, offsetUncertaintyMs, type ClockOffset } from '#record/clock-offset.ts'

/** Clocks that are closer together than this are no reason to sign with another time. */
export const CORRECTION_FROM_MS = 2_000
/** Up to this far from this computer's time a request is signed without asking anybody, */
export const CORRECTION_ALONE_MAX_MS = 600_000
/** and up to this far when the operator says so. Never further: nobody collects signatures dated far ahead. */
export const CORRECTION_ASKED_MAX_MS = 86_400_000
/** How far from what the operator agreed to a correction may be: clocks drift, measurements vary. */
export const CORRECTION_SLACK_MS = 60_000

/**
 * By how much the time in a request has to be moved for this service, in whole ms; undefined
 * where the clocks agree, or where it is not certain that they do not.
 */
export function correctionOf(offset: ClockOffset, usedMs = 0): number | undefined {
  const furtherMs = Math.abs(offsetMs(offset) - usedMs)
  const isNeeded = furtherMs > CORRECTION_FROM_MS && furtherMs > offsetUncertaintyMs(offset)
  return isNeeded ? Math.round(offsetMs(offset)) : undefined
}

/** Whether a signer may sign with its own time moved by so much. `agreedMs`: what the operator agreed to. */
export function mayCorrect(correctionMs: number, agreedMs: number | undefined): boolean {
  const sizeMs = Math.abs(correctionMs)
  if (!Number.isInteger(correctionMs) || sizeMs > CORRECTION_ASKED_MAX_MS) return false
  if (sizeMs <= CORRECTION_ALONE_MAX_MS) return true
  return agreedMs !== undefined && Math.abs(correctionMs - agreedMs) <= CORRECTION_SLACK_MS
}
