import { describe, expect, it } from 'vitest'
import { againOf, commitOf, withAgain } from './mutation-again.ts'
import { atMostLines, changedLines, linesOf, mutatePattern } from './mutation-changed.ts'
import {
  changedProblem,
  folderResult,
  needlessReasons,
  problemsOf,
  survivorsDocument,
  withOthers,
  type FolderResult,
  type Reason,
} from './mutation-score.ts'
import { wantedOf } from './wanted.ts'

const at = (line: number, from: number, to: number, endLine = line) => ({
  start: { line, column: from },
  end: { line: endLine, column: to },
})

const report = {
  files: {
    'src/core/base/b.ts': {
      source: 'one\nlet a = b < c\n',
      mutants: [
        { status: 'Survived', replacement: 'b <= c', location: at(2, 9, 14) },
        { status: 'Killed', replacement: 'true', location: at(2, 9, 14) },
        { status: 'Ignored', location: at(1, 1, 4) },
      ],
    },
    'src/core/base/a.ts': {
      source: 'x\n  if (y) {\n    z()\n  }\n',
      mutants: [
        { status: 'NoCoverage', replacement: '{}', location: at(2, 10, 4, 4) },
        { status: 'Timeout', replacement: 'true', location: at(2, 7, 8) },
        { status: 'CompileError', location: at(1, 1, 2) },
      ],
    },
  },
}

const filesOf = (folder: string) =>
  (folder === 'core/base' ? ['a', 'b'] : ['c', 'd']).map((name) => `${folder}/${name}.ts`)

const result = folderResult(report, '2026-01-02', 'abc1234')
const reason: Reason = {
  file: 'src/core/base/b.ts',
  original: 'b < c',
  replacement: 'b <= c',
  kind: 'equal',
  reason: 'they never meet',
}

/** A folder whose files have so many noticed of so many changes. */
const measured = (scores: Readonly<Record<string, readonly [number, number]>>): FolderResult => ({
  date: '2026-01-02',
  commit: 'abc1234',
  files: Object.fromEntries(
    Object.entries(scores).map(([file, [killed, changes]]) => [file, { killed, changes }]),
  ),
  survivors: [],
})

describe('what a run of one folder found out', () => {
  it('counts what was noticed in each file, and leaves out what no test could notice', () =>
    expect(result.files).toEqual({
      'src/core/base/a.ts': { killed: 1, changes: 2 },
      'src/core/base/b.ts': { killed: 1, changes: 2 },
    }))

  it('names each survivor by its place, its own text on one line and what replaced it', () =>
    expect(result.survivors).toEqual([
      { file: 'src/core/base/a.ts', line: 2, original: '{ z() }', replacement: '{}' },
      { file: 'src/core/base/b.ts', line: 2, original: 'b < c', replacement: 'b <= c' },
    ]))

  it('says when and of which commit it is', () =>
    expect(result).toMatchObject({ date: '2026-01-02', commit: 'abc1234' }))
})

describe('a run of some files of a folder', () => {
  const [survivor] = result.survivors
  const again: FolderResult = {
    date: '2026-02-03',
    commit: 'def5678',
    files: { 'src/core/base/a.ts': { killed: 2, changes: 2 } },
    survivors: [],
  }
  const both = withOthers(again, result, ['src/core/base/a.ts', 'src/core/base/b.ts'])

  it('keeps what is known of the others, each with the commit that it is of', () => {
    expect(both.files).toEqual({
      'src/core/base/a.ts': { killed: 2, changes: 2 },
      'src/core/base/b.ts': { killed: 1, changes: 2, measured: { date: '2026-01-02', commit: 'abc1234' } },
    })
    expect(both.survivors).toEqual(result.survivors.filter((one) => one !== survivor))
    const rows = survivorsDocument({ 'core/base': both }, ['core/base'], [], filesOf).split('\n')
    expect(rows).toContain('| a.ts | 100.0 % | 2 | def5678 |')
    expect(rows).toContain('| b.ts | 50.0 % | 2 | abc1234 |')
    expect(rows).toContain(
      '| core/base | 2 of 2 | 75.0 % (below a gate) | 4 | 0 | 0 | 1 | 2026-02-03 | def5678; abc1234 |',
    )
  })

  it('keeps the commit of a file through any number of such runs', () => {
    const third = withOthers({ ...again, commit: '9999999' }, both, ['src/core/base/b.ts'])
    expect(third.files['src/core/base/b.ts']?.measured?.commit).toBe('abc1234')
  })

  it('forgets files that there are no more', () =>
    expect(withOthers(again, result, ['src/core/base/a.ts'])).toEqual(again))

  it('is all that is known where nothing was', () => expect(withOthers(again, undefined, [])).toEqual(again))
})

describe('the gates', () => {
  it.each([
    ['exactly enough', { a: [85, 100] }, []],
    ['a hair too little in the folder', { a: [8_499, 10_000] }, ['src/core/base: 84.9 %']],
    ['exactly enough in one file', { a: [100, 100], b: [75, 100] }, []],
    ['too little in one file of a good folder', { a: [1_000, 1_000], b: [74, 100] }, ['b: 74.0 %']],
    ['a file of types, where nothing can be changed', { a: [9, 10], b: [0, 0] }, []],
    ['nothing changed at all', { a: [0, 0] }, ['src/core/base could not be measured']],
  ] as const)('%s', (_name, scores, begins) => {
    const problems = problemsOf('core/base', measured(scores))
    expect(problems).toHaveLength(begins.length)
    for (const [place, begin] of begins.entries()) expect(problems[place]).toMatch(begin)
  })
})

describe('the gate of changed lines', () => {
  const other = measured({ 'src/core/keys/k.ts': [15, 15] })
  it.each([
    ['enough of all folders together', [measured({ a: [0, 5] }), other], undefined],
    [
      'too little of all together',
      [measured({ a: [0, 6] }), other],
      'changed lines: 71.4 % noticed, at least 75 % wanted',
    ],
    ['too few to say anything', [measured({ a: [0, 19] })], undefined],
    ['none', [], undefined],
  ] as const)('%s', (_name, results, problem) => expect(changedProblem(results)).toBe(problem))
})

describe('the document of survivors', () => {
  const rows = (results: Readonly<Record<string, FolderResult>>, reasons: readonly Reason[]) =>
    survivorsDocument(results, ['core/base', 'core/tabs'], reasons, filesOf).split('\n')

  it('gives each survivor the reason written down for exactly this change', () =>
    expect(rows({ 'core/base': result }, [{ ...reason, replacement: 'b > c' }, reason])).toContain(
      '| b.ts:2 | `` b < c `` | `` b <= c `` | equal: they never meet |',
    ))

  it('takes a survivor without a reason for a missing test', () => {
    expect(rows({ 'core/base': result }, [])).toContain('| a.ts:2 | `` { z() } `` | `` {} `` | missing |')
    expect(rows({ 'core/base': result }, [reason])).toContain(
      '| core/base | 2 of 2 | 50.0 % (below a gate) | 4 | 1 | 0 | 1 | 2026-01-02 | abc1234 |',
    )
  })

  it('keeps folders as they were measured, and names those that never were', () => {
    const older = { ...measured({ 'src/core/tabs/c.ts': [9, 10] }), date: '2025-12-31' }
    const both = rows({ 'core/base': result, 'core/tabs': older }, [])
    expect(both).toContain('| core/tabs | 1 of 2 | 90.0 % | 10 | 0 | 0 | 0 | 2025-12-31 | abc1234 |')
    expect(both).toContain('| c.ts | 90.0 % | 10 | abc1234 |')
    expect(both).toContain('Not measured, or with nothing to change: d.ts.')
    expect(rows({ 'core/base': result }, [])).toContain('Never measured: core/tabs.')
  })

  it('shows the same change on several lines once', () => {
    const [survivor] = result.survivors
    const twice = { ...result, survivors: survivor ? [survivor, { ...survivor, line: 9 }] : [] }
    expect(rows({ 'core/base': twice }, []).filter((row) => row.startsWith('| a.ts:'))).toEqual([
      '| a.ts:2, 9 | `` { z() } `` | `` {} `` | missing |',
    ])
  })

  it('is a table whatever the code is', () => {
    const [survivor] = result.survivors
    const long = {
      ...result,
      survivors: survivor ? [{ ...survivor, original: `a || ${'b'.repeat(200)}` }] : [],
    }
    expect(rows({ 'core/base': long }, []).find((row) => row.startsWith('| a.ts:'))).toBe(
      `| a.ts:2 | \`\` a \\|\\| ${'b'.repeat(95)}… \`\` | \`\` {} \`\` | missing |`,
    )
  })
})

it('names the reasons that are no longer needed, only of files that were measured', () => {
  const gone = { ...reason, original: 'b > c' }
  expect(needlessReasons(result, [reason, gone, { ...gone, file: 'src/core/keys/k.ts' }])).toEqual([gone])
})

describe('the lines that the last commits touched', () => {
  const diff = [
    'diff --git a/src/core/base/a.ts b/src/core/base/a.ts',
    '--- a/src/core/base/a.ts',
    '+++ b/src/core/base/a.ts',
    '@@ -3 +3,2 @@ export function one() {',
    '-was',
    '+++ b/src/core/base/no-header.ts',
    '+is',
    '@@ -10,2 +11,0 @@',
    '-gone',
    '-gone',
    '@@ -20,0 +20 @@',
    '+new',
    '+++ b/src/web/app/page.ts',
    '@@ -1 +1 @@',
    '-a',
    '+b',
    '+++ b/src/core/base/README.md',
    '@@ -1 +1 @@',
    '-a',
    '+b',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-a',
    '',
  ].join('\n')
  const file = 'src/core/base/a.ts'

  it('are those added or changed in programs that are measured', () =>
    expect(changedLines(diff, ['core/base'])).toEqual([
      { file, from: 3, to: 4 },
      { file, from: 20, to: 20 },
    ]))

  it('are none where nothing of it was touched', () => {
    expect(changedLines('', ['core/base'])).toEqual([])
    expect(changedLines(diff, ['core/bas', 'core/keys'])).toEqual([])
  })

  it('are taken up to a bound, which may cut one range', () => {
    const ranges = [
      { file, from: 3, to: 4 },
      { file, from: 20, to: 29 },
      { file, from: 40, to: 40 },
    ]
    expect(atMostLines(ranges, 5)).toEqual([
      { file, from: 3, to: 4 },
      { file, from: 20, to: 22 },
    ])
    expect(atMostLines(ranges, 12)).toEqual(ranges.slice(0, 2))
    expect(atMostLines(ranges, 13)).toEqual(ranges)
    expect(linesOf(ranges)).toBe(13)
  })

  it('are named as the tool wants them', () =>
    expect(
      mutatePattern([
        { file, from: 3, to: 4 },
        { file, from: 20, to: 20 },
      ]),
    ).toBe(`${file}:3-4,${file}:20-20`))
})

describe('the arguments of a command', () => {
  it('are what it knows', () => {
    expect(wantedOf(['--static'], ['--static'], 'usage')).toEqual({ kind: 'run', given: ['--static'] })
    expect(wantedOf([], ['--static'], 'usage')).toEqual({ kind: 'run', given: [] })
  })

  it('ask for help before anything else', () => {
    for (const help of ['--help', '-h'])
      expect(wantedOf([help, 'x'], [], 'usage')).toEqual({ kind: 'help', words: 'usage' })
  })

  it('that it does not know are named, with all that it knows', () => {
    expect(wantedOf(['--statc', '--static', 'x'], ['--static'], 'usage')).toEqual({
      kind: 'wrong',
      words: 'There is no argument --statc, x.\n\nusage',
    })
  })
})

describe('what survived, tried again', () => {
  const A = 'src/core/base/a.ts'
  const B = 'src/core/base/b.ts'
  const source: Readonly<Record<string, string>> = {
    [A]: 'x\n  if (y) {\n    z()\n  }\n',
    [B]: 'one\nlet a = b < c\n',
  }
  const sourceOf = (file: string) => source[file]
  const again = (lines: readonly string[]) => ({
    lines: lines.map((file) => ({ file, from: 2, to: 2 })),
    whole: [],
  })

  it('is looked for in the lines where it stands, to the end of its text', () => {
    expect(againOf(result, [A, B], sourceOf)).toEqual({
      lines: [
        { file: A, from: 2, to: 4 },
        { file: B, from: 2, to: 2 },
      ],
      whole: [],
    })
    expect(againOf(result, [A], sourceOf).lines.map(({ file }) => file)).toEqual([A])
  })

  it('has lines that meet only once', () => {
    const [first, second] = result.survivors
    const both = { ...result, survivors: [first, { ...first, line: 3, original: 'z()' }, second] }
    expect(againOf(both as FolderResult, [A], sourceOf).lines).toEqual([{ file: A, from: 2, to: 4 }])
  })

  it('is the whole file where the text is another', () => {
    expect(againOf(result, [A, B], (file) => (file === A ? undefined : 'one\ntwo\n'))).toEqual({
      lines: [],
      whole: [A, B],
    })
  })

  it('leaves out what had no survivor, or no figure', () => {
    const clean = measured({ [A]: [5, 5] })
    expect(againOf(clean, [A, B], sourceOf)).toEqual({ lines: [], whole: [] })
  })

  it('counts what was noticed before as noticed', () => {
    const before: FolderResult = { ...result, files: { ...result.files, [B]: { killed: 7, changes: 8 } } }
    const found = { ...result, date: '2026-01-03', commit: 'def5678' }
    const seen = withAgain({ ...found, survivors: [] }, before, again([B]))
    const row = { killed: 8, changes: 8 }
    expect(seen.files[B]).toEqual({
      ...row,
      measured: { date: '2026-01-02', commit: 'abc1234, survivors again at def5678' },
    })
    expect(seen.files[A]).toEqual(result.files[A])
    expect(withAgain(found, before, again([B])).files[B]).toMatchObject({ killed: 7, changes: 8 })
    expect(withAgain({ ...found, commit: 'e', survivors: [] }, seen, again([B])).files[B]).toMatchObject({
      measured: { commit: 'abc1234, survivors again at e' },
    })
  })

  it('leaves a file as it was where fewer changes were tried than survived', () => {
    const found = { ...result, files: { [B]: { killed: 0, changes: 0 } }, survivors: [] }
    expect(withAgain(found, result, again([B])).files).toEqual({})
  })

  it('is of the text that a commit has, and of none where the tree had been changed', () => {
    const of = (commit: string) => commitOf({ date: '2026-01-02', commit })
    expect(of('abc1234')).toBe('abc1234')
    expect(of('abc1234, survivors again at def5678, changed')).toBe('abc1234')
    expect(of('abc1234, changed')).toBeUndefined()
    expect(of('abc1234, changed, survivors again at def5678')).toBeUndefined()
  })
})
