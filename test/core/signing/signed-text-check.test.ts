import { describe, expect, it } from 'vitest'
import { PRESETS } from '#signing/presets.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { parseProfile, type Profile } from '#signing/profile.ts'
import { signedTextProblem } from '#signing/signed-text-check.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'

const INPUT = {
  baseUrl: 'https://own.example:8443/v1',
  nodeId: '0xab01',
  publicKey: new Uint8Array(32).fill(0x99),
  nowMs: TEST_START_MS + 999,
  nonce: new Uint8Array(16).fill(0x88),
}
const OTHERS = ['victim.example', '203.0.113.9']

const profileOf = (document: unknown): Profile => {
  const profile = parseProfile(document)
  if (!profile.ok) throw new Error(JSON.stringify(profile.error))
  return profile.value
}
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
    ['an address that goes on behind the own one', template('{origin}.victim.example\n{ts.s}')],
    ['an address with escaped slashes', template('{{"aud":"https:\\/\\/elsewhere.example"}}{ts.s}')],
    ['an address with escapes of JSON', template('{{"aud":"https:\\u002f\\u002felsewhere.example"}}{ts.s}')],
    ['an encoded address', template('https%3A%2F%2Felsewhere.example {ts.s}')],
    ['an address in capitals', template('HTTPS://VICTIM.EXAMPLE\n{ts.s}')],
    ['the host of another service', template('"@authority": victim.example\n{ts.s}')],
    ['an address by numbers', template('198.51.100.7\n{ts.s}')],
    ['this computer by its name', template('localhost:8080\n{ts.s}')],
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
      'a number put together with a placeholder',
      template('{origin}\n41{ts.window}', { timestamp: { floorSeconds: 21 } }),
    ],
    ['an ISO time', template('{origin}\n2100-01-01T00:00:00Z')],
    ['an ISO time in short', template('{origin}\n21000101T000000Z')],
    ['a day to come', template('{origin}\n2100-01-01')],
    ['the last day of a month to come', template('{origin}\n2100-12-31')],
    ['the day itself', template('{origin}\n2026-06-01')],
    ['an hour of a day that is over', template('{origin}\n2024-10-01T00:00')],
    ['seconds behind a number in hex', template('{origin}\n0xab 4102444800')],
    ['the very second, written out', template('{origin}\n{ts.s} 1780315200')],
    ['the very second with zeros, where the profile has none', template('{origin}\n1780315200000')],
    ['the second with other digits behind it', template('{origin}\n{ts.s}123')],
    ['the second with zeros and another digit', template('{origin}\n{ts.s}001')],
    ['the second with another digit and zeros', template('{origin}\n{ts.s}100')],
    ['another second with zeros', template('{origin}\n{ts.s} 4102444800000')],
    ['an ISO day with a time of its own', template('{origin}\n2100-01-01T{ts.s}')],
    ['a claim', jwt({ aud: '{origin}', exp: { number: '4102444800' } })],
    ['a tag', rfc9421({ params: ['tag'], tag: 'until 4102444800' })],
  ])('a time in %s', (_name, profile) => {
    expect(problemOf(profile)).toMatchObject({ kind: 'fixed-time' })
  })

  it('a day that began a day ago to the millisecond, which is not over for certain', () => {
    const profile = template('{origin}\n2026-05-31')
    const midnightMs = Date.UTC(2026, 5, 1)
    expect(problemOf(profile, { nowMs: midnightMs })).toEqual({ kind: 'fixed-time', found: '2026-05-31' })
    expect(problemOf(profile, { nowMs: midnightMs + 1 })).toBeUndefined()
  })

  it('a node id that reads as a time where it is written without 0x', () => {
    const profile = template('{origin}\n{param.node_id}', { nodeId: 'typed-no-0x' })
    const ofNode = (nodeId: string) => signedTextProblem(profile, { ...INPUT, nodeId })
    expect([ofNode('0x4102444800'), ofNode('0xab01')]).toEqual([
      { kind: 'fixed-time', found: '4102444800' },
      undefined,
    ])
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
  ])('%j is named as what was found in it', (text, found) => {
    expect(problemOf(template(text))).toMatchObject({ found })
  })

  it('a message that leaves out the address which the profile names', () => {
    const profile = jwt({ aud: '{origin}{param.audience}', iat: { number: '{ts.s}' } })
    expect(problemOf(profile)).toEqual({ kind: 'origin-missing' })
  })

  it('a message that names the address nowhere else, whatever the encodings of its numbers are called', () => {
    const profile = jwt({ aud: '{origin}{param.audience}', jti: '{nonce.base64url}' })
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
    ['a tag that runs into a random number and an address', template('tag-1{nonce.hex}{url}')],
    ['its own address', template('https://own.example:8443\n{ts.s}')],
    ['its own address by placeholder', template('{scheme}://{authority}{path}\n{ts.s}')],
    ['seconds with zeros behind them', template('{origin}\n{ts.s}000')],
    ['the date of a version', template('service-auth-2024-10-01\n{origin}\n{ts.s}')],
    ['a short number', template('v2 12345678 {ts.s}')],
    ['a word with dots', template('{{"action":"node.status"}}{ts.s}')],
    ['a longer name than that of another service', template('notvictim.example {ts.s}')],
    ['a longer name that begins like it', template('victim.example-2 {ts.s}')],
    ['the number of a version', template('auth 1.2 {origin} {ts.s}')],
    ['eight digits that could be a day to come', template('v2 21000101\n{ts.s}')],
    ['the date of yesterday', template('{origin}\n2026-05-31\n{ts.s}')],
    ['a month before the first', template('{origin}\n2100-00-01')],
    ['a month after the last', template('{origin}\n2100-13-01')],
    ['a day before the first', template('{origin}\n2100-01-00')],
    ['a day after the last', template('{origin}\n2100-01-32')],
    ['a number in hex', template('0x4102444800\n{origin}\n{ts.s}')],
    ['its own time in words', template('{origin}\n{ts.iso}', { validitySeconds: 60 })],
    ['when it ends in words', template('{origin}\n{exp.iso}', { validitySeconds: 86_400 })],
    ['a claim of placeholders alone', jwt({ aud: '{origin}{authority}' })],
    ['its own address in a message of RFC 9421', rfc9421({ components: ['@target-uri'] })],
    ['its own name in a message of RFC 9421', rfc9421({ components: ['@authority'] })],
    ['no message at all', profileOf({ message: { kind: 'none' }, headers: {} })],
  ])('%s', (_name, profile) => {
    expect(problemOf(profile)).toBeUndefined()
  })

  it('its own address by numbers, also without the port', () => {
    const profile = template('192.0.2.1\n{origin}\n{ts.s}')
    expect(problemOf(profile, { baseUrl: 'https://192.0.2.1:8443' })).toBeUndefined()
    expect(problemOf(profile)).toMatchObject({ kind: 'foreign-origin' })
  })

  it('an address by numbers in its own path', () => {
    const profile = template('to {path}\n{ts.s}')
    expect(problemOf(profile, { baseUrl: 'https://own.example/198.51.100.7' })).toBeUndefined()
  })

  it('a digit before a random number that begins with nine more', () => {
    const nonce = Uint8Array.of(0x88, 0x88, 0x88, 0x88, 0x8a, ...new Uint8Array(11))
    expect(problemOf(template('{origin} 1{nonce.hex}'), { nonce })).toBeUndefined()
  })
})
