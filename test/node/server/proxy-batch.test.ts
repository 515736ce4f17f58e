import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ok } from '#base/result.ts'
import { BATCH_MAX, BATCH_PATH } from '#protocol/batch.ts'
import { serviceIdOf } from '#record/service.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { configOf, startTestServer, type TestServerOptions } from './test-server.ts'
import { startUpstream, type Answerer } from './upstream-server.ts'

async function batches(
  options: TestServerOptions = {},
  answerer: Answerer = (_, response) => response.end('{}'),
) {
  const asked: string[] = []
  const baseUrl = await startUpstream((upstream, response) => {
    asked.push(`${upstream.url} ${String(upstream.headers['x-node-nonce'])}`)
    answerer(upstream, response)
  })
  const server = await startTestServer({ config: configOf(baseUrl), ...options })
  const { host } = new URL(server.url)
  return {
    asked,
    host,
    server,
    one: {
      path: `/proxy/${serviceIdOf(baseUrl)}/node/status?node_id=0xaa`,
      headers: { 'X-Node-Nonce': 'n' },
    },
    post: (batch: unknown, headers: object = ownHeaders(host)) =>
      ask(server.url, BATCH_PATH, { method: 'POST', headers: { ...headers }, body: JSON.stringify(batch) }),
  }
}

describe('a batch of status requests', () => {
  it('is answered line by line, with a refusal only for those that are not status requests', async () => {
    const { post, one, asked } = await batches()
    const answer = await post([
      { ...one, headers: { ...one.headers, "X.Sig!#$%&'*+^`|~": 's' } },
      { ...one, path: '/config.json' },
      { ...one, path: '/proxy/x/node/status' },
    ])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-answered-by': 'immune-node-dashboard',
    })
    const lines = answer.body.toString().trim().split('\n').toSorted()
    const refused = { status: 403, headers: { 'X-Proxy-Failure': 'not-allowed' } }
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { at: 0, status: 200, body: '{}' },
      { at: 1, ...refused },
      { at: 2, ...refused },
    ])
    expect(asked).toEqual(['/node/status?node_id=0xaa n'])
  })

  it.each<[string, (one: object) => unknown]>([
    ['empty', () => []],
    ['no list', (one) => one],
    ['too long', (one) => Array.from({ length: BATCH_MAX + 1 }, () => one)],
    ['with a header that ends a line', (one) => [{ ...one, headers: { 'X-Node-Nonce': 'n\r\nHost: x' } }]],
    ['with an invalid header name', (one) => [{ ...one, headers: { 'X Node': 'n' } }]],
    ['without headers', (one) => [{ ...one, headers: undefined }]],
  ])('is refused if it is %s', async (_what, batchOf) => {
    const { post, one, asked } = await batches()
    const answer = await post(batchOf(one))
    expect([answer.status, json(answer)]).toMatchObject([400, { title: 'Invalid batch' }])
    expect(asked).toEqual([])
  })

  it.each([
    [403, 'another page', { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }],
    [403, 'a server in front that changes the Host', { origin: 'https://dash.example' }],
    [415, 'a form', { 'content-type': 'text/plain' }],
  ])('is refused with %i from %s, so that the page sends single requests', async (status, _, headers) => {
    const { post, one, asked, host } = await batches()
    const answer = await post([one], { ...ownHeaders(host), ...headers })
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([status, undefined])
    expect(asked).toEqual([])
  })

  it('must be a POST of limited size', async () => {
    const { post, one, server, host } = await batches()
    expect((await ask(server.url, BATCH_PATH, { headers: ownHeaders(host) })).status).toBe(405)
    expect((await post([{ ...one, path: 'x'.repeat(65_536) }])).status).toBe(413)
  })

  it('counts each of its requests in the rate limit', async () => {
    const { post, one } = await batches({ rateLimit: 2 })
    expect((await post([one, one, one, one])).status).toBe(200)
    const { status, headers } = await post([one])
    expect([status, headers['x-proxy-failure']]).toEqual([429, 'limited'])
  })

  it('is refused if the rate limit was used up while its body arrived', async () => {
    let heads = 0
    const accessLog = { note: () => void (heads += 1), reopen: () => undefined, close: () => undefined }
    const { server, host, one, asked } = await batches({ rateLimit: 2, accessLog })
    const posts = [1, 2, 3].map(() => request(`${server.url}proxy/batch`, { method: 'POST', agent: false }))
    for (const post of posts) {
      for (const [name, value] of Object.entries(ownHeaders(host))) post.setHeader(name, value)
      post.flushHeaders()
    }
    await expect.poll(() => heads).toBe(3)
    const statuses = posts.map(async (post) => {
      post.end(JSON.stringify([one, one, one]))
      const [response] = await once(post, 'response')
      await once(response.resume(), 'end')
      return response.statusCode
    })
    expect((await Promise.all(statuses)).filter((status) => status === 429)).toHaveLength(2)
    expect(asked).toHaveLength(3)
  })

  it('has a server error for the request that meets a defect, and the other answers', async () => {
    const signer = {
      keyOf: () => 'x',
      sign: async (_: unknown, query: string) => {
        if (query.endsWith('defect')) throw new Error('a defect')
        return ok({ query, headers: {} })
      },
    }
    const { post, one } = await batches({ signer })
    const answer = await post([{ ...one, path: `${one.path}defect` }, one])
    const lines = answer.body.toString().trim().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { at: 0, status: 500 },
      { at: 1, status: 200 },
    ])
  })

  it('of the largest size makes Node warn of nothing', async () => {
    const warnings: unknown[] = []
    const note = (warning: unknown) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const { post, one } = await batches()
    await post(Array.from({ length: BATCH_MAX }, () => one))
    expect(warnings).toEqual([])
  })
})
