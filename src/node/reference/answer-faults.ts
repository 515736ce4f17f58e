import { fault, faultTable, numberValue, textValue } from './fault.ts'
import type { Answer } from './problem.ts'

/** What an answer in place of the real one may need to know. */
type Context = { readonly value: number; readonly text: string; readonly url: string; readonly nowMs: number }

const utf8 = (text: string): Uint8Array => Buffer.from(text)

const problem = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  body: utf8(JSON.stringify({ type: 'about:blank', title: 'Fault on demand', status, code: 'fault' })),
})

const page = (status: number, title: string, text: string): Answer => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8' },
  body: utf8(
    `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${text}</body></html>`,
  ),
})

const nothing = (status: number): Answer => ({ status, headers: {}, body: new Uint8Array() })

const redirect = (location: string): Answer => ({ ...nothing(302), headers: { Location: location } })

const gateway = (status: number, title: string): Answer => page(status, `${status} ${title}`, '<hr>gateway')

export const loginPage = (): Answer =>
  page(
    200,
    'Sign in',
    '<form action="/login"><input name="user"><input name="password" type="password"></form>',
  )

const HOSTILE = '<script>window.__xss=1</script><img src=x onerror="window.__xss=1">\u202e'

export const ANSWER_FAULTS = faultTable<(context: Context) => Answer>()({
  status: fault(
    'answers with this status and a problem body',
    ({ value }) => (value === 204 || value === 304 ? nothing(value) : problem(value)),
    numberValue('status', 500, 200, 999),
  ),
  'status-400': fault('answers 400', () => problem(400)),
  'status-401': fault('answers 401', () =>
    problem(401, { 'WWW-Authenticate': 'Bearer realm="immune-node", error="invalid_token"' }),
  ),
  'status-403': fault('answers 403', () => problem(403)),
  'status-403-html': fault("answers 403 with a firewall's web page", () =>
    page(403, 'Access denied', 'Your request was blocked. Incident 17.'),
  ),
  'status-404': fault('answers 404', () => problem(404)),
  'status-429': fault(
    'answers 429; Retry-After in seconds',
    ({ value }) => problem(429, { 'Retry-After': String(value) }),
    numberValue('s', 30, 0, 1e12),
  ),
  'status-429-bare': fault('answers 429 without Retry-After', () => problem(429)),
  'status-429-date': fault(
    'answers 429; Retry-After as a date, this far ahead',
    ({ value, nowMs }) => problem(429, { 'Retry-After': new Date(nowMs + value * 1_000).toUTCString() }),
    numberValue('s', 30, -1e6, 1e10),
  ),
  'status-429-bad': fault(
    'answers 429 with an unreadable Retry-After',
    ({ text }) => problem(429, { 'Retry-After': text.replace(/[^\x20-\x7e]/g, '?') }),
    textValue('soon'),
  ),
  'status-500': fault('answers 500', () => problem(500)),
  'status-502': fault("answers 502 with a gateway's web page", () => gateway(502, 'Bad Gateway')),
  'status-502-no-cors': fault("answers 502 with a gateway's web page that no other page may read", () =>
    gateway(502, 'Bad Gateway'),
  ),
  'status-503': fault(
    'answers 503; Retry-After in seconds',
    ({ value }) => problem(503, { 'Retry-After': String(value) }),
    numberValue('s', 5, 0, 1e12),
  ),
  'status-504': fault("answers 504 with a gateway's web page", () => gateway(504, 'Gateway Timeout')),
  'status-599': fault('answers 599', () => problem(599)),
  'status-204': fault('answers 204, no content', () => nothing(204)),
  'status-304': fault('answers 304, not modified', () => nothing(304)),
  'error-hostile': fault('answers 500 with a huge page full of scripts', () =>
    page(500, HOSTILE, HOSTILE.repeat(10_000)),
  ),
  'redirect-other': fault(
    'redirects to another address',
    ({ text }) => redirect(encodeURI(text)),
    textValue('http://127.0.0.1:9/'),
  ),
  'redirect-loop': fault('redirects to itself', ({ url }) => redirect(url)),
  'redirect-login': fault('redirects to a login page', () => redirect('/login')),
  html: fault('answers 200 with a login page, as a captive portal does', loginPage),
  empty: fault('answers 200 with an empty body', () => ({
    ...nothing(200),
    headers: { 'Content-Type': 'application/json' },
  })),
})
