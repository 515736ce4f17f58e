import { type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createRateLimit } from '#server/request-rate.ts'
import { ask, json } from './http-client.ts'
import { startTestServer } from './test-server.ts'

/** So many a second, and twice as many at once. */
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
  it('are taken at their rate after a burst, each visitor by itself', () => {
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

  it('cost more where their answers do, and at most a burst is owed', () => {
    let nowMs = 0
    const rate = createRequestRate(10, () => nowMs)
    rate.charge('a', 1_000)
    expect(rate.take('a')).toBe(0)
    rate.charge('a', 1_000)
    expect([rate.take('a'), rate.take('b')]).toEqual([3, 0])
    nowMs = 2_100
    expect([rate.take('a'), rate.take('a')]).toEqual([0, 1])
  })

  it('cost one more for each 64 kB of their answer', async () => {
    const pages = () => async (_request: unknown, response: ServerResponse) => {
      response.end(Buffer.alloc(100 * 65_536))
    }
    const { url } = await startTestServer({ rateLimit: 20, pages })
    await ask(url, '/')
    await expect.poll(async () => (await ask(url, '/login')).status).toBe(429)
  })

  it('come again as soon as one more is there, in whole seconds', () => {
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

  it('that are refused do not put off the next', () => {
    let nowMs = 0
    const rate = createRequestRate(1, () => nowMs)
    const taken = () => rate.take('a') === 0
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, false, false])
    nowMs = 1_000
    expect([taken(), taken()]).toEqual([true, false])
    nowMs = 2_500
    // Half of one more is there already.
    expect([taken(), taken()]).toEqual([true, false])
    nowMs = 3_000
    expect(taken()).toBe(true)
    nowMs = 1_000_000
    expect([taken(), taken(), taken()]).toEqual([true, true, false])
  })

  it('of 10,000 addresses are remembered, and of those that were asked for last', () => {
    const rate = createRequestRate(1, () => 0)
    const spend = (address: string) => {
      while (rate.take(address) === 0);
    }
    spend('first')
    spend('second')
    for (let other = 0; other < 9_998; other++) rate.take(`other ${other}`)
    expect(rate.take('first')).toBe(1)
    // One more: the second has been quiet longest by now.
    rate.take('more')
    expect([rate.take('first'), rate.take('second')]).toEqual([1, 0])
  })

  it('beyond it are answered 429, by the server itself and not by a service', async () => {
    const { url } = await startTestServer({ rateLimit: 1 })
    const answers = [await ask(url, '/'), await ask(url, '/'), await ask(url, '/')]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.headers).toMatchObject({ 'retry-after': '1', 'x-proxy-failure': 'limited' })
    expect(json(answers[2] ?? (await ask(url, '/')))).toMatchObject({ title: 'Too many requests' })
  })

  it('are counted for each visitor of the server in front, who can’t write another address', async () => {
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
    // Each server in front may add a line of its own.
    const lines = (address: string) =>
      ask(url, '/', { headers: { 'x-forwarded-for': ['203.0.113.9', address] } })
    expect((await lines('192.0.2.7')).status).toBe(429)
    expect((await lines('192.0.2.9')).status).toBe(200)
  })
})
