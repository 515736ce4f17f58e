import { describe, expect, it } from 'vitest'
import { ANSWER_FAULTS, loginPage } from '#reference/answer-faults.ts'
import type { Answer } from '#reference/problem.ts'

type Name = keyof typeof ANSWER_FAULTS

const NOW_MS = 1_780_315_200_000
const URL_PATH = '/node/status?node_id=0xab'

function answerOf(name: Name, given: { readonly value?: number; readonly text?: string } = {}): Answer {
  return ANSWER_FAULTS[name].act({ value: 30, text: 'soon', url: URL_PATH, nowMs: NOW_MS, ...given })
}
const textOf = ({ body }: Answer): string =>
  body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : 'no text'

const PROBLEM = { 'Content-Type': 'application/problem+json' }

describe('an answer in place of the real one', () => {
  it.each<[Name, number, object, { readonly value?: number; readonly text?: string }?]>([
    ['status', 418, {}, { value: 418 }],
    ['status-400', 400, {}],
    ['status-401', 401, { 'WWW-Authenticate': 'Bearer realm="immune-node", error="invalid_token"' }],
    ['status-403', 403, {}],
    ['status-404', 404, {}],
    ['status-429', 429, { 'Retry-After': '120' }, { value: 120 }],
    ['status-429-bare', 429, {}],
    ['status-429-date', 429, { 'Retry-After': 'Mon, 01 Jun 2026 12:01:30 GMT' }, { value: 90 }],
    ['status-429-date', 429, { 'Retry-After': 'Mon, 01 Jun 2026 11:59:00 GMT' }, { value: -60 }],
    ['status-429-bad', 429, { 'Retry-After': 'soon' }],
    ['status-429-bad', 429, { 'Retry-After': 'a? ?~ ?b' }, { text: 'a\r ü~ \u007fb' }],
    ['status-500', 500, {}],
    ['status-503', 503, { 'Retry-After': '7' }, { value: 7 }],
    ['status-599', 599, {}],
  ])('is a problem: %s', (name, status, headers, given) => {
    const answer = answerOf(name, given)
    expect([answer.status, answer.headers]).toEqual([status, { ...PROBLEM, ...headers }])
    expect(JSON.parse(textOf(answer))).toEqual({
      type: 'about:blank',
      title: 'Fault on demand',
      status,
      code: 'fault',
    })
  })

  it.each<[Name, number, { readonly value?: number }?]>([
    ['status', 204, { value: 204 }],
    ['status', 304, { value: 304 }],
    ['status-204', 204],
    ['status-304', 304],
  ])('has no body where its status has none: %s %d', (name, status, given) => {
    expect(answerOf(name, given)).toEqual({ status, headers: {}, body: new Uint8Array() })
  })

  const page = (title: string, body: string): string =>
    `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`
  const LOGIN = page(
    'Sign in',
    '<form action="/login"><input name="user"><input name="password" type="password"></form>',
  )

  it.each<readonly [Name, number, string]>([
    ['status-403-html', 403, page('Access denied', 'Your request was blocked. Incident 17.')],
    ['status-502', 502, page('502 Bad Gateway', '<hr>gateway')],
    ['status-502-no-cors', 502, page('502 Bad Gateway', '<hr>gateway')],
    ['status-504', 504, page('504 Gateway Timeout', '<hr>gateway')],
    ['html', 200, LOGIN],
  ])('is a web page: %s', (name, status, text) => {
    const answer = answerOf(name)
    expect([answer.status, answer.headers]).toEqual([status, { 'Content-Type': 'text/html; charset=utf-8' }])
    expect(textOf(answer)).toBe(text)
  })

  it('is the login page that a redirect leads to', () => {
    expect(textOf(loginPage())).toBe(LOGIN)
    expect(answerOf('redirect-login')).toMatchObject({ status: 302, headers: { Location: '/login' } })
  })

  it.each<readonly [Name, string, string]>([
    ['redirect-other', 'http://other.example/x', 'http://other.example/x'],
    ['redirect-other', 'http://other.example/ü\r\n', 'http://other.example/%C3%BC%0D%0A'],
    ['redirect-loop', 'x', URL_PATH],
  ])('redirects: %s %j', (name, text, location) => {
    expect(answerOf(name, { text })).toEqual({
      status: 302,
      headers: { Location: location },
      body: new Uint8Array(),
    })
  })

  it('may be huge and full of scripts', () => {
    const answer = answerOf('error-hostile')
    const text = textOf(answer)
    expect([answer.status, text.length > 500_000]).toEqual([500, true])
    expect(text).toContain('<title><script>window.__xss=1</script><img src=x onerror="window.__xss=1">\u202e')
  })

  it('may be JSON by its headers, and nothing', () => {
    expect(answerOf('empty')).toEqual({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: new Uint8Array(),
    })
  })
})
