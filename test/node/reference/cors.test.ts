import { describe, expect, it } from 'vitest'
import { corsHeaders, isOriginPattern, LOOPBACK_PAGES } from '#reference/cors.ts'

it.each([
  ['http://localhost:7420', LOOPBACK_PAGES, true],
  ['http://localhost', LOOPBACK_PAGES, true],
  ['http://127.0.0.1:1', LOOPBACK_PAGES, true],
  ['http://[::1]:65535', LOOPBACK_PAGES, true],
  ['http://127a0.0.1:1', LOOPBACK_PAGES, false],
  ['http://localhost:', LOOPBACK_PAGES, false],
  ['http://localhost:123456', LOOPBACK_PAGES, false],
  ['http://localhost:1/', LOOPBACK_PAGES, false],
  ['xhttp://localhost:1', LOOPBACK_PAGES, false],
  ['https://localhost:1', LOOPBACK_PAGES, false],
  ['http://::1:1', LOOPBACK_PAGES, false],
  ['https://wall.example', ['https://other.example', 'https://wall.example'], true],
  ['https://wall.example:1', ['https://wall.example'], false],
  ['https://wall.example', [], false],
])('CORS headers for origin %s, with %j allowed, are sent: %s', (origin, allowed, verdict) => {
  expect(corsHeaders(origin, allowed)).toEqual(
    verdict
      ? {
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Expose-Headers': 'Date, Retry-After, Age, WWW-Authenticate',
        }
      : {},
  )
})

describe('an origin to allow', () => {
  const GOOD = `
    http://localhost https://wall-2.example:8443 http://127.0.0.1:* http://[::1]:65535
    https://[2001:db8::7]`
  const BAD = `
    ftp://wall.example xhttp://wall.example http:/wall.example http:// http://Wall.example
    http://wall.example/ http://wall.example: http://wall.example:123456 http://wall.example:8x
    http://wall.example:** http://[] http://[::g] http://* * null`
  it.each([
    ...GOOD.trim()
      .split(/\s+/)
      .map((text) => [text, true] as const),
    ...BAD.trim()
      .split(/\s+/)
      .map((text) => [text, false] as const),
  ])('is scheme://host[:port] in lower case: %s is %s', (text, verdict) => {
    expect(isOriginPattern(text)).toBe(verdict)
  })
})
