/** Time as a dependency: tests advance it by hand, the engine never reads a global. */
export type Clock = {
  /** Unix time in ms. May jump either way when the computer's clock is corrected. */
  readonly wallMs: () => number
  /** Never goes backwards; for durations only. Stops while some computers sleep. */
  readonly monotonicMs: () => number
  /** Calls `run` once, `delayMs` from now; the returned function cancels it. Delays over 2^31-1 ms are the adapter's problem. */
  readonly after: (delayMs: number, run: () => void) => () => void
}
