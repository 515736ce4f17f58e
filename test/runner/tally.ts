import type { SoakReport } from '#test/soak/judge.ts'

/** What a step came to. Names are for people: "file > describe > test". */
export type Tally = {
  readonly passed: number
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
  /** Passed, but only at the second try. */
  readonly unsteady: readonly string[]
}

/** Tests whose names begin so may be skipped, where the reason holds. */
export type AllowedSkip = { readonly test: string; readonly reason: string }

/** The part of vitest's JSON report that is read here. */
export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly title: string
      readonly fullName: string
    }[]
  }[]
}

export const NOTHING: Tally = { passed: 0, failed: [], skipped: [], unsteady: [] }

export const add = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: [...a.failed, ...b.failed],
  skipped: [...a.skipped, ...b.skipped],
  unsteady: [...a.unsteady, ...b.unsteady],
})

/** A check without tests of its own, such as the type check, counts as one. */
export const checkTally = (name: string, exitCode: number): Tally =>
  exitCode === 0 ? { ...NOTHING, passed: 1 } : { ...NOTHING, failed: [name] }

/**
 * Counts a run of vitest. A file that does not load has no tests to count and is one failure;
 * so is a run that ends badly without a failing test (an unhandled error) or that ran nothing.
 * `root` is cut off the files' paths.
 */
export function vitestTally(
  step: string,
  report: VitestReport | undefined,
  exitCode: number,
  root: string,
): Tally {
  if (report === undefined) return { ...NOTHING, failed: [`${step}: gave no report`] }
  let tally = NOTHING
  for (const { name, status, assertionResults } of report.testResults) {
    const file = within(root, name)
    const named = (wanted: (status: string) => boolean): readonly string[] =>
      assertionResults.filter((one) => wanted(one.status)).map((one) => `${file} > ${one.fullName}`)
    const failed = named((one) => one === 'failed')
    tally = add(tally, {
      ...NOTHING,
      passed: named((one) => one === 'passed').length,
      failed: status === 'failed' && failed.length === 0 ? [`${file} > could not be run`] : failed,
      skipped: named((one) => one !== 'passed' && one !== 'failed'),
    })
  }
  if (tally.passed + tally.failed.length === 0) return { ...tally, failed: [`${step}: ran no test`] }
  if (exitCode !== 0 && tally.failed.length === 0)
    return { ...tally, failed: [`${step}: ended with code ${exitCode}`] }
  return tally
}

const within = (root: string, name: string): string =>
  name.startsWith(root) ? name.slice(root.length + 1).replaceAll('\\', '/') : name

/** More files than these that fail together are no accident, and are not tried again. */
const SECOND_TRY_FILES_MAX = 2

/** The files, from `root` on, whose tests may be run once more, alone: few, and only where tests failed. */
export function filesToTryAgain(report: VitestReport | undefined, root: string): readonly string[] {
  const failed = report?.testResults.filter(({ status }) => status === 'failed') ?? []
  const files = failed.map(({ name }) => within(root, name))
  return failed.length <= SECOND_TRY_FILES_MAX ? files : []
}

/** The first run's count with the second's of the files that were run again in the place of theirs. */
export function withSecondTry(first: VitestReport, second: Tally, root: string): Tally {
  const again = filesToTryAgain(first, root)
  const of = (isAgain: boolean): Tally => {
    const testResults = first.testResults.filter(({ name }) => again.includes(within(root, name)) === isAgain)
    return testResults.length === 0 ? NOTHING : vitestTally('', { testResults }, 0, root)
  }
  const unsteady = of(true).failed.filter((test) => !second.failed.includes(test))
  return add(of(false), { ...second, unsteady })
}

/** Each gate of a soak counts as a test; one that a soak was too short for counts as failed. */
export function soakTally(report: SoakReport | undefined): Tally {
  if (report === undefined) return { ...NOTHING, failed: ['soak: gave no report'] }
  const gates = report.flatMap(({ name, gates: all }) => all.map((gate) => ({ ...gate, soak: name })))
  return {
    ...NOTHING,
    passed: gates.filter(({ result }) => result === 'passed').length,
    failed: gates.flatMap(({ soak, name, result, measured, limit }) =>
      result === 'passed' ? [] : [`soak > ${soak} > ${name}: ${result}, ${measured} (${limit})`],
    ),
  }
}

/** Skipped tests that nobody gave a reason for. */
export const unexplainedSkips = (tally: Tally, allowed: readonly AllowedSkip[]): readonly string[] =>
  tally.skipped.filter((test) => reasonOf(test, allowed) === undefined)

/** Why this test may be skipped. */
export const reasonOf = (test: string, allowed: readonly AllowedSkip[]): string | undefined =>
  allowed.find((one) => test.startsWith(one.test) && one.reason.trim() !== '')?.reason

/** The last line of every run, which other tools read. */
export const closingLine = (passed: number, failed: number): string => `${passed} passed, ${failed} failed`
