import http from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { receiverIdOf, type AddressReceiver, type Receiver } from '#settings/receiver.ts'
import { createDeliver } from '#server/deliver.ts'
import { systemClock } from '#platform/system-clock.ts'
import { message } from '#test/core/receivers/message.ts'
import { freePort } from '#test/support/free-port.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { createWatchPost, postUrlOf } from '#watch/watch-post.ts'
import { ask, json, ownHeaders, type Ask } from './http-client.ts'
import { startTestServer, temporaryFolder } from './test-server.ts'
import { receiver, silenceFromNow } from './stand-in.ts'
import { startSelfSignedUpstream, startSocketUpstream } from './upstream-server.ts'

const post = (
  { url, host }: { readonly url: string; readonly host: string },
  id: string,
  { headers = {}, body = '{"id":"1"}', method = 'POST' }: Ask = {},
) => ask(url, `/relay/${id}`, { method, headers: { ...ownHeaders(host), ...headers }, body })

const alertmanager = (url: string): Receiver => ({ kind: 'alertmanager', url: `${url}/am/`, via: 'relay' })

const webhook = (url: string): AddressReceiver => ({ kind: 'webhook', url, via: 'relay' })

/** A server that relays to one receiver, which answers with `answer`. */
async function relaying(
  answer?: Parameters<typeof receiver>[0],
  listedAt = (url: string): Receiver => webhook(`${url}/`),
) {
  const { url, taken } = await receiver(answer)
  const listed = listedAt(url)
  const id = receiverIdOf(listed)
  const server = await startTestServer({ receivers: [listed] })
  return { taken, server, id, send: (changed?: Ask, rest = '') => post(server, `${id}${rest}`, changed) }
}

describe('the relay', () => {
  it('leaves receivers of the file to the watch, except for test messages', async () => {
    const { url, taken } = await receiver()
    const listed = [webhook(`${url}/hook`), alertmanager(url)]
    const watch = {
      startedWallMs: 0,
      evaluatedWallMs: () => undefined,
      view: () => undefined,
      deliveries: () => [],
      act: () => false,
      members: () => [],
      journal: async () => ({ entries: [], before: undefined }),
      metrics: () => '',
    }
    const server = await startTestServer({ receivers: listed, watch })
    const answers = listed.flatMap((one) =>
      ['{"kind":"problem"}', '[]'].map((body) => post(server, receiverIdOf(one), { body })),
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([409, 409, 409, 409])
    const test = { body: '{"kind":"test"}' }
    expect((await post(server, receiverIdOf(webhook(`${url}/hook`)), test)).status).toBe(202)
    expect(taken.map(({ body }) => body)).toEqual(['{"kind":"test"}'])
    const page = { headers: { host: server.host, 'sec-fetch-site': 'same-origin' } }
    expect(json(await ask(server.url, '/receivers', page))).toMatchObject({
      receivers: [{ from: 'watch' }, { from: 'watch' }],
    })
    expect(json(await ask(server.url, '/config.json', page))).toMatchObject({ watch: { version: 1 } })
    expect((await ask(server.url, '/watch', page)).status).toBe(503)
  })

  it.each(['relay', 'watch'])('signs for a webhook with a secret, sent by the %s', async (by) => {
    const { url, taken } = await receiver()
    const listed: Receiver = { kind: 'webhook', via: 'relay', url: `${url}/hook`, secret: 'hush' }
    const body = JSON.stringify(message())
    if (by === 'relay')
      await post(await startTestServer({ receivers: [listed] }), receiverIdOf(listed), { body })
    else {
      const world = { platform: process.platform, env: {} }
      const report = () => undefined
      const deliver = createDeliver({ folder: undefined, world, report })
      const watch = createWatchPost({ clock: systemClock, deliver, receivers: () => [listed] })
      await watch.post({ url: postUrlOf(listed), body, blind: false })
    }
    expect(taken).toMatchObject([
      { body, headers: { 'x-immune-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/) } },
    ])
  })

  it('forwards the body and returns the status, the answer’s length and Retry-After', async () => {
    const { taken, send } = await relaying(undefined, (url) => webhook(`${url}/hook?token=1`))
    const answer = await send({ headers: { cookie: 'a=1', 'x-more': '1' } })
    expect(answer).toMatchObject({ status: 202, headers: { 'retry-after': '120' } })
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

  it('posts to Alertmanager below its base URL', async () => {
    const { taken, send } = await relaying(undefined, alertmanager)
    expect((await send({ body: '[]' })).status).toBe(202)
    expect(taken[0]?.path).toBe('/am/api/v2/alerts')
  })

  it('creates and changes silences in Alertmanager and reaches no other path of it', async () => {
    const { taken, send } = await relaying((request, response) => {
      if (request.method === 'GET') response.end(JSON.stringify(silenceFromNow()))
      else response.writeHead(202).end()
    }, alertmanager)
    const body = JSON.stringify(silenceFromNow())
    const changed = ['f9de8bf9-410a', 'f'.repeat(64)].map((id) => ({
      id,
      body: JSON.stringify(silenceFromNow(id)),
    }))
    expect((await send({ body }, '/silences')).status).toBe(202)
    for (const one of changed) expect((await send(one, '/silences')).status).toBe(202)
    const hostile = { body, headers: { origin: 'http://attacker.example' } }
    expect((await send(hostile, '/silences')).status).toBe(403)
    for (const id of ['F9', '..', '%2e%2e', 'f9%2f..%2f..%2fx', 'f9\\..\\..\\x', 'f'.repeat(65)])
      expect((await send({ body: JSON.stringify(silenceFromNow(id)) }, '/silences')).status).toBe(404)
    const noPaths = ['/silences/x', '/silences/../x', '/xsilences', '/x/silences', '/silence/f9de8bf9-410a']
    for (const rest of [...noPaths, '/../../x', '/receivers'])
      expect((await send({ body }, rest)).status, rest).toBe(403)
    expect((await send({ method: 'DELETE', body: '' }, '/silence/f9')).status).toBe(405)
    expect(taken.map((one) => [one.method, one.path, one.body])).toEqual([
      ['POST', '/am/api/v2/silences', body],
      ...changed.flatMap((one) => [
        ['GET', `/am/api/v2/silence/${one.id}`, ''],
        ['POST', '/am/api/v2/silences', one.body],
      ]),
    ])
    const { host: _host, ...sent }: Record<string, unknown> = { ...taken[1]?.headers }
    expect(sent).toEqual({
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'immune-node-dashboard',
      connection: 'close',
    })
  })

  it('creates silences in no other kind of receiver', async () => {
    const { taken, send } = await relaying()
    expect((await send({}, '/silences')).status).toBe(403)
    expect(taken).toEqual([])
  })

  it('returns a redirect without following it, and only that its answer is long', async () => {
    const { taken, send } = await relaying((_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end('x'.repeat(100_000))
    })
    const answer = await send()
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
    ['its id in another notation', 299, '{ "SilenceID" :  "F9" }', 299, '{"silenceID":"F9"}'],
    ['the longest id', 201, `{"silenceID":"${'f'.repeat(64)}"}`, 201, `{"silenceID":"${'f'.repeat(64)}"}`],
    ['nothing for a longer id', 201, `{"silenceID":"${'f'.repeat(65)}"}`, 201, ''],
    ['nothing for an invalid id', 200, '{"silenceID":"no id"}', 200, ''],
    ['nothing for an empty id', 200, '{"silenceID":""}', 200, ''],
    ['no id for a redirect', 300, '{"silenceID":"f9"}', 300, ''],
    ['404 for an expired one', 500, 'silence ALREADY EXPIRED', 404, ''],
    ['nothing of another answer', 200, '{"secret":"word"}', 200, ''],
    ['404 for an unknown one', 500, '"silence f9 not found"', 404, ''],
    ['nothing of an error', 400, 'secret', 400, ''],
  ])('returns of silences %s', async (_name, status, said, answered, text) => {
    const { send } = await relaying(
      (_request, response) => response.writeHead(status).end(said),
      alertmanager,
    )
    const body = JSON.stringify(silenceFromNow())
    const answer = await send({ body }, '/silences')
    expect([answer.status, answer.body.toString()]).toEqual([answered, text])
  })

  it.each([
    [0, ''],
    [1, '1 bytes'],
    [4_096, '4096 bytes'],
    [4_097, 'more than 4096 bytes'],
  ])('returns only the length of an answer of %i bytes', async (length, text) => {
    const { send } = await relaying((_request, response) => response.end('x'.repeat(length)))
    const answer = await send()
    expect([answer.status, answer.body.toString()]).toEqual([200, text])
    expect(answer.headers['content-length']).toBe(String(text.length))
    expect(answer.headers['retry-after']).toBeUndefined()
  })

  it('returns the first 300 characters of a refusal by a configured receiver', async () => {
    const { send } = await relaying((_request, response) =>
      response.writeHead(400).end(`no such channel${'.'.repeat(900)}`),
    )
    const answer = await send()
    expect([answer.status, answer.body.toString()]).toEqual([400, `no such channel${'.'.repeat(285)}`])
  })

  it('replaces the path of a webhook’s URL in a refusal, because it may be a secret', async () => {
    const { send } = await relaying(
      (request, response) => response.writeHead(404).end(`Cannot POST ${request.url}`),
      (url) => webhook(`${url}/hooks/k9v2xq7h3mzt81bw`),
    )
    expect((await send()).body.toString()).toBe('Cannot POST ***')
  })

  it.each(['', 'é', '7é', 'é7'])('drops an invalid Retry-After: %j', async (value) => {
    const { send } = await relaying((_request, response) =>
      response.writeHead(429, { 'retry-after': value }).end(),
    )
    const answer = await send()
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, undefined])
  })

  it('returns 407, which browsers do not hand to a page, in a header', async () => {
    const { send } = await relaying((_request, response) => response.writeHead(407).end())
    expect(await send()).toMatchObject({ status: 502, headers: { 'x-upstream-status': '407' } })
  })

  it('uses the status of an answer that is cut off', async () => {
    const { send } = await relaying((_request, response) => {
      response.writeHead(202, { 'content-length': '100' })
      response.write('x', () => response.destroy())
    })
    const answer = await send()
    expect([answer.status, answer.body.toString()]).toEqual([202, '1 bytes'])
  })

  it('stops reading an answer after 4,096 bytes', async () => {
    const ended = withResolvers()
    const { send } = await relaying((_request, response) => {
      response.once('close', () => ended.resolve())
      response.write('x'.repeat(4_097))
    })
    expect((await send()).body.toString()).toBe('more than 4096 bytes')
    await ended.promise
  })

  it('aborts its request when the browser disconnects', async () => {
    const [arrived, ended] = [withResolvers(), withResolvers()]
    const { id, server } = await relaying((_request, response) => {
      response.once('close', () => ended.resolve())
      arrived.resolve()
    })
    const request = http.request(`${server.url}relay/${id}`, {
      method: 'POST',
      agent: false,
      headers: { origin: `http://${server.host}`, 'content-type': 'application/json' },
    })
    request.on('error', () => undefined) // The test destroys the request.
    request.end('{}')
    await arrived.promise
    request.destroy()
    await ended.promise
  })

  it('waits 10 s for an answer and leaves no timer behind', async () => {
    const arrived = withResolvers()
    const { url } = await receiver((request, response) => {
      if (request.url === '/silent') arrived.resolve()
      else response.end()
    })
    const [silent, quick] = [webhook(`${url}/silent`), webhook(`${url}/`)]
    const server = await startTestServer({ receivers: [silent, quick] })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    expect((await post(server, receiverIdOf(quick))).status).toBe(200)
    expect(vi.getTimerCount()).toBe(0)
    const answer = post(server, receiverIdOf(silent))
    await arrived.promise
    vi.advanceTimersByTime(9_999)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1)
    const timedOut = await answer
    expect([timedOut.status, timedOut.headers['x-proxy-failure']]).toEqual([504, 'timeout'])
    expect(json(timedOut)).toMatchObject({
      title: 'No answer from the receiver',
      detail: 'The receiver did not answer in time.',
    })
  })

  const failing: readonly [failure: string, detail: string, start: () => Promise<string>][] = [
    ['refused', 'The receiver refused the connection.', async () => `http://127.0.0.1:${await freePort()}/`],
    [
      'dns',
      "The receiver's host name could not be resolved.",
      () => Promise.resolve('http://no-such-host.invalid/'),
    ],
    ['tls', "The receiver's certificate is not trusted.", async () => `${await startSelfSignedUpstream()}/`],
    [
      'reset',
      'The connection to the receiver was lost before it answered.',
      async () => `${await startSocketUpstream((socket) => socket.resetAndDestroy())}/`,
    ],
    [
      'headers-too-large',
      'The receiver did not answer.',
      async () =>
        `${await startSocketUpstream((socket) =>
          socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`)),
        )}/`,
    ],
  ]
  it.each(failing)('reports why there was no answer: %s', async (failure, detail, start) => {
    const listed = webhook(await start())
    const server = await startTestServer({ receivers: [listed] })
    const answer = await post(server, receiverIdOf(listed))
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([502, failure])
    expect(json(answer)).toMatchObject({ title: 'No answer from the receiver', detail })
  })
})

describe('a receiver that a browser added', () => {
  const added = async (url: string) => {
    const dataFolder = await temporaryFolder()
    const receivers = [{ kind: 'webhook', url }]
    await writeFile(join(dataFolder, 'receivers.json'), JSON.stringify({ receivers }))
    return dataFolder
  }

  it('is reached on loopback for a local page, and never at a link-local address', async () => {
    const { url, taken } = await receiver()
    const here = await startTestServer({ dataFolder: await added(`${url}/`) })
    expect((await post(here, receiverIdOf(webhook(`${url}/`)))).status).toBe(202)
    expect(taken).toHaveLength(1)
    const metadata = 'http://169.254.169.254/latest'
    const answer = await post(
      await startTestServer({ dataFolder: await added(metadata) }),
      receiverIdOf(webhook(metadata)),
    )
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([403, 'blocked'])
    expect(json(answer)).toMatchObject({
      title: 'Not allowed',
      detail:
        'The receiver is at an address in this server’s own network. The server connects there only if its configuration names the receiver.',
    })
  })

  it.each(['127.0.0.1', 'localhost'])(
    'is not reached at %s for a remote page, unlike a configured one',
    async (name) => {
      const { url, taken } = await receiver()
      const listed = webhook(url.replace('127.0.0.1', name) + '/')
      const access = { kind: 'header', name: 'x-user' } as const
      const guarded = { access, trustFrom: ['127.0.0.1'] }
      const headers = { 'x-user': 'op', 'x-forwarded-for': '203.0.113.9' }
      const inside = await startTestServer({ ...guarded, dataFolder: await added(listed.url) })
      const blocked = await post(inside, receiverIdOf(listed), { headers })
      expect([blocked.status, blocked.headers['x-proxy-failure'], taken]).toEqual([403, 'blocked', []])
      const named = await startTestServer({ ...guarded, receivers: [webhook(`${url}/`)] })
      expect((await post(named, receiverIdOf(webhook(`${url}/`)), { headers })).status).toBe(202)
    },
  )
})

describe('a request to the relay', () => {
  const cases: readonly [name: string, status: number, changed: Ask][] = [
    ['another origin', 403, { headers: { origin: 'http://attacker.example' } }],
    ['Sec-Fetch-Site: cross-site', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['Sec-Fetch-Dest: image', 403, { headers: { 'sec-fetch-dest': 'image' } }],
    ['the content type of a form', 415, { headers: { 'content-type': 'text/plain' } }],
    ['a content type with the right start', 415, { headers: { 'content-type': 'application/jsonp' } }],
    ['a content type with the right end', 415, { headers: { 'content-type': 'x/application/json' } }],
    ['no content type', 415, { headers: { 'content-type': '' } }],
    ['the method GET', 405, { method: 'GET' }],
  ]
  it.each(cases)('with %s is refused and not forwarded', async (_name, status, changed) => {
    const { taken, send } = await relaying()
    expect((await send(changed)).status).toBe(status)
    expect(taken).toEqual([])
  })

  it('with a body that is too large closes its connection, so that the rest is not read as a request', async () => {
    const { taken, send } = await relaying()
    const answer = await send({ body: 'x'.repeat(262_145), headers: { connection: 'keep-alive' } })
    expect([answer.status, answer.headers.connection, taken]).toEqual([413, 'close', []])
  })

  it('without an Origin, or to an unlisted receiver, is refused', async () => {
    const { taken, id, server } = await relaying()
    const headers = { 'content-type': 'application/json' }
    const bare = await ask(server.url, `/relay/${id}`, { method: 'POST', headers, body: '{}' })
    expect(bare.status).toBe(403)
    const unknown = await post(server, receiverIdOf(webhook('http://127.0.0.1:1/other')))
    expect(unknown.status).toBe(403)
    expect(unknown.headers['x-proxy-failure']).toBe('not-allowed')
    expect(taken).toEqual([])
  })

  it('with a body of exactly the size limit is forwarded', async () => {
    const { taken, send } = await relaying()
    expect((await send({ body: 'x'.repeat(262_144) })).status).toBe(202)
    expect(taken[0]?.body).toHaveLength(262_144)
  })
})
