import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Exposition } from '#collector/exposition.ts'
import { startMetricsServer } from '#collector/metrics-server.ts'
import { ask as askBy } from '#test/node/server/http-client.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

/** Random data, which compression hardly shrinks. */
const PART = randomBytes(49_152).toString('base64')
/** More than the socket buffers of both ends hold. */
const PARTS = 1_000
const LONGEST_MS = 60_000

async function start(count = PARTS) {
  const clock = createFakeClock()
  const scrapes = { begun: 0, made: 0, ended: 0, failed: 0 }
  async function* parts(): AsyncGenerator<string> {
    scrapes.begun++
    try {
      for (let index = 0; index < count; index++) {
        scrapes.made++
        yield PART
      }
    } catch (error) {
      scrapes.failed++
      throw error
    } finally {
      scrapes.ended++
    }
  }
  const exposition: Pick<Exposition, 'render'> = {
    render: () => ({ contentType: 'text/plain', parts: parts() }),
  }
  const server = await startMetricsServer({
    clock,
    exposition,
    host: '127.0.0.1',
    port: 0,
    bearer: undefined,
    notReady: () => undefined,
  })
  if (!server.ok) throw server.error
  onTestFinished(server.value.close)
  const url = new URL('metrics', server.value.url)
  /** Sends a request and reads nothing of the answer. */
  const readNothing = async (encoding = 'identity') => {
    const socket = connect(Number(url.port), url.hostname)
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    const { begun } = scrapes
    socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAccept-Encoding: ${encoding}\r\n\r\n`)
    await expect.poll(() => scrapes.begun).toBe(begun + 1)
    return socket
  }
  return { clock, scrapes, url, readNothing }
}

describe('the metrics server', () => {
  const serve = async (more: { bearer?: string; port?: number; host?: string; isReady?: boolean } = {}) => {
    const asked: string[] = []
    async function* parts(format: string): AsyncGenerator<string> {
      asked.push(format)
      yield `${format}\n`
    }
    const server = await startMetricsServer({
      clock: createFakeClock(),
      exposition: { render: (format) => ({ contentType: `text/${format}`, parts: parts(format) }) },
      host: more.host ?? '127.0.0.1',
      port: more.port ?? 0,
      bearer: more.bearer,
      notReady: () => (more.isReady === false ? 'polled 1 of 2 nodes' : undefined),
    })
    if (server.ok) onTestFinished(server.value.close)
    return { server, asked }
  }
  const started = async (more: Parameters<typeof serve>[0] = {}) => {
    const { server, asked } = await serve(more)
    if (!server.ok) throw server.error
    const { url } = server.value
    const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const reply = await fetch(new URL(path, url), { headers, method })
      return { status: reply.status, headers: reply.headers, text: await reply.text() }
    }
    return { url, asked, ask }
  }

  it.each([
    ['/healthz', 200, 'ok\n'],
    ['/healthz?at=1', 200, 'ok\n'],
    ['/readyz', 200, 'ready\n'],
    ['/', 404, 'Use /metrics, /healthz or /readyz.\n'],
    ['/metrics/', 404, 'Use /metrics, /healthz or /readyz.\n'],
    ['/Metrics', 404, 'Use /metrics, /healthz or /readyz.\n'],
  ])('answers %s with %i in plain text', async (path, status, text) => {
    const { ask } = await started()
    const reply = await ask(path)
    expect([reply.status, reply.text]).toEqual([status, text])
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('answers /readyz with 503 and the reason while it is not ready', async () => {
    const { ask } = await started({ isReady: false })
    expect(await ask('/readyz')).toMatchObject({ status: 503, text: 'polled 1 of 2 nodes\n' })
    expect(await ask('/healthz')).toMatchObject({ status: 200 })
  })

  it('answers any number of scrapes one after the other', async () => {
    const { ask } = await started()
    for (let count = 0; count < 20; count++) expect((await ask('/metrics')).status).toBe(200)
  })

  it('accepts only GET and HEAD', async () => {
    const { ask, asked } = await started()
    const reply = await ask('/metrics', {}, 'POST')
    expect([reply.status, reply.headers.get('allow'), reply.text]).toEqual([
      405,
      'GET, HEAD',
      'Use GET or HEAD.\n',
    ])
    expect(await ask('/healthz', {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
    expect(asked).toEqual([])
  })

  it('requires the exact bearer token, for /metrics only', async () => {
    const { ask, asked } = await started({ bearer: 'own word' })
    for (const header of ['', 'own word', 'Bearer own wor', 'Bearer own word2', 'bearer own word']) {
      const reply = await ask('/metrics', header === '' ? {} : { Authorization: header })
      expect([reply.status, reply.text], header).toEqual([401, 'Send the configured bearer token.\n'])
      expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(asked).toEqual([])
    expect(await ask('/metrics', { Authorization: 'Bearer own word' })).toMatchObject({ status: 200 })
    expect(await ask('/healthz')).toMatchObject({ status: 200 })
  })

  it.each([
    ['text/plain', 'prometheus'],
    ['application/openmetrics-text;version=1.0.0,text/plain;q=0.5', 'openmetrics'],
    ['text/plain, application/openmetrics-text', 'openmetrics'],
    ['application/openmetrics-texts', 'prometheus'],
    ['xapplication/openmetrics-text', 'prometheus'],
  ])('answers Accept: %s in the format %s', async (accept, format) => {
    const { ask } = await started()
    const reply = await ask('/metrics?name=x', { Accept: accept })
    expect([reply.text, reply.headers.get('content-type')]).toEqual([`${format}\n`, `text/${format}`])
  })

  it.each([
    ['gzip', 'gzip'],
    ['br, gzip;q=0.5', 'gzip'],
    ['xgzip', null],
    ['gzipped', null],
    ['br', null],
  ])('answers Accept-Encoding: %s with Content-Encoding: %s', async (encoding, expected) => {
    const { ask } = await started()
    const reply = await ask('/metrics', { 'Accept-Encoding': encoding })
    expect([reply.headers.get('content-encoding'), reply.text]).toEqual([expected, 'prometheus\n'])
  })

  it.each([
    '',
    'GET /metrics HTTP/1.1\r\nX-Slow: ',
    'POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n',
  ])('answers a scrape while 100 slow connections are open: %j', async (text) => {
    const { url, ask } = await started({ bearer: 'own word' })
    const { hostname, port } = new URL(url)
    for (let count = 0; count < 100; count++) {
      const socket = connect(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(text)
    }
    expect(await ask('/metrics', { Authorization: 'Bearer own word' })).toMatchObject({ status: 200 })
  })

  it.each([
    ['localhost', 200],
    ['127.0.0.1:9', 200],
    ['[::1]:9', 200],
    ['evil.example', 421],
    ['192.0.2.1', 421],
  ])('on loopback answers Host %j with %i', async (host, status) => {
    const { url } = await started()
    for (const path of ['metrics', 'healthz'])
      expect((await askBy(url, `/${path}`, { headers: { host } })).status).toBe(status)
  })

  it('rejects a request with two Host headers', async () => {
    const { url } = await started()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('GET /metrics HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n')
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('a scrape', () => {
  it.each([
    ['compressed', 'gzip'],
    ['uncompressed', 'identity'],
  ])('is complete, %s', async (_, encoding) => {
    const { url, scrapes } = await start(40)
    const reply = await fetch(url, { headers: { 'Accept-Encoding': encoding } })
    expect(reply.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
    expect(reply.headers.get('vary')).toBe('Accept, Accept-Encoding')
    expect(await reply.text()).toBe(PART.repeat(40))
    expect(scrapes).toEqual({ begun: 1, made: 40, ended: 1, failed: 0 })
  })

  it.each([
    ['compressed', 'gzip'],
    ['uncompressed', 'identity'],
  ])('is rendered as it is read and aborted when its reader disconnects, %s', async (_, encoding) => {
    const { scrapes, readNothing } = await start()
    const reader = await readNothing(encoding)
    expect(scrapes.ended).toBe(0)
    reader.destroy()
    await expect.poll(() => scrapes.ended).toBe(1)
    expect(scrapes.made).toBeLessThan(PARTS)
    // A reader that disconnects is not an error of the exposition.
    expect(scrapes.failed).toBe(0)
  })

  it('is aborted after 60 s without the final chunk, so that it cannot pass as complete', async () => {
    const { clock, scrapes, readNothing } = await start()
    const reader = await readNothing()
    await clock.advance(LONGEST_MS - 1)
    expect(scrapes.ended).toBe(0)
    await clock.advance(1)
    await expect.poll(() => scrapes.ended).toBe(1)
    expect(await textOf(reader)).not.toMatch(/\r\n0\r\n\r\n$/)
    expect(clock.pendingMs()).toEqual([])
  })

  it('is refused while 8 are written; after 1 s without a reader, one of them gives way', async () => {
    const { clock, url, scrapes, readNothing } = await start()
    for (let count = 0; count < 8; count++) await readNothing()
    await clock.advance(999)
    const refused = await fetch(url)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(scrapes.ended).toBe(0)
    await clock.advance(1)
    const taken = await fetch(url)
    expect(taken.status).toBe(200)
    await expect.poll(() => scrapes.ended).toBe(1)
    await taken.body?.cancel()
  })

  it('of a slow reader gives way before that of a fast one', async () => {
    const { clock, url, readNothing } = await start()
    const readers = [await readNothing()]
    for (let count = 1; count < 8; count++) readers.push(await readNothing())
    const [quick, ...slow] = readers
    if (quick === undefined) throw new Error('no reader')
    let bytes = 0
    quick.on('data', (part: Buffer) => {
      bytes += part.length
      // Pauses before the end of the answer, which would close the connection.
      if (bytes > 30_000_000) quick.pause()
    })
    await once(quick, 'pause')
    await clock.advance(1_000)
    const ended = Promise.race(slow.map((socket) => once(socket.resume(), 'close')))
    const taken = await fetch(url)
    expect(taken.status).toBe(200)
    await ended
    expect(quick.destroyed).toBe(false)
    await taken.body?.cancel()
  })

  it('is not rendered for HEAD', async () => {
    const { url, scrapes } = await start()
    const reply = await fetch(url, { method: 'HEAD' })
    expect(reply.headers.get('content-type')).toBe('text/plain')
    expect(await reply.text()).toBe('')
    expect(scrapes.begun).toBe(0)
  })
})
