import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import type http from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOwnerToken, OWNER_FILE, openOwnerSecret } from '#server/owner-token.ts'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { portOf } from '#test/support/free-port.ts'
import { rawAnswer } from '#test/support/raw-answer.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { startTestServer, temporaryFolder } from './test-server.ts'

const HOOK: Receiver = { kind: 'webhook', url: 'http://127.0.0.1:1/hook?secret', via: 'relay' }
const DIRECT: Receiver = { kind: 'webhook', url: 'http://127.0.0.1:1/direct?secret', via: 'direct' }

/** A server on loopback, and its owner token. */
async function local(options: Parameters<typeof startTestServer>[0] = {}) {
  const owner = createOwnerToken('s'.repeat(43), false, '')
  const server = await startTestServer({ owner, receivers: [HOOK, DIRECT], ...options })
  const open = async (query: string, headers: http.OutgoingHttpHeaders = {}) => {
    const { status, headers: came } = await ask(server.url, `/${query}`, { headers })
    return { status, location: came.location, cookie: came['set-cookie']?.[0] ?? '' }
  }
  const cookie = async () => (await open(owner.query)).cookie.split(';')[0] ?? ''
  return { ...server, owner, open, cookie }
}

/** Every request of the server's own page that changes or sends something. */
const CHANGES: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
  ['POST', '/services', { service: { baseUrl: 'https://node.example' } }],
  ['DELETE', '/services?baseUrl=https://node.example', undefined],
  ['POST', '/receivers', { receiver: { kind: 'webhook', url: 'https://hooks.example/x' } }],
  ['DELETE', `/receivers?id=${receiverIdOf(HOOK)}`, undefined],
  ['POST', `/relay/${receiverIdOf(HOOK)}`, {}],
]

const statusesOf = async ({ url, host }: { url: string; host: string }, cookie?: string) => {
  const statuses: number[] = []
  for (const [method, path, body] of CHANGES) {
    const headers = { ...ownHeaders(host), ...(cookie !== undefined && { cookie }) }
    const answer = await ask(url, path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    statuses.push(answer.status)
  }
  return statuses
}

/** The receiver accepts no connection, so relaying to it returns 502. */
const DONE = [200, 200, 200, 200, 502]
const REFUSED = [403, 403, 403, 403, 403]

describe('a page on this computer', () => {
  it('may change and send once opened by the printed URL, and is view-only before', async () => {
    const server = await local()
    expect(await statusesOf(server)).toEqual(REFUSED)
    expect(json(await ask(server.url, '/config.json'))).toMatchObject({
      canAddServices: false,
      isViewOnly: true,
    })
    expect((await ask(server.url, '/')).status).toBe(200)
    const cookie = await server.cookie()
    expect(await statusesOf(server, cookie)).toEqual(DONE)
    const config = json(await ask(server.url, '/config.json', { headers: { cookie } }))
    expect(config).toMatchObject({ canAddServices: true })
    expect(config).not.toHaveProperty('isViewOnly')
  })

  it('is asked to open the printed URL when a change or a message is refused', async () => {
    const server = await local()
    const headers = { origin: `http://${server.host}`, 'content-type': 'application/json' }
    for (const path of ['/services', '/receivers', `/relay/${receiverIdOf(HOOK)}`]) {
      const answer = await ask(server.url, path, { method: 'POST', headers, body: '{}' })
      expect(json(answer)).toMatchObject({
        detail: 'Open the address that the server printed at start, including the token.',
      })
      expect(answer.headers['x-proxy-failure']).toBe(path.startsWith('/relay') ? 'view-only' : undefined)
    }
  })

  it('gets receiver URLs, which may be secrets, only with the owner cookie', async () => {
    const server = await local()
    const listed = async (cookie?: string) => {
      const headers = { 'sec-fetch-site': 'same-origin', ...(cookie !== undefined && { cookie }) }
      return (await ask(server.url, '/receivers', { headers })).body.toString()
    }
    expect(await listed()).not.toContain('secret')
    expect(await listed(await server.cookie())).toContain('direct?secret')
  })

  it.each([
    // A token's last character is never 1.
    ['a wrong one', (right: string) => right.replace(/.$/, '1')],
    ['the printed one itself', () => `immune-owner-PORT=${'s'.repeat(43)}`],
    ['one of another port', (right: string) => right.replace(/-\d+=/, '-1=')],
    ['none', () => ''],
  ])('has no permission with a cookie that is %s', async (_what, made) => {
    const server = await local()
    const given = made(await server.cookie()).replace('PORT', new URL(server.url).port)
    expect(await statusesOf(server, given)).toEqual(REFUSED)
  })

  it('keeps its permission if a program on another port sets a cookie of the same name', async () => {
    const server = await local()
    const right = await server.cookie()
    const planted = right.replace(/=.*/, '=planted')
    expect(await statusesOf(server, `${planted}; ${right}`)).toEqual(DONE)
    expect(await statusesOf(server, `${right}; ${planted}`)).toEqual(DONE)
  })

  it('gets no permission from the printed URL with --public', async () => {
    const server = await local({ access: { kind: 'public' } })
    expect(await statusesOf(server, await server.cookie())).toEqual(REFUSED)
  })
})

describe('the printed address', () => {
  it('clears the cache, since another program on this port may have left scripts in it', async () => {
    const { url, owner } = await local()
    const cleared = async (query: string) => (await ask(url, `/${query}`)).headers['clear-site-data']
    expect(await cleared(owner.query)).toBe('"cache"')
    expect([await cleared('?token=wrong'), await cleared('')]).toEqual([undefined, undefined])
  })

  it('redirects to the page without the token and sets an HttpOnly SameSite=Strict cookie', async () => {
    const { open, owner } = await local()
    const { status, location, cookie } = await open(owner.query)
    expect([status, location]).toEqual([303, './'])
    expect(cookie).toMatch(
      /^immune-owner-\d+=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict$/,
    )
    expect(cookie).not.toContain('sss')
    // Each page load renews its lifetime.
    expect((await open('', { cookie: cookie.split(';')[0] })).cookie).toBe(cookie)
    expect((await open('')).cookie).toBe('')
  })

  it.each(['?token=wrong', '?token=', '?token'])(
    'with %s instead redirects too, but sets no cookie',
    async (query) => {
      const { open } = await local()
      expect(await open(query)).toEqual({ status: 303, location: './', cookie: '' })
    },
  )

  it('has a one-time token for a browser that the server opens', async () => {
    const { open, owner } = await local()
    const query = owner.queryOnce()
    expect(query).not.toContain('sss')
    expect((await open(query)).cookie).not.toBe('')
    expect((await open(query)).cookie).toBe('')
    expect((await open(owner.query)).cookie).not.toBe('')
  })

  it('over https sets and accepts only a __Host- cookie', () => {
    const owner = createOwnerToken('s'.repeat(43), true, '')
    const headers = { host: '127.0.0.1:7420' }
    const cookie = owner.cookieFor(headers, owner.query) ?? ''
    expect(cookie).toMatch(/^__Host-immune-owner-7420=[\w-]{43}; .*; Secure$/)
    const [given = ''] = cookie.split(';')
    expect(owner.renewed({ ...headers, cookie: given })).toBe(cookie)
    expect(owner.renewed({ ...headers, cookie: given.replace('__Host-', '') })).toBeUndefined()
  })
})

describe('the token of a data folder', () => {
  it('survives a restart, in a file only for its owner', async () => {
    const folder = join(await temporaryFolder(), 'new')
    const said: string[] = []
    const secret = openOwnerSecret(folder, (line) => said.push(line))
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect((await stat(join(folder, OWNER_FILE))).mode & 0o777).toBe(0o600)
    expect([openOwnerSecret(folder, (line) => said.push(line)), said]).toEqual([secret, []])
  })

  it.each([
    ['others may read', (path: string) => chmod(path, 0o644)],
    ['is damaged', (path: string) => writeFile(path, '"short"')],
    ['is not JSON', (path: string) => writeFile(path, '{')],
  ])('is replaced if its file %s', async (_how, spoil) => {
    const folder = await temporaryFolder()
    const secret = openOwnerSecret(folder, () => undefined)
    await spoil(join(folder, OWNER_FILE))
    const next = openOwnerSecret(folder, () => undefined)
    expect(next).not.toBe(secret)
    expect(await readFile(join(folder, OWNER_FILE), 'utf8')).toBe(`"${next}"\n`)
    expect((await stat(join(folder, OWNER_FILE))).mode & 0o777).toBe(0o600)
  })

  it('lasts until the server stops if its file cannot be written, which is reported', async () => {
    const folder = join(await temporaryFolder(), 'file')
    await writeFile(folder, '')
    const said: string[] = []
    expect(openOwnerSecret(folder, (line) => said.push(line))).toMatch(/^[\w-]{43}$/)
    expect(said).toEqual([expect.stringContaining('can’t be written (EEXIST)')])
  })
})

const ADDED_BY_PROXIES = `
  Forwarded X-Forwarded X-Forwarded-For X-Forwarded-Proto X-Forwarded-Any X-Original-Forwarded-For
  X-Original-URL Via X-Real-IP CF-Connecting-IP CF-Connecting-IPv6 CF-Ray CDN-Loop True-Client-IP
  Fastly-Client-IP X-Client-IP Client-IP X-Cluster-Client-IP X-Azure-ClientIP X-Azure-SocketIP
  X-Appengine-User-IP X-Cloud-Trace-Context Fly-Client-IP X-Envoy-External-Address X-Amz-Cf-Id
  X-Amzn-Trace-Id X-ARR-SSL X-Vercel-Forwarded-For X-NF-Client-Connection-IP Ali-CDN-Real-IP
  Incap-Client-IP X-Sucuri-ClientIP WL-Proxy-Client-IP X-Varnish Tailscale-User-Login
`

describe('a forwarded request', () => {
  it.each(ADDED_BY_PROXIES.trim().split(/\s+/))('is refused with what to configure: %s', async (name) => {
    const server = await local()
    const headers = { [name]: '', cookie: await server.cookie() }
    for (const path of ['/', '/config.json', '/proxy/x/node/status']) {
      const answer = await ask(server.url, path, { headers })
      expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([403, 'not-allowed'])
      expect(json(answer)).toMatchObject({
        title: 'Forwarded by another server',
        detail: expect.stringMatching(/--allow-host NAME.*--password-file FILE.*--trust-header.*--public/),
      })
    }
  })

  it.each([
    ['by HTTP/1.0', '1.0', ''],
    ['behind 2,100 other headers', '1.1', `${'a:b\r\n'.repeat(2_100)}X-Forwarded-For: 203.0.113.9\r\n`],
  ])('is recognized %s', async (_how, version, headers) => {
    const { url, host } = await local()
    const request = `GET /config.json HTTP/${version}\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`
    const said = await rawAnswer(url, request)
    expect(said).toMatch(/^HTTP\/1\.1 403 /)
    expect(said).toContain('Forwarded by another server')
  })
})

it('a TCP forwarder on this computer gives view-only access', async () => {
  const server = await startTestServer({ owner: createOwnerToken('s'.repeat(43), false, '') })
  const { hostname, port } = new URL(server.url)
  const forwarder = createServer((socket) => {
    const onward = connect(Number(port), hostname)
    socket.pipe(onward).pipe(socket)
    socket.on('error', () => onward.destroy())
    onward.on('error', () => socket.destroy())
  })
  onTestFinished(() => void forwarder.close())
  const url = `http://127.0.0.1:${await portOf(forwarder)}/`
  const headers = { host: server.host, origin: `http://${server.host}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ service: { baseUrl: 'http://127.0.0.1:1' } })
  expect((await ask(url, '/services', { method: 'POST', headers, body })).status).toBe(403)
  expect(json(await ask(url, '/config.json', { headers: { host: server.host } }))).toMatchObject({
    isViewOnly: true,
  })
})
