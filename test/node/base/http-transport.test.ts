import { createServer as createHttpServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http'
import { createSecureServer } from 'node:http2'
import { type Server } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { err, ok } from '#base/result.ts'
import { createHttpTransport } from '#node/http-transport.ts'
import { systemClock } from '#platform/system-clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { certificate } from '#test/node/server/test-server.ts'
import { portOf } from '#test/support/free-port.ts'
import { valueOf } from '#test/support/value-of.ts'

const REQUEST = { headers: { 'X-Own': 'yes' }, timeoutMs: 10_000, bodyMaxBytes: 1_000 }

async function listening(server: Server): Promise<string> {
  onTestFinished(() => void server.close())
  return `127.0.0.1:${await portOf(server)}`
}

function createTransport(inFlightMax = 8) {
  const { send, close } = createHttpTransport(systemClock, inFlightMax)
  onTestFinished(close)
  return (url: string, signal = new AbortController().signal, more: Partial<typeof REQUEST> = {}) =>
    send({ ...REQUEST, ...more, url }, signal)
}

async function answering(listener: RequestListener) {
  const server = createHttpServer(listener)
  onTestFinished(() => server.closeAllConnections())
  return `http://${await listening(server)}/`
}

describe('requests of the collector', () => {
  it('send the given headers and return status, body, and the first Date, Retry-After and Age', async () => {
    const Date = ['Mon, 23 Nov 2026 10:00:00 GMT', 'Mon, 23 Nov 2026 10:00:05 GMT']
    const url = await answering((request, response) => {
      response.writeHead(429, { Date, 'Retry-After': ['7', '120'], Age: ['3', '0'] })
      response.end(`own ${String(request.headers['x-own'])}`)
    })
    expect(valueOf(await createTransport()(url))).toEqual({
      status: 429,
      body: 'own yes',
      date: 'Mon, 23 Nov 2026 10:00:00 GMT',
      retryAfter: '7',
      age: '3',
    })
  })

  const tooLarge = { kind: 'too-large', limitBytes: 1_000 }
  const headers = { kind: 'too-large', limitBytes: DEFAULTS.headersMaxBytes, part: 'headers' }
  const answers = (status: number, given: OutgoingHttpHeaders, body = '') =>
    ((_, response) => response.writeHead(status, given).end(body)) satisfies RequestListener
  it.each<[string, RequestListener, object]>([
    ['a redirect', answers(302, { Location: '/x' }), { kind: 'redirected' }],
    ['a body over its size limit', answers(200, {}, 'x'.repeat(2_000)), tooLarge],
    ['headers over their size limit', answers(200, { 'X-Long': 'x'.repeat(20_000) }), headers],
    [
      'a body with an unrequested Content-Encoding',
      answers(200, { 'Content-Encoding': 'gzip' }, 'packed'),
      { kind: 'cut-off', encoding: 'gzip' },
    ],
    [
      'a body that is cut off',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': '100' })
        response.write('half', () => response.destroy())
      },
      { kind: 'cut-off' },
    ],
    ['a cut connection', (_, response) => response.destroy(), { kind: 'unreachable', detail: 'reset' }],
  ])('report %s', async (_, listener, failure) => {
    expect(await createTransport()(await answering(listener))).toEqual(err(failure))
  })

  it.each([
    [300, false],
    [302, false],
    [399, false],
    [299, true],
    [304, true],
    [400, true],
  ])('accept status %i: %s', async (status, isTaken) => {
    const url = await answering((_, response) => response.writeHead(status).end())
    const reply = await createTransport()(url)
    expect(reply).toEqual(
      isTaken ? ok(expect.objectContaining({ status, body: '' })) : err({ kind: 'redirected' }),
    )
  })

  it('return Content-Type and WWW-Authenticate, with repeated headers joined', async () => {
    const url = await answering((request, response) => {
      response.sendDate = false
      response.setHeader('Content-Type', 'application/json')
      response.setHeader('WWW-Authenticate', ['Bearer', 'Basic realm="x"'])
      response.setHeader('Content-Encoding', 'identity')
      response.end(`${String(request.method)} ${String(request.url)}`)
    })
    expect(valueOf(await createTransport()(`${url}v1/node/status?node_id=0x1`))).toEqual({
      status: 200,
      body: 'GET /v1/node/status?node_id=0x1',
      contentType: 'application/json',
      challenge: 'Bearer, Basic realm="x"',
    })
  })

  it('count the body limit in bytes and accept a body of exactly that size', async () => {
    const url = await answering((_, response) => response.end('é'.repeat(500)))
    const send = createTransport()
    expect(await send(url)).toMatchObject(ok({ body: 'é'.repeat(500) }))
    expect(await send(url, undefined, { bodyMaxBytes: 999 })).toEqual(
      err({ kind: 'too-large', limitBytes: 999 }),
    )
  })

  it('keep the status of an error whose body is too large', async () => {
    const url = await answering((_, response) => response.writeHead(503).end('x'.repeat(2_000)))
    expect(await createTransport()(url)).toMatchObject(ok({ status: 503, body: '' }))
  })

  it('end at their timeout, or when aborted', async () => {
    const url = await answering(() => undefined)
    const send = createTransport()
    expect(await send(url, undefined, { timeoutMs: 30 })).toEqual(err({ kind: 'timeout', afterMs: 30 }))
    const controller = new AbortController()
    const asked = send(url, controller.signal)
    controller.abort()
    expect(await asked).toEqual(err({ kind: 'aborted' }))
    expect(await send(url, controller.signal)).toEqual(err({ kind: 'aborted' }))
  })

  it('reuse a connection over HTTP/1.1 and multiplex one over HTTP/2', async () => {
    let plain = 0
    const http1 = createHttpServer((_, response) => response.end('1'))
    http1.on('connection', () => plain++)
    const url = `http://${await listening(http1)}/`
    onTestFinished(() => http1.closeAllConnections())
    const send = createTransport()
    for (let count = 0; count < 20; count++) expect(await send(url)).toMatchObject({ ok: true })
    // A request may start before the previous one has released its connection.
    expect(plain).toBeLessThanOrEqual(2)

    const { cert, key } = await certificate('127.0.0.1')
    // Only this process, and only for this test.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    let sessions = 0
    let side = 0
    let most = 0
    const waiting: (() => void)[] = []
    const http2 = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
      expect(request.httpVersion).toBe('2.0')
      most = Math.max(most, ++side)
      waiting.push(() => {
        side--
        response.end('2')
      })
      if (waiting.length >= 6) for (const go of waiting.splice(0)) go()
    })
    http2.on('session', (session) => {
      sessions++
      onTestFinished(() => session.destroy())
    })
    const secure = `https://${await listening(http2)}/`
    const first = send(secure)
    await expect.poll(() => waiting).toHaveLength(1)
    const others = Array.from({ length: 5 }, () => send(secure))
    for (const reply of await Promise.all([first, ...others])) expect(reply).toMatchObject({ ok: true })
    expect({ sessions, most }).toEqual({ sessions: 1, most: 6 })
  })

  it('report an untrusted certificate', async () => {
    const { cert, key } = await certificate('127.0.0.1')
    const server = createSecureServer({ cert, key }, (_, response) => response.end())
    const url = `https://${await listening(server)}/`
    expect(await createTransport()(url)).toEqual(err({ kind: 'unreachable', detail: 'tls' }))
  })
})
