import type { FaultNumber } from './matrix.ts'

/** Faults that no test can cause here, each with what was tried and why it failed. */
export const NOT_RUN: Partial<Readonly<Record<FaultNumber, string>>> = {}
