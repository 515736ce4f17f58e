import { writeFile } from 'node:fs/promises'
import https from 'node:https'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { urlOf } from '#server/dashboard-server.ts'
import { valueOf } from '#test/support/value-of.ts'
import { ask, json } from './http-client.ts'
import { certificate, configFileWith, startTestServer } from './test-server.ts'

const PASSWORDS = {
  kind: 'password',
  lifeMs: 1_000,
  accounts: { count: () => 0, verify: () => Promise.resolve(false), stampOf: () => undefined },
} as const

it.each([
  ['/theme.js', 404],
  ['/favicon.svg', 200],
  ['/icon-192.png', 404],
  ['/icon-maskable_512.png', 404],
  ['/manifest.webmanifest', 404],
  ['/assets/index-1.js', 200],
  ['/assets/missing.js', 404],
  ['/config.schema.json', 401],
  ['/login.html', 401],
  ['/x/theme.js', 401],
  ['/theme.js.map', 401],
  ['/themexjs', 401],
  ['/icon-.png', 401],
  ['/icon-a/b.png', 401],
  ['/icon-1.pngx', 401],
  ['/x/favicon.svg', 401],
  ['/forget', 401],
])(
  'a visitor who is not signed in requests %s and gets %i: only files that are the same everywhere are public',
  async (path, status) => {
    const { url } = await startTestServer({ access: PASSWORDS })
    expect((await ask(url, path)).status).toBe(status)
  },
)

it.each([
  ['/worker.js', { 'service-worker': 'script' }],
  ['/a/b/worker.js?v=1', { 'service-worker': 'script' }],
  ['/index.html', { 'service-worker': 'script' }],
  ['/config.json', { 'sec-fetch-dest': 'serviceworker' }],
])(
  'a service worker script unregisters the worker, at any path and without sign-in: %s',
  async (path, headers) => {
    const { url } = await startTestServer({ access: PASSWORDS })
    const script = await ask(url, path, { headers })
    expect(script.body.toString()).toContain('registration.unregister()')
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-store',
      'service-worker-allowed': '/',
    })
  },
)

describe('the configuration', () => {
  it('is not sent again until it changes', async () => {
    const { path, opened } = await configFileWith({ version: 1, services: [] })
    const { url } = await startTestServer({ configFile: valueOf(opened) })
    const asked = async (tag = '') => {
      const { status, headers, body } = await ask(url, '/config.json', { headers: { 'if-none-match': tag } })
      return { status, tag: headers.etag ?? '', bytes: body.length, keeping: headers['cache-control'] }
    }
    const first = await asked()
    expect(first).toMatchObject({ status: 200, tag: expect.stringMatching(/^"[\w-]{43}"$/) })
    for (const tag of [first.tag, `W/${first.tag}`, `"x", ${first.tag}`])
      expect(await asked(tag)).toEqual({ status: 304, tag: first.tag, bytes: 0, keeping: 'no-store' })
    expect(await asked('"x"')).toEqual(first)
    await writeFile(path, '{"version":1,"nodes":[],"services":[{"baseUrl":"https://a.example"}]}')
    const changed = await asked(first.tag)
    expect([changed.status, changed.tag === first.tag]).toEqual([200, false])
    await writeFile(path, '{')
    const withProblem = await asked(changed.tag)
    expect([withProblem.status, withProblem.tag === changed.tag]).toEqual([200, false])
  })

  it('differs for visitors who may not add services', async () => {
    const { url } = await startTestServer()
    const here = await ask(url, '/config.json')
    const passedOn = await ask(url, '/config.json', {
      headers: { via: '1.1 x', 'if-none-match': here.headers.etag },
    })
    expect(json(here)).toMatchObject({ canAddServices: true })
    if (passedOn.status === 200) expect(json(passedOn)).toMatchObject({ canAddServices: false })
    expect(passedOn.status).not.toBe(304)
  })
})

it.each(['Host: HOST\r\nhost: HOST', 'Host: HOST\r\nHost: evil.example', 'HOST: evil.example\r\nhost: HOST'])(
  'a request with two Host headers is refused: %j',
  async (hosts) => {
    const { url, host } = await startTestServer()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end(`GET / HTTP/1.1\r\n${hosts.replaceAll('HOST:', 'Host:').replaceAll('HOST', host)}\r\n\r\n`)
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 /)
  },
)

describe('the dashboard server', () => {
  it('limits the request rate of each user, even from one address', async () => {
    const access = { kind: 'header', name: 'x-user' } as const
    const { url } = await startTestServer({ rateLimit: 1, access, trustFrom: ['127.0.0.1'] })
    const by = async (name: string) =>
      (await ask(url, '/session', { headers: { 'x-user': name, 'x-forwarded-for': '192.0.2.7' } })).status
    expect([await by('a'), await by('a'), await by('a')]).toEqual([200, 200, 429])
    expect(await by('b')).toBe(200)
  })

  it('answers an internal error with 500, cuts off a started answer and keeps serving', async () => {
    const { url } = await startTestServer({
      pages: () => (request, response) => {
        if (request.url === '/begun') response.writeHead(200).write('x')
        return Promise.reject(new Error('secret'))
      },
    })
    const failed = await ask(url, '/')
    expect([failed.status, json(failed)]).toMatchObject([
      500,
      { title: 'Server error', detail: 'Try again.' },
    ])
    await expect(ask(url, '/begun')).rejects.toThrow()
    expect((await ask(url, '/config.json')).status).toBe(200)
  })
})

describe('a listening server', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:7/'],
    ['wall.example', 'http://wall.example:7/'],
    ['0.0.0.0', 'http://127.0.0.1:7/'],
    ['::', 'http://127.0.0.1:7/'],
    ['::1', 'http://[::1]:7/'],
  ])('on %s has the URL %s', (host, url) => expect(urlOf('http', host, 7)).toBe(url))

  it('sends no HSTS over http', async () => {
    const { url } = await startTestServer({ host: '0.0.0.0' })
    expect((await ask(url, '/')).headers['strict-transport-security']).toBeUndefined()
  })

  it('sends HSTS over https, except on loopback', async () => {
    const own = await certificate('server')
    const tls = { files: own, changed: () => undefined }
    const securityOf = async (host: string) => {
      const { url } = await startTestServer({ host, tls })
      const { port } = new URL(url)
      return new Promise((resolve, reject) => {
        https
          .get({ port, host: '127.0.0.1', ca: own.cert, agent: false }, (response) => {
            response.resume()
            resolve(response.headers['strict-transport-security'])
          })
          .on('error', reject)
      })
    }
    expect(await securityOf('0.0.0.0')).toBe('max-age=31536000')
    expect(await securityOf('127.0.0.1')).toBeUndefined()
  })
})
