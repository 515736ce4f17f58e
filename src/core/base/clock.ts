/** Time as a dependency, so that tests can advance it. */
export type Clock = {
  /** Unix time in ms. May jump in either direction when the computer's clock is corrected. */
  readonly wallMs: () => number
  /** Never goes backwards; for durations only. Stops while some computers sleep. */
  readonly monotonicMs: () => number
  /** Calls `run` once after `delayMs`; the returned function cancels it. The adapter must handle delays over 2^31-1 ms. */
  readonly after: (delayMs: number, run: () => void) => () => void
}
