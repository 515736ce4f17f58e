import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeEach } from 'vitest'
import { activeChange, isNoticed, kept, type Kept } from './mutation-runner.ts'
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

/** A test's fake clock must not stop it. */
const nowMs = performance.now.bind(performance)
let sinceMs = nowMs()

beforeEach(({ task, skip, onTestFailed }) => {
  sinceMs = nowMs()
  // One failure is enough. To end the whole run at it, as vitest can, would now and then end the next one in its thread instead.
  skip(slow.has(task.id) || isNoticed())
  onTestFailed(() => {
    const change = activeChange()
    if (change !== undefined) kept().failedWith = change
  })
})

/** A loop that a change made endless is left as soon as it hangs: no timer gets to run, and a new process costs minutes. */
function endLoops(counted: Kept): void {
  let hits: number | undefined
  Object.defineProperty(kept, 'hitCount', {
    configurable: true,
    get: () => hits,
    set: (count: number | undefined) => {
      hits = count
      // 0 is not a hit: with it a file's count begins, which may be long after the last test.
      if (!count || count % HITS_BETWEEN_LOOKS !== 0 || nowMs() - sinceMs < HANGS_MS) return
      counted.hitLimit = 0
      throw new Error('The change made a loop endless')
    },
  })
}

if (activeChange() !== undefined) endLoops(kept())
