import { join } from 'node:path'
import process from 'node:process'

/** Ids of the tests that the first run of the mutation check found slow, in the copy of the tree that it works in. */
export const SLOW_TESTS = join(process.cwd(), 'slow-tests.json')

/** Far longer than any test that is not left out as slow: one that takes longer hangs. */
export const HANGS_MS = 2_500
