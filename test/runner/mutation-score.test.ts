import { describe, expect, it } from 'vitest'
import { isEnough, scoreOf, scoreTable } from './mutation-score.ts'
import { wantedOf } from './wanted.ts'

describe('the score of a part', () => {
  const mutants = (...statuses: readonly string[]) => ({
    mutants: statuses.map((status, place) => ({ id: `${place}`, status })),
  })

  it('counts what was told, and leaves out what no test could tell', () => {
    expect(
      scoreOf('base', {
        files: {
          a: mutants('Killed', 'Timeout', 'Survived', 'Ignored'),
          b: mutants('NoCoverage', 'Killed', 'CompileError'),
        },
      }),
    ).toEqual({ part: 'base', killed: 3, changes: 5, leftOut: 1 })
  })

  it.each([
    [85, 100, true],
    [84, 100, false],
    [8_499, 10_000, false],
    [0, 0, false],
  ])('of %d told of %d is enough: %s', (killed, changes, is) => {
    expect(isEnough({ part: 'base', killed, changes, leftOut: 0 })).toBe(is)
  })

  it('is never rounded up', () => {
    expect(
      scoreTable([
        { part: 'base', killed: 8_499, changes: 10_000, leftOut: 3 },
        { part: 'tabs', killed: 0, changes: 0, leftOut: 0 },
      ])
        .split('\n')
        .slice(2),
    ).toEqual(['| core/base | 84.9 % | 10,000 | 3 |', '| core/tabs | – | 0 | 0 |'])
  })
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
