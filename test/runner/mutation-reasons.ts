import type { Reason } from './mutation-score.ts'

/** Why changes survive; texts with each run of spaces and line ends as one space. A run names those it no longer needs. */
export const REASONS: readonly Reason[] = []
