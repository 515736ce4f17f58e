import { describe, expect, it } from 'vitest'
import { PRESETS } from '#signing/presets.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { parseProfile } from '#settings/documents.ts'
import type { Profile } from '#signing/profile.ts'
import { signedTextProblem } from '#signing/signed-text-check.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { valueOf } from '#test/support/value-of.ts'

const INPUT = {
  baseUrl: 'https://own.example:8443/v1',
  nodeId: '0xab01',
  publicKey: new Uint8Array(32).fill(0x99),
  nowMs: TEST_START_MS + 999,
  nonce: new Uint8Array(16).fill(0x88),
}
const OTHERS = ['victim.example', '203.0.113.9']

const profileOf = (document: unknown): Profile => valueOf(parseProfile(document))
const HEADERS = { Authorization: 'Bearer {sig.hex}' }
const template = (text: string, more: Record<string, unknown> = {}): Profile =>
  profileOf({ ...more, message: { kind: 'template', template: text }, headers: HEADERS })
const jwt = (claims: Record<string, unknown>, header: Record<string, string> = {}): Profile =>
  profileOf({
    validitySeconds: 60,
    message: { kind: 'jwt', alg: 'EdDSA', header, claims },
    headers: { Authorization: 'Bearer {jwt}' },
  })
const rfc9421 = (message: Record<string, unknown>, headers: Record<string, string> = {}): Profile =>
  profileOf({
    message: { kind: 'rfc9421', label: 'sig1', components: ['@method'], params: ['created'], ...message },
    headers: { 'Signature-Input': '{sigInput}', Signature: '{sigHeader}', ...headers },
  })
const problemOf = (profile: Profile, input: Partial<typeof INPUT> = {}) =>
  signedTextProblem(profile, { ...INPUT, ...input }, OTHERS)

describe('text that the signer refuses to sign', () => {
  it.each<[string, Profile]>([
    ['an address', template('tag\nhttps://victim.example\n{ts.s}')],
    ['an address that is not configured', template('https://elsewhere.example\n{ts.s}')],
    ['an address with another port', template('https://own.example\n{ts.s}')],
    ['an address whose scheme is a placeholder', template('{scheme}://victim.example\n{ts.s}')],
    ['an address that continues the own one', template('{origin}.victim.example\n{ts.s}')],
    ['an address with escaped slashes', template('{{"aud":"https:\\/\\/elsewhere.example"}}{ts.s}')],
    ['an address with escapes of JSON', template('{{"aud":"https:\\u002f\\u002felsewhere.example"}}{ts.s}')],
    ['an encoded address', template('https%3A%2F%2Felsewhere.example {ts.s}')],
    ['an address in capitals', template('HTTPS://VICTIM.EXAMPLE\n{ts.s}')],
    ['the host of another service', template('"@authority": victim.example\n{ts.s}')],
    ['an IPv4 address', template('198.51.100.7\n{ts.s}')],
    ['localhost with a port', template('localhost:8080\n{ts.s}')],
    ['a host with a port', template('elsewhere.example:9000\n{ts.s}')],
    ['an IPv6 address', template('[2001:db8::1]\n{ts.s}')],
    ['a claim', jwt({ aud: 'https://victim.example', iat: { number: '{ts.s}' } })],
    ['a claim with a random number', jwt({ aud: 'https://victim.example/{nonce.hex}' })],
    ['a claim with the node', jwt({ aud: 'https://victim.example/{param.node_id}' })],
    ['a header member', jwt({ iat: { number: '{ts.s}' } }, { iss: 'https://victim.example' })],
    [
      'a header member that a claim repeats',
      jwt({ iss: '{kid}', iat: { number: '{ts.s}' } }, { iss: 'https://victim.example' }),
    ],
    ['the name of a claim', jwt({ 'https://victim.example': '{ts.s}' })],
    ['a key id', rfc9421({ params: ['keyid'], keyid: 'https://victim.example' })],
    ['a tag', rfc9421({ params: ['tag'], tag: 'victim.example' })],
    ['a signed header', rfc9421({ components: ['x-for'] }, { 'X-For': 'https://victim.example' })],
  ])('another service in %s', (_name, profile) => {
    expect(problemOf(profile)).toMatchObject({ kind: 'foreign-origin' })
  })

  it.each<[string, Profile]>([
    ['seconds in the year 2100', template('{origin}\n4102444800')],
    ['milliseconds', template('{origin}\n4102444800000')],
    ['microseconds', template('{origin}\n4102444800000000')],
    ['nanoseconds', template('{origin}\n4102444800000000000')],
    [
      'a number completed by a placeholder',
      template('{origin}\n41{ts.window}', { timestamp: { floorSeconds: 21 } }),
    ],
    ['an ISO time', template('{origin}\n2100-01-01T00:00:00Z')],
    ['a compact ISO time', template('{origin}\n21000101T000000Z')],
    ['a future day', template('{origin}\n2100-01-01')],
    ['the last day of a future month', template('{origin}\n2100-12-31')],
    ['the current day', template('{origin}\n2026-06-01')],
    ['an hour of a past day', template('{origin}\n2024-10-01T00:00')],
    ['seconds after a hex number', template('{origin}\n0xab 4102444800')],
    ['the current second written out', template('{origin}\n{ts.s} 1780315200')],
    ['the current second with zeros, in a profile without a time', template('{origin}\n1780315200000')],
    ['the second followed by other digits', template('{origin}\n{ts.s}123')],
    ['the second with zeros and another digit', template('{origin}\n{ts.s}001')],
    ['the second with another digit and zeros', template('{origin}\n{ts.s}100')],
    ['another second with zeros', template('{origin}\n{ts.s} 4102444800000')],
    ['an ISO day followed by a placeholder', template('{origin}\n2100-01-01T{ts.s}')],
    ['nine digits', template('{origin}\n999999999')],
    ['digits of an unusual length', template('{origin}\n41024448000')],
    ['digits after leading zeros', template('{origin}\n00004102444800')],
    ['digits in groups', template('{origin}\n4,102,444,800')],
    ['digits in groups with spaces', template('{origin}\n4 102 444 800')],
    ['digits in groups with underscores', template('{origin}\n4_102_444_800')],
    ['digits around an absent parameter', template('{origin}\n41024{param.none}44800')],
    ['a path', template('{origin}/until/4102444800')],
    ['a query', template('{url}&until=4102444800')],
    ['an exponent', template('{origin}\n4.1e9')],
    ['an exponent of a whole number', template('{origin}\n9E9')],
    ['an exponent with a sign', template('{origin}\n41e+8')],
    ['an exponent after a placeholder', template('{origin}\n{ts.s}e3')],
    ['a digit after a placeholder', template('{origin}\n{ts.ms}9')],
    ['a digit before a placeholder', template('{origin}\n9{ts.s}')],
    ['a group after a placeholder', template('{origin}\n{ts.s}_000')],
    ['a group before a placeholder', template('{origin}\n9,{ts.s}')],
    ['a placeholder in another base', template('{origin}\n0x{ts.s}')],
    ['zeros after a placeholder', template('{origin}\n{ts.s}000')],
    ['two placeholders that make one number', template('{origin}\n{ts.s}{ts.ms}')],
    ['a digit before a random number', template('{origin}\n{ts.s}\n1{nonce.hex}')],
    ['a number in hex', template('0x4102444800\n{origin}\n{ts.s}')],
    ['hex without a prefix', template('f4865700\n{origin}\n{ts.s}')],
    ['hex of letters only', template('ffffffff\n{origin}\n{ts.s}')],
    ['base64 of digits', template('NDEwMjQ0NDgwMA==\n{origin}\n{ts.s}')],
    ['base64 of bytes', template('AAAAAPSGVwA=\n{origin}\n{ts.s}')],
    ['base64 of a date', template('OTk5OS0xMi0zMVQyMzo1OTo1OVo\n{origin}\n{ts.s}')],
    ['base32 of digits', template('GQYTAMRUGQ2DQMBQ\n{origin}\n{ts.s}')],
    ['a date with slashes', template('{origin}\n01/31/2100')],
    ['a date with slashes and a short year', template('{origin}\n31/12/99')],
    ['a date with dots', template('{origin}\n31.12.2100')],
    ['a short date with the year first', template('{origin}\n99-12-31')],
    ['a date with spaces', template('{origin}\n2100 01 01')],
    ['a date with the name of the month', template('{origin}\n1 January 2100')],
    ['a date with the month first', template('{origin}\nJan 1, 2100')],
    ['a date of a certificate', template('{origin}\nDec 31 23:59:59 9999 GMT')],
    ['a date in one word', template('{origin}\n31dec99')],
    ['a date of words and numbers', template('{origin}\nthe 1st of March')],
    ['a week', template('{origin}\n2100-W01-1')],
    ['a year', template('{origin}\nuntil 9999')],
    ['eight digits of a future day', template('v2 21000101\n{ts.s}')],
    ['eight digits of a future day with the year last', template('v2 31012100\n{ts.s}')],
    ['a month that does not exist', template('{origin}\n2100-13-01')],
    [
      'an unsigned header',
      profileOf({
        message: { kind: 'template', template: '{origin}\n{ts.s}' },
        headers: { ...HEADERS, 'X-Until': '4102444800' },
      }),
    ],
    ['a signed header', rfc9421({ components: ['x-a'] }, { 'X-A': '99-12-31' })],
    ['a signed header named like a time', rfc9421({ components: ['x-expires'] }, { 'X-Expires': 'never' })],
    ['a key id', rfc9421({ params: ['keyid'], keyid: 'k4102444800' })],
    ['a claim', jwt({ aud: '{origin}', exp: { number: '4102444800' } })],
    ['a claim of any name', jwt({ aud: '{origin}', a: '9999-12-31T23:59:59Z' })],
    ['a name of a claim', jwt({ aud: '{origin}', 'until 9999': '{kid}' })],
    ['an expiry that is text', jwt({ aud: '{origin}', exp: 'never' })],
    ['an expiry in milliseconds instead of seconds', jwt({ aud: '{origin}', exp: { number: '{exp.ms}' } })],
    ['an expiry of two placeholders', jwt({ aud: '{origin}', exp: { number: '{exp.s}{param.node_id}' } })],
    ['an expiry that depends on the request', jwt({ aud: '{origin}', exp: { number: '{param.node_id}' } })],
    ['an expiry in capitals', jwt({ aud: '{origin}', EXP: { number: '99999999' } })],
    ['a time under another name', jwt({ aud: '{origin}', notOnOrAfterDate: '{kid}' })],
    ['a number under another name', jwt({ aud: '{origin}', n: { number: '9999999' } })],
    ['a header member', jwt({ aud: '{origin}' }, { exp: '99999' })],
    ['a tag', rfc9421({ params: ['tag'], tag: 'until 4102444800' })],
  ])('a time in %s', (_name, profile) => {
    expect(problemOf(profile)).toMatchObject({ kind: 'fixed-time' })
  })

  it('a day that began exactly a day ago, which may not be over', () => {
    const profile = template('{origin}\n2026-05-31')
    const midnightMs = Date.UTC(2026, 5, 1)
    expect(problemOf(profile, { nowMs: midnightMs })).toEqual({ kind: 'fixed-time', found: '2026-05-31' })
    expect(problemOf(profile, { nowMs: midnightMs + 1 })).toBeUndefined()
  })

  it('a node id that reads as a time if it is written without 0x', () => {
    const profile = template('{origin}\n{param.node_id}', { nodeId: 'typed-no-0x' })
    const ofNode = (nodeId: string) => signedTextProblem(profile, { ...INPUT, nodeId })
    expect(['0x4102444800', '0x4e9', '0xab01', '0xab4102444800'].map(ofNode)).toEqual([
      { kind: 'fixed-time', found: '4102444800' },
      { kind: 'fixed-time', found: '4e9' },
      undefined,
      undefined,
    ])
  })

  it.each([
    ['\\u0039', '\\'],
    ['%39', '%'],
    ['&#57;', '&#'],
    ['\uff19', '\uff19'],
    ['\u0669', '\u0669'],
    ['a\u202eb', '\u202e'],
    ['a\u{e0041}', '\u{e0041}'],
    ['a\u200bb', '\u200b'],
    ['a\u00adb', '\u00ad'],
    ['a\u0301', '\u0301'],
    ['a\ufe0f', '\ufe0f'],
    ['a\u3164', '\u3164'],
    ['a\u2028b', '\u2028'],
    ['a\rb', '\r'],
    ['a\u0000b', '\u0000'],
  ])('a character that hides or escapes something, even in a stored profile: %j', (text, found) => {
    const problem = { kind: 'odd-character', found }
    // Parsing a profile already refuses most of these.
    const stored = (profile: Profile): Profile =>
      JSON.parse(JSON.stringify(profile).replaceAll('MARK', JSON.stringify(text).slice(1, -1)))
    const profiles = [
      template('MARK\n{origin}\n{ts.s}'),
      jwt({ aud: '{origin}', a: 'MARK' }),
      jwt({ aud: '{origin}', MARK: 'a' }),
      jwt({ aud: '{origin}' }, { a: 'MARK' }),
      rfc9421({ params: ['keyid'], keyid: 'MARK' }),
    ].map(stored)
    expect(profiles.map((profile) => problemOf(profile))).toEqual(profiles.map(() => problem))
  })

  it.each([
    ['https://Victim.example/v1\n{ts.s}', 'https://victim.example'],
    ['to victim.example\n{ts.s}', 'victim.example'],
    ['elsewhere.example:9000\n{ts.s}', 'elsewhere.example:9000'],
    ['very.far.elsewhere.example:9000\n{ts.s}', 'very.far.elsewhere.example:9000'],
    ['198.51.100.77\n{ts.s}', '198.51.100.77'],
    ['198.51.100.77:8080\n{ts.s}', '198.51.100.77:8080'],
    ['[2001:db8::1]:8080\n{ts.s}', '[2001:db8::1]:8080'],
    ['{origin}\n4102444800', '4102444800'],
    ['{origin}\n2100-01-01T00:00Z', '2100-01-01T00:00'],
  ])('%j, with the part that was found', (text, found) => {
    expect(problemOf(template(text))).toMatchObject({ found })
  })

  it('a message without the address that its profile names', () => {
    const profile = jwt({ aud: '{origin}{param.audience}', iat: { number: '{ts.s}' } })
    expect(problemOf(profile)).toEqual({ kind: 'origin-missing' })
  })
})

describe('text that the signer signs', () => {
  it.each([
    ...Array.from(PRESETS, ([id, { profile }]) => [id, profile] as const),
    ...PROFILE_TRIES.map(({ id, profile }) => [id, profile] as const),
  ])('%s, with and without a node', (_id, profile) => {
    expect(problemOf(profile)).toBeUndefined()
    expect(signedTextProblem(profile, { ...INPUT, nodeId: undefined }, OTHERS)).toBeUndefined()
  })

  it.each<[string, Profile]>([
    ['its own address', template('https://own.example:8443\n{ts.s}')],
    ['its own address by placeholder', template('{scheme}://{authority}{path}\n{ts.s}')],
    ['the date of a version', template('service-auth-2024-10-01\n{origin}\n{ts.s}')],
    ['a short number', template('v2 12345678 {ts.s}')],
    ['a word with dots', template('{{"action":"node.status"}}{ts.s}')],
    ['a name that ends like that of another service', template('notvictim.example {ts.s}')],
    ['a name that starts like that of another service', template('victim.example-2 {ts.s}')],
    ['a short version of three numbers', template('auth 1.2.3 {origin} {ts.s}')],
    ['lines of HTTP', template('{method}\r\n{origin}\r\n{ts.s}')],
    [
      'common member names',
      template('{{"nodeId":"{param.node_id}","signatureAlgorithm":"Ed25519","at":{ts.ms}}}'),
    ],
    [
      'names of algorithms',
      template('HmacSHA256 secp256k1 base64url rfc9421 EcdsaSecp256r1Signature2019 {ts.s}'),
    ],
    ['a time between other placeholders', template('v1:{ts.s}:{nonce.hex} v1.{ts.ms}.{kid}')],
    ['a time before a random number', template('{ts.s}{nonce.hex}')],
    [
      'an API key in an unsigned header',
      profileOf({
        message: { kind: 'template', template: '{origin}\n{ts.s}' },
        headers: { ...HEADERS, 'X-Api-Key': 'kQ3xZ9vB2mN8aP1c' },
      }),
    ],
    [
      'a claim with a short number',
      jwt({ aud: '{origin}', version: { number: '2' }, iat: { number: '{ts.s}' } }),
    ],
    [
      'a time under another name',
      jwt({ aud: '{origin}', sentTime: '{ts.iso}', issued_at: { number: '{ts.ms}' } }),
    ],
    [
      'a name that contains such a word',
      jwt({ aud: '{origin}', candidate: 'a', validator: '{kid}', runtime: 'node' }),
    ],
    ['a version number', template('auth 1.2 {origin} {ts.s}')],
    ['yesterday’s date', template('{origin}\n2026-05-31\n{ts.s}')],
    ['its own time as ISO', template('{origin}\n{ts.iso}', { validitySeconds: 60 })],
    ['its own expiry as ISO', template('{origin}\n{exp.iso}', { validitySeconds: 86_400 })],
    ['a claim of placeholders alone', jwt({ aud: '{origin}{authority}' })],
    ['its own address in a message of RFC 9421', rfc9421({ components: ['@target-uri'] })],
    ['its own name in a message of RFC 9421', rfc9421({ components: ['@authority'] })],
    ['no message at all', profileOf({ message: { kind: 'none' }, headers: {} })],
  ])('%s', (_name, profile) => {
    expect(problemOf(profile)).toBeUndefined()
  })

  it('its own IPv4 address, even without the port', () => {
    const profile = template('192.0.2.1\n{origin}\n{ts.s}')
    expect(problemOf(profile, { baseUrl: 'https://192.0.2.1:8443' })).toBeUndefined()
    expect(problemOf(profile)).toMatchObject({ kind: 'foreign-origin' })
  })

  it('an IPv4 address in its own path', () => {
    const profile = template('to {path}\n{ts.s}')
    expect(problemOf(profile, { baseUrl: 'https://own.example/198.51.100.7' })).toBeUndefined()
  })
})
