import type { SoakReport } from '#test/soak/judge.ts'

/** The result of a step. Names are for people: "file > describe > test". */
export type Tally = {
  readonly passed: number
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
  /** Tests that failed and then passed on retry. */
  readonly unsteady: readonly string[]
  readonly files: VitestReport['testResults']
}

/** Tests whose names begin with `test` may be skipped, for this reason. */
export type AllowedSkip = { readonly test: string; readonly reason: string }

/** The report that `reporter.ts` writes about a run of vitest. */
export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    /** From the first import to the last hook. */
    readonly ms?: number
    /** CPU time of the test process in that time. */
    readonly workMs?: number
    readonly assertionResults: readonly {
      readonly status: string
      readonly title: string
      readonly fullName: string
      /** The error of a try that failed before the test passed. */
      readonly unsteadyBy?: string
    }[]
  }[]
}

export const NOTHING: Tally = { passed: 0, failed: [], skipped: [], unsteady: [], files: [] }

export const add = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: [...a.failed, ...b.failed],
  skipped: [...a.skipped, ...b.skipped],
  unsteady: [...a.unsteady, ...b.unsteady],
  files: [...a.files, ...b.files],
})

/** A check without tests of its own, such as the type check, counts as one test. */
export const checkTally = (name: string, exitCode: number): Tally =>
  exitCode === 0 ? { ...NOTHING, passed: 1 } : { ...NOTHING, failed: [name] }

/**
 * Counts a run of vitest. A file that fails to load has no tests and counts as one failure, and so does a run that ran
 * nothing or that ended with an error outside any test. `root` is cut off the files' paths.
 */
export function vitestTally(
  step: string,
  report: VitestReport | undefined,
  exitCode: number,
  root: string,
): Tally {
  if (report === undefined) return { ...NOTHING, failed: [`${step}: gave no report`] }
  let tally: Tally = { ...NOTHING, files: report.testResults }
  for (const { name, status, assertionResults } of report.testResults) {
    const file = within(root, name)
    const named = (wanted: (one: (typeof assertionResults)[number]) => boolean): readonly string[] =>
      assertionResults.filter(wanted).map((one) => `${file} > ${one.fullName}`)
    const failed = named((one) => one.status === 'failed')
    tally = add(tally, {
      ...NOTHING,
      passed: named((one) => one.status === 'passed').length,
      failed: status === 'failed' && failed.length === 0 ? [`${file} > could not be run`] : failed,
      skipped: named((one) => one.status !== 'passed' && one.status !== 'failed'),
      unsteady: assertionResults.flatMap(({ fullName, unsteadyBy }) =>
        unsteadyBy === undefined ? [] : [`${file} > ${fullName}: ${unsteadyBy}`],
      ),
    })
  }
  if (tally.passed + tally.failed.length === 0) return { ...tally, failed: [`${step}: ran no test`] }
  if (exitCode !== 0 && tally.failed.length === 0)
    return { ...tally, failed: [`${step}: ended with code ${exitCode}`] }
  return tally
}

const within = (root: string, name: string): string =>
  name.startsWith(root) ? name.slice(root.length + 1).replaceAll('\\', '/') : name

const SLOWEST_MAX = 40

/** The files that took longest, one line each, with the CPU time of their own process. */
export const slowest = (files: VitestReport['testResults'], root: string): readonly string[] =>
  files
    .toSorted((a, b) => (b.ms ?? 0) - (a.ms ?? 0))
    .slice(0, SLOWEST_MAX)
    .map(({ name, ms, workMs }) => `${seconds(ms)}, worked ${seconds(workMs)}: ${within(root, name)}`)

const seconds = (ms = 0): string => `${(ms / 1_000).toFixed(1)} s`

/** Each gate of a soak counts as a test. A gate fails if the soak was too short for it. */
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

/** Skipped tests without a reason. */
export const unexplainedSkips = (tally: Tally, allowed: readonly AllowedSkip[]): readonly string[] =>
  tally.skipped.filter((test) => reasonOf(test, allowed) === undefined)

/** The reason why this test may be skipped. */
export const reasonOf = (test: string, allowed: readonly AllowedSkip[]): string | undefined =>
  allowed.find((one) => test.startsWith(one.test) && one.reason.trim() !== '')?.reason

/** The last line of every run. Other tools read it. */
export const closingLine = (passed: number, failed: number): string => `${passed} passed, ${failed} failed`
