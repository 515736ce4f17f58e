import { type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createRateLimit } from '#server/request-rate.ts'
import { ask, json } from './http-client.ts'
import { startTestServer } from './test-server.ts'

/** Allows `perSecond` requests a second, and twice as many at once. */
function createRequestRate(perSecond: number, nowMs: () => number) {
  const { waitS, count, charge } = createRateLimit(nowMs, {
    most: 2 * perSecond,
    everyMs: 1_000 / perSecond,
    keysMax: 10_000,
  })
  const take = (key: string) => {
    const wait = waitS(key)
    if (wait === 0) count(key)
    return wait
  }
  return { take, charge }
}

describe('requests of one visitor', () => {
  it('are accepted at the rate after a burst, independently of other visitors', () => {
    let nowMs = 0
    const rate = createRequestRate(10, () => nowMs)
    expect(Array.from({ length: 20 }, () => rate.take('a'))).toEqual(Array.from({ length: 20 }, () => 0))
    expect(rate.take('a')).toBe(1)
    expect(rate.take('b')).toBe(0)
    nowMs = 100
    expect([rate.take('a'), rate.take('a')]).toEqual([0, 1])
    nowMs = 60_000
    expect(Array.from({ length: 21 }, () => rate.take('a')).filter((wait) => wait > 0)).toHaveLength(1)
  })

  it('can be charged for their answers, up to a debt of one burst', () => {
    let nowMs = 0
    const rate = createRequestRate(10, () => nowMs)
    rate.charge('a', 1_000)
    expect(rate.take('a')).toBe(0)
    nowMs = 200
    expect(rate.take('b')).toBe(0)
    rate.charge('a', 1_000)
    expect([rate.take('a'), rate.take('b')]).toEqual([3, 0])
    nowMs = 2_300
    expect([rate.take('a'), rate.take('a')]).toEqual([0, 1])
  })

  it('cost one more for each 64 KiB of their answer', async () => {
    const pages = () => async (_request: unknown, response: ServerResponse) => {
      response.end(Buffer.alloc(100 * 65_536))
    }
    const { url } = await startTestServer({ rateLimit: 20, pages })
    await ask(url, '/')
    await expect.poll(async () => (await ask(url, '/login')).status).toBe(429)
  })

  it('wait for the next slot, in whole seconds', () => {
    let nowMs = 0
    const rate = createRequestRate(0.5, () => nowMs)
    expect([rate.take('a'), rate.take('a')]).toEqual([0, 2])
    nowMs = 500
    expect(rate.take('a')).toBe(2)
    nowMs = 1_000
    expect(rate.take('a')).toBe(1)
    nowMs = 1_999
    expect(rate.take('a')).toBe(1)
    nowMs = 2_000
    expect([rate.take('a'), rate.take('a')]).toEqual([0, 2])
  })

  it('that are refused do not delay the next', () => {
    let nowMs = 0
    const rate = createRequestRate(1, () => nowMs)
    const taken = () => rate.take('a') === 0
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, false, false])
    nowMs = 1_000
    expect([taken(), taken()]).toEqual([true, false])
    nowMs = 2_500
    // Half of the next slot has passed already.
    expect([taken(), taken()]).toEqual([true, false])
    nowMs = 3_000
    expect(taken()).toBe(true)
    nowMs = 1_000_000
    expect([taken(), taken(), taken()]).toEqual([true, true, false])
  })

  it('are counted for the 10,000 addresses that were used last', () => {
    const rate = createRequestRate(1, () => 0)
    const spend = (address: string) => {
      while (rate.take(address) === 0);
    }
    spend('first')
    spend('second')
    for (let other = 0; other < 9_998; other++) rate.take(`other ${other}`)
    expect(rate.take('first')).toBe(1)
    // One address more: "second" has been idle longest by now.
    rate.take('more')
    expect([rate.take('first'), rate.take('second')]).toEqual([1, 0])
  })

  it('over the limit are answered with 429 and the failure "limited"', async () => {
    const { url } = await startTestServer({ rateLimit: 1 })
    const answers = [await ask(url, '/'), await ask(url, '/'), await ask(url, '/')]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.headers).toMatchObject({ 'retry-after': '1', 'x-proxy-failure': 'limited' })
    expect(json(answers[2] ?? (await ask(url, '/')))).toMatchObject({ title: 'Too many requests' })
  })

  it('are counted by the address that a trusted proxy adds, which visitors cannot forge', async () => {
    const { url } = await startTestServer({
      access: { kind: 'public' },
      rateLimit: 1,
      trustFrom: ['127.0.0.1'],
    })
    const from = async (forwarded: string) =>
      (await ask(url, '/', { headers: { 'x-forwarded-for': forwarded } })).status
    const one = ['1.1.1.1, 192.0.2.7', '2.2.2.2, 192.0.2.7', '3.3.3.3, 192.0.2.7']
    expect([await from(one[0] ?? ''), await from(one[1] ?? ''), await from(one[2] ?? '')]).toEqual([
      200, 200, 429,
    ])
    expect(await from('192.0.2.8')).toBe(200)
    // Each proxy may add its own header line.
    const lines = (address: string) =>
      ask(url, '/', { headers: { 'x-forwarded-for': ['203.0.113.9', address] } })
    expect((await lines('192.0.2.7')).status).toBe(429)
    expect((await lines('192.0.2.9')).status).toBe(200)
  })
})
