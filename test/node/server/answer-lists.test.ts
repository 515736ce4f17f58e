import { describe, expect, it } from 'vitest'
import { receiverIdOf } from '#settings/receiver.ts'
import { ask, json, type Ask } from './http-client.ts'
import { startTestServer, type TestServerOptions } from './test-server.ts'

const HOOK = { kind: 'webhook', url: 'https://hooks.example/x' } as const
const NODE = { baseUrl: 'https://node.example' }
const entryOf = (thing: 'service' | 'receiver') => (thing === 'service' ? NODE : HOOK)

/** A server, and requests of its own page for one of its lists. */
async function open(thing: 'service' | 'receiver', options: TestServerOptions = {}) {
  const server = await startTestServer(options)
  const send = (more: Ask = {}, query = '') =>
    ask(server.url, `/${thing}s${query}`, {
      method: 'POST',
      body: JSON.stringify({ [thing]: entryOf(thing) }),
      ...more,
      headers: {
        origin: `http://${server.host}`,
        'content-type': 'application/json',
        connection: 'keep-alive',
        ...more.headers,
      },
    })
  const get = () => ask(server.url, `/${thing}s`, { headers: { 'sec-fetch-site': 'same-origin' } })
  return { ...server, send, get }
}

describe.each(['service', 'receiver'] as const)('a list of %ss', (thing) => {
  const things = `${thing}s`

  it('refuses other sites and closes the connection of what they send', async () => {
    const { send, url } = await open(thing)
    const notTheirs = {
      status: 403,
      title: 'Origin not allowed',
      detail: `Only a page of this dashboard may list, add or remove ${things}.`,
    }
    for (const headers of [{ origin: 'http://attacker.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await send({ headers })
      expect([json(answer), answer.headers.connection]).toMatchObject([notTheirs, 'close'])
      expect(json(await send({ headers, method: 'DELETE' }))).toMatchObject(notTheirs)
      const listed = await ask(url, `/${things}`, { headers })
      expect(json(listed)).toMatchObject(notTheirs)
    }
  })

  it('names the configuration file while adding is disabled', async () => {
    const { send } = await open(thing, { addServices: 'never' })
    expect((await send({ method: 'DELETE' })).status).toBe(403)
    const answer = await send()
    expect([json(answer), answer.headers.connection]).toMatchObject([
      {
        status: 403,
        title: `Adding ${things} is disabled`,
        detail:
          thing === 'service'
            ? 'Add the service to the file given with --config.'
            : 'Add it under "receivers" to the file given with --config.',
      },
      'close',
    ])
  })

  it('accepts only JSON, up to its size limit', async () => {
    const { send } = await open(thing)
    const most = thing === 'service' ? 65_536 : 40_960
    for (const type of ['text/plain', 'x/application/json', 'application/jsonp', '']) {
      const answer = await send({ headers: { 'content-type': type } })
      expect([json(answer), answer.headers.connection]).toMatchObject([
        { status: 415, title: 'Not JSON', detail: `Send the ${thing} as application/json.` },
        'close',
      ])
    }
    const large = await send({ body: 'x'.repeat(most + 1) })
    expect([json(large), large.headers.connection]).toMatchObject([
      { status: 413, title: 'Too large', detail: `Send at most ${most} bytes.` },
      'close',
    ])
    const body = JSON.stringify({ [thing]: entryOf(thing) }).padEnd(most, ' ')
    expect((await send({ body })).status).toBe(200)
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;x'])
      expect((await send({ headers: { 'content-type': type } })).status).toBe(200)
  })

  it.each(['{', 'null', '7', '[]', '{}'])('says what is wrong with %s', async (body) => {
    const { send } = await open(thing)
    const answer = await send({ body })
    expect(json(answer)).toMatchObject({
      status: 400,
      title: `Invalid ${thing}`,
      detail: 'Correct the entries listed under "problems" and send the request again.',
    })
    if (body === '{') expect(json(answer)).toMatchObject({ problems: [{ path: '', message: 'is not JSON' }] })
  })

  it('rejects an internal address unless the browser itself connects to it', async () => {
    const { send } = await open(thing)
    const url = 'http://169.254.169.254'
    const inside = thing === 'service' ? { baseUrl: url } : { ...HOOK, url }
    const path = thing === 'service' ? 'service.baseUrl' : 'receiver.url'
    expect(json(await send({ body: JSON.stringify({ [thing]: inside }) }))).toMatchObject({
      problems: [{ path, message: 'is an address that only the server’s configuration may contain' }],
    })
    // With "direct" the browser connects, from its own network.
    const direct = { ...inside, via: 'direct' }
    expect((await send({ body: JSON.stringify({ [thing]: direct }) })).status).toBe(200)
  })
})

it('a service is removed by its base URL', async () => {
  const { send } = await open('service')
  expect(json(await send({ method: 'DELETE' }))).toMatchObject({
    title: 'Invalid service',
    problems: [{ path: 'baseUrl', message: 'is missing' }],
  })
  expect(json(await send({ method: 'DELETE' }, '?baseUrl=x'))).toMatchObject({ canAddServices: true })
})

it('a webhook keeps its secret while its URL stays, and cannot read a variable of the server', async () => {
  const { send, get } = await open('receiver')
  const edit = (more: object, query = '') =>
    send({ body: JSON.stringify({ receiver: { ...HOOK, ...more } }) }, query)
  expect(json(await edit({ secret: 'env:HOOK' }))).toMatchObject({ problems: [{ path: 'receiver.secret' }] })
  const { id } = Object(json(await edit({ secret: 'hush-hush', template: '{}' })))
  expect((await get()).body.toString()).not.toContain('hush')
  expect(json(await get())).toMatchObject({ receivers: [{ members: { template: '{}' } }] })
  // A webhook that has a secret shows its members; one that lost it has none.
  expect(json(await edit({}, `?id=${id}`))).toMatchObject({ receivers: [{ members: {} }] })
  const [moved] = Object(json(await edit({ url: 'https://other.example/' }, `?id=${id}`))).receivers
  expect(moved).not.toHaveProperty('members')
})

it('an added receiver is returned with its id and removed only by that id', async () => {
  const { send, get } = await open('receiver')
  const id = receiverIdOf(HOOK)
  const offered = { id, kind: 'webhook', via: 'relay', host: 'hooks.example', from: 'added', url: HOOK.url }
  expect(json(await send())).toEqual({ receivers: [offered], canAdd: true, id })
  expect(json(await send({ method: 'DELETE' }))).toEqual({ receivers: [offered], canAdd: true })
  expect(json(await get())).toEqual({ receivers: [offered], canAdd: true })
  expect(json(await send({ method: 'DELETE' }, `?id=${id}`))).toEqual({ receivers: [], canAdd: true })
})
