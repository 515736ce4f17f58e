import { describe, expect, it } from 'vitest'
import { damaged } from '#test/support/bench-faults.ts'
describe('random damage', () => {
  const TEXT = 'abcdefghijklmnopqrstuvwxyz'.repeat(4)
  const turns = (seed: number): readonly string[] =>
    Array.from({ length: 400 }, (_, turn) => damaged(TEXT, seed, turn))

  it('is the same for the same seed and turn, and another for any other', () => {
    expect(turns(1)).toEqual(turns(1))
    expect(new Set([...turns(1), ...turns(2)]).size).toBeGreaterThan(700)
  })

  it('brings what breaks JSON', () => {
    const all = turns(4).join('')
    for (const snippet of [
      '"',
      '{',
      '}',
      ',',
      ':',
      'null',
      '-',
      '1e999',
      '\\u0000',
      '\u202e',
      '[',
      '0',
      'true',
    ])
      expect(all, snippet).toContain(snippet)
    expect(all).not.toContain('undefined')
  })
})
