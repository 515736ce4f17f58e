import { describe, expect, it } from 'vitest'
import { filesOf, read } from '#test/support/source-tree.ts'
import { NOTHING, unexplainedSkips, vitestTally, type AllowedSkip, type VitestReport } from './tally.ts'

const report = (status: string, ...tests: readonly (readonly [string, string])[]): VitestReport => ({
  testResults: [
    {
      name: '/project/test/x.test.ts',
      status,
      assertionResults: tests.map(([title, one]) => ({ title, fullName: title, status: one })),
    },
  ],
})
const tally = (of: VitestReport | undefined, exitCode: number) =>
  vitestTally('unit', of, exitCode, '/project')

describe('the tally of a run', () => {
  it('counts passed tests, and names failed and skipped ones', () => {
    const counted = tally(
      report('failed', ['a', 'passed'], ['b', 'failed'], ['c', 'skipped'], ['d', 'pending'], ['e', 'todo']),
      1,
    )
    expect(counted).toMatchObject({
      passed: 1,
      failed: ['test/x.test.ts > b'],
      skipped: ['test/x.test.ts > c', 'test/x.test.ts > d', 'test/x.test.ts > e'],
      unsteady: [],
    })
  })

  it.each<[string, VitestReport | undefined, number, string]>([
    ['no report', undefined, 0, 'unit: gave no report'],
    ['no test', { testResults: [] }, 0, 'unit: ran no test'],
    ['only skipped tests', report('passed', ['a', 'skipped']), 0, 'unit: ran no test'],
    ['a file that does not load', report('failed'), 1, 'test/x.test.ts > could not be run'],
    ['an error outside of any test', report('passed', ['a', 'passed']), 1, 'unit: ended with code 1'],
  ])('counts %s as one failure', (_name, of, exitCode, failure) => {
    expect(tally(of, exitCode).failed).toEqual([failure])
  })
})

it('a test that passed only on retry is named with its error', () => {
  const { testResults } = report('passed', ['a', 'passed'])
  const unsteady = testResults.map((file) => ({
    ...file,
    assertionResults: file.assertionResults.map((one) => ({ ...one, unsteadyBy: 'timeout' })),
  }))
  expect(tally({ testResults: unsteady }, 0)).toMatchObject({
    passed: 1,
    unsteady: ['test/x.test.ts > a: timeout'],
  })
})

it('a skipped test needs a reason', () => {
  const skipped = { ...NOTHING, skipped: ['a', 'b', 'c'] }
  const allowed = [
    { test: 'a', reason: 'only where there is a screen' },
    { test: 'b', reason: ' ' },
  ]
  expect(unexplainedSkips(skipped, allowed)).toEqual(['b', 'c'])
  const ofFile = { ...NOTHING, skipped: ['a real server answers', 'with a real server'] }
  expect(unexplainedSkips(ofFile, [{ test: 'a real server', reason: 'not everywhere' }])).toEqual([
    'with a real server',
  ])
})

it('every skippable test has a reason, and no other test has one', () => {
  const skips = filesOf('test').flatMap((file) =>
    Array.from(
      read(`test/${file}`).matchAll(/\.skipIf\(.+\)\(\s*'([^']+)'/g),
      ([, title = '']) => `test/${file} > ${title}`,
    ),
  )
  const allowed: readonly AllowedSkip[] = JSON.parse(read('test/allowed-skips.json'))
  const parts = ({ test }: AllowedSkip): readonly string[] => test.split(' > ')
  const isOf = (skip: string, [file = '', name = '']: readonly string[]): boolean =>
    skip.startsWith(`${file} > `) && name.endsWith(skip.slice(file.length + 3))
  const names = allowed.map(parts)
  expect(skips.filter((skip) => !names.some((one) => isOf(skip, one)))).toEqual([])
  expect(names.filter((one) => !skips.some((skip) => isOf(skip, one)))).toEqual([])
})
