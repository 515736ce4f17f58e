import { createServer, type IncomingMessage } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { err } from '#base/result.ts'
import { createBatchTransport } from '#platform/batch-transport.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import { systemClock } from '#platform/system-clock.ts'
import { BATCH_PATH, BATCH_TYPE } from '#protocol/batch.ts'
import { ANSWERED_BY_HEADER, PROXY_FAILURE_HEADER } from '#protocol/transport.ts'
import { serviceIdOf } from '#record/service.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { signedHeaders } from '#test/node/reference/client.ts'
import { runReference, VIEWER } from '#test/node/reference/running.ts'
import { startTestServer } from '#test/node/server/test-server.ts'
import { startUpstream, type Answerer } from '#test/node/server/upstream-server.ts'
import { BENCH_FAULTS, FAULT_NAMES } from '#test/support/bench-faults.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { portOf } from '#test/support/free-port.ts'
import { valueOf } from '#test/support/value-of.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'

/** A page of this site: sends as many requests as there are queries, all in one turn. */
function pageOf(site: string, clock = systemClock) {
  const { send, isBatching } = createBatchTransport(createFetchTransport(clock, site), clock, site)
  return {
    isBatching,
    ask: (
      url: string,
      queries: readonly string[],
      headers: (query: string) => Readonly<Record<string, string>> = () => ({}),
      signals: readonly AbortSignal[] = [],
    ) =>
      queries.map((query, at) =>
        send(
          {
            url: `${url}?${query}`,
            headers: headers(query),
            timeoutMs: 5_000,
            bodyMaxBytes: DEFAULTS.bodyMaxBytes,
          },
          signals[at] ?? new AbortController().signal,
        ),
      ),
  }
}

/** The real dashboard server in front of a service. */
async function dashboardFor(baseUrl: string, timeoutMs: number = DEFAULTS.timeoutMinMs) {
  const seen: string[] = []
  const accessLog = {
    note: ({ method, url }: IncomingMessage) => void seen.push(`${method} ${url?.split('?')[0]}`),
    reopen: () => undefined,
    close: () => undefined,
  }
  const config = valueOf(parseServerConfig({ version: 1, services: [{ baseUrl, timeoutMs }] }))
  const server = await startTestServer({ config, accessLog })
  const site = server.url.replace(/\/$/, '')
  const path = `/proxy/${serviceIdOf(baseUrl)}/node/status`
  return { ...pageOf(site), site, url: `${site}${path}`, seen, single: `GET ${path}` }
}

const BATCH = `POST ${BATCH_PATH}`

/** Something in front of the dashboard server that answers in its place. */
async function front(answerer: Answerer) {
  const methods: string[] = []
  const server = createServer((request, response) => {
    methods.push(request.method ?? '')
    request.resume()
    answerer(request, response)
  })
  const site = `http://127.0.0.1:${await portOf(server)}`
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const clock = createFakeClock()
  const asked = (count = 2) =>
    Promise.all(pageNow.ask(`${site}/proxy/x/node/status`, ['a', 'b', 'c'].slice(0, count)))
  const pageNow = pageOf(site, clock)
  return { asked, methods, clock, isBatching: pageNow.isBatching }
}

describe('requests to the proxy that start in one turn', () => {
  // They take long, or differ from answer to answer. Node's fetch ignores the wrong encoding; browsers do not.
  const others = /^(late|drip|chaos|flap|refused|fuzz|clock-offset|heartbeat-backwards|wrong-encoding)$/
  const names = FAULT_NAMES.filter((name) => !others.test(name))

  it.each(names)(
    'get the same answer as single ones, also when the service has the fault %s',
    async (name) => {
      const clock = { ...systemClock, wallMs: () => Date.UTC(2026, 10, 21) }
      const { baseUrl, service, id } = await runReference({ nodes: 1, clock })
      const value = BENCH_FAULTS.faults[name]?.value?.default
      await service.faults.set('*', { name, ...(value !== undefined && { value }) })
      const { ask, url, seen } = await dashboardFor(baseUrl)
      const timestamp = Math.floor(clock.wallMs() / 1_000)
      const query = `node_id=${id(0)}`
      const signed = () => signedHeaders(baseUrl, { key: VIEWER, query, timestamp })
      const [single] = await Promise.all(ask(url, [query], signed))
      expect(await Promise.all(ask(url, [query, query], signed))).toEqual([single, single])
      expect(seen.filter((line) => line === BATCH)).toHaveLength(1)
    },
  )

  it('get their answers as they come, each with its own signature, and no cookie', async () => {
    const hung = withResolvers()
    const baseUrl = await startUpstream(({ url, headers }, response) => {
      const answer = () => response.end(`${url} ${headers.authorization} ${headers.cookie}`)
      if (url?.endsWith('slow') === true) void hung.promise.then(answer)
      else answer()
    })
    const { ask, url, seen } = await dashboardFor(baseUrl, 5_000)
    const [slow, quick] = ask(url, ['node_id=slow', 'node_id=quick'], (query) => ({
      Authorization: `Bearer ${query}`,
      Cookie: 'a=b',
    }))
    expect(await quick).toMatchObject({
      value: { status: 200, body: '/node/status?node_id=quick Bearer node_id=quick undefined' },
    })
    hung.resolve()
    expect(await slow).toMatchObject({
      value: { body: '/node/status?node_id=slow Bearer node_id=slow undefined' },
    })
    expect(seen).toEqual([BATCH])
  })

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('get a body that the service compressed with %s', async (encoding, packed) => {
    const baseUrl = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(packed('{"status":"ACTIVE"}'))
    })
    const { ask, url } = await dashboardFor(baseUrl)
    const body = '{"status":"ACTIVE"}'
    expect(await Promise.all(ask(url, ['', '']))).toMatchObject([{ value: { body } }, { value: { body } }])
  })

  it.each([
    ['zstd', '{}'],
    // A few bytes of it may take as long to decode as 16 MiB.
    ['br', brotliCompressSync('{}')],
  ])(
    'are single ones after a service compressed with %s, which only browsers decode',
    async (encoding, body) => {
      const baseUrl = await startUpstream((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(body)
      })
      const { ask, url, seen, single } = await dashboardFor(baseUrl)
      const cutOff = err({ kind: 'cut-off', encoding })
      expect(await Promise.all(ask(url, ['', '']))).toEqual([cutOff, cutOff])
      await Promise.all(ask(url, ['', '']))
      expect(seen).toEqual([BATCH, single, single])
    },
  )

  it('end one by one; the last one ends the batch', async () => {
    const [came, gone] = [withResolvers(), withResolvers()]
    const baseUrl = await startUpstream(({ socket }) => {
      came.resolve()
      socket.once('close', gone.resolve)
    })
    const { ask, url } = await dashboardFor(baseUrl, 5_000)
    const [one, other] = [new AbortController(), new AbortController()]
    const [first, second] = ask(url, ['', ''], undefined, [one.signal, other.signal])
    await came.promise
    one.abort()
    expect(await first).toEqual(err({ kind: 'aborted' }))
    other.abort()
    expect(await second).toEqual(err({ kind: 'aborted' }))
    await gone.promise
  })

  it('are not sent if they are aborted in the same turn', async () => {
    const { url, ask, seen, single } = await dashboardFor(
      await startUpstream((_, response) => response.end('{}')),
    )
    const aborted = new AbortController()
    const outcomes = ask(url, ['', ''], undefined, [aborted.signal])
    aborted.abort()
    expect(await Promise.all(outcomes)).toMatchObject([err({ kind: 'aborted' }), { ok: true }])
    expect(seen).toEqual([single])
  })

  it('are single ones if they go to a service directly, or if there is only one', async () => {
    const { baseUrl } = await runReference({ nodes: 1 })
    const { ask, url, seen, single } = await dashboardFor(baseUrl)
    const direct = await Promise.all(ask(`${baseUrl}/node/status`, ['', '']))
    expect(direct).toMatchObject([{ value: { status: 401 } }, { value: { status: 401 } }])
    await Promise.all(ask(url, ['']))
    expect(seen).toEqual([single])
  })
})

describe('a batch that something in front', () => {
  it.each([
    [404, {}],
    [403, { [ANSWERED_BY_HEADER]: 'x' }],
    [405, { [ANSWERED_BY_HEADER]: 'an earlier version' }],
    [302, { location: '/login' }],
    [501, {}],
  ])(
    'refuses with %i is sent again as single requests, as are all requests for ten minutes',
    async (status, headers) => {
      const { asked, methods, clock, isBatching } = await front(({ method }, response) => {
        if (method === 'POST') response.writeHead(status, headers).end()
        else response.writeHead(200, { [ANSWERED_BY_HEADER]: 'x' }).end('{}')
      })
      expect(isBatching()).toBe(true)
      const good = { ok: true, value: { status: 200, body: '{}' } }
      expect(await asked()).toMatchObject([good, good])
      expect(methods).toEqual(['POST', 'GET', 'GET'])
      await clock.advance(599_000)
      await asked()
      expect(methods.slice(3)).toEqual(['GET', 'GET'])
      expect(isBatching()).toBe(false)
      await clock.advance(2_000)
      await asked()
      expect(methods.slice(5)).toEqual(['POST', 'GET', 'GET'])
    },
  )

  it.each<[string, Answerer, object]>([
    [
      'answers with 502',
      (_, response) => response.writeHead(502).end('x'),
      { value: { status: 502, isOfFront: true } },
    ],
    ['resets', ({ socket }) => void socket.resetAndDestroy(), { error: { kind: 'unreachable' } }],
    [
      'cuts off',
      (_, response) => {
        response.writeHead(200, { [ANSWERED_BY_HEADER]: 'x', 'Content-Type': BATCH_TYPE })
        response.write('{"at":0,"status":200,"hea', () => response.destroy())
      },
      { error: { kind: 'unreachable' } },
    ],
    [
      'floods',
      (_, response) => {
        response.writeHead(200, { [ANSWERED_BY_HEADER]: 'x', 'Content-Type': BATCH_TYPE })
        response.end('x'.repeat(2_000_000))
      },
      { error: { kind: 'unreachable' } },
    ],
  ])('%s fails for each request, and the next ones are single', async (_what, answerer, outcome) => {
    const { asked, methods } = await front(answerer)
    expect(await asked()).toMatchObject([outcome, outcome])
    expect(methods).toEqual(['POST'])
    await asked()
    expect(methods.slice(1)).toEqual(['GET', 'GET'])
  })

  const lines = [0, 1].map((at) => JSON.stringify({ at, status: 200, headers: {}, body: '{}', afterMs: 0 }))

  it.each<[string, object, object]>([
    ['without the mark of the server', { 'Content-Type': BATCH_TYPE }, { isOfFront: true }],
    ['as another type', { [ANSWERED_BY_HEADER]: 'x', 'Content-Type': 'text/plain' }, { body: '{}' }],
  ])('passes on %s is not sent again', async (_what, headers, value) => {
    const { asked, methods } = await front((_, response) =>
      response.writeHead(200, { ...headers }).end(`${lines.join('\n')}\n`),
    )
    expect(await asked()).toMatchObject([{ value }, { value }])
    expect(methods).toEqual(['POST'])
  })

  it('answers as a whole is the last one for a day', async () => {
    const held = withResolvers()
    const { asked, methods, clock } = await front(({ method }, response) => {
      response.writeHead(200, { [ANSWERED_BY_HEADER]: 'x', 'Content-Type': BATCH_TYPE })
      if (method === 'GET') return void response.end('{}')
      held.resolve()
      clock.after(2_000, () => response.end(`${lines.join('\n')}\n`))
    })
    const answers = asked()
    await held.promise
    await clock.advance(2_000)
    expect(await answers).toMatchObject([{ value: { body: '{}' } }, { value: { body: '{}' } }])
    await clock.advance(86_000_000)
    await asked()
    expect(methods).toEqual(['POST', 'GET', 'GET'])
  })

  it('holds up ends at the timeout of each request, and the next ones are single', async () => {
    const arrived = withResolvers()
    const { asked, methods, clock } = await front(() => arrived.resolve())
    const outcomes = asked()
    await arrived.promise
    await clock.advance(5_000)
    const late = err({ kind: 'timeout', afterMs: 5_000 })
    expect(await outcomes).toEqual([late, late])
    expect(clock.pendingMs()).toEqual([])
    void asked()
    await clock.advance(5_000)
    expect(methods).toEqual(['POST', 'GET', 'GET'])
  })
})

it('A failure of the dashboard server itself is that of each request, and batches continue', async () => {
  const { asked, methods } = await front((_, response) =>
    response.writeHead(401, { [ANSWERED_BY_HEADER]: 'x', [PROXY_FAILURE_HEADER]: 'signed-out' }).end(),
  )
  const signedOut = { value: { status: 401, proxyFailure: 'signed-out' } }
  expect(await asked(3)).toMatchObject([signedOut, signedOut, signedOut])
  await asked()
  expect(methods).toEqual(['POST', 'POST'])
})
