import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { createUpstream, failureOfError, PROXY_PROBLEMS } from '#server/upstream.ts'
import { startSelfSignedUpstream, startSocketUpstream, startUpstream } from './upstream-server.ts'

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

  it('have room for 256 that wait, for each service apart, and again when they are gone', async () => {
    const upstream = createUpstream(() => undefined)
    onTestFinished(upstream.close)
    const ask = (host: string) => {
      const browser = new AbortController()
      const asked = upstream.ask(new URL(`http://${host}`), {}, 60_000, browser.signal, 'anywhere')
      return { leave: () => browser.abort(), result: asked.then((answer) => answer.ok || answer.error) }
    }
    const waiting = Array.from({ length: 255 }, () => ask('a.example'))
    for (let time = 0; time < 2; time++) {
      const [one, beyond, other] = ['a.example', 'a.example', 'b.example'].map(ask)
      one?.leave()
      other?.leave()
      expect(await beyond?.result).toBe('timeout')
      expect(await Promise.all([one?.result, other?.result])).toEqual(['gone', 'gone'])
    }
    for (const { leave } of waiting) leave()
    expect(new Set(await Promise.all(waiting.map(({ result }) => result)))).toEqual(new Set(['gone']))
    const again = Array.from({ length: 256 }, () => ask('a.example'))
    for (const { leave } of again) leave()
    expect(new Set(await Promise.all(again.map(({ result }) => result)))).toEqual(new Set(['gone']))
  })

  it('to an https address begin with a handshake', async () => {
    let first: (byte: number | undefined) => void
    const begun = new Promise<number | undefined>((resolve) => (first = resolve))
    const service = await startSocketUpstream((socket) => socket.once('data', (data) => first(data[0])))
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    const browser = new AbortController()
    const asked = upstream.ask(
      new URL(service.replace('http:', 'https:')),
      {},
      60_000,
      browser.signal,
      'anywhere',
    )
    const TLS_HANDSHAKE = 22
    expect(await begun).toBe(TLS_HANDSHAKE)
    browser.abort()
    expect(await asked).toEqual({ ok: false, error: 'gone' })
  })

  it('leave no timer and no listener behind', async () => {
    const baseUrl = await startUpstream((_request, response) => response.end('{}'))
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { signal } = new AbortController()
    expect((await upstream.ask(new URL(baseUrl), {}, 1_000, signal, 'anywhere')).ok).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
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

  it('to an address out of reach is not sent', async () => {
    let requests = 0
    const baseUrl = await startUpstream((_request, response) => {
      requests += 1
      response.end('{}')
    })
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    const { signal } = new AbortController()
    const blocked = await upstream.ask(new URL(baseUrl), {}, 1_000, signal, 'public')
    expect([blocked, requests]).toEqual([{ ok: false, error: 'blocked' }, 0])
  })

  it('a signal that was given up before asks nothing', async () => {
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    const gone = await upstream.ask(new URL('http://127.0.0.1:1'), {}, 1_000, AbortSignal.abort(), 'anywhere')
    expect(gone).toEqual({ ok: false, error: 'gone' })
  })
})

it.each([
  ['refused', 502, 'The service does not accept connections.'],
  ['no-route', 502, 'No network route leads to the service.'],
  ['dns', 502, "The service's name was not found."],
  ['tls', 502, "The service's certificate was not accepted."],
  ['reset', 502, 'The connection to the service broke before it answered.'],
  ['timeout', 504, 'The service did not answer in time.'],
  ['cut-off', 502, "The service's answer broke off."],
  ['too-large', 502, "The service's answer is larger than the limit."],
  ['headers-too-large', 502, "The headers of the service's answer are larger than the limit."],
  ['bad-status', 502, 'The service answered with a status that no answer can have.'],
  [
    'blocked',
    403,
    'The service is at an address of this server’s own network. The server asks there only where its configuration names the service.',
  ],
  [
    'not-signed',
    502,
    'This server could not sign this request. Its configuration says which key and which profile.',
  ],
  ['limited', 502, 'Too many requests.'],
  ['not-collected', 502, 'No collector has an answer of this node that still holds.'],
  ['query-failed', 502, 'The query API that keeps what collectors told did not answer this server.'],
  ['signed-out', 401, 'Sign in to this dashboard.'],
  ['view-only', 403, 'This page can look only.'],
  [
    'not-allowed',
    403,
    'This request is not allowed here: only status requests to services that this server knows are.',
  ],
] as const)('%s is answered %i, and said in plain words', (failure, status, detail) => {
  expect(PROXY_PROBLEMS[failure]).toEqual({ status, detail })
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

  it('serves one request after the other', async () => {
    const { seen, ask } = await answering(replies, replies)
    expect([(await ask()).ok, (await ask()).ok]).toEqual([true, true])
    expect(seen).toEqual({ connections: 1, requests: 2 })
  })

  it('and is closed in that moment has its request sent again, over another', async () => {
    const { seen, ask } = await answering(replies, resets, replies)
    expect([(await ask()).ok, (await ask()).ok]).toEqual([true, true])
    expect(seen).toEqual({ connections: 2, requests: 3 })
  })

  it('has it sent again over https where the service speaks that', async () => {
    // Only this process, and only for this test.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    let requests = 0
    const baseUrl = await startSelfSignedUpstream(({ socket }, response) => {
      requests += 1
      if (requests === 2) socket.destroy()
      else response.end('{}')
    })
    const upstream = createUpstream()
    onTestFinished(upstream.close)
    const { signal } = new AbortController()
    const ask = () => upstream.ask(new URL(baseUrl), {}, 10_000, signal, 'anywhere')
    expect([(await ask()).ok, (await ask()).ok]).toEqual([true, true])
    expect(requests).toBe(3)
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

  it('anything else is a connection that broke', () => {
    expect(failureOfError(new Error('x'))).toBe('reset')
    for (const error of ['x', null, undefined]) expect(failureOfError(error)).toBe('reset')
  })
})
