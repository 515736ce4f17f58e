import { createPrivateKey, sign } from 'node:crypto'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { jwtSigningInput, messageToSign, signedHeaders } from '#signing/status-request.ts'
import type { JwtMessage, Profile } from '#signing/profile.ts'
import { PROFILES } from '#signing/presets.ts'
import type { SigningInput } from '#signing/signing-values.ts'
import { ed25519Key } from '#test/support/ed25519-key.ts'
import { valueOf } from '#test/support/value-of.ts'
import rfc from '#test/vectors/http-signing-rfc.json' with { type: 'json' }

const key = ed25519Key(6)
const input: SigningInput = {
  baseUrl: 'https://api.example.net:8443/v1',
  nodeId: '0x7F3a',
  publicKey: key.publicKey,
  nowMs: 1_795_183_351_999,
  nonce: new Uint8Array(16).fill(3),
}
const preset = PROFILES['jwt-eddsa']
if (preset === undefined || preset.message.kind !== 'jwt') throw new Error('jwt-eddsa is missing')
const presetMessage = preset.message

function tokenOf(profile: Profile, over: Partial<SigningInput> = {}): string {
  const message = valueOf(messageToSign(profile, { ...input, ...over }))
  const headers = valueOf(signedHeaders(profile, { ...input, ...over }, key.sign(message)))
  return headers.headers['Authorization']?.replace(/^Bearer /, '') ?? ''
}

describe('a token of profile jwt-eddsa', () => {
  const terms = {
    algorithms: ['EdDSA'],
    typ: 'node-auth+jwt',
    audience: 'https://api.example.net:8443',
    maxTokenAge: 60,
    requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti', 'htm', 'htu'],
    currentDate: new Date(input.nowMs + 20_000),
  }

  it('is accepted by jose with algorithm, type, audience, age and claims pinned', async () => {
    const { payload, protectedHeader } = await jwtVerify(tokenOf(preset), key.keyObject, terms)
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'node-auth+jwt', kid: key.hex })
    expect(payload).toEqual({
      iss: key.hex,
      sub: '0x7F3a',
      aud: 'https://api.example.net:8443',
      htm: 'GET',
      htu: 'https://api.example.net:8443/v1/node/status',
      iat: 1_795_183_351,
      exp: 1_795_183_411,
      jti: 'AwMDAwMDAwMDAwMDAwMDAw',
    })
  })

  it('is refused by jose with another key, for another audience, and after it expires', async () => {
    const token = tokenOf(preset)
    await expect(jwtVerify(token, ed25519Key(7).keyObject, terms)).rejects.toThrow('signature')
    await expect(jwtVerify(token, key.keyObject, { ...terms, audience: 'https://other' })).rejects.toThrow(
      'aud',
    )
    const later = { ...terms, currentDate: new Date(input.nowMs + 61_000) }
    await expect(jwtVerify(token, key.keyObject, later)).rejects.toThrow('exp')
  })

  it('leaves out the claim for a node if none is requested', async () => {
    const token = tokenOf(preset, { nodeId: undefined })
    const { payload } = await jwtVerify(token, key.keyObject, { ...terms, requiredClaims: [] })
    expect(Object.keys(payload)).toEqual(['iss', 'aud', 'htm', 'htu', 'iat', 'exp', 'jti'])
  })

  it('can name its algorithm Ed25519', async () => {
    const token = tokenOf({ ...preset, message: { ...presetMessage, alg: 'Ed25519' } })
    expect(decodeProtectedHeader(token).alg).toBe('Ed25519')
    await jwtVerify(token, key.keyObject, { ...terms, algorithms: ['Ed25519'] })
  })
})

describe('the signing input', () => {
  const values = { texts: new Map([['ts.s', '5']]), bytes: new Map() }
  const body = (claims: JwtMessage['claims']) => {
    const made = jwtSigningInput({ kind: 'jwt', alg: 'EdDSA', header: {}, claims }, values)
    if (!made.ok) return made.error
    return Buffer.from(made.value.split('.')[1] ?? '', 'base64url').toString()
  }

  it('has the header of RFC 8037 A.4, whose signature node:crypto reproduces', () => {
    const vector = rfc['rfc8037-a4']
    const made = jwtSigningInput({ kind: 'jwt', alg: 'EdDSA', header: {}, claims: {} }, values)
    const [head, payload, signature] = vector.jws.split('.')
    expect(made).toEqual({ ok: true, value: `${head}.e30` })
    const jwkKey = createPrivateKey({ format: 'jwk', key: vector.jwk })
    expect(sign(null, Buffer.from(`${head}.${payload}`), jwkKey).toString('base64url')).toBe(signature)
  })

  it('keeps the order of claims, and accepts any name', () => {
    const odd: unknown = JSON.parse(
      '{"b":"x","2":"y","__proto__":"z","a\\"":"{ts.s}","n":{"number":"-{ts.s}"}}',
    )
    const text = body(odd as JwtMessage['claims'])
    expect(text).toBe('{"2":"y","b":"x","__proto__":"z","a\\"":"5","n":-5}')
  })

  it.each(['', 'x', '5.5', '05', '1e3', '{param.none}x', '1234567890123456', '- 5', '--5', '-0'])(
    'contains no number %j',
    (number) => {
      const made = body({ n: { number } })
      if (number.includes('param')) expect(made).toBe('{}')
      else expect(made).toEqual({ kind: 'not-a-number', at: 'n' })
    },
  )
})
