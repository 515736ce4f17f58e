import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PROFILES } from '#signing/presets.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { HEADER_BYTES_MAX, isForbiddenHeader, isSigningHeader, needsPreflight } from '#signing/profile.ts'
import { parseProfile } from '#settings/documents.ts'
import { lintProfile } from '#signing/profile-lint.ts'
import { signingValues } from '#signing/signing-values.ts'

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'x']))
const jwt = (rest: object) => ({
  message: { kind: 'jwt', alg: 'EdDSA', header: {}, claims: {}, ...rest },
  headers: {},
})
describe('a profile at its limits', () => {
  it.each<[string, (count: number) => unknown, number]>([
    ['headers', (count) => ({ message: { kind: 'template', template: 'x' }, headers: many(count) }), 8],
    ['members of a token’s header', (count) => jwt({ header: many(count) }), 8],
    ['claims', (count) => jwt({ claims: many(count) }), 16],
  ])('has so many %s and no more', (_what, document, most) => {
    expect(parseProfile(document(most)).ok).toBe(true)
    expect(parseProfile(document(most + 1)).ok).toBe(false)
  })

  it.each(['alg', 'b64', 'crit', 'jku', 'jwk', 'x5u', 'x5c'])(
    'can not set the member %s of a token, which would have it read in another way',
    (name) => {
      const parsed = parseProfile(jwt({ header: { [name]: 'x' } }))
      expect(JSON.stringify(parsed)).toContain(`header member ${name} can’t be set`)
    },
  )

  it('may have headers of as many bytes as a server takes, with names and line ends', () => {
    const codes = (bytes: number): readonly string[] => {
      const text = 'y'.repeat(bytes - 'X-Pad'.length - ': \r\n'.length)
      const message = { kind: 'template', template: 'x' } as const
      return lintProfile({ v: 1, message, headers: { 'X-Pad': text } }).map(({ code }) => code)
    }
    expect(codes(HEADER_BYTES_MAX)).not.toContain('headers-too-long')
    expect(codes(HEADER_BYTES_MAX + 1)).toContain('headers-too-long')
  })
})

describe('a header', () => {
  it.each([
    'Accept-Charset',
    'Accept-Encoding',
    'Access-Control-Request-Headers',
    'Access-Control-Request-Method',
    'Connection',
    'Content-Length',
    'Cookie',
    'Cookie2',
    'Date',
    'DNT',
    'Expect',
    'Host',
    'Keep-Alive',
    'Origin',
    'Proxy-Authorization',
    'Referer',
    'Sec-Fetch-Mode',
    'Set-Cookie',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Via',
    'X-HTTP-Method',
    'X-HTTP-Method-Override',
    'X-Method-Override',
  ])('that no page can set: %s', (name) => {
    expect([isForbiddenHeader(name), isForbiddenHeader(name.toLowerCase())]).toEqual([true, true])
  })

  it.each([
    ['Accept', false],
    ['accept-language', false],
    ['Content-Language', false],
    ['Content-Type', false],
    ['Authorization', true],
    ['X-Accept', true],
    ['Accept-Version', true],
  ])('%s is asked for first: %s', (name, isAsked) => {
    expect(needsPreflight(name)).toBe(isAsked)
  })
})

it.each<[string, Record<string, string>, boolean]>([
  ['Authorization', { Authorization: 'Bearer x' }, true],
  ['Proxy-Authorization', { 'Proxy-Authorization': 'x' }, true],
  ['another header that ends so', { 'X-Authorization': 'x' }, false],
  ['another header that begins so', { 'Authorization-Of': 'x' }, false],
])('a secret that is always the same is found in %s', (_where, headers, isFound) => {
  const found = lintProfile({ v: 1, message: { kind: 'none' }, headers }).map(({ code }) => code)
  expect(found.includes('fixed-secret')).toBe(isFound)
})

it('the thumbprint of a key is that of RFC 8037, appendix A.3', () => {
  const publicKey = new Uint8Array(Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url'))
  const values = signingValues(
    { v: 1, message: { kind: 'none' }, headers: {} },
    { baseUrl: 'https://a.example', nodeId: '0xA0x', publicKey, nowMs: 0, nonce: new Uint8Array(16) },
  )
  expect(values.texts.get('kid.thumbprint')).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  const canonical = '{"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
  expect(createHash('sha256').update(canonical).digest('base64url')).toBe(values.texts.get('kid.thumbprint'))
  expect(values.texts.get('param.node_id')).toBe('0xA0x')
})

describe('a header of a profile that a browser added', () => {
  it('may be any of those that ship', () => {
    const names = [...Object.values(PROFILES), ...PROFILE_TRIES.map(({ profile }) => profile)].flatMap(
      ({ headers }) => Object.keys(headers),
    )
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !isSigningHeader(name))).toEqual([])
  })

  it.each([
    'X-Api-Key',
    'X-Signature',
    'x-timestamp',
    'X-Auth-Token',
    'CB-ACCESS-SIGN',
    'X-Pubkey',
    'X_Nonce',
  ])('may be %s, which signing needs', (name) => expect(isSigningHeader(name)).toBe(true))

  it.each(
    'X-Original-URL X-Rewrite-URL Range If-Range If-Match X-Forwarded-For Forwarded X-Forwarded-Host X-Host X-Real-IP X-Client-IP True-Client-IP CF-Connecting-IP X-HTTP-Method-Override X-Method Proxy Translate Destination Depth Accept Content-Type Cache-Control Max-Forwards X-Remote-User X-Auth-User X-Auth-Request-Email X-User X-Accel-Redirect X-Sendfile X-SSL-Client-Cert X-Forwarded-Access-Token X-Original-Key X-Envoy-External-Address X-A'.split(
      ' ',
    ),
  )('is not %s', (name) =>
    expect([isSigningHeader(name), isSigningHeader(name.toLowerCase())]).toEqual([false, false]),
  )
})
