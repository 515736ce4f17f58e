import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeEach, inject } from 'vitest'
import { HANGS_MS, SLOW_TESTS } from './slow-tests.ts'

/**
 * A property that fails needs no shrinking here, and the same values each time make a survivor
 * of one run a survivor of the next.
 */
fc.configureGlobal({ numRuns: 30, seed: 1, endOnFailure: true })

/** Left out for each of thousands of changes; those beside them find nearly all of the same. */
const slow = new Set<string>(existsSync(SLOW_TESTS) ? JSON.parse(readFileSync(SLOW_TESTS, 'utf8')) : [])

/** Of a loop; reading the time at each would take longer than most loops. */
const HITS_BETWEEN_LOOKS = 256

/** What the check keeps of itself in a thread; the code that it changed counts there how often it ran. */
type Kept = { hitCount?: number | undefined; hitLimit?: number; failedWith?: string }

const given = inject as (name: string) => string
const isChanged = given('mode') === 'mutant'

/** A test's fake clock must not stop it. */
const nowMs = performance.now.bind(performance)
let sinceMs = nowMs()

const globals = globalThis as unknown as Record<string, Kept>
const own = (globals[given('globalNamespace')] ??= {})

beforeEach(({ task, skip, onTestFailed }) => {
  sinceMs = nowMs()
  const change = isChanged ? given('activeMutant') : undefined
  // One failure is enough. To end the whole run at it, as vitest can, would now and then end the next one in its thread instead.
  skip(slow.has(task.id) || (change !== undefined && own.failedWith === change))
  onTestFailed(() => {
    if (change !== undefined) own.failedWith = change
  })
})

/** A loop that a change made endless is left as soon as it hangs: no timer gets to run, and a new process costs minutes. */
function endLoops(kept: Kept): void {
  let hits: number | undefined
  Object.defineProperty(kept, 'hitCount', {
    configurable: true,
    get: () => hits,
    set: (count: number | undefined) => {
      hits = count
      // 0 is not a hit: with it a file's count begins, which may be long after the last test.
      if (!count || count % HITS_BETWEEN_LOOKS !== 0 || nowMs() - sinceMs < HANGS_MS) return
      kept.hitLimit = 0
      throw new Error('The change made a loop endless')
    },
  })
}

if (isChanged) endLoops(own)
