import { gunzipSync } from 'node:zlib'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { longTermPath } from '#prometheus/long-term-series.ts'
import { serviceIdOf } from '#record/service.ts'
import { createQueryApis } from '#server/query-apis.ts'
import type { QueryApiSource } from '#settings/schema.ts'
import { freePort } from '#test/support/free-port.ts'
import { ask, json, type Ask } from './http-client.ts'
import { receiver } from './stand-in.ts'
import { configOf, startTestServer, temporaryFolder } from './test-server.ts'
import { startSocketUpstream, type Answerer } from './upstream-server.ts'

const SERVICE = 'https://a.example'
const OTHER = 'https://b.example'
const MINUTE_MS = 60_000

const source = (url: string, more: Partial<QueryApiSource> = {}): QueryApiSource => ({
  name: 'P',
  url,
  scrapeMs: 15_000,
  days: 30,
  live: false,
  labels: {},
  ...more,
})

type Asked = {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly form: Readonly<Record<string, string>>
}

const NOTHING = JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [] } })

/** A query engine that records its requests. Without `answerer` it has no data. */
async function engine(answerer: Answerer = (_request, response) => response.end(NOTHING)) {
  const asked: Asked[] = []
  const { url } = await receiver((request, response, { method, path, headers, body }) => {
    asked.push({ path: `${method} ${path}`, headers, form: Object.fromEntries(new URLSearchParams(body)) })
    answerer(request, response)
  })
  return { url, asked }
}

/** A dashboard that reads from query APIs. */
async function reading(queryApis: readonly QueryApiSource[], services = [SERVICE]) {
  const server = await startTestServer({ config: configOf(...services), queryApis })
  return { ...server, get: (path: string, more: Ask = {}) => ask(server.url, path, more) }
}

/** A dashboard that reads from one engine. */
async function asking(answerer?: Answerer) {
  const { url, asked } = await engine(answerer)
  return { asked, ...(await reading([source(url)])) }
}

const STEPS = { fromMs: 600_000, stepMs: MINUTE_MS, count: 2 }
const PATH = longTermPath(serviceIdOf(SERVICE), '0xaa', STEPS)
const NETWORK = '/query/network?from=600000&step=60000&steps=2'

const changed = (path: string, member: string, value: string | undefined) => {
  const [where = '', query] = path.split('?')
  const parameters = new URLSearchParams(query)
  if (value === undefined) parameters.delete(member)
  else parameters.set(member, value)
  return `${where}?${parameters}`
}

type Values = readonly (readonly [atS: number, value: string])[]

const matrix = (parts: Readonly<Record<string, Values>>) => {
  const result = Object.entries(parts).map(([part, values]) => ({ metric: { part }, values }))
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } })
}

const noAnswer = (detail: string) => ({ title: 'No answer from the query API', detail })

const SOON = { interval: 5, timeout: 20_000 }

const STAKE = matrix({ stake: [[660, '7']], 'stake:nodes': [[660, '2']] })

describe('the long-term history of a node', () => {
  it('is queried in one query', async () => {
    const { url, asked } = await engine((_request, response) =>
      response.end(
        matrix({
          up: [
            [660, '1'],
            [720, '0.5'],
          ],
        }),
      ),
    )
    const { get } = await reading([source(url, { labels: { cluster: 'main' } })])
    const answer = await get(PATH)
    expect(answer.status).toBe(200)
    expect(json(answer)).toMatchObject({ ...STEPS, up: [1, 0.5] })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(answer.body.length),
      vary: 'Accept-Encoding',
      'cache-control': 'no-store',
    })
    expect(asked.map(({ path }) => path)).toEqual(['POST /api/v1/query_range'])
    for (const { form, headers } of asked) {
      expect(form).toMatchObject({ step: '60', start: '660', end: '720' })
      expect(form['query']).toContain('cluster="main",service="https://a.example",node="0xaa"')
      expect(headers).toMatchObject({ accept: 'application/json' })
      expect(headers['authorization']).toBeUndefined()
    }
  })

  it('is compressed if the client accepts gzip', async () => {
    const { get } = await asking()
    const packed = await get(PATH, { headers: { 'accept-encoding': 'br, gzip' } })
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-length': String(packed.body.length),
    })
    expect(JSON.parse(gunzipSync(packed.body).toString())).toMatchObject(STEPS)
    for (const accepted of ['br', 'xgzip', 'gzipx'])
      expect(
        (await get(PATH, { headers: { 'accept-encoding': accepted } })).headers['content-encoding'],
      ).toBe(undefined)
  })

  it('may be that of the default node', async () => {
    const { asked, get } = await asking()
    expect((await get(longTermPath(serviceIdOf(SERVICE), undefined, STEPS))).status).toBe(200)
    expect(asked[0]?.form['query']).toContain('node="own"')
  })

  it('comes from the query API of the service', async () => {
    const [one, two] = [await engine(), await engine()]
    const { get } = await reading([source(one.url), source(two.url, { service: SERVICE })], [SERVICE, OTHER])
    await get(PATH)
    expect([one.asked.length, two.asked.length]).toEqual([0, 1])
    await get(longTermPath(serviceIdOf(OTHER), '0xaa', STEPS))
    expect([one.asked.length, two.asked.length]).toEqual([1, 1])
  })

  it.each([
    ['node', ['', 'x', '0xaa"', '0xaa"} or up{a="']],
    ['from', ['', '-1', '1', '999', '600001', '6e5', '0x0', ' 0', '1000000000000000', 'Infinity']],
    ['step', ['', '0', '14000', '15001', '-60000', '60000.5']],
    ['steps', ['', '0', '-1', '2001', '1.5', '2 ', 'x2']],
  ])('is refused with an invalid %s', async (member, values) => {
    const { asked, get } = await asking()
    for (const value of [undefined, ...values]) {
      const answer = await get(changed(PATH, member, value))
      expect([value, answer.status]).toEqual([value, 400])
      expect(json(answer)).toMatchObject({
        title: 'Invalid query',
        detail: 'Requires node, from, step and steps. Times are in ms and multiples of 1,000.',
      })
    }
    expect(asked).toEqual([])
  })

  it.each([
    ['from', '0'],
    ['from', '999999999999000'],
    ['step', '15000'],
    ['steps', '1'],
    ['steps', '2000'],
    ['node', '0xAA'],
  ])('may have the %s %s', async (member, value) => {
    const { get } = await asking()
    expect((await get(changed(PATH, member, value))).status).toBe(200)
  })
})

describe('the long-term history of the network', () => {
  it('covers the services that have no query API of their own', async () => {
    const [one, two] = [await engine((_request, response) => response.end(STAKE)), await engine()]
    const { get } = await reading(
      [source(two.url, { service: OTHER }), source(one.url, { labels: { cluster: 'main' } })],
      [SERVICE, OTHER, 'https://c.example'],
    )
    const answer = await get(NETWORK)
    expect([answer.status, json(answer)]).toMatchObject([200, STEPS])
    expect(json(answer)).toMatchObject({ lines: [{ id: 'stake', value: [7, null], nodes: [2, null] }] })
    expect([one.asked.length, two.asked.length]).toEqual([1, 0])
    expect(one.asked[0]).toMatchObject({
      path: 'POST /api/v1/query_range',
      form: { start: '660', end: '720', step: '60' },
    })
    const query = one.asked[0]?.form['query'] ?? ''
    expect(query).toContain('cluster="main"')
    // Dots are escaped for RE2, and the backslashes again for PromQL.
    expect(query).toContain(String.raw`service=~"https://a\\.example|https://c\\.example"`)
    expect(query).toContain('[45s]')
  })

  it('fails with 502 if the engine cannot be reached', async () => {
    const { get } = await reading([source(`http://127.0.0.1:${await freePort()}`)])
    const answer = await get(NETWORK)
    expect([answer.status, json(answer)]).toMatchObject([502, noAnswer('It can’t be reached (refused).')])
  })
})

describe('a request for history', () => {
  it.each([
    ['GET', 200],
    ['HEAD', 405],
    ['POST', 405],
  ])('by %s is answered with %i', async (method, status) => {
    const { get } = await asking()
    for (const path of [PATH, NETWORK]) {
      const answer = await get(path, { method })
      expect([answer.status, answer.headers.allow]).toEqual([status, status === 405 ? 'GET' : undefined])
    }
  })

  it.each([
    { origin: 'http://attacker.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-dest': 'image' },
  ])('with %o is refused without a query', async (headers) => {
    const { asked, get } = await asking()
    for (const path of [PATH, NETWORK]) {
      const answer = await get(path, { headers })
      expect([answer.status, json(answer)]).toMatchObject([
        403,
        {
          title: 'Not allowed',
          detail:
            'No query API is configured for this service, or the request does not come from a page of this dashboard.',
        },
      ])
    }
    expect(asked).toEqual([])
  })

  it('for an unlisted service, one without a query API or another path is refused', async () => {
    const { url, asked } = await engine()
    const { get } = await reading([source(url, { service: OTHER })])
    const [, query = ''] = PATH.split('?')
    for (const path of [
      PATH,
      longTermPath(serviceIdOf(OTHER), '0xaa', STEPS),
      NETWORK,
      `/query/network/?${query}`,
      `/query/?${query}`,
      `/query//series?${query}`,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 403])
    const known = await reading([source(url)])
    for (const path of [
      `/query/${serviceIdOf(SERVICE)}?${query}`,
      `/query/${serviceIdOf(SERVICE)}/series/?${query}`,
      `/query/${serviceIdOf(SERVICE)}/series2?${query}`,
      `/query/x/${serviceIdOf(SERVICE)}/series?${query}`,
      `/query/x/query/${serviceIdOf(SERVICE)}/series?${query}`,
    ])
      expect([path, (await known.get(path)).status]).toEqual([path, 403])
    expect(asked).toEqual([])
  })
})

/** Timeouts that end on request, and the limits that were set. */
function heldTimeout() {
  const limits: number[] = []
  const given = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms)
    return given.signal
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return { limits, end: () => given.abort(new DOMException('late', 'TimeoutError')) }
}

describe('an engine’s answer', () => {
  const detailOf = async (answerer: Answerer) => {
    const { get } = await asking(answerer)
    const answer = await get(NETWORK)
    const { detail }: { readonly detail?: string } = JSON.parse(answer.body.toString())
    return [answer.status, detail]
  }
  const refusing =
    (error: string): Answerer =>
    (_request, response) =>
      response.writeHead(422).end(JSON.stringify({ status: 'error', error }))

  it('is quoted by its end if it is long, since that has the reason', async () => {
    const [whole, long] = [`${'q'.repeat(290)}the reason`, `${'q'.repeat(291)}the reason`]
    expect(await detailOf(refusing(whole))).toEqual([502, `It answered 422: ${whole}`])
    expect(await detailOf(refusing(long))).toEqual([502, `It answered 422: …${whole}`])
    expect(await detailOf(refusing('a\u202eb'))).toEqual([502, 'It answered 422: a⟨U+202E⟩b'])
  })

  it('that is not of the Prometheus API is reported by its status', async () => {
    const said = [502, 'It answered 404, but not in the format of the Prometheus API.']
    expect(await detailOf((_request, response) => response.writeHead(404).end('<p>no'))).toEqual(said)
    expect(await detailOf((_request, response) => response.writeHead(404).end('{"a":1}'))).toEqual(said)
    expect(await detailOf((_request, response) => response.writeHead(204).end())).toEqual([
      502,
      'It answered 204, but not in the format of the Prometheus API.',
    ])
  })

  it('that redirects is not followed', async () => {
    const elsewhere = await engine()
    expect(
      await detailOf((_request, response) => response.writeHead(307, { location: elsewhere.url }).end()),
    ).toEqual([502, 'It answered 307, but not in the format of the Prometheus API.'])
    expect(elsewhere.asked).toEqual([])
  })

  it('is read up to its size limit', async () => {
    const { url } = await engine()
    const api = source(url)
    const askedWith = (mostBytes: number) =>
      createQueryApis(
        () => [api],
        { platform: process.platform, env: {} },
        () => undefined,
        mostBytes,
      ).ask(api, 'query', { query: 'up' })
    expect(await askedWith(NOTHING.length)).toEqual({ ok: true, value: [] })
    const most = NOTHING.length - 1
    expect(await askedWith(most)).toEqual({ ok: false, error: `Its answer is larger than ${most} bytes.` })
  })

  it('that is cut off is an error', async () => {
    const url = await startSocketUpstream((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":')),
    )
    const { get } = await reading([source(url)])
    expect(json(await get(NETWORK))).toMatchObject({ detail: 'Its answer was incomplete.' })
  })

  it('must arrive within 20 s', async () => {
    const { limits, end } = heldTimeout()
    const { get } = await asking(end)
    expect(json(await get(NETWORK))).toMatchObject({ detail: 'It did not answer within 20 s.' })
    expect(limits).toEqual([20_000])
  })
})

describe('credentials of a query API', () => {
  const withSecret = async (more: (file: string) => Partial<QueryApiSource>, secret: string) => {
    const file = join(await temporaryFolder(), 'secret')
    await writeFile(file, secret, { mode: 0o600 })
    const { url, asked } = await engine()
    const server = await reading([source(url, more(file))])
    return { ...server, file, asked }
  }

  it.each([
    ['bearer', 'tok_1\n', 'Bearer tok_1'],
    ['basic', 'op:word\n', `Basic ${Buffer.from('op:word').toString('base64')}`],
  ] as const)('for %s are sent to it and read anew for each query', async (kind, secret, sent) => {
    const { get, file, asked } = await withSecret((from) => ({ [kind]: from }), secret)
    await get(NETWORK)
    await writeFile(file, 'other\n')
    await get(NETWORK)
    expect(asked[0]?.headers['authorization']).toBe(sent)
    expect(asked[1]?.headers['authorization']).not.toBe(sent)
  })

  it('that cannot be read are logged once, and reported to browsers without their path', async () => {
    const { get, file, asked, reports } = await withSecret((from) => ({ bearer: from }), 'two words')
    for (const _ of [1, 2]) {
      const answer = await get(NETWORK)
      expect([answer.status, json(answer)]).toMatchObject([
        502,
        {
          detail: 'The dashboard server can’t read the credentials for this query API. See the server’s log.',
        },
      ])
    }
    expect(asked).toEqual([])
    expect(reports).toEqual([`${file}: must be one line of printable ASCII without spaces.`])
    await writeFile(file, '')
    await get(NETWORK)
    expect(reports).toHaveLength(1)
  })
})

describe('queries to engines', () => {
  const late = () => new AbortController()
  /** An engine that answers on demand, and functions that query it. */
  async function held() {
    const open: { readonly answer: () => void; readonly isGone: () => boolean }[] = []
    const { url } = await engine((request, response) => {
      open.push({
        answer: () => void response.end(NOTHING),
        isGone: () => request.socket.destroyed,
      })
    })
    const api = source(url)
    const apis = createQueryApis(
      () => [api],
      { platform: process.platform, env: {} },
      () => undefined,
    )
    const askAs = (visitor: string, gone = late()) =>
      apis.ask(api, 'query', { query: visitor }, { visitor, gone: gone.signal })
    const askForAll = () => apis.ask(api, 'query', { query: 'all' })
    const opened = (count: number) => vi.waitFor(() => expect(open).toHaveLength(count), SOON)
    return { open, askAs, askForAll, opened }
  }
  const TOO_MANY = { ok: false, error: 'Too many queries are waiting for it.' }
  const times = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))

  it('run 6 at a time, 4 per visitor, and the next starts when one is answered', async () => {
    const { open, askAs, opened } = await held()
    const all = [...times(6, () => askAs('a')), ...times(6, () => askAs('b'))]
    await opened(6)
    for (let count = 7; count <= 12; count++) {
      open[count - 7]?.answer()
      await opened(count)
    }
    for (const { answer } of open) answer()
    expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true)
    // Later queries run as before.
    void askAs('a')
    await opened(13)
  })

  it('of busy visitors delay another visitor by three answers at most', async () => {
    const { open, askAs, opened } = await held()
    for (const visitor of ['a', 'b']) for (let count = 0; count < 30; count++) void askAs(visitor)
    await opened(6)
    const other = askAs('c')
    open[0]?.answer()
    await opened(7)
    open[1]?.answer()
    await opened(8)
    open[2]?.answer()
    await opened(9)
    for (const { answer } of open) answer()
    expect(await other).toEqual({ ok: true, value: [] })
  })

  it('are queued, up to 32 per visitor and 256 in total, of which the last of a busiest one makes room', async () => {
    const { askAs } = await held()
    const queued = times(4 + 32, () => askAs('a'))
    expect(await askAs('a')).toEqual(TOO_MANY)
    void times(2 + 32, () => askAs('b'))
    void times(6, (index) => times(32, () => askAs(`v${index}`)))
    const outcome = (of: Promise<unknown>, name: string) => of.then((result) => [name, result])
    const one = askAs('one more')
    expect(
      await Promise.race([outcome(one, 'one more'), ...queued.map((of, at) => outcome(of, `a ${at}`))]),
    ).toEqual(['a 35', TOO_MANY])
  })

  it('end when their client disconnects, queued or running', async () => {
    const { open, askAs, opened } = await held()
    const [gone, waiting] = [late(), late()]
    const asked = times(4, () => askAs('a', gone))
    await opened(4)
    const behind = times(20, () => askAs('a', waiting))
    waiting.abort()
    expect(await Promise.all(behind)).toEqual(times(20, () => TOO_MANY))
    gone.abort()
    expect((await Promise.all(asked)).some(({ ok }) => ok)).toBe(false)
    await vi.waitFor(() => expect(open.every(({ isGone }) => isGone())).toBe(true), SOON)
    void askAs('a')
    await opened(5)
  })

  it('for all visitors do not wait for those of one visitor', async () => {
    const { open, askAs, askForAll, opened } = await held()
    for (let index = 0; index < 40; index++) void askAs(`v${index}`)
    await opened(6)
    const all = askForAll()
    await opened(7)
    open[6]?.answer()
    expect(await all).toEqual({ ok: true, value: [] })
  })

  it('fail at the timeout while they are queued', async () => {
    const { askAs, opened } = await held()
    for (const visitor of ['a', 'a', 'a', 'a', 'b', 'b']) void askAs(visitor)
    await opened(6)
    const { end } = heldTimeout()
    const waiting = askAs('c')
    end()
    expect(await waiting).toEqual(TOO_MANY)
  })
})
