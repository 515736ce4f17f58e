import type { VitestReport } from './tally.ts'

/** The result of one fault of the matrix. */
export type FaultResult = {
  readonly row: number
  readonly name: string
  readonly result: 'passed' | 'failed' | 'not run' | 'missing'
  /** Why it did not run, or which tests failed. */
  readonly reason?: string
}

/** `F 12: …` and `F 105, 106: …`. */
const NAMES_ROWS = /^F (\d+(?:, \d+)*): /

/** The faults that the tests of a source file name, in their title or by `row(12, …)`. */
export const rowsIn = (source: string): readonly number[] =>
  Array.from(source.matchAll(/['"`](F \d+(?:, \d+)*: )|\brow\((\d+), /g), ([, title = '', row]) =>
    row === undefined ? rowsNamed(title) : [Number(row)],
  ).flat()

export const rowsNamed = (title: string): readonly number[] =>
  NAMES_ROWS.exec(title)?.[1]?.split(', ').map(Number) ?? []

/**
 * One result per fault, from the tests that name it. A fault passes only if all its tests pass; a fault without a test
 * needs a reason. If a file ran twice, the later report counts.
 */
export function faultResults(
  faults: Readonly<Record<number, string>>,
  notRun: Readonly<Record<number, string>>,
  reports: readonly VitestReport[],
): readonly FaultResult[] {
  const files = new Map(reports.flatMap(({ testResults }) => testResults.map((one) => [one.name, one])))
  const tests = Array.from(files.values()).flatMap(({ assertionResults }) => assertionResults)
  return Object.entries(faults).map(([key, name]) => {
    const row = Number(key)
    const own = tests.filter(({ title }) => rowsNamed(title).includes(row))
    const failed = own.filter(({ status }) => status !== 'passed')
    const reason = notRun[row]
    if (failed.length > 0)
      return {
        row,
        name,
        result: 'failed',
        reason: failed.map(({ title, status }) => `${title} (${status})`).join('; '),
      }
    if (own.length > 0) return { row, name, result: 'passed' }
    if (reason !== undefined) return { row, name, result: 'not run', reason }
    return { row, name, result: 'missing', reason: 'neither a test nor a reason' }
  })
}

/** Problems with the results, one line each. Failed tests are already counted in their own step. */
export const faultProblems = (
  results: readonly FaultResult[],
  notRun: Readonly<Record<number, string>>,
): readonly string[] =>
  results.flatMap(({ row, name, result }) => {
    if (result === 'missing')
      return [`F ${row}: ${name}: neither a test nor a reason in test/faults/not-run.ts`]
    return result !== 'not run' && notRun[row] !== undefined
      ? [`F ${row}: ${name}: has a test, and still a reason in test/faults/not-run.ts`]
      : []
  })

/** The results as a Markdown table. */
export function faultTable(results: readonly FaultResult[]): string {
  const count = (wanted: FaultResult['result']) => results.filter(({ result }) => result === wanted).length
  const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')
  return [
    '# Faults',
    '',
    'Written by `npm run test:faults`. `matrix.ts` describes each fault, and `shared-assertions.ts` has the assertions that all tests share.',
    '',
    `${results.length} faults: ${count('passed')} passed, ${count('failed')} failed, ${count('not run')} not run, ${count('missing')} missing.`,
    '',
    '| row | fault | result | reason |',
    '| --- | --- | --- | --- |',
    ...results.map(
      ({ row, name, result, reason = '' }) => `| ${row} | ${cell(name)} | ${result} | ${cell(reason)} |`,
    ),
    '',
  ].join('\n')
}
