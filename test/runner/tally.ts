/** What a step came to. Names are for people: "file > describe > test". */
export type Tally = {
  readonly passed: number
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
}

export type AllowedSkip = { readonly test: string; readonly reason: string }

/** The part of vitest's JSON report that is read here. */
export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

export const NOTHING: Tally = { passed: 0, failed: [], skipped: [] }

export const add = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: [...a.failed, ...b.failed],
  skipped: [...a.skipped, ...b.skipped],
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
    const file = name.startsWith(root) ? name.slice(root.length + 1).replaceAll('\\', '/') : name
    const named = (wanted: (status: string) => boolean): readonly string[] =>
      assertionResults.filter((one) => wanted(one.status)).map((one) => `${file} > ${one.fullName}`)
    const failed = named((one) => one === 'failed')
    tally = add(tally, {
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

/** Skipped tests that nobody gave a reason for. */
export const unexplainedSkips = (tally: Tally, allowed: readonly AllowedSkip[]): readonly string[] =>
  tally.skipped.filter((test) => !allowed.some((one) => one.test === test && one.reason.trim() !== ''))

/** The last line of every run, which other tools read. */
export const closingLine = (passed: number, failed: number): string => `${passed} passed, ${failed} failed`
