import type http from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import type { Access } from '#server/access.ts'
import { cookieNames, cookieValues } from '#server/cookies.ts'
import { openPasswordFile, passwordLine } from '#server/password-file.ts'
import { LOGIN_HEADERS } from '#server/security-headers.ts'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { valueOf } from '#test/support/value-of.ts'
import { ask, json, ownHeaders, type Ask } from './http-client.ts'
import { startTestServer, temporaryFolder, type TestServerOptions } from './test-server.ts'
import { startUpstream } from './upstream-server.ts'

type Running = { readonly url: string; readonly host: string }

const HOOK: Receiver = { kind: 'webhook', url: 'http://127.0.0.1:1/hook?token=1', via: 'direct' }

/** A change requested by the server's own page. */
const post = (
  { url, host }: Running,
  path: string,
  body: object,
  headers: Ask['headers'] = {},
  ownHost = host,
) =>
  ask(url, path, {
    method: 'POST',
    headers: { host: ownHost, ...ownHeaders(ownHost), ...headers },
    body: JSON.stringify(body),
  })

const SERVICE = { service: { baseUrl: 'https://node.example' } }
const RECEIVER = { receiver: { kind: 'webhook', url: 'https://hooks.example/x' } }

describe('a page on this computer', () => {
  const mayAdd = async (host: string, headers: http.OutgoingHttpHeaders = {}) => {
    const { url } = await startTestServer({ host: '127.0.0.1' })
    const { port } = new URL(url)
    return json(await ask(url, '/config.json', { headers: { host: host.replace('PORT', port), ...headers } }))
  }

  it.each(['127.0.0.1:PORT', 'localhost:PORT', 'localhost', '[::1]:PORT', 'LOCALHOST:1'])(
    'at %s may add services',
    async (host) => expect(await mayAdd(host)).toMatchObject({ canAddServices: true }),
  )

  it.each(['x-via', 'via-x', 'not-forwarded', 'forwarded-x', 'x-real-ip-x'])(
    'may add services with the header %s, which no proxy adds',
    async (name) =>
      expect(await mayAdd('127.0.0.1', { [name]: '1' })).toMatchObject({ canAddServices: true }),
  )
})

describe('a session cookie', () => {
  it('has port and path in its name, since browsers share cookies across the ports of a host', () => {
    expect(cookieNames('session', { host: 'dash.example:8443' }, '/a/b')).toEqual({
      secure: '__Host-immune-session-8443-a-b',
      plain: 'immune-session-8443-a-b',
    })
    const none = { secure: '__Host-immune-session', plain: 'immune-session' }
    for (const host of ['dash.example', undefined, 'dash.example:', 'dash.example:123456', '[::1]'])
      expect(cookieNames('session', { ...(host !== undefined && { host }) }, ''), String(host)).toEqual(none)
  })

  it.each([
    ['immune-session-1=plain', ['plain'], []],
    ['__Host-immune-session-1=secure', ['secure'], ['secure']],
    ['immune-session-1=plain; __Host-immune-session-1=secure', ['secure', 'plain'], ['secure']],
    ['a=b;immune-session-1=plain;   c=d', ['plain'], []],
    ['immune-session-1=a=b=', ['a=b='], []],
    ['immune-session-1', [''], []],
    ['immune-session-1=planted; immune-session-1=own; immune-session-1=own', ['planted', 'own'], []],
    ['immune-session=other; immune-session-2=other; Ximmune-session-1=other', [], []],
    ['immune-session-1 =other', [], []],
    ['', [], []],
    [undefined, [], []],
  ])('in %j is %j, and over https %j', (given, found, overHttps) => {
    const headers = { host: 'a.example:1', ...(given !== undefined && { cookie: given }) }
    const tokens = (isHttps: boolean) =>
      cookieValues('session', headers, '', isHttps).map(({ token }) => token)
    expect([tokens(false), tokens(true)]).toEqual([found, overHttps])
  })
})

describe('a dashboard behind a reverse proxy', () => {
  it.each([
    ['under another host name', {}, 'dash.example'],
    ['if it trusts a proxy elsewhere', { trustFrom: ['192.0.2.1'] }, undefined],
    ['from a trusted proxy that names no visitor', { trustFrom: ['127.0.0.1'] }, undefined],
  ])('accepts no service and no receiver %s', async (_how, options, host) => {
    const server = await startTestServer({ ...options, ...(host !== undefined && { allowedHosts: [host] }) })
    for (const [path, body] of [
      ['/services', SERVICE],
      ['/receivers', RECEIVER],
    ] as const)
      expect((await post(server, path, body, {}, host)).status).toBe(403)
    const config = json(await ask(server.url, '/config.json', { headers: { host: host ?? server.host } }))
    expect(config).toMatchObject({ canAddServices: false })
  })

  it('accepts none for Host: localhost either, since any client can send that', async () => {
    const server = await startTestServer({ allowedHosts: ['dash.example'] })
    expect((await post(server, '/services', SERVICE, {}, 'localhost')).status).toBe(403)
  })

  it('polls an added service at an internal address only for a page on this computer', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{"secret":1}'))
    const server = await startTestServer()
    expect((await post(server, '/services', { service: { baseUrl: upstream } })).status).toBe(200)
    const path = `/proxy/${serviceIdOf(upstream)}/node/status`
    expect((await ask(server.url, path)).status).toBe(200)
    const passedOn = await ask(server.url, path, { headers: { 'x-forwarded-for': '203.0.113.9' } })
    expect([passedOn.status, passedOn.headers['x-proxy-failure']]).toEqual([403, 'not-allowed'])
  })
})

it('receiver URLs are complete for the server’s own page only', async () => {
  const server = await startTestServer({ receivers: [HOOK] })
  const listed = async (headers: http.OutgoingHttpHeaders) =>
    (await ask(server.url, '/receivers', { headers })).body.toString()
  expect(await listed({ 'sec-fetch-site': 'same-origin' })).toContain('token=1')
  expect(await listed({ origin: `http://${server.host}` })).toContain('token=1')
  expect(await listed({})).not.toContain('token')
  expect(await listed({})).toContain('127.0.0.1:1')
})

it('a public dashboard is view-only: it refuses additions, messages and silences and hides receivers', async () => {
  const listed: Receiver = { kind: 'alertmanager', url: 'http://127.0.0.1:1/', via: 'relay' }
  const server = await startTestServer({
    access: { kind: 'public' },
    addServices: 'always',
    receivers: [listed, HOOK],
  })
  expect((await ask(server.url, '/')).status).toBe(200)
  expect((await ask(server.url, '/config.json')).status).toBe(200)
  const statuses = [
    await post(server, '/services', SERVICE),
    await post(server, '/receivers', RECEIVER),
    await post(server, `/relay/${receiverIdOf(listed)}`, {}),
    await post(server, `/relay/${receiverIdOf(listed)}/silences`, {}),
  ].map(({ status, headers }) => [status, headers['x-proxy-failure']])
  expect(statuses).toEqual([
    [403, undefined],
    [403, undefined],
    [403, 'not-allowed'],
    [403, 'not-allowed'],
  ])
  const receivers = await ask(server.url, '/receivers', { headers: { 'sec-fetch-site': 'same-origin' } })
  expect(json(receivers)).toEqual({ receivers: [], canAdd: false })
})

describe('the user header of a reverse proxy', () => {
  const access: Access = { kind: 'header', name: 'X-User' }

  it('names the user, from trusted addresses only', async () => {
    const server = await startTestServer({ access, trustFrom: ['127.0.0.1'] })
    const status = async (headers: http.OutgoingHttpHeaders) =>
      (await ask(server.url, '/config.json', { headers })).status
    expect(await status({ 'x-user': 'op' })).toBe(200)
    expect(await status({})).toBe(401)
    expect(await status({ 'x-user': '' })).toBe(401)
    expect(await status({ 'x-user': ['op', 'root'] })).toBe(401)
    expect(json(await ask(server.url, '/session', { headers: { 'x-user': 'op' } }))).toEqual({
      name: 'op',
      canSignOut: false,
    })
    // A page that the proxy had signed out links here.
    const login = await ask(server.url, '/login?from=dashboard', { headers: { 'x-user': 'op' } })
    expect(login.body.toString()).toContain('data-state="done"')
    expect((await ask(server.url, '/login')).status).toBe(401)
    const named = async (name: string) => {
      const answer = await ask(server.url, '/session', { headers: { 'x-user': name } })
      return answer.status === 200 ? json(answer) : answer.status
    }
    for (const name of ['a', '!', '~', 'Ann Example', 'a'.repeat(256)])
      expect(await named(name)).toMatchObject({ name })
    for (const name of ['a'.repeat(257), 'é', 'aé', ' ']) expect(await named(name), name).toBe(401)
    const elsewhere = await startTestServer({ access, trustFrom: ['192.0.2.1'] })
    const refused = await ask(elsewhere.url, '/assets/index-1.js', { headers: { 'x-user': 'op' } })
    expect(refused.status).toBe(403)
  })
})

/** Cheap, so that a sign-in takes milliseconds. */
const LN = 14

/** Shared by all tests, since hashing takes longer than a test. */
const LINES = Promise.all([
  passwordLine('op', 'correct horse battery', LN),
  passwordLine('ops@night', 'another long one', LN),
])

async function passwords(options: Omit<TestServerOptions, 'access'> = {}) {
  const file = join(await temporaryFolder(), 'passwords')
  const text = (await LINES).map(valueOf).join('\n')
  await writeFile(file, text, { mode: 0o600 })
  const accounts = valueOf(openPasswordFile(file, () => undefined))
  const clock = { ms: 0 }
  const server = await startTestServer({
    ...options,
    nowMs: () => clock.ms,
    access: { kind: 'password', accounts, lifeMs: 3_600_000 },
  })
  const signIn = (password: string, headers: Ask['headers'] = {}, query = '', name = 'op') =>
    ask(server.url, `/login${query}`, {
      method: 'POST',
      headers: { origin: `http://${server.host}`, ...headers },
      body: new URLSearchParams({ name, password }).toString(),
    })
  const cookieOf = (answer: Awaited<ReturnType<typeof signIn>>): string =>
    answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const statusWith = async (cookie: string, path = '/config.json') =>
    (await ask(server.url, path, { headers: { cookie } })).status
  return { server, clock, signIn, cookieOf, statusWith, file, text }
}

describe('signing in', () => {
  it('is required for the page and all data', async () => {
    const { server } = await passwords({ receivers: [HOOK] })
    const page = await ask(server.url, '/')
    expect([page.status, page.headers.location]).toEqual([303, 'login'])
    for (const path of [
      '/config.json',
      '/services',
      '/receivers',
      '/proxy/x/node/status',
      '/relay/x',
      '/index.html',
      '/assets/engine-worker-1.js',
      '/assets/signer-worker-1.js',
      '/session',
    ]) {
      const answer = await ask(server.url, path)
      expect([path, answer.status, answer.headers['x-proxy-failure']]).toEqual([path, 401, 'signed-out'])
      expect(JSON.stringify(answer.headers)).not.toContain('hook')
    }
    expect((await ask(server.url, '/assets/index-1.css')).status).toBe(200)
    const login = await ask(server.url, '/login')
    expect(login.status).toBe(200)
    for (const [name, value] of Object.entries(LOGIN_HEADERS))
      expect(login.headers[name.toLowerCase()]).toBe(value)
  })

  it('sets a session cookie with HttpOnly and SameSite=Strict, over https with __Host- too', async () => {
    const { server, signIn, cookieOf, statusWith } = await passwords()
    const answer = await signIn('correct horse battery')
    expect([answer.status, answer.headers.location]).toEqual([303, './'])
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^immune-session-\d+=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/,
    )
    expect(await statusWith(cookieOf(answer))).toBe(200)
    expect(json(await ask(server.url, '/session', { headers: { cookie: cookieOf(answer) } }))).toEqual({
      name: 'op',
      canSignOut: true,
    })
    const secure = await signIn('correct horse battery', { origin: `https://${server.host}` })
    expect(secure.headers['set-cookie']?.[0]).toMatch(
      /^__Host-immune-session-\d+=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect(await statusWith(cookieOf(secure))).toBe(200)
    // A session of https is invalid in a cookie that could be sent in the clear.
    expect(await statusWith(cookieOf(secure).replace('__Host-', ''))).toBe(401)
  })

  it('is void if cookies name two sessions; cookies that name none are ignored', async () => {
    const { signIn, cookieOf, statusWith } = await passwords()
    const own = cookieOf(await signIn('correct horse battery'))
    const planted = cookieOf(await signIn('another long one', {}, '', 'ops@night'))
    const garbage = own.replace(/=.*/, '=garbage')
    for (const cookies of [`${planted}; ${own}`, `${own}; ${planted}`])
      expect(await statusWith(cookies), cookies).toBe(401)
    for (const cookies of [`${garbage}; ${own}`, `${own}; ${garbage}`, `__Host-${garbage}; ${own}`])
      expect(await statusWith(cookies), cookies).toBe(200)
  })

  it('accepts only https origins and cookies if a trusted proxy reports https', async () => {
    const { server, signIn, cookieOf } = await passwords({ trustFrom: ['127.0.0.1'] })
    const byHttps = { 'x-forwarded-proto': 'https' }
    const secure = await signIn('correct horse battery', { ...byHttps, origin: `https://${server.host}` })
    expect(secure.headers['set-cookie']?.[0]).toMatch(/^__Host-.*; Secure$/)
    expect((await signIn('correct horse battery', byHttps)).status).toBe(403)
    // An attacker on plain http could set this cookie to a session of their own.
    const plain = cookieOf(await signIn('correct horse battery'))
    const status = async (headers: http.OutgoingHttpHeaders) =>
      (await ask(server.url, '/config.json', { headers: { cookie: plain, ...headers } })).status
    expect([await status({}), await status(byHttps)]).toEqual([200, 401])
  })

  it('does not end the session of another dashboard on this host', async () => {
    const [one, two] = [await passwords(), await passwords()]
    const cookies = [
      one.cookieOf(await one.signIn('correct horse battery')),
      two.cookieOf(await two.signIn('correct horse battery')),
    ]
    expect(new Set(cookies.map((cookie) => cookie.split('=')[0])).size).toBe(2)
    // Browsers send cookies to every port of a host.
    const both = cookies.join('; ')
    expect([await one.statusWith(both), await two.statusWith(both)]).toEqual([200, 200])
  })

  it.each([
    ['a wrong password', 'wrong horse battery', 'op'],
    ['an unknown name', 'correct horse battery', 'nobody'],
    ['another’s password', 'another long one', 'op'],
    ['nothing', '', ''],
  ])('refuses %s with the same page', async (_what, password, name) => {
    const { signIn } = await passwords()
    const answer = await signIn(password, {}, '', name)
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined])
    expect(answer.body.toString()).toContain('data-state="wrong"')
  })

  it('hides the signed-in user from other sites', async () => {
    const { server, signIn, cookieOf } = await passwords()
    const cookie = cookieOf(await signIn('correct horse battery'))
    const foreign = await ask(server.url, '/session', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })
    expect([foreign.status, json(foreign)]).toMatchObject([403, { title: 'Origin not allowed' }])
  })

  it('accepts a form of at most 4,096 bytes', async () => {
    const { signIn } = await passwords()
    const rest = 'name=op&password='.length
    expect((await signIn('x'.repeat(4_096 - rest))).status).toBe(401)
    const large = await signIn('x'.repeat(4_097 - rest), { connection: 'keep-alive' })
    expect([large.status, large.headers.connection, json(large)]).toMatchObject([
      413,
      'close',
      { title: 'Too large', detail: 'Send at most 4096 bytes.' },
    ])
  })

  it('allows 30 attempts in total at once, then one every 2 s', async () => {
    const { clock, signIn } = await passwords()
    const tries = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) => signIn('x'.repeat(1_025), {}, '', `n${from + at}`)),
      )
    // In groups, since only a few attempts are checked at a time.
    for (const from of [0, 6, 12, 18, 24])
      expect((await tries(from, 6)).filter(({ status }) => status !== 401)).toEqual([])
    const [beyond] = await tries(30, 1)
    expect([beyond?.status, beyond?.headers['retry-after']]).toEqual([429, '2'])
    clock.ms += 2_000
    expect((await tries(40, 1)).map(({ status }) => status)).toEqual([401])
    expect((await tries(41, 1)).map(({ status }) => status)).toEqual([429])
  })

  it('limits attempts by the address that a trusted proxy forwards', async () => {
    const { clock, signIn } = await passwords({ trustFrom: ['127.0.0.1'] })
    const tryFrom = (address: string) => signIn('x'.repeat(1_025), { 'x-forwarded-for': address })
    const from = async (address: string) => (await tryFrom(address)).status
    const statuses = []
    for (let count = 0; count < 6; count += 1) statuses.push(await from('203.0.113.9'))
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const waiting = await tryFrom('203.0.113.9')
    expect(waiting.headers['retry-after']).toBe('12')
    expect(waiting.body.toString()).toContain('data-state="wait"')
    expect(await from('203.0.113.10')).toBe(401)
    clock.ms += 12_000
    expect([await from('203.0.113.9'), await from('203.0.113.9')]).toEqual([401, 429])
  })

  it('is refused for a form of another site', async () => {
    const { signIn } = await passwords()
    for (const headers of [
      { origin: 'http://attacker.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      const answer = await signIn('correct horse battery', { connection: 'keep-alive', ...headers })
      expect([answer.status, answer.headers.connection, answer.headers['set-cookie']]).toEqual([
        403,
        'close',
        undefined,
      ])
    }
  })

  it('allows 5 attempts per name at the same time, then one every 12 s', async () => {
    const { clock, signIn } = await passwords()
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn('wrong horse battery')))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    const waiting = await signIn('correct horse battery')
    expect([waiting.status, waiting.headers['retry-after']]).toEqual([429, '12'])
    expect(waiting.body.toString()).toContain('data-state="wait"')
    expect((await signIn('another long one', {}, '', 'ops@night')).status).toBe(303)
    clock.ms += 12_000
    expect((await signIn('correct horse battery')).status).toBe(303)
  })

  it('ends on sign-out, on expiry, and when the password changes or the account is removed', async () => {
    const { server, clock, signIn, cookieOf, statusWith, file, text } = await passwords()
    const cookies = [
      cookieOf(await signIn('correct horse battery')),
      cookieOf(await signIn('correct horse battery')),
    ]
    const [first = '', second = ''] = cookies
    const foreign = await ask(server.url, '/logout', {
      method: 'POST',
      headers: { cookie: first, origin: 'http://attacker.example' },
    })
    expect([foreign.status, await statusWith(first)]).toEqual([403, 200])
    const out = await ask(server.url, '/logout', {
      method: 'POST',
      headers: { cookie: first, origin: `http://${server.host}` },
    })
    expect(out.headers['set-cookie']?.[0]).toMatch(/^immune-session-\d+=; Path=\/; Max-Age=0/)
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200])
    clock.ms += 3_600_000
    expect(await statusWith(second)).toBe(401)
    const third = cookieOf(await signIn('correct horse battery'))
    expect(await statusWith(third)).toBe(200)
    const [, other = ''] = text.split('\n')
    const changed = valueOf(await passwordLine('op', 'battery staple horse', LN))
    await writeFile(file, `${changed}\n${other}`)
    expect(await statusWith(third)).toBe(401)
    const fourth = cookieOf(await signIn('battery staple horse'))
    expect(await statusWith(fourth)).toBe(200)
    await writeFile(file, other)
    expect(await statusWith(fourth)).toBe(401)
  })

  it('explains which Host is required if a proxy drops the port from it', async () => {
    const { signIn } = await passwords()
    const dropped = { host: '127.0.0.1', origin: 'http://127.0.0.1:8443' }
    const answer = await signIn('correct horse battery', dropped)
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
    expect(answer.body.toString()).toContain('data-state="host"')
    const same = await signIn('correct horse battery', { ...dropped, 'sec-fetch-site': 'same-origin' })
    expect(same.status).toBe(303)
  })

  it('accepts 40 kB of other cookies and explains what to do about more than 64 KiB', async () => {
    const { signIn, statusWith, cookieOf } = await passwords()
    const own = cookieOf(await signIn('correct horse battery'))
    const others = (bytes: number) => `other=${'x'.repeat(bytes)}; ${own}`
    expect(await statusWith(others(40_000))).toBe(200)
    const { server } = await passwords()
    const large = await ask(server.url, '/', { headers: { cookie: others(70_000) } })
    expect([large.status, large.body.toString()]).toEqual([
      431,
      expect.stringContaining('Delete this host’s cookies'),
    ])
  })

  it('returns a signed-out tab to itself, and a link of another site to the page', async () => {
    const { server, signIn, cookieOf } = await passwords()
    const answer = await signIn('correct horse battery', {}, '?from=dashboard')
    expect(answer.headers.location).toBe('?done')
    const done = await ask(server.url, '/login?done', { headers: { cookie: cookieOf(answer) } })
    expect(done.body.toString()).toContain('data-state="done"')
    expect(
      (await ask(server.url, '/login', { headers: { cookie: cookieOf(answer) } })).headers.location,
    ).toBe('./')
    const link = await ask(server.url, '/', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect([link.status, link.headers.location]).toEqual([303, 'login?back'])
    const back = await ask(server.url, '/login?back')
    expect(back.body.toString()).toContain('location.replace')
    expect(back.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'sha256-/)
  })

  it('allows users to add services only if the command line does, and no internal ones', async () => {
    const closed = await passwords({ allowedHosts: ['dash.example'] })
    const cookie = closed.cookieOf(await closed.signIn('correct horse battery'))
    expect((await post(closed.server, '/services', SERVICE, { cookie })).status).toBe(403)
    const open = await passwords({ allowedHosts: ['dash.example'], addServices: 'always' })
    const other = open.cookieOf(await open.signIn('correct horse battery'))
    expect((await post(open.server, '/services', SERVICE, { cookie: other })).status).toBe(200)
    const inside = { service: { baseUrl: 'http://127.0.0.1:1' } }
    expect((await post(open.server, '/services', inside, { cookie: other })).status).toBe(400)
  })
})
