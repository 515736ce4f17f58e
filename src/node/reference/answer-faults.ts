import type { ActiveFault } from './fault-state.ts'
import type { FaultsOf } from './faults.ts'
import type { Answer } from './problem.ts'

type AnswerFault = FaultsOf<'answer'>

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

const ANSWERS: Readonly<Record<AnswerFault, (context: Context) => Answer>> = {
  status: ({ value }) => (value === 204 || value === 304 ? nothing(value) : problem(value)),
  'status-400': () => problem(400),
  'status-401': () =>
    problem(401, { 'WWW-Authenticate': 'Bearer realm="immune-node", error="invalid_token"' }),
  'status-403': () => problem(403),
  'status-403-html': () => page(403, 'Access denied', 'Your request was blocked. Incident 17.'),
  'status-404': () => problem(404),
  'status-429': ({ value }) => problem(429, { 'Retry-After': String(value) }),
  'status-429-bare': () => problem(429),
  'status-429-date': ({ value, nowMs }) =>
    problem(429, { 'Retry-After': new Date(nowMs + value * 1_000).toUTCString() }),
  'status-429-bad': ({ text }) => problem(429, { 'Retry-After': text.replace(/[^\x20-\x7e]/g, '?') }),
  'status-500': () => problem(500),
  'status-502': () => gateway(502, 'Bad Gateway'),
  'status-502-no-cors': () => gateway(502, 'Bad Gateway'),
  'status-503': ({ value }) => problem(503, { 'Retry-After': String(value) }),
  'status-504': () => gateway(504, 'Gateway Timeout'),
  'status-599': () => problem(599),
  'status-204': () => nothing(204),
  'status-304': () => nothing(304),
  'error-hostile': () => page(500, HOSTILE, HOSTILE.repeat(10_000)),
  'redirect-other': ({ text }) => redirect(encodeURI(text)),
  'redirect-loop': ({ url }) => redirect(url),
  'redirect-login': () => redirect('/login'),
  html: loginPage,
  empty: () => ({ ...nothing(200), headers: { 'Content-Type': 'application/json' } }),
}

export const faultAnswer = (fault: ActiveFault<AnswerFault>, url: string, nowMs: number): Answer =>
  ANSWERS[fault.name]({ value: Number(fault.value), text: String(fault.value), url, nowMs })
