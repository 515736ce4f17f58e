import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import {
  baseUrlOf,
  isLoopback,
  isMixedContent,
  isOpenToOthers,
  isPlainHost,
  isPolicyHost,
  parseBaseUrl,
  serviceIdOf,
} from '#record/service.ts'
import { serviceName } from '#record/service-name.ts'

describe('a typed base URL', () => {
  it.each([
    ['https://api.example.net', 'https://api.example.net'],
    ['HTTPS://API.Example.net:443/', 'https://api.example.net'],
    ['http://api.example.net:80/v1//', 'http://api.example.net/v1'],
    [' https://api.example.net:8443/V1/ ', 'https://api.example.net:8443/V1'],
    ['api.example.net', 'https://api.example.net'],
    ['api.example.net:8080/x', 'https://api.example.net:8080/x'],
    ['localhost:7421', 'http://localhost:7421'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['127.1.2.3:80/x', 'http://127.1.2.3/x'],
    ['[::1]:7421', 'http://[::1]:7421'],
    ['localhost.example.net', 'https://localhost.example.net'],
    ['localhost', 'http://localhost'],
    ['LOCALHOST/v1', 'http://localhost/v1'],
    ['my.localhost', 'https://my.localhost'],
    ['127.10.20.30', 'http://127.10.20.30'],
    ['127.0.0.1.example.net', 'https://127.0.0.1.example.net'],
    ['example.net/http://x', 'https://example.net/http://x'],
    ['https://example.net/a/b', 'https://example.net/a/b'],
  ])('%j becomes %s', (text, baseUrl) => {
    expect(parseBaseUrl(text)).toEqual(ok(baseUrl))
  })

  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['https://', 'not-a-url'],
    ['https://exa mple.net', 'not-a-url'],
    ['http://b,default-src', 'not-a-url'],
    ['http://a;sandbox', 'not-a-url'],
    ['http://*', 'not-a-url'],
    ["http://a'b", 'not-a-url'],
    ['ftp://example.net', 'not-http'],
    ['file:///etc/passwd', 'not-a-url'],
    ['https://user:word@example.net', 'has-user'],
    ['https://user@example.net', 'has-user'],
    ['https://:word@example.net', 'has-user'],
    ['https://example.net/?a=1', 'has-query'],
    ['https://example.net/#x', 'has-query'],
    [`https://example.net/${'a'.repeat(300)}`, 'too-long'],
  ])('%j is refused: %s', (text, problem) => {
    expect(parseBaseUrl(text)).toEqual(err(problem))
  })

  it('may have an underscore in its host, as containers do', () => {
    expect(parseBaseUrl('http://My_Service:8080/v1/')).toEqual(ok('http://my_service:8080/v1'))
  })
})

describe("a service's id", () => {
  it('fits into one path segment and converts back to its base URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: false, withFragments: false }), (url) => {
        const baseUrl = parseBaseUrl(url)
        if (!baseUrl.ok) return
        const id = serviceIdOf(baseUrl.value)
        expect(id).toMatch(/^[A-Za-z0-9._~!*'()-]+$/)
        expect(baseUrlOf(id)).toBe(baseUrl.value)
      }),
    )
  })

  const OTHERS = `
    demo .. ~ ~2 https~3A~2F~2Fexample.net~2F HTTPS~3A~2F~2Fexample.net
    https%3A%2F%2Fexample.net https~3a~2f~2fexample.net https~3A~2F~2Fexample.ne~74 ftp~3A~2F~2Fexample.net`
  it.each(['', ...OTHERS.trim().split(/\s+/)])('%j is not an id', (id) => {
    expect(baseUrlOf(id)).toBeUndefined()
  })
})

it.each([
  ['http://localhost', true],
  ['http://localhost:7421/x', true],
  ['http://127.0.0.1:1', true],
  ['https://[::1]', true],
  ['http://localhost.example.net', false],
  ['http://127.0.0.1.example.net', false],
  ['http://10.0.0.1', false],
  ['http://127.10.20.30:7421/x', true],
  ['https://127.0.0.1/x', true],
  ['http://localhost:7421', true],
  ['http://localhost:x.example.net', false],
  ['http://my.localhost', false],
  ['https://example.net/http://localhost', false],
])('%s is this computer: %s', (baseUrl, loopback) => {
  expect(isLoopback(baseUrl)).toBe(loopback)
})

it('a service is named by its host, port and path', () => {
  expect(serviceName('https://api.example.net:8443/v1')).toBe('api.example.net:8443/v1')
  expect(serviceName('http://api.example.net')).toBe('api.example.net')
  expect(serviceName('https://api.example.net/http://b')).toBe('api.example.net/http://b')
})

describe('a host in a Content-Security-Policy', () => {
  it.each(['example.net', 'EXAMPLE-1.net', '127.0.0.1', '[::1]:8080'])('%s is allowed', (host) => {
    expect([isPlainHost(host), isPolicyHost(host)]).toEqual([true, true])
  })

  it.each(['', 'a,b', 'a;b', '*', "a'b", 'a b', 'a%2Cb', 'a/b'])('%j is not a host', (host) => {
    expect([isPlainHost(host), isPolicyHost(host)]).toEqual([false, false])
  })
})

it.each([
  ['http://example.net', true, true],
  ['http://10.0.0.1:7421/v1', true, true],
  ['https://example.net', false, false],
  ['http://localhost:7421', false, false],
  ['http://127.0.0.1', false, false],
  ['https://localhost', false, false],
])('%s can be impersonated: %s, and is mixed content for an https page: %s', (base, open, mixed) => {
  expect(isOpenToOthers(base)).toBe(open)
  expect(isMixedContent('https://dashboard.example', base)).toBe(mixed)
  expect(isMixedContent('http://dashboard.example', base)).toBe(false)
})
