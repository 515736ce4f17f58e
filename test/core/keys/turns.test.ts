import { describe, expect, it } from 'vitest'
import { createTurns } from '#keys/turns.ts'

describe('pieces of work', () => {
  it('are done one at a time, in the order in which they came', async () => {
    const inTurn = createTurns()
    const done: string[] = []
    const work = (name: string) => async () => {
      done.push(`${name} begins`)
      await Promise.resolve()
      done.push(`${name} ends`)
      return name
    }
    expect(await Promise.all([inTurn(work('a')), inTurn(work('b')), inTurn(work('c'))])).toEqual([
      'a',
      'b',
      'c',
    ])
    expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('that fail are told to who asked, and hold up nobody', async () => {
    const inTurn = createTurns()
    const failing = inTurn(() => Promise.reject(new Error('a bug')))
    const next = inTurn(async () => 'done')
    await expect(failing).rejects.toThrow('a bug')
    expect(await next).toBe('done')
  })
})
