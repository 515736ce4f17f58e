import fc from 'fast-check'

/**
 * A property that fails needs no shrinking here, and the same values each time make a survivor
 * of one run a survivor of the next.
 */
fc.configureGlobal({ numRuns: 30, seed: 1, endOnFailure: true })
