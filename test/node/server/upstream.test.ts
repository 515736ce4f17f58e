import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { createUpstream } from '#server/upstream.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { startUpstream } from './upstream-server.ts'

const requestTo = (baseUrl: string, timeoutMs = 60_000) =>
  ({ url: new URL(baseUrl), headers: {}, timeoutMs, reach: 'anywhere' }) as const

describe('many requests to one service', () => {
  it('share 64 connections; with 256 in progress the next one fails at once', async () => {
    let requests = 0
    let silent = true
    const allConnected = withResolvers()
    const service = await startUpstream((_request, response) => {
      requests += 1
      if (requests === 64) allConnected.resolve()
      if (!silent) response.end('{}')
    })
    const other = await startUpstream((_request, response) => response.end('{}'))
    const upstream = createUpstream({})
    onTestFinished(upstream.close)
    const leaving: AbortController[] = []
    const ask = (baseUrl: string) => {
      const browser = new AbortController()
      leaving.push(browser)
      return upstream.ask(requestTo(baseUrl, DEFAULTS.timeoutMaxMs), browser.signal)
    }
    const many = () => Array.from({ length: 256 }, () => ask(service))
    const waiting = many()
    await allConnected.promise
    expect(await ask(service)).toEqual({ ok: false, error: 'timeout' })
    expect((await ask(other)).ok).toBe(true)
    expect(requests).toBe(64)
    // Exactly one slot is free again.
    leaving[255]?.abort()
    await waiting[255]
    waiting.push(ask(service))
    expect(await ask(service)).toEqual({ ok: false, error: 'timeout' })
    for (const browser of leaving) browser.abort()
    expect(new Set((await Promise.all(waiting)).map((result) => (result.ok ? 'ok' : result.error)))).toEqual(
      new Set(['gone']),
    )
    silent = false
    expect((await Promise.all(many())).every(({ ok }) => ok)).toBe(true)
  })

  it.each([
    ['by the browser', 60_000, true, 'gone'],
    ['by the timeout', 50, false, 'timeout'],
  ] as const)(
    'cancelled %s end at the service too, and are not sent again',
    async (_how, timeoutMs, aborts, error) => {
      let requests = 0
      const browser = new AbortController()
      const ended = withResolvers()
      const baseUrl = await startUpstream((_request, response) => {
        requests += 1
        if (requests !== 2) return response.end('{}')
        response.once('close', () => ended.resolve())
        if (aborts) browser.abort()
        return response
      })
      const upstream = createUpstream({})
      onTestFinished(upstream.close)
      const ask = (limitMs: number) => upstream.ask(requestTo(baseUrl, limitMs), browser.signal)
      // The second request reuses the connection of the first.
      expect((await ask(60_000)).ok).toBe(true)
      expect(await ask(timeoutMs)).toEqual({ ok: false, error })
      await ended.promise
      const other = new AbortController()
      expect((await upstream.ask(requestTo(baseUrl), other.signal)).ok).toBe(true)
      expect(requests).toBe(3)
    },
  )

  it.each([
    [200, { ok: false, error: 'too-large' }],
    [500, { ok: true, value: { status: 500, body: Buffer.alloc(0) } }],
  ])('with a body over the limit fail, unless the status is an error: %d', async (status, expected) => {
    const baseUrl = await startUpstream((_request, response) => {
      response.writeHead(status, { 'Content-Encoding': 'gzip' })
      response.end(Buffer.alloc(DEFAULTS.bodyMaxBytes + 1))
    })
    const upstream = createUpstream({})
    onTestFinished(upstream.close)
    const { signal } = new AbortController()
    const result = await upstream.ask(requestTo(baseUrl), signal)
    expect(result).toMatchObject(expected)
    expect(result.ok && result.value.headers['content-encoding']).toBeFalsy()
  })
})
