import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { presentedBy } from '#reference/profile-messages.ts'
import type { Claimed } from '#reference/profile-values.ts'
import type { Profile } from '#signing/profile.ts'
import { knownOf, NODE_ID, profileOf, templateProfile } from './profile-request.ts'

const [K, N, S] = ['ab'.repeat(32), 'cd'.repeat(16), 'ef'.repeat(64)]
const in64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
const in64Url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url')

/** The claims of a request, and the bytes that key K must sign in window 17. */
function read(
  profile: Profile,
  headers: Readonly<Record<string, string>>,
  query?: string,
): { readonly claimed: Claimed; readonly bytes: string | undefined } | undefined {
  const byName = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const presented = presentedBy(new Map(byName), knownOf(profile, query))
  const bytes = presented?.bytes(K, 17)
  return presented && { claimed: presented.claimed, bytes: bytes && Buffer.from(bytes).toString('latin1') }
}

describe('a signed text', () => {
  it('is built from the request, its claims, the key and the time window', () => {
    const profile = templateProfile(
      '{{{method}}} {ts.window}|{nonce.hex}|{kid}|{param.node_id}|',
      { 'X-Sig': 'v1={sig.base64}', 'X-Nonce': '{nonce.hex}' },
      { timestamp: { floorSeconds: 30 } },
    )
    expect(read(profile, { 'X-Sig': `v1=${in64(S)}`, 'X-Nonce': N })).toEqual({
      claimed: { signature: S, nonce: N },
      bytes: `{GET} 17|${N}|${K}|${NODE_ID}|`,
    })
    expect(read(profile, { 'X-Sig': `v2=${in64(S)}`, 'X-Nonce': N })).toBeUndefined()
    expect(read(profile, { 'X-Sig': `v1=${in64(S)}`, 'X-Nonce': S })).toBeUndefined()
  })

  it.each(['sha-256', 'sha-512'] as const)('is hashed first if the profile sets prehash to %s', (prehash) => {
    const profile = profileOf({
      message: { kind: 'template', template: '{method}', prehash },
      headers: { 'X-Sig': '{sig.hex}' },
    })
    const hash = createHash(prehash === 'sha-256' ? 'sha256' : 'sha512').update('GET')
    expect(read(profile, { 'X-Sig': S })?.bytes).toBe(hash.digest().toString('latin1'))
  })
})

const TOKEN = profileOf({
  validitySeconds: 60,
  message: {
    kind: 'jwt',
    alg: 'EdDSA',
    header: { typ: 'node', kid: '{kid}' },
    claims: {
      iat: { number: '{ts.s}' },
      exp: { number: '{exp.s}' },
      sub: 'node {param.node_id}',
      aud: '{origin}',
      jti: '{nonce.hex}',
    },
  },
  headers: { Authorization: 'Bearer {jwt}' },
})
const HEAD = { alg: 'EdDSA', typ: 'node', kid: K }
const BODY = { iat: 7, exp: 67, sub: `node ${NODE_ID}`, aud: 'https://nodes.example:8443', jti: N }

const encoded = (json: unknown): string => Buffer.from(JSON.stringify(json)).toString('base64url')
const without = (all: object, name: string): object =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each !== name))
const token = (head: unknown, body: unknown): string => `${encoded(head)}.${encoded(body)}`

describe('a token', () => {
  const readToken = (text: string, query?: string) =>
    read(TOKEN, { Authorization: `Bearer ${text}.${in64Url(S)}` }, query)

  it('is verified as sent and has the members of the profile', () => {
    const text = token(HEAD, BODY)
    expect(readToken(text)).toEqual({ claimed: { signature: S, key: K, timeS: 7, nonce: N }, bytes: text })
  })

  it.each<readonly [string, unknown, unknown]>([
    ['another algorithm', { ...HEAD, alg: 'Ed25519' }, BODY],
    ['no algorithm', without(HEAD, 'alg'), BODY],
    ['no kid', without(HEAD, 'kid'), BODY],
    ['another type', { ...HEAD, typ: 'JWT' }, BODY],
    ['an extra header member', { ...HEAD, crit: 'exp' }, BODY],
    ['a header that is no object', 'EdDSA', BODY],
    ['a header that is a list', ['EdDSA', 'node', K], BODY],
    ['a header that is null', null, BODY],
    ['a missing claim', HEAD, without(BODY, 'jti')],
    ['an extra claim', HEAD, { ...BODY, admin: 'yes' }],
    ['a claim by another name', HEAD, { ...without(BODY, 'jti'), jit: N }],
    ['a time as text', HEAD, { ...BODY, iat: '7' }],
    ['a time with decimals', HEAD, { ...BODY, iat: 7.5 }],
    ['a time that is no number', HEAD, { ...BODY, iat: null }],
    ['a text as a number', { ...HEAD, kid: 17 }, BODY],
    ['an expiry that is not 60 s later', HEAD, { ...BODY, exp: 68 }],
    ['another audience', HEAD, { ...BODY, aud: 'https://other.example' }],
    ['another node', HEAD, { ...BODY, sub: 'node 0xab' }],
    ['claims that are null', HEAD, null],
  ])('is rejected with %s', (_, head, body) => {
    expect(readToken(token(head, body))).toBeUndefined()
  })

  it.each([
    ['no header', `${encoded(BODY)}.${in64Url(S)}`],
    ['a fourth part', `${token(HEAD, BODY)}.${in64Url(S)}.`],
    ['no signature', token(HEAD, BODY)],
    ['one part', encoded(HEAD)],
    ['an empty signature', `${token(HEAD, BODY)}.`],
    ['a short signature', `${token(HEAD, BODY)}.${in64Url(K)}`],
    ['a signature in hex', `${token(HEAD, BODY)}.${S}`],
    ['no JSON in its header', `${Buffer.from('{alg').toString('base64url')}.${encoded(BODY)}.${in64Url(S)}`],
    ['nothing', ''],
  ])('is malformed with %s', (_, text) => {
    expect(read(TOKEN, { Authorization: `Bearer ${text}` })).toBeUndefined()
  })
})

describe('an HTTP message signature', () => {
  const profile = (components: readonly string[], params: readonly string[], more: object = {}) =>
    profileOf({
      validitySeconds: 60,
      message: { kind: 'rfc9421', label: 'sig1', components, params, ...more },
      headers: { 'X-Node': 'n={param.node_id}', 'Signature-Input': '{sigInput}', Signature: '{sigHeader}' },
    })
  const ask = (own: Profile, input: string, query?: string, over: Readonly<Record<string, string>> = {}) =>
    read(
      own,
      {
        'X-Node': `n=${query === '' ? '' : NODE_ID}`,
        'Signature-Input': input,
        Signature: `sig1=:${in64(S)}:`,
        ...over,
      },
      query,
    )

  it('covers each component on its own line, and its parameters as sent', () => {
    const own = profile(
      [
        '@method',
        '@scheme',
        '@authority',
        '@path',
        '@query',
        '@target-uri',
        '@request-target',
        '@query-param;name="node_id"',
        '@query-param;name="b"',
        'x-node',
      ],
      ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'],
      { keyid: 'k\\{kid}"', tag: 'a{b}\\"' },
    )
    const params = `("@method" "@scheme" "@authority" "@path" "@query" "@target-uri" "@request-target" "@query-param";name="node_id" "@query-param";name="b" "x-node");created=7;expires=67;nonce="${in64Url(N)}";keyid="k\\\\${K}\\"";alg="ed25519";tag="a{b}\\\\\\""`
    const query = `a=1&node_id=${NODE_ID}&b=x%20%2f`
    expect(ask(own, `sig1=${params}`, query)).toEqual({
      claimed: { signature: S, timeS: 7, nonce: N, key: K },
      bytes: [
        '"@method": GET',
        '"@scheme": https',
        '"@authority": nodes.example:8443',
        '"@path": /node/status',
        `"@query": ?${query}`,
        `"@target-uri": https://nodes.example:8443/node/status?${query}`,
        `"@request-target": /node/status?${query}`,
        `"@query-param";name="node_id": ${NODE_ID}`,
        '"@query-param";name="b": x%20%2F',
        `"x-node": n=${NODE_ID}`,
        `"@signature-params": ${params}`,
      ].join('\n'),
    })
  })

  it.each([
    ['another label', 'sig2=("@method");created=7', {}],
    ['an extra component', 'sig1=("@method" "@path");created=7', {}],
    ['no component', 'sig1=();created=7', {}],
    ['an extra parameter', 'sig1=("@method");created=7;alg="ed25519"', {}],
    ['no parameter', 'sig1=("@method")', {}],
    ['a time that is text', 'sig1=("@method");created="7"', {}],
    ['another label in Signature', 'sig1=("@method");created=7', { Signature: `sig2=:${in64(S)}:` }],
    ['a signature without colons', 'sig1=("@method");created=7', { Signature: `sig1=${in64(S)}` }],
    ['a short signature', 'sig1=("@method");created=7', { Signature: `sig1=:${in64(K)}:` }],
    ['another value in a header of the profile', 'sig1=("@method");created=7', { 'X-Node': 'n=0xab' }],
  ])('is rejected with %s', (_, input, over) => {
    const own = profile(['@method'], ['created'])
    expect(ask(own, 'sig1=("@method");created=7')).toBeDefined()
    expect(ask(own, input, undefined, over)).toBeUndefined()
  })
})
