import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import type { QueryApiSource } from '#settings/schema.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { receiver } from './stand-in.ts'
import { configOf, startTestServer } from './test-server.ts'
import { startUpstream } from './upstream-server.ts'

const SERVICE = 'https://a.example'
const NOW_S = 1_790_000_000

type Told = readonly [part: string, value: number, labels?: Readonly<Record<string, string>>]

/** The answer of a query engine about one node. */
const node = (id: string, ...told: readonly Told[]) =>
  told.map(([part, value, labels = {}]) => ({
    metric: { part, node: id, ...labels },
    value: [NOW_S, String(value)],
  }))

const UP = [
  ['up', 1],
  ['answered', NOW_S - 12],
  ['participation', 0.97],
] as const

/** A dashboard that answers status requests from a query engine. */
async function liveDashboard(
  results: () => readonly object[] | undefined,
  more: Partial<QueryApiSource> = {},
) {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_S * 1_000 })
  onTestFinished(() => void vi.useRealTimers())
  const queries: string[] = []
  const { url } = await receiver((_request, response, { path, body }) => {
    queries.push(`${path} ${new URLSearchParams(body).get('query')}`)
    const result = results()
    if (result === undefined) response.writeHead(500).end()
    else response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }))
  })
  const api = { name: 'P', url, scrapeMs: 10_000, days: 30, live: true, labels: {}, ...more }
  const server = await startTestServer({ config: configOf(SERVICE, 'https://b.example'), queryApis: [api] })
  const status = (query = '', service = SERVICE) =>
    ask(server.url, `/proxy/${serviceIdOf(service)}/node/status${query}`)
  return {
    ...server,
    status,
    queries,
    failureOf: async (query = '') => (await status(query)).headers['x-proxy-failure'],
  }
}

describe('a status request answered from collected metrics', () => {
  it('returns the record, its age and the time of the server', async () => {
    const { status } = await liveDashboard(() => [...node('0xAA', ...UP), ...node('own', ...UP)])
    const answer = await status('?node_id=0xaa')
    expect(answer.status).toBe(200)
    expect(json(answer)).toEqual({ node_id: '0xAA', network_participation: 0.97 })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(answer.body.length),
      'cache-control': 'no-store',
      'x-collected-age': '12',
      date: new Date(NOW_S * 1_000).toUTCString(),
    })
    expect(json(await status())).toEqual({ network_participation: 0.97 })
  })

  it('rounds the age up to whole seconds, with a minimum of 0', async () => {
    const { status } = await liveDashboard(() => [
      ...node('0x1', ['up', 1], ['participation', 1], ['answered', NOW_S - 11.5]),
      ...node('0x2', ['up', 1], ['participation', 1], ['answered', NOW_S + 5]),
    ])
    expect((await status('?node_id=0x1')).headers['x-collected-age']).toBe('12')
    expect((await status('?node_id=0x2')).headers['x-collected-age']).toBe('0')
  })

  it('fails with the collected cause, or "not-collected" without a current record', async () => {
    const { failureOf } = await liveDashboard(() => [
      ...node('0x1', ['up', 0], ['answered', NOW_S - 60], ['participation', 1]),
      ...node('0x2', ['up', 1], ['answered', NOW_S - 60]),
      ...node(
        '0x3',
        ['up', 0],
        ['answered', NOW_S - 60],
        ['participation', 1],
        ['failure', 1, { kind: 'timeout' }],
      ),
      ...node('0x4', ['up', 0], ['failure', 1, { kind: 'timeout' }]),
    ])
    expect(await failureOf('?node_id=0x1')).toBe('not-collected')
    expect(await failureOf('?node_id=0x2')).toBe('not-collected')
    expect(await failureOf('?node_id=0x3')).toBe('timeout')
    expect(await failureOf('?node_id=0x4')).toBe('not-collected')
    expect(await failureOf('?node_id=0x5')).toBe('not-collected')
    expect(await failureOf()).toBe('not-collected')
  })

  it('fails with "query-failed" if the query engine fails', async () => {
    const { status } = await liveDashboard(() => undefined)
    const answer = await status('?node_id=0x1')
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([502, 'query-failed'])
    expect(answer.headers.date).toBeUndefined()
  })

  it('costs one query per service, repeated after half a scrape interval', async () => {
    const { status, queries } = await liveDashboard(() => [...node('0x1', ...UP), ...node('0x2', ...UP)], {
      labels: { cluster: 'main' },
    })
    await Promise.all([status('?node_id=0x1'), status('?node_id=0x2')])
    vi.setSystemTime(NOW_S * 1_000 + 4_999)
    await status('?node_id=0x1')
    expect(queries).toHaveLength(1)
    expect(queries[0]).toMatch(/^\/api\/v1\/query .*cluster="main",service="https:\/\/a\.example"/)
    vi.setSystemTime(NOW_S * 1_000 + 5_000)
    await status('?node_id=0x1')
    expect(queries).toHaveLength(2)
    // Another service has its own query.
    await status('?node_id=0x1', 'https://b.example')
    expect(queries[2]).toContain('service="https://b.example"')
    // A clock that was set back also causes a new query.
    vi.setSystemTime(NOW_S * 1_000 - 1)
    await status('?node_id=0x1')
    expect(queries).toHaveLength(4)
  })

  it('goes to the service itself if a browser added it', async () => {
    const { url, host, status, queries } = await liveDashboard(() => node('0x1', ...UP))
    const added = await startUpstream((_request, response) => response.end('{"own":1}'))
    const body = JSON.stringify({ service: { baseUrl: added } })
    await ask(url, '/services', { method: 'POST', headers: ownHeaders(host), body })
    expect(json(await status('?node_id=0x1', added))).toEqual({ own: 1 })
    expect(queries).toEqual([])
  })

  it('goes to the service itself if the engine is not configured as live', async () => {
    const { queries, failureOf } = await liveDashboard(() => [], { live: false })
    expect(await failureOf('?node_id=0x1')).not.toBe('not-collected')
    expect(queries).toEqual([])
  })
})
