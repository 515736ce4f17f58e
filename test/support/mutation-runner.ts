import { inject, TestRunner } from 'vitest'

const given = inject as (name: string) => string

/** What the mutation check keeps of itself in a thread; the code that it changed counts there how often it ran. */
export type Kept = { hitCount?: number | undefined; hitLimit?: number; failedWith?: string }

export const kept = (): Kept => {
  const globals = globalThis as unknown as Record<string, Kept>
  return (globals[given('globalNamespace')] ??= {})
}

/** Undefined in the first run, which changes nothing. */
export const activeChange = (): string | undefined =>
  given('mode') === 'mutant' ? given('activeMutant') : undefined

/** Whether a test has noticed the change by now: then all others may be left out. */
export function isNoticed(): boolean {
  const change = activeChange()
  return change !== undefined && kept().failedWith === change
}

/** Loads no test file any more once a test has failed; loading takes longer than most tests do. */
export default class MutationRunner extends TestRunner {
  override importFile(path: string, source: Parameters<TestRunner['importFile']>[1]): unknown {
    return source === 'collect' && isNoticed() ? undefined : super.importFile(path, source)
  }
}
