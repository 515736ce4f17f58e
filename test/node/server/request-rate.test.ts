import { describe, expect, it } from 'vitest'
import { createRequestRate } from '#server/request-rate.ts'
import { ask, json } from './http-client.ts'
import { startTestServer } from './test-server.ts'

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

  it('of so many addresses are forgotten from the quietest on', () => {
    const rate = createRequestRate(1, () => 0)
    rate.take('first')
    rate.take('first')
    expect(rate.take('first')).toBe(1)
    for (let other = 0; other < 10_000; other++) rate.take(`other ${other}`)
    expect(rate.take('first')).toBe(0)
  })

  it('beyond it are answered 429, by the server itself and not by a service', async () => {
    const { url } = await startTestServer({ rateLimit: 1 })
    const answers = [await ask(url, '/'), await ask(url, '/'), await ask(url, '/')]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.headers).toMatchObject({ 'retry-after': '1', 'x-proxy-failure': 'limited' })
    expect(json(answers[2] ?? (await ask(url, '/')))).toMatchObject({ title: 'Too many requests' })
  })

  it('are counted for each visitor of the server in front, who can’t write another address', async () => {
    const { url } = await startTestServer({ rateLimit: 1, trustFrom: ['127.0.0.1'] })
    const from = async (forwarded: string) =>
      (await ask(url, '/', { headers: { 'x-forwarded-for': forwarded } })).status
    const one = ['1.1.1.1, 192.0.2.7', '2.2.2.2, 192.0.2.7', '3.3.3.3, 192.0.2.7']
    expect([await from(one[0] ?? ''), await from(one[1] ?? ''), await from(one[2] ?? '')]).toEqual([
      200, 200, 429,
    ])
    expect(await from('192.0.2.8')).toBe(200)
  })
})
