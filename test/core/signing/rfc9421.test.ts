import { createPrivateKey, sign, verify, type KeyObject } from 'node:crypto'
import { httpbis } from 'http-message-signatures'
import { describe, expect, it } from 'vitest'
import type { Profile } from '#signing/profile.ts'
import { PROFILES } from '#signing/presets.ts'
import { componentProblem, signatureBase, type SignatureParameter } from '#signing/rfc9421.ts'
import type { SigningInput } from '#signing/signing-values.ts'
import { messageToSign, signedHeaders, signedText } from '#signing/status-request.ts'
import { ed25519Key } from '#test/support/ed25519-key.ts'
import { valueOf } from '#test/support/value-of.ts'
import rfc from '#test/vectors/http-signing-rfc.json' with { type: 'json' }
import webBotAuth from '#test/vectors/web-bot-auth.json' with { type: 'json' }

const signed = (key: KeyObject, text: string): string => sign(null, Buffer.from(text), key).toString('base64')

describe('the signature base', () => {
  it('matches RFC 9421 B.2.6 byte for byte', () => {
    const vector = rfc['rfc9421-b26']
    const key = createPrivateKey({
      key: Buffer.from(vector.privateKeyPkcs8Base64, 'base64'),
      format: 'der',
      type: 'pkcs8',
    })
    const url = new URL(vector.url)
    const values = new Map([
      ...Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value] as const),
      ['@method', vector.method],
      ['@path', url.pathname],
      ['@authority', url.host],
    ])
    const base = valueOf(
      signatureBase(vector.components, (name) => values.get(name), [
        ['created', vector.created],
        ['keyid', vector.keyid],
      ]),
    )
    expect(`sig-b26=${base.params}`).toBe(vector.signatureInput)
    expect(`sig-b26=:${signed(key, base.base)}:`).toBe(vector.signature)
  })

  it.each(webBotAuth.map((vector) => [vector.label, vector] as const))(
    'matches the Web Bot Auth vector %s byte for byte',
    (label, vector) => {
      const key = createPrivateKey({ format: 'jwk', key: vector.key })
      const covered =
        vector.signature_agent === undefined ? ['@authority'] : ['@authority', 'signature-agent']
      const parameters: readonly SignatureParameter[] = [
        ['created', vector.created_ms / 1_000],
        ['keyid', 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U'],
        ['alg', 'ed25519'],
        ['expires', vector.expires_ms / 1_000],
        ['nonce', vector.nonce],
        ['tag', 'web-bot-auth'],
      ]
      const componentOf = (name: string) => (name === '@authority' ? 'example.com' : vector.signature_agent)
      const base = valueOf(signatureBase(covered, componentOf, parameters))
      expect(`${label}=${base.params}`).toBe(vector.signature_input)
      expect(`${label}=:${signed(key, base.base)}:`).toBe(vector.signature)
    },
  )
})

describe('a component of a profile', () => {
  const headers = {
    'X-Node': '{param.node_id}',
    Signature: '{sigHeader}',
    'X-Sig': '{sig.hex}',
    'X-Both': '{key.hex}:{sig.hex}',
    'X-Client': 'wall',
  }
  it.each([
    ['@method', undefined],
    ['@target-uri', undefined],
    ['@scheme', undefined],
    ['@request-target', undefined],
    ['@query-param;name="node_id"', undefined],
    ['x-client', undefined],
    ['x@query-param;name="node_id"', 'neither derived'],
    ['@query-param;name="node_id";bs', 'neither derived'],
    ['x-node', undefined],
    ['X-Node', 'neither derived'],
    ['@query-param', 'neither derived'],
    ['@query-param;name="a b"', 'neither derived'],
    ['@status', 'neither derived'],
    ['date', 'neither derived'],
    ['signature', 'holds the signature'],
    ['x-sig', 'holds the signature'],
    ['x-both', 'holds the signature'],
    [`x-${'y'.repeat(60)}`, `component x-${'y'.repeat(38)} is neither derived`],
  ])('%s: %s', (component, problem) => {
    const found = componentProblem(component, headers)
    if (problem === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(problem)
  })
})

const key = ed25519Key(5)
const input: SigningInput = {
  baseUrl: 'https://api.example.net:8443/v1',
  nodeId: '0x7F3a',
  publicKey: key.publicKey,
  nowMs: 1_795_183_351_999,
  nonce: new Uint8Array(16).fill(3),
}

function headersOf(profile: Profile, over: Partial<SigningInput> = {}): Record<string, string> {
  const message = valueOf(messageToSign(profile, { ...input, ...over }))
  const headers = valueOf(signedHeaders(profile, { ...input, ...over }, key.sign(message)))
  return { ...headers.headers }
}

/** The verdict of an independent library. */
const accepts = (url: string, headers: Record<string, string>): Promise<boolean | null> =>
  httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid }) => ({
        id: String(keyid),
        algs: ['ed25519'],
        verify: async (data, signature) => verify(null, data, key.keyObject, signature),
      }),
      notAfter: new Date(input.nowMs + 30_000),
      tolerance: 1e9,
    },
    { method: 'GET', url, headers },
  )

describe('a request signed by profile rfc9421', () => {
  const preset = PROFILES['rfc9421']
  if (preset === undefined || preset.message.kind !== 'rfc9421') throw new Error('rfc9421 is missing')
  const { message } = preset
  const url = 'https://api.example.net:8443/v1/node/status?node_id=0x7F3a'

  it('is accepted by http-message-signatures, but not for another node, path or host', async () => {
    const headers = headersOf(preset)
    expect(await accepts(url, headers)).toBe(true)
    expect(await accepts(url.replace('7F3a', '7F3b'), headers)).toBe(false)
    expect(await accepts(url.replace('/v1', ''), headers)).toBe(false)
    expect(await accepts(url.replace('api.', 'apj.'), headers)).toBe(false)
  })

  it('is accepted for a request without a node', async () => {
    expect(await accepts(url.replace(/\?.*/, ''), headersOf(preset, { nodeId: undefined }))).toBe(true)
  })

  it('contains time, expiry, nonce, key and tag', () => {
    expect(headersOf(preset)['Signature-Input']).toBe(
      `sig1=("@method" "@authority" "@path" "@query");created=1795183351;expires=1795183411;nonce="AwMDAwMDAwMDAwMDAwMDAw";keyid="${key.hex}";alg="ed25519";tag="immune-node-auth"`,
    )
  })

  it('can cover every derived component, a parameter and headers of its own', async () => {
    const components = ['@scheme', '@target-uri', '@request-target', '@query-param;name="node_id"', 'x-node']
    const headers = { ...preset.headers, 'X-Node': '  {param.node_id} of {origin}' }
    const wide: Profile = { ...preset, message: { ...message, components }, headers }
    const text = signedText(wide, input)
    expect(text.ok && new TextDecoder().decode(text.value).split('\n').slice(0, -1)).toEqual([
      '"@scheme": https',
      `"@target-uri": ${url}`,
      '"@request-target": /v1/node/status?node_id=0x7F3a',
      '"@query-param";name="node_id": 0x7F3a',
      '"x-node": 0x7F3a of https://api.example.net:8443',
    ])
    expect(await accepts(url, headersOf(wide))).toBe(true)
  })

  it('refuses a header of its own that is not one line of printable ASCII', () => {
    const odd: Profile = {
      ...preset,
      message: { ...message, components: ['x-node'] },
      headers: { ...preset.headers, 'X-Node': 'é' },
    }
    expect(signedText(odd, input)).toEqual({ ok: false, error: { kind: 'not-printable', at: 'X-Node' } })
  })

  it('has an empty key id if the profile has none, and refuses one that a header cannot carry', () => {
    const { keyid: _keyid, ...nameless } = message
    expect(headersOf({ ...preset, message: nameless })['Signature-Input']).toContain('keyid=""')
    const quoting = headersOf({ ...preset, message: { ...message, keyid: 'a"b\\c' } })
    expect(quoting['Signature-Input']).toContain('keyid="a\\"b\\\\c"')
    expect(messageToSign({ ...preset, message: { ...message, keyid: '{no}' } }, input).ok).toBe(false)
    expect(messageToSign({ ...preset, message: { ...message, keyid: 'é' } }, input).ok).toBe(false)
    expect(
      signedHeaders({ ...preset, message: { ...message, keyid: 'é' } }, input, key.sign(new Uint8Array())).ok,
    ).toBe(false)
  })
})
