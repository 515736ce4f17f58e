import { valueOf } from '#test/support/value-of.ts'
import { readFile, writeFile } from 'node:fs/promises'
import type http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPasswordFile, passwordLine } from '#server/password-file.ts'
import { ask } from './http-client.ts'
import { certificate, startTestServer, temporaryFolder } from './test-server.ts'

/** The findings of a scan, which the rules score. */
type Scan = {
  readonly headers: http.IncomingHttpHeaders
  readonly cookies: readonly string[]
  readonly html: string
  /** The answer to a request over http. */
  readonly plain: 'no-answer' | 'redirect' | 'page'
}

const directives = ({ headers }: Scan): ReadonlyMap<string, string> =>
  new Map(
    String(headers['content-security-policy'] ?? '')
      .split(/;\s*/)
      .filter((part) => part !== '')
      .map((part): [string, string] => {
        const [name = '', ...sources] = part.split(' ')
        return [name, sources.join(' ')]
      }),
  )

const isClosed = (sources: string | undefined): boolean => sources === "'none'" || sources === "'self'"

const SIX_MONTHS_S = 15_768_000

/** The tests of the HTTP Observatory with its modifiers, simplified where this server has no such case. */
const RULES: Readonly<Record<string, (scan: Scan) => number>> = {
  policy: (scan) => {
    const policy = directives(scan)
    if (policy.size === 0) return -25
    const script = policy.get('script-src') ?? policy.get('default-src')
    if (script === undefined || /unsafe-inline|data:|https?:|\*/.test(script)) return -20
    if (Array.from(policy.values()).some((sources) => /unsafe-eval/.test(sources))) return -10
    if (Array.from(policy.values()).some((sources) => /unsafe-|\bhttp:/.test(sources))) return 0
    if (!isClosed(policy.get('form-action')) || !isClosed(policy.get('base-uri'))) return 0
    return policy.get('default-src') === "'none'" ? 10 : 5
  },
  cookies: ({ cookies }) => {
    if (cookies.length === 0) return 0
    if (cookies.some((cookie) => !/; Secure\b/i.test(cookie))) return -40
    if (cookies.some((cookie) => !/; HttpOnly\b/i.test(cookie))) return -30
    if (cookies.some((cookie) => !/; SameSite=(Strict|Lax)\b/i.test(cookie))) return 0
    return 5
  },
  sharing: ({ headers }) => (headers['access-control-allow-origin'] === undefined ? 0 : -50),
  redirection: ({ plain }) => (plain === 'page' ? -20 : 0),
  referrer: ({ headers }) =>
    /^(no-referrer|same-origin|strict-origin(-when-cross-origin)?)$/.test(
      String(headers['referrer-policy'] ?? ''),
    )
      ? 5
      : -5,
  transport: ({ headers }) => {
    const [, seconds] = /^max-age=(\d+)/.exec(headers['strict-transport-security'] ?? '') ?? []
    if (seconds === undefined) return -20
    return Number(seconds) < SIX_MONTHS_S ? -10 : 0
  },
  scripts: ({ html }) => (/<script[^>]*\ssrc="(?!\/[^/])/i.test(html) ? -50 : 0),
  sniffing: ({ headers }) => (headers['x-content-type-options'] === 'nosniff' ? 0 : -5),
  frames: (scan) => {
    if (isClosed(directives(scan).get('frame-ancestors'))) return 5
    return /^(deny|sameorigin)$/i.test(String(scan.headers['x-frame-options'] ?? '')) ? 0 : -20
  },
  resources: ({ headers }) =>
    /^same-(origin|site)$/.test(String(headers['cross-origin-resource-policy'] ?? '')) ? 10 : 0,
}

const get = (url: string, path: string, options: https.RequestOptions, body?: string) =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = https.request(new URL(path, url), { agent: false, ...options }, (response) => {
      response.resume()
      resolve(response)
    })
    request.on('error', reject)
    request.end(body)
  })

const source = (name: string) => readFile(join(import.meta.dirname, '../../..', name), 'utf8')

/** Scans a page of a dashboard with https and passwords. */
async function scanned(page: 'login' | 'dashboard'): Promise<Scan> {
  const file = join(await temporaryFolder(), 'passwords')
  const line = valueOf(await passwordLine('op', 'correct horse battery', 14))
  await writeFile(file, line, { mode: 0o600 })
  const accounts = valueOf(openPasswordFile(file, () => undefined))
  const own = await certificate('server')
  const server = await startTestServer({
    host: '0.0.0.0',
    access: { kind: 'password', accounts: accounts, lifeMs: 3_600_000 },
    tls: { files: own, changed: () => undefined },
  })
  const { port } = new URL(server.url)
  const url = `https://127.0.0.1:${port}/`
  const ca = own.cert
  const signedIn = await get(
    url,
    '/login',
    { ca, method: 'POST', headers: { origin: new URL(url).origin } },
    new URLSearchParams({ name: 'op', password: 'correct horse battery' }).toString(),
  )
  const cookies = signedIn.headers['set-cookie'] ?? []
  const cookie = cookies[0]?.split(';')[0] ?? ''
  const { headers, statusCode } = await (page === 'login'
    ? get(url, '/login', { ca })
    : get(url, '/', { ca, headers: { cookie } }))
  expect(statusCode).toBe(200)
  const plain = await ask(`http://127.0.0.1:${port}/`, '/').then(
    ({ status }) => (status >= 300 && status < 400 ? 'redirect' : 'page'),
    () => 'no-answer' as const,
  )
  return { headers, cookies, plain, html: await source(page === 'login' ? 'login.html' : 'index.html') }
}

it.each(['login', 'dashboard'] as const)(
  'the HTTP Observatory’s rules give the %s page over https the best score: A+',
  async (page) => {
    const scan = await scanned(page)
    expect(Object.entries(RULES).map(([name, rule]) => [name, rule(scan)])).toEqual([
      ['policy', 10],
      ['cookies', 5],
      ['sharing', 0],
      ['redirection', 0],
      ['referrer', 5],
      ['transport', 0],
      ['scripts', 0],
      ['sniffing', 0],
      ['frames', 5],
      ['resources', 10],
    ])
    expect(scan.plain).toBe('no-answer')
    for (const cookie of scan.cookies) expect(cookie).toMatch(/^__Host-.*; Path=\/(;|$)/)
  },
)
