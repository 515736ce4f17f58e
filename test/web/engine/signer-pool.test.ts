import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { createSignerPool } from '#engine/signer-pool.ts'
import { serviceIdOf } from '#record/service.ts'
import type { SignFailure, Signer } from '#signing/signer.ts'

const ID = serviceIdOf('http://127.0.0.1:7400')
const SIGNED = ok({ headers: {}, query: 'node_id=0x01' })

function setUp() {
  const asked: string[] = []
  let wanted = 0
  const pool = createSignerPool(() => wanted++)
  const signer = (page: string, failure?: SignFailure): Signer => ({
    signStatusRequest: async () => {
      asked.push(page)
      return failure === undefined ? SIGNED : err(failure)
    },
  })
  return {
    pool,
    signer,
    sign: () => pool.signStatusRequest(ID, '0x01'),
    asked: () => asked.splice(0),
    wanted: () => wanted,
  }
}

describe('the signer pool', () => {
  it('signs through the page that was configured last', async () => {
    const { pool, signer, sign, asked } = setUp()
    expect(pool.add('a', signer('a'))).toBe(true)
    expect(pool.add('b', signer('b'))).toBe(false)
    expect(await sign()).toEqual(SIGNED)
    pool.prefer('b')
    await sign()
    expect(asked()).toEqual(['a', 'b'])
  })

  it.each<SignFailure>(['no-answer', 'error', 'not-configured'])(
    'tries another page when one answers %s',
    async (failure) => {
      const { pool, signer, sign, asked, wanted } = setUp()
      pool.add('a', signer('a', failure))
      pool.add('b', signer('b'))
      expect(await sign()).toEqual(SIGNED)
      expect([asked(), wanted()]).toEqual([['a', 'b'], 0])
      await sign()
      // A signer that does not answer costs seconds, so it is not tried again.
      expect(asked()).toEqual(failure === 'no-answer' ? ['b'] : ['a', 'b'])
    },
  )

  it.each<SignFailure>(['key-locked', 'no-key', 'chain-key'])(
    'accepts %s without trying another page',
    async (failure) => {
      const { pool, signer, sign, asked } = setUp()
      pool.add('a', signer('a', failure))
      pool.add('b', signer('b'))
      expect(await sign()).toEqual(err(failure))
      expect(asked()).toEqual(['a'])
    },
  )

  it('requests a new signer when none answers, and signs once a page adds one', async () => {
    const { pool, signer, sign, asked, wanted } = setUp()
    for (const page of ['a', 'b', 'c', 'd']) pool.add(page, signer(page, 'no-answer'))
    expect(await sign()).toEqual(err('no-answer'))
    // Each silent signer costs seconds, so one request does not try them all.
    expect([asked(), wanted()]).toEqual([['a', 'b', 'c'], 0])
    await sign()
    expect([asked(), wanted()]).toEqual([['d'], 1])
    expect(await sign()).toEqual(err('no-answer'))
    expect(wanted()).toBe(2)
    expect(pool.add('a', signer('a'))).toBe(true)
    expect(await sign()).toEqual(SIGNED)
  })

  it('requests a new signer when the last page with one goes away', () => {
    const { pool, signer, wanted } = setUp()
    pool.add('a', signer('a'))
    pool.add('b', signer('b'))
    pool.remove('a')
    expect(wanted()).toBe(0)
    pool.remove('b')
    expect(wanted()).toBe(1)
    expect(pool.of('b')).toBeUndefined()
  })
})
