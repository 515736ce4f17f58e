import { expect, it } from 'vitest'
import { faultProblems, faultResults, rowsIn, rowsNamed } from './fault-results.ts'
import type { VitestReport } from './tally.ts'

const report = (file: string, ...tests: readonly (readonly [string, string])[]): VitestReport => ({
  testResults: [
    {
      name: file,
      status: 'passed',
      assertionResults: tests.map(([title, status]) => ({ title, fullName: `group ${title}`, status })),
    },
  ],
})
const FAULTS = { 1: 'refused', 2: 'reset', 3: 'hang' }
const of = (reports: readonly VitestReport[], notRun: Readonly<Record<number, string>> = {}) =>
  faultResults(FAULTS, notRun, reports).map(({ result }) => result)

it('only the beginning of a test name names faults', () => {
  expect(rowsNamed('F 12: a thousand nodes')).toEqual([12])
  expect(rowsNamed('F 105, 106: damaged files')).toEqual([105, 106])
  expect(rowsNamed('damaged files (F 105)')).toEqual([])
  expect(rowsNamed('F 12 without a colon')).toEqual([])
})

it('a source file names the faults of all its tests', () => {
  const source = `it('F 1: a', run)\nit("F 7, 8: b", run)\nrow(12, {}, run)\n// F 9: said of it`
  expect(rowsIn(source)).toEqual([1, 7, 8, 12])
})

it('a fault passes only if all its tests pass, in every project', () => {
  const passed = report('a', ['F 1: refused', 'passed'], ['F 2, 3: both', 'passed'])
  expect(of([passed])).toEqual(['passed', 'passed', 'passed'])
  expect(of([passed, report('b', ['F 3: again', 'failed'])])).toEqual(['passed', 'passed', 'failed'])
  expect(of([passed, report('b', ['F 3: again', 'skipped'])])).toEqual(['passed', 'passed', 'failed'])
})

it('a fault needs either a test or a reason, and not both', () => {
  const passed = report('a', ['F 1: refused', 'passed'])
  const notRun = { 1: 'no such network on this machine', 2: 'needs root' }
  const results = faultResults(FAULTS, notRun, [passed])
  expect(results.map(({ result }) => result)).toEqual(['passed', 'not run', 'missing'])
  expect(faultProblems(results, notRun)).toEqual([
    expect.stringMatching(/^F 1: refused: has a test, and still a reason/),
    expect.stringMatching(/^F 3: hang: neither a test nor a reason/),
  ])
  expect(faultProblems(faultResults(FAULTS, {}, [report('a', ['F 1, 2, 3: all', 'passed'])]), {})).toEqual([])
})
