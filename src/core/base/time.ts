export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const DAY_MINUTES = 1_440

/** Unix ms; the end is exclusive. */
export type TimeRange = { readonly fromMs: number; readonly toMs: number }
