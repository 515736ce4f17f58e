import type { SoakReport } from '#test/soak/judge.ts'

/** What a step came to. Names are for people: "file > describe > test". */
export type Tally = {
  readonly passed: number
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
  /** Passed, but only at the second try. */
  readonly unsteady: readonly string[]
  readonly files: VitestReport['testResults']
}

/** Tests whose names begin so may be skipped, where the reason holds. */
export type AllowedSkip = { readonly test: string; readonly reason: string }

/** What `reporter.ts` writes of a run of vitest. */
export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    /** From its first import to its last hook. */
    readonly ms?: number
    /** How long this process worked meanwhile. */
    readonly workMs?: number
    readonly assertionResults: readonly {
      readonly status: string
      readonly title: string
      readonly fullName: string
      readonly isUnsteady?: boolean
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
      unsteady: named((one) => one.isUnsteady === true),
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

/** The files that took longest, a line each, and how long their own process worked meanwhile. */
export const slowest = (files: VitestReport['testResults'], root: string): readonly string[] =>
  files
    .toSorted((a, b) => (b.ms ?? 0) - (a.ms ?? 0))
    .slice(0, SLOWEST_MAX)
    .map(({ name, ms, workMs }) => `${seconds(ms)}, worked ${seconds(workMs)}: ${within(root, name)}`)

const seconds = (ms = 0): string => `${(ms / 1_000).toFixed(1)} s`

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
