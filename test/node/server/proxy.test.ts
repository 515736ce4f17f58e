import http from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { serviceIdOf } from '#record/service.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { freePort } from '#test/support/free-port.ts'
import { valueOf } from '#test/support/value-of.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { ask, json } from './http-client.ts'
import { startTestServer } from './test-server.ts'
import {
  startExpiredUpstream,
  startSelfSignedUpstream,
  startSocketUpstream,
  startUpstream,
  type Answerer,
} from './upstream-server.ts'

const statusPath = (baseUrl: string) => `/proxy/${serviceIdOf(baseUrl)}/node/status`

async function serverFor(baseUrl: string, timeoutMs: number = DEFAULTS.timeoutMaxMs) {
  const config = parseServerConfig({ version: 1, services: [{ baseUrl, timeoutMs }] })
  const server = await startTestServer({ config: valueOf(config) })
  return {
    ...server,
    get: (query = '', headers: http.OutgoingHttpHeaders = {}, method = 'GET') =>
      ask(server.url, `${statusPath(baseUrl)}${query}`, { headers, method }),
  }
}

const proxied = async (answerer: Answerer) => serverFor(await startUpstream(answerer))

describe('the proxy', () => {
  it('forwards path, query and signature unchanged, to the host of the service, and no cookie', async () => {
    let seen: http.IncomingMessage | undefined
    const baseUrl = await startUpstream((request, response) => {
      seen = request
      response.end('{}')
    })
    const { get } = await serverFor(baseUrl)
    await get('?node_id=0xAa%7E', { authorization: 'Bearer aa', 'x-node-nonce': 'n', cookie: 'a=b' })
    expect(seen?.method).toBe('GET')
    expect(seen?.url).toBe('/node/status?node_id=0xAa%7E')
    const { host } = new URL(baseUrl)
    expect(seen?.headers).toMatchObject({ authorization: 'Bearer aa', 'x-node-nonce': 'n', host })
    expect(seen?.headers.cookie).toBeUndefined()
    expect(seen?.headers.origin).toBeUndefined()
  })

  it.each([200, 204, 304, 400, 401, 403, 404, 418, 429, 500, 503, 599])('returns %i', async (status) => {
    const { get } = await proxied((_request, response) => {
      response.writeHead(status, { 'retry-after': '7', age: '3', 'set-cookie': 'a=b' }).end()
    })
    const answer = await get()
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({ 'retry-after': '7', age: '3', 'cache-control': 'no-store' })
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['x-proxy-failure']).toBeUndefined()
  })

  it.each([407, 408, 421])(
    'returns %i, which browsers do not hand to a page, in a header',
    async (status) => {
      const { get } = await proxied((_request, response) => void response.writeHead(status).end('{}'))
      expect(await get()).toMatchObject({ status: 502, headers: { 'x-upstream-status': String(status) } })
    },
  )

  it('marks every answer with X-Answered-By, which a proxy in front does not', async () => {
    const { get } = await proxied((_request, response) => response.writeHead(502).end())
    const gone = await proxied((_request, response) => void response.destroy())
    for (const { headers } of [await get(), await gone.get()])
      expect(headers['x-answered-by']).toBe('immune-node-dashboard')
  })

  it('forwards only the Bearer challenge of several', async () => {
    const { get } = await proxied((_request, response) => {
      response.setHeader('WWW-Authenticate', ['Bearer error="x"', 'Basic realm="Sign in"'])
      response.writeHead(401).end()
    })
    expect((await get()).headers['www-authenticate']).toBe('Bearer error="x"')
  })

  it('forwards the Date of the service and adds none itself', async () => {
    const date = 'Sun, 01 Jan 2017 00:00:00 GMT'
    const dated = await proxied((_request, response) => response.writeHead(200, { date }).end('{}'))
    expect((await dated.get()).headers.date).toBe(date)
    const undated = await proxied((_request, response) => {
      response.sendDate = false
      response.end('{}')
    })
    expect((await undated.get()).headers.date).toBeUndefined()
  })

  it('forwards a body as compressed by the service, although it asked for identity', async () => {
    const packed = gzipSync('{"a":1}')
    const { get } = await proxied((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    const answer = await get()
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(answer.body).toEqual(packed)
  })

  it('forwards a redirect without its Location and does not follow it', async () => {
    let requests = 0
    const { get } = await proxied((_request, response) => {
      requests += 1
      response.writeHead(302, { location: '/node/status' }).end()
    })
    const answer = await get()
    expect([answer.status, answer.headers.location, requests]).toEqual([302, undefined, 1])
  })

  it('sandboxes a web page, so that it can run nothing here', async () => {
    const { get } = await proxied((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>'),
    )
    const { headers } = await get()
    expect(headers['content-security-policy']).toContain('sandbox')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('forwards a body of exactly the size limit', async () => {
    const body = 'x'.repeat(DEFAULTS.bodyMaxBytes)
    const { get } = await proxied((_request, response) => response.end(body))
    expect((await get()).body).toHaveLength(DEFAULTS.bodyMaxBytes)
  })
})

describe('the proxy’s own failures', () => {
  it('F 19: an expired certificate is reported as a TLS failure of the service', async () => {
    const { get } = await serverFor(await startExpiredUpstream())
    const { status, headers } = await get()
    expect([status, headers['x-proxy-failure']]).toEqual([502, 'tls'])
  })

  /** A service that sends these bytes once it is asked. */
  const sending = (bytes: string, ends = true) =>
    startSocketUpstream((socket) =>
      socket.once('data', () => (ends ? socket.end(bytes) : socket.write(bytes))),
    )
  const withoutEnd = () =>
    startUpstream((_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(16_384)));
        response.once('drain', more)
      }
      more()
    })
  const OK = 'HTTP/1.1 200 OK\r\n'
  const chunk = 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}'
  const tooLong = 'x'.repeat(DEFAULTS.bodyMaxBytes + 1)
  it.each<readonly [failure: string, name: string, start: () => Promise<string>]>([
    ['refused', 'nobody listens', async () => `http://127.0.0.1:${await freePort()}`],
    ['dns', 'the name does not exist', () => Promise.resolve('http://no-such-host.invalid')],
    ['tls', 'the certificate is self-signed', startSelfSignedUpstream],
    [
      'tls-handshake',
      'it speaks no TLS',
      async () => (await startUpstream(() => {})).replace('http:', 'https:'),
    ],
    ['reset', 'the connection is reset', () => startSocketUpstream((socket) => socket.resetAndDestroy())],
    ['reset', 'the connection ends without an answer', () => sending('')],
    [
      'not-http',
      'the answer is not HTTP',
      () => startSocketUpstream((socket) => socket.end('SSH-2.0-OpenSSH\r\n')),
    ],
    ...['X-A\u0001: b', 'X-A : b', 'Content-Length: 2\r\nX-A: b\u0000', 'Content-Length: 3'].map((line) => {
      const start = () => sending(`${OK}${line}\r\nContent-Length: 2\r\n\r\n{}`, false)
      return ['not-http', `a header is invalid: ${JSON.stringify(line)}`, start] as const
    }),
    ['cut-off', 'the body ends too early', () => sending(`${OK}Content-Length: 100\r\n\r\n{"a":`)],
    ['cut-off', 'a chunk is broken', () => sending(OK + chunk)],
    [
      'too-large',
      'the body is one byte too long',
      () => startUpstream((_, response) => response.end(tooLong)),
    ],
    ['too-large', 'the body never ends', withoutEnd],
    ['headers-too-large', 'the headers never end', () => sending(`${OK}X: ${'x'.repeat(100_000)}`, false)],
  ])('%s (502) when %s', async (failure, _name, start) => {
    const { get } = await serverFor(await start())
    const answer = await get()
    expect(answer.status).toBe(502)
    expect(answer.headers['x-proxy-failure']).toBe(failure)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.headers.date).toBeUndefined()
  })

  const silent: readonly [name: string, start: () => Promise<string>][] = [
    ['no answer comes', () => startUpstream(() => {})],
    ['the body stalls', () => startUpstream((_request, response) => response.writeHead(200).write('{'))],
  ]
  it.each(silent)('timeout (504) when %s until the deadline', async (_name, start) => {
    const { get } = await serverFor(await start(), DEFAULTS.timeoutMinMs)
    const answer = await get()
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([504, 'timeout'])
  })
})

describe('a request refused without contacting a service', () => {
  const REFUSED = [403, 'not-allowed', 0]
  async function counted() {
    const seen = { requests: 0 }
    const baseUrl = await startUpstream((_request, response) => {
      seen.requests += 1
      response.end('{}')
    })
    return { ...(await serverFor(baseUrl)), baseUrl, seen }
  }

  it.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])('has the method %s', async (method) => {
    const { get, seen } = await counted()
    const answer = await get('', {}, method)
    expect([answer.status, answer.headers.allow, seen.requests]).toEqual([405, 'GET', 0])
  })

  it.each(['/admin', '/node/status/x', '/../node/status', '/'])(
    'has the path %s of a known service',
    async (path) => {
      const { url, baseUrl, seen } = await counted()
      const answer = await ask(url, `/proxy/${serviceIdOf(baseUrl)}${path}`)
      expect([answer.status, answer.headers['x-proxy-failure'], seen.requests]).toEqual(REFUSED)
    },
  )

  it('names a running service that is not listed', async () => {
    const { url } = await counted()
    const other = await counted()
    const answer = await ask(url, statusPath(other.baseUrl))
    expect([answer.status, answer.headers['x-proxy-failure'], other.seen.requests]).toEqual(REFUSED)
  })

  it.each([
    [{ origin: 'http://attacker.example' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'script' }],
  ])('has the headers %o', async (headers) => {
    const { get, seen } = await counted()
    const answer = await get('', headers)
    expect([answer.status, answer.headers['x-proxy-failure'], seen.requests]).toEqual(REFUSED)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('is never one of the dashboard itself', async () => {
    const { get, host, seen } = await counted()
    const own = { origin: `http://${host}`, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }
    expect(json(await get('', own))).toEqual({})
    expect(seen.requests).toBe(1)
  })
})

it('connections to the service end when the browser disconnects', async () => {
  const [arrived, ended] = [withResolvers(), withResolvers()]
  const baseUrl = await startUpstream((request) => {
    request.once('close', () => ended.resolve())
    arrived.resolve()
  })
  const { url } = await serverFor(baseUrl)
  const request = http.get(`${url}${statusPath(baseUrl).slice(1)}`, { agent: false })
  request.on('error', () => {}) // The test destroys the request.
  await arrived.promise
  request.destroy()
  await ended.promise
})
