import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gradeOf, lintProfile, startsWithFixedTag } from '#signing/profile-lint.ts'
import {
  BYTE_PLACEHOLDERS,
  HEADER_BYTES_MAX,
  isForbiddenHeader,
  isSigningHeader,
  needsPreflight,
  TEXT_PLACEHOLDERS,
  SIGNATURE_PARAMETERS,
  type Profile,
} from '#signing/profile.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { signingValues } from '#signing/signing-values.ts'
import { parseProfile } from '#settings/documents.ts'
import { PROFILES } from '#signing/presets.ts'
import { messageToSign, signedHeaders } from '#signing/status-request.ts'
import { ENCODINGS } from '#signing/template.ts'

const template = (text: string, rest: object = {}) => ({
  message: { kind: 'template', template: text },
  headers: {},
  ...rest,
})

const jwt = (rest: object = {}) => ({
  message: { kind: 'jwt', alg: 'EdDSA', header: {}, claims: {}, ...rest },
  headers: {},
})

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'x']))

const rfc9421 = (rest: object = {}, more: object = {}) => ({
  message: { kind: 'rfc9421', label: 'sig1', components: ['@method'], params: [], ...rest },
  headers: {},
  ...more,
})

const problems = (document: unknown): readonly string[] => {
  const parsed = parseProfile(document)
  return parsed.ok ? [] : parsed.error.map(({ path, message }) => `${path}: ${message}`)
}

describe('a profile’s document', () => {
  it.each(Object.keys(PROFILES))('may be the preset %s', (id) => {
    expect(parseProfile(PROFILES[id])).toEqual({ ok: true, value: PROFILES[id] })
  })

  it('has version 1 by default, and is refused with a later one', () => {
    const parsed = parseProfile(template('x'))
    expect(parsed.ok && parsed.value.v).toBe(1)
    expect(problems(template('x', { v: 2 }))[0]).toMatch(/^v: /)
  })

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /is missing/],
    [
      'an unknown encoding',
      template('{key.base32}'),
      /its encodings are hex, 0xhex, base64, base64-nopad, base64url, base58/,
    ],
    ['a direction mark', template('a\u202eb'), /the message: U\+202E is invisible/],
    ['a tag character', template('x', { headers: { A: 'a\u{e0041}' } }), /header A: U\+E0041/],
    ['a filler in a claim', jwt({ claims: { a: '\u3164' } }), /claim a: U\+3164/],
    [
      'a zero width character in a claim’s name',
      jwt({ claims: { 'a\u200b': 'x' } }),
      /member’s name: U\+200B/,
    ],
    ['a variation selector in a key id', rfc9421({ keyid: 'a\ufe0f' }), /keyid: U\+FE0F/],
    ['a line separator', template('a\u2028b'), /U\+2028/],
    ['a lone carriage return', template('a\rb'), /U\+000D/],
    ['many combining marks', template(`a${'\u0301'.repeat(5)}`), /U\+0301/],
    ['an unknown unit', template('{ts.us}'), /available: \{ts\.s\}, \{ts\.ms\}/],
    ['code', template('{1+1}'), /\{1\+1\} is not a placeholder here/],
    ['an unknown placeholder', template('{paths}'), /the message: \{paths\} is not/],
    ['a long unknown placeholder', template(`{${'x'.repeat(99)}}`), /\{x{40}\} is not/],
    ['bytes without an encoding', template('{key}'), /\{key\} is not/],
    ['an unclosed brace', template('x{method'), /not closed at "\{method"/],
    ['the signature in the message', template('{sig.hex}'), /\{sig.hex\} can’t be part of what is signed/],
    ['{jwt} without a JWT', template('x', { headers: { A: '{jwt}' } }), /header A: \{jwt\} is not/],
    ['windows without a length', template('{ts.window}'), /needs timestamp.floorSeconds/],
    ['an empty timestamp', template('{ts.window}', { timestamp: {} }), /needs timestamp.floorSeconds/],
    ['an expiry without validity', template('{exp.ms}'), /\{exp.ms\} needs validitySeconds/],
    ['a header that fetch drops', template('x', { headers: { Date: 'x' } }), /do not let a page set/],
    ['an invalid header name', template('x', { headers: { 'a b': 'x' } }), /not a header name/],
    ['a header twice', template('x', { headers: { 'X-A': '1', 'x-a': '2' } }), /a header is listed twice/],
    [
      'an unknown hash',
      { ...template('x'), message: { kind: 'template', template: '', prehash: 'md5' } },
      /md5/,
    ],
    ['a message of an unknown kind', { message: { kind: 'js', code: '' }, headers: {} }, /kind/],
    ['an unknown field', template('x', { script: '' }), /script/],
    ['a validity of 0', template('x', { validitySeconds: 0 }), /validitySeconds/],
    ['a signature reused for two hours', template('x', { reuseSeconds: 7_200 }), /reuseSeconds/],
    ['an unknown form of node id', template('x', { nodeId: 'upper' }), /nodeId/],
    ['a long template', template('x'.repeat(4_097)), /4097|4,097|4096/],
    [
      'a signature with nothing signed',
      { message: { kind: 'none' }, headers: { A: '{sig.hex}' } },
      /\{sig.hex\} is not/,
    ],
    ['an unsupported algorithm', jwt({ alg: 'none' }), /alg/],
    ['a bad claim', jwt({ claims: { a: '{no}' } }), /claim a: \{no\}/],
    ['a bad numeric claim', jwt({ claims: { a: { number: '{no}' } } }), /claim a: \{no\}/],
    ['a bad header member', jwt({ header: { a: '{sig.hex}' } }), /header member a: \{sig.hex\} can’t/],
    ['a label with space', rfc9421({ label: 'a b' }), /not a signature label/],
    ['no component', rfc9421({ components: [] }), /components/],
    ['an unknown component', rfc9421({ components: ['@status'] }), /neither derived/],
    ['a duplicate component', rfc9421({ components: ['@path', '@path'] }), /a component is listed twice/],
    ['a duplicate parameter', rfc9421({ params: ['alg', 'alg'] }), /a signature parameter is listed twice/],
    ['params with keyid but no keyid', rfc9421({ params: ['keyid'] }), /needs the field keyid/],
    ['params with tag but no tag', rfc9421({ params: ['tag'] }), /needs the field tag/],
    ['expires without validity', rfc9421({ params: ['expires'] }), /expires needs validitySeconds/],
    ['a bad keyid', rfc9421({ keyid: '{nope}' }), /keyid: \{nope\}/],
    ['a tag with a line end', rfc9421({ tag: 'a\n' }), /printable ASCII/],
  ])('with %s is refused', (_what, document, message) => {
    expect(problems(document).join('\n')).toMatch(message)
  })

  it.each([
    ['a hash of 32 bytes', { message: { kind: 'template', template: '', prehash: 'sha-256' }, headers: {} }],
    ['a hash of 64 bytes', { message: { kind: 'template', template: '', prehash: 'sha-512' }, headers: {} }],
    ['the algorithm’s old name', jwt({ alg: 'EdDSA' })],
    ['the algorithm’s new name', jwt({ alg: 'Ed25519' })],
    ['the node as typed', template('', { nodeId: 'typed' })],
    ['the node in lower case', template('', { nodeId: 'lower' })],
    ['the node as typed without 0x', template('', { nodeId: 'typed-no-0x' })],
    ['the node in lower case without 0x', template('', { nodeId: 'lower-no-0x' })],
    ['a server that signs', { message: { kind: 'none', signer: 'dashboard-server' }, headers: {} }],
  ])('may have %s', (_what, document) => {
    expect(problems(document)).toEqual([])
  })

  it('accepts every listed placeholder in every encoding', () => {
    const encoded = BYTE_PLACEHOLDERS.flatMap((name) => ENCODINGS.map((encoding) => `{${name}.${encoding}}`))
    const texts = TEXT_PLACEHOLDERS.map((name) => `{${name}}`)
    const settings = { validitySeconds: 1, timestamp: { floorSeconds: 1 } }
    const inText = [
      ...texts,
      ...encoded.filter((name) => !name.startsWith('{sig')),
      '{param.any_other}',
    ].join('')
    expect(problems(template(inText, { ...settings, headers: { A: encoded.join('') } }))).toEqual([])
    expect(problems({ ...jwt(), headers: { A: '{jwt}{sig.hex}' } })).toEqual([])
    expect(problems({ ...rfc9421(), headers: { A: '{sigInput}{sigHeader}' } })).toEqual([])
  })
})

const anyText = fc.oneof(
  fc.constantFrom(
    '{method}',
    '{param.node_id}',
    '{ts.window}',
    '{exp.s}',
    '{sig.hex}',
    '{jwt}',
    '{{',
    '}',
    '{',
    'é\n',
  ),
  fc.string({ maxLength: 12 }),
)
const anyTemplate = fc.array(anyText, { maxLength: 4 }).map((parts) => parts.join(''))
const anyDocument = fc.record(
  {
    // Mostly valid, because one invalid part is enough to refuse a document.
    v: fc.constantFrom(1, 1, 1, 1, 2, '1'),
    validitySeconds: fc.constantFrom(60, 60, 60, 86_400, 0, -1, 1.5),
    timestamp: fc.constantFrom({ floorSeconds: 30 }, { floorSeconds: 1 }, {}, null),
    nodeId: fc.constantFrom('typed', 'lower', 'typed-no-0x', 'lower-no-0x', 'no'),
    reuseSeconds: fc.integer({ min: -1, max: 4_000 }),
    message: fc.oneof(
      fc.record({ kind: fc.constant('template'), template: anyTemplate }),
      fc.record({
        kind: fc.constant('jwt'),
        alg: fc.constantFrom('EdDSA', 'none'),
        header: fc.dictionary(anyText, anyTemplate, { maxKeys: 3 }),
        claims: fc.dictionary(anyText, fc.oneof(anyTemplate, fc.record({ number: anyTemplate })), {
          maxKeys: 3,
        }),
      }),
      fc.record({
        kind: fc.constant('rfc9421'),
        label: fc.constantFrom('sig1', 'A'),
        components: fc.array(fc.constantFrom('@path', '@query-param;name="node_id"', 'x-a', '@no'), {
          maxLength: 3,
        }),
        params: fc.subarray([...SIGNATURE_PARAMETERS]),
        keyid: anyTemplate,
        tag: anyText,
      }),
      fc.constantFrom({ kind: 'none' }, null, 'template'),
    ),
    headers: fc.dictionary(
      fc.constantFrom('X-A', 'X-B', 'X-C', 'x-a', 'Date', 'a b', '__proto__'),
      anyTemplate,
      {
        maxKeys: 3,
      },
    ),
  },
  { requiredKeys: ['message', 'headers'] },
)

describe('no document makes anything throw', () => {
  const input = {
    baseUrl: 'https://api.example',
    nodeId: '0xAb',
    publicKey: new Uint8Array(32),
    nowMs: 1_795_183_351_999,
    nonce: new Uint8Array(16),
  }

  const useAll = (profile: Profile, nodeId: string | undefined): void => {
    messageToSign(profile, { ...input, nodeId })
    const headers = signedHeaders(profile, { ...input, nodeId }, new Uint8Array(64))
    if (headers.ok)
      for (const value of Object.values(headers.value.headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
    for (const { severity } of lintProfile(profile)) expect(['error', 'warning', 'info']).toContain(severity)
    expect('ABCDEF').toContain(gradeOf(profile))
    startsWithFixedTag(profile)
  }

  it('of the right shape, and a valid one can be filled in', () => {
    let valid = 0
    fc.assert(
      fc.property(anyDocument, fc.constantFrom('0xAb', undefined), (document, nodeId) => {
        const parsed = parseProfile(document)
        if (!parsed.ok) return
        valid++
        useAll(parsed.value, nodeId)
      }),
      { numRuns: 1_000 },
    )
    // Thirty on average: fewer than six come once in a million runs.
    expect(valid).toBeGreaterThan(5)
  })

  it('of any JSON at all', () => {
    fc.assert(fc.property(fc.jsonValue(), (document) => void parseProfile(document)))
  })
})

describe('a profile at its limits', () => {
  it.each<[string, (count: number) => unknown, number]>([
    ['headers', (count) => template('x', { headers: many(count) }), 8],
    ['members of a token’s header', (count) => jwt({ header: many(count) }), 8],
    ['claims', (count) => jwt({ claims: many(count) }), 16],
  ])('has a maximum number of %s', (_what, document, most) => {
    expect(problems(document(most))).toEqual([])
    expect(problems(document(most + 1)).join('\n')).toMatch(new RegExp(`\\b${most} (headers|members|claims)`))
  })

  it.each(['alg', 'b64', 'crit', 'jku', 'jwk', 'x5u', 'x5c'])(
    'cannot set the JWT header member %s, which would change how the JWT is read',
    (name) => {
      const parsed = parseProfile(jwt({ header: { [name]: 'x' } }))
      expect(JSON.stringify(parsed)).toContain(`header member ${name} can’t be set`)
    },
  )

  it('may have headers up to the limit of a server, including names and line ends', () => {
    const codes = (bytes: number): readonly string[] => {
      const text = 'y'.repeat(bytes - 'X-Pad'.length - ': \r\n'.length)
      const message = { kind: 'template', template: 'x' } as const
      return lintProfile({ v: 1, message, headers: { 'X-Pad': text } }).map(({ code }) => code)
    }
    expect(codes(HEADER_BYTES_MAX)).not.toContain('headers-too-long')
    expect(codes(HEADER_BYTES_MAX + 1)).toContain('headers-too-long')
  })
})

const FORBIDDEN = `
  Accept-Charset Accept-Encoding Access-Control-Request-Headers Access-Control-Request-Method
  Connection Content-Length Cookie Cookie2 Date DNT Expect Host Keep-Alive Origin
  Proxy-Authorization Referer Sec-Fetch-Mode Set-Cookie TE Trailer Transfer-Encoding Upgrade Via
  X-HTTP-Method X-HTTP-Method-Override X-Method-Override
`

describe('a header', () => {
  it.each(FORBIDDEN.trim().split(/\s+/))('is refused because no page can set it: %s', (name) => {
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
  ])('%s needs a preflight: %s', (name, isAsked) => {
    expect(needsPreflight(name)).toBe(isAsked)
  })
})

it.each<[string, Record<string, string>, boolean]>([
  ['Authorization', { Authorization: 'Bearer x' }, true],
  ['Proxy-Authorization', { 'Proxy-Authorization': 'x' }, true],
  ['another header that ends like it', { 'X-Authorization': 'x' }, false],
  ['another header that starts like it', { 'Authorization-Of': 'x' }, false],
])('a fixed secret is detected only in authorization headers: %s', (_where, headers, isFound) => {
  const found = lintProfile({ v: 1, message: { kind: 'none' }, headers }).map(({ code }) => code)
  expect(found.includes('fixed-secret')).toBe(isFound)
})

it('the thumbprint of a key matches RFC 8037, appendix A.3', () => {
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
  it('may be any header of the shipped profiles', () => {
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
  )('may not be %s', (name) =>
    expect([isSigningHeader(name), isSigningHeader(name.toLowerCase())]).toEqual([false, false]),
  )
})
