import { httpDateMs } from './http-date.ts'

/**
 * How far a service's clock is ahead of this computer's, as the interval that every answer
 * so far allows: [lowMs, highMs]. Negative when this computer is ahead.
 */
export type ClockOffset = { readonly lowMs: number; readonly highMs: number }

export const offsetMs = ({ lowMs, highMs }: ClockOffset): number => (lowMs + highMs) / 2
export const offsetUncertaintyMs = ({ lowMs, highMs }: ClockOffset): number => (highMs - lowMs) / 2

/** Clocks further apart than this make a service refuse what is signed now, sooner or later. */
export const OFFSET_WARNING_MS = 30_000

/** Only what is certain counts: the part of the difference that the uncertainty can't explain. */
export const isFarApart = (offset: ClockOffset): boolean =>
  Math.abs(offsetMs(offset)) - offsetUncertaintyMs(offset) > OFFSET_WARNING_MS

/**
 * What one answer says. Its Date header is cut to whole seconds and was written somewhere
 * between sending and receiving, so the true offset lies in this interval.
 * `date` is the header's text, `sentMs` and `receivedMs` are this computer's wall clock.
 */
export function offsetFromDate(
  date: string | undefined,
  sentMs: number,
  receivedMs: number,
): ClockOffset | undefined {
  const dateMs = date === undefined ? Number.NaN : httpDateMs(date)
  if (Number.isNaN(dateMs) || receivedMs < sentMs) return undefined
  return { lowMs: dateMs - receivedMs, highMs: dateMs + 1_000 - sentMs }
}

/**
 * Narrows what is known by one more answer. Where the two exclude each other a clock was
 * set meanwhile, and only the new answer counts. Drift is allowed for by widening the old
 * interval with time: 100 parts per million is a poor crystal.
 */
export function narrowOffset(
  known: ClockOffset | undefined,
  next: ClockOffset,
  elapsedMs: number,
): ClockOffset {
  if (known === undefined) return next
  const driftMs = elapsedMs * 1e-4
  const lowMs = Math.max(known.lowMs - driftMs, next.lowMs)
  const highMs = Math.min(known.highMs + driftMs, next.highMs)
  return lowMs <= highMs ? { lowMs, highMs } : next
}
