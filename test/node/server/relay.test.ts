import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { ask, type Ask } from './http-client.ts'
import { startTestServer } from './test-server.ts'

type Taken = {
  readonly method: string
  readonly path: string
  readonly headers: object
  readonly body: string
}

/** A receiver on this computer that notes what it takes. */
async function receiver(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(202, { 'content-type': 'text/html', 'retry-after': '7' }).end('<b>taken</b>')
  },
) {
  const taken: Taken[] = []
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      taken.push({ method, path, headers, body: Buffer.concat(parts).toString() })
      answer(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  const address: AddressInfo | string | null = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}`, taken, close }
}

const post = (
  { url, host }: { readonly url: string; readonly host: string },
  id: string,
  { headers = {}, body = '{"id":"1"}', method = 'POST' }: Ask = {},
) =>
  ask(url, `/relay/${id}`, {
    method,
    headers: {
      origin: `http://${host}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      ...headers,
    },
    body,
  })

const alertmanager = (url: string): Receiver => ({ kind: 'alertmanager', url: `${url}/am/`, via: 'relay' })

const webhook = (url: string): Receiver => ({ kind: 'webhook', url, via: 'relay' })

describe('the relay', () => {
  it('passes the body on to a listed receiver, and back the status, the length of the answer and Retry-After', async () => {
    const { url, taken } = await receiver()
    const listed = webhook(`${url}/hook?token=1`)
    const server = await startTestServer({ receivers: [listed] })
    const answer = await post(server, receiverIdOf(listed), { headers: { cookie: 'a=1', 'x-more': '1' } })
    expect(answer).toMatchObject({ status: 202, headers: { 'retry-after': '7' } })
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['content-security-policy']).toContain('sandbox')
    expect(answer.body.toString()).toBe('12 bytes')
    expect(taken).toHaveLength(1)
    expect(taken[0]).toMatchObject({ method: 'POST', path: '/hook?token=1', body: '{"id":"1"}' })
    const { host: _host, ...sent }: Record<string, unknown> = { ...taken[0]?.headers }
    expect(sent).toEqual({
      'content-type': 'application/json',
      'content-length': '10',
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'immune-node-dashboard',
      connection: 'close',
    })
  })

  it('asks Alertmanager below its base URL', async () => {
    const { url, taken } = await receiver()
    const listed: Receiver = { kind: 'alertmanager', url: `${url}/alerts/`, via: 'relay' }
    const server = await startTestServer({ receivers: [listed] })
    expect((await post(server, receiverIdOf(listed), { body: '[]' })).status).toBe(202)
    expect(taken[0]?.path).toBe('/alerts/api/v2/alerts')
  })

  it('makes and ends silences of an Alertmanager, and reaches nothing else of it', async () => {
    const { url, taken } = await receiver()
    const listed = alertmanager(url)
    const server = await startTestServer({ receivers: [listed] })
    const id = receiverIdOf(listed)
    const statuses = [
      await post(server, `${id}/silences`),
      await post(server, `${id}/silence/f9de8bf9-410a`, { method: 'DELETE', body: '' }),
      await post(server, `${id}/silence/..`, { method: 'DELETE', body: '' }),
      await post(server, `${id}/silence/%2e%2e`, { method: 'DELETE', body: '' }),
      await post(server, `${id}/silence/f9/x`, { method: 'DELETE', body: '' }),
      await post(server, `${id}/silence/f9/x`),
      await post(server, `${id}/x/silence/f9`),
      await post(server, `${id}/silence/f9de8bf9-410a`),
      await post(server, `${id}/receivers`),
      await post(server, `${id}/silences`, { method: 'DELETE', body: '' }),
      await post(server, `${id}/silence/f9`, {
        method: 'DELETE',
        body: '',
        headers: { origin: 'http://attacker.example' },
      }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([202, 202, 403, 403, 405, 403, 403, 405, 403, 405, 403])
    expect(taken.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/am/api/v2/silences', '{"id":"1"}'],
      ['DELETE', '/am/api/v2/silence/f9de8bf9-410a', ''],
    ])
  })

  it('gives back a redirect without following it, and nothing of a long answer', async () => {
    const { url, taken } = await receiver((_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end('x'.repeat(100_000))
    })
    const listed = webhook(`${url}/`)
    const server = await startTestServer({ receivers: [listed] })
    const answer = await post(server, receiverIdOf(listed))
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toBeUndefined()
    expect(answer.body.toString()).toBe('more than 4096 bytes')
    expect(taken).toHaveLength(1)
  })

  it.each([
    [
      'the id of a new silence',
      200,
      '{"silenceID":"f9de8bf9-410a","x":"secret"}',
      200,
      '{"silenceID":"f9de8bf9-410a"}',
    ],
    ['nothing of another answer', 200, '{"secret":"word"}', 200, ''],
    ['that there is none any more', 500, '"silence f9 not found"', 404, ''],
    ['nothing of an error', 400, 'secret', 400, ''],
  ])('tells of silences %s', async (_name, status, said, answered, text) => {
    const { url } = await receiver((_request, response) => response.writeHead(status).end(said))
    const listed = alertmanager(url)
    const server = await startTestServer({ receivers: [listed] })
    const answer = await post(server, `${receiverIdOf(listed)}/silences`)
    expect([answer.status, answer.body.toString()]).toEqual([answered, text])
  })

  it('says that nobody accepts connections there', async () => {
    const { url, close } = await receiver()
    close()
    const listed = webhook(`${url}/`)
    const server = await startTestServer({ receivers: [listed] })
    const answer = await post(server, receiverIdOf(listed))
    expect(answer.status).toBe(502)
    expect(answer.headers['x-proxy-failure']).toBe('refused')
  })
})

describe('the relay refuses', () => {
  const cases: readonly [name: string, status: number, changed: Ask][] = [
    ['another origin', 403, { headers: { origin: 'http://attacker.example' } }],
    ['another site by the browser’s word', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['what is loaded as an image', 403, { headers: { 'sec-fetch-dest': 'image' } }],
    ['a form’s content type', 415, { headers: { 'content-type': 'text/plain' } }],
    ['a body that is too large', 413, { body: 'x'.repeat(262_145) }],
    ['GET', 405, { method: 'GET' }],
  ]
  it.each(cases)('%s, and sends nothing', async (_name, status, changed) => {
    const { url, taken } = await receiver()
    const listed = webhook(`${url}/`)
    const server = await startTestServer({ receivers: [listed] })
    expect((await post(server, receiverIdOf(listed), changed)).status).toBe(status)
    expect(taken).toEqual([])
  })

  it('a request without an origin, and a receiver that is not listed', async () => {
    const { url, taken } = await receiver()
    const listed = webhook(`${url}/`)
    const server = await startTestServer({ receivers: [listed] })
    const headers = { 'content-type': 'application/json' }
    const bare = await ask(server.url, `/relay/${receiverIdOf(listed)}`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    expect(bare.status).toBe(403)
    const unknown = await post(server, receiverIdOf(webhook(`${url}/other`)))
    expect(unknown.status).toBe(403)
    expect(unknown.headers['x-proxy-failure']).toBe('not-allowed')
    expect(taken).toEqual([])
  })

  it('a body of exactly the limit is passed on', async () => {
    const { url, taken } = await receiver()
    const listed = webhook(`${url}/`)
    const server = await startTestServer({ receivers: [listed] })
    expect((await post(server, receiverIdOf(listed), { body: 'x'.repeat(262_144) })).status).toBe(202)
    expect(taken[0]?.body).toHaveLength(262_144)
  })
})
