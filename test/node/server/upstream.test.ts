import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { createUpstream, failureOfError } from '#server/upstream.ts'
import { startSocketUpstream, startUpstream } from './upstream-server.ts'

describe('many requests to one service', () => {
  it('share 64 connections; beyond 256 waiting the next is answered at once, until they are gone', async () => {
    let requests = 0
    let silent = true
    let full: () => void
    const allConnected = new Promise<void>((resolve) => (full = resolve))
    const service = await startUpstream((_request, response) => {
      requests += 1
      if (requests === 64) full()
      if (!silent) response.end('{}')
    })
    const other = await startUpstream((_request, response) => response.end('{}'))
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    const leaving: AbortController[] = []
    const ask = (baseUrl: string) => {
      const browser = new AbortController()
      leaving.push(browser)
      return upstream.ask(new URL(baseUrl), {}, DEFAULTS.timeoutMaxMs, browser.signal, 'anywhere')
    }
    const many = () => Array.from({ length: 256 }, () => ask(service))
    const waiting = many()
    await allConnected
    expect(await ask(service)).toEqual({ ok: false, error: 'timeout' })
    expect((await ask(other)).ok).toBe(true)
    expect(requests).toBe(64)
    // One place is free again, and only one.
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
    ['after its time', 50, false, 'timeout'],
  ] as const)(
    'given up %s end at the service, too, and are not sent again',
    async (_how, timeoutMs, aborts, error) => {
      let requests = 0
      const browser = new AbortController()
      let end: () => void
      const ended = new Promise<void>((done) => (end = done))
      const baseUrl = await startUpstream((_request, response) => {
        requests += 1
        if (requests !== 2) return response.end('{}')
        response.once('close', () => end())
        if (aborts) browser.abort()
        return response
      })
      const upstream = createUpstream()
      onTestFinished(upstream.close)
      const ask = (limitMs: number) => upstream.ask(new URL(baseUrl), {}, limitMs, browser.signal, 'anywhere')
      // The second one goes over the connection of the first.
      expect((await ask(60_000)).ok).toBe(true)
      expect(await ask(timeoutMs)).toEqual({ ok: false, error })
      await ended
      const other = new AbortController()
      expect((await upstream.ask(new URL(baseUrl), {}, 60_000, other.signal, 'anywhere')).ok).toBe(true)
      expect(requests).toBe(3)
    },
  )

  it.each([
    [200, { ok: false, error: 'too-large' }],
    [500, { ok: true, value: { status: 500, body: Buffer.alloc(0) } }],
  ])('with a body beyond the limit and status %d', async (status, expected) => {
    const baseUrl = await startUpstream((_request, response) => {
      response.writeHead(status, { 'Content-Encoding': 'gzip' })
      response.end(Buffer.alloc(DEFAULTS.bodyMaxBytes + 1))
    })
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    const { signal } = new AbortController()
    const result = await upstream.ask(new URL(baseUrl), {}, 60_000, signal, 'anywhere')
    expect(result).toMatchObject(expected)
    expect(result.ok && result.value.headers['content-encoding']).toBeFalsy()
  })
})

describe('a connection that is used again', () => {
  const REPLY = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

  /** A service that answers requests in their order, over all connections together, each by one act. */
  async function answering(...acts: readonly ((socket: Socket) => void)[]) {
    const seen = { connections: 0, requests: 0 }
    const baseUrl = await startSocketUpstream((socket) => {
      seen.connections += 1
      socket.on('data', () => {
        acts[seen.requests]?.(socket)
        seen.requests += 1
      })
    })
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    const { signal } = new AbortController()
    const ask = () => upstream.ask(new URL(baseUrl), {}, 60_000, signal, 'anywhere')
    return { seen, ask }
  }
  const replies = (socket: Socket) => void socket.write(REPLY)
  const resets = (socket: Socket) => void socket.resetAndDestroy()
  const RESET = { ok: false, error: 'reset' }

  it('and is closed in that moment has its request sent again, over another', async () => {
    const { seen, ask } = await answering(replies, resets, replies)
    expect([(await ask()).ok, (await ask()).ok]).toEqual([true, true])
    expect(seen).toEqual({ connections: 2, requests: 3 })
  })

  it('has it sent again once, and no more', async () => {
    const { seen, ask } = await answering(replies, resets, resets, replies)
    expect((await ask()).ok).toBe(true)
    expect(await ask()).toEqual(RESET)
    expect(seen).toEqual({ connections: 2, requests: 3 })
  })

  it('has nothing sent again that was answered with no HTTP', async () => {
    const { seen, ask } = await answering(replies, (socket) => void socket.end('SSH-2.0\r\n'), replies)
    expect((await ask()).ok).toBe(true)
    expect(await ask()).toEqual(RESET)
    expect(seen).toEqual({ connections: 1, requests: 2 })
  })

  it('is not one that was made for a request: that is not sent again', async () => {
    const { seen, ask } = await answering(resets, replies)
    expect(await ask()).toEqual(RESET)
    expect(seen).toEqual({ connections: 1, requests: 1 })
  })
})

describe('errors of a connection', () => {
  it.each([
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'no-route'],
    ['ENETUNREACH', 'no-route'],
    ['HPE_HEADER_OVERFLOW', 'headers-too-large'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['ETIMEDOUT', 'timeout'],
    ['EHOSTDOWN', 'no-route'],
    ['EADDRNOTAVAIL', 'refused'],
    ['EACCES', 'refused'],
    ['EPERM', 'refused'],
    ['EAI_FAIL', 'dns'],
    ['EAI_NODATA', 'dns'],
    ['EAI_NONAME', 'dns'],
    ['EPROTO', 'tls'],
    ['CRL_HAS_EXPIRED', 'tls'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
    ['HOSTNAME_MISMATCH', 'tls'],
    ['INVALID_CA', 'tls'],
    ['EADDRBLOCKED', 'blocked'],
    ['ECONNRESET', 'reset'],
    ['HPE_INVALID_CONSTANT', 'reset'],
    ['X_CERT_HAS_EXPIRED', 'reset'],
  ])('%s is %s', (code, failure) =>
    expect(failureOfError(Object.assign(new Error('x'), { code }))).toBe(failure),
  )
})
