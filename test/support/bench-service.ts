import type { ReferenceOptions } from '#reference/options.ts'
import { createReferenceService, type ReferenceService } from '#reference/reference-service.ts'
import { BENCH_FAULTS } from './bench-faults.ts'

/** A reference service that has every fault. */
export const createBenchService = (options: ReferenceOptions = {}): ReferenceService =>
  createReferenceService({ faultTable: BENCH_FAULTS, ...options })
