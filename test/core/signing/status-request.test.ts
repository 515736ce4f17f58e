import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { bytesToHex } from '#base/bytes.ts'
import { PROFILES } from '#signing/presets.ts'
import type { Profile } from '#signing/profile.ts'
import { type SigningInput, statusQuery, statusUrl } from '#signing/signing-values.ts'
import { messageToSign, signedHeaders, signedText } from '#signing/status-request.ts'

const input: SigningInput = {
  baseUrl: 'https://api.example.net:8443/v1',
  nodeId: '0x7F3a',
  publicKey: Uint8Array.from({ length: 32 }, (_, i) => i),
  nowMs: 1_795_183_351_999,
  nonce: Uint8Array.from({ length: 16 }, (_, i) => 255 - i),
}
const keyHex = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'

const profile = (template: string, headers: Record<string, string> = {}): Profile => ({
  v: 1,
  message: { kind: 'template', template },
  headers,
})

const bearer = PROFILES['bearer-v1']
if (bearer === undefined) throw new Error('bearer-v1 is missing')

const text = (template: string, over: Partial<SigningInput> = {}) => {
  const message = messageToSign(profile(template), { ...input, ...over })
  return message.ok ? new TextDecoder().decode(message.value) : message.error.kind
}

describe('the text of bearer-v1', () => {
  it('has eight lines and no final newline', () => {
    const message = messageToSign(bearer, input)
    expect(message.ok && new TextDecoder().decode(message.value).split('\n')).toEqual([
      'immune-node-auth-v1',
      'GET',
      'https://api.example.net:8443',
      '/v1/node/status',
      'node_id=0x7F3a',
      '1795183351',
      '__79_Pv6-fj39vX08_Lx8A',
      keyHex,
    ])
  })

  it('has an empty query line when no node is named', () => {
    const message = messageToSign(bearer, { ...input, nodeId: undefined })
    expect(message.ok && new TextDecoder().decode(message.value).split('\n')[4]).toBe('')
  })
})

describe('the placeholders of a template', () => {
  it.each([
    ['{method}', 'GET'],
    ['{scheme}', 'https'],
    ['{authority}', 'api.example.net:8443'],
    ['{origin}', 'https://api.example.net:8443'],
    ['{path}', '/v1/node/status'],
    ['{query}', 'node_id=0x7F3a'],
    ['{sortedQuery}', 'node_id=0x7F3a'],
    ['{target}', '/v1/node/status?node_id=0x7F3a'],
    ['{url}', 'https://api.example.net:8443/v1/node/status?node_id=0x7F3a'],
    ['{param.node_id}', '0x7F3a'],
    ['{ts.s}', '1795183351'],
    ['{ts.ms}', '1795183351999'],
    ['{ts.iso}', '2026-11-20T14:02:31.999Z'],
    ['{kid}', keyHex],
    ['{exp.s}', 'unknown-placeholder'],
    ['{ts.window}', 'unknown-placeholder'],
    ['{key.base64-nopad}', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'],
    ['{key.hex}', keyHex],
    ['{nonce.hex}', bytesToHex(input.nonce)],
    ['é', 'é'],
    ['{sig.hex}', 'unknown-placeholder'],
  ])('%s is %s', (template, expected) => {
    expect(text(template)).toBe(expected)
  })

  it('are empty for an absent node', () => {
    expect(text('[{param.node_id}{query}{target}]', { nodeId: undefined })).toBe('[/v1/node/status]')
  })
})

it('headers that are not one line of printable ASCII are refused', () => {
  const nothing = new Uint8Array(64)
  const refused = err({ kind: 'not-printable', at: 'X-Test' })
  for (const value of ['a\nb', 'é', 'a\u007f', '{param.node_id}\r'])
    expect(signedHeaders(profile('x', { 'X-Test': value }), input, nothing), value).toEqual(refused)
  expect(signedHeaders(profile('x', { 'X-Test': ' ~{ts.s}' }), input, nothing).ok).toBe(true)
})

describe('addresses', () => {
  it('escape everything but unreserved characters', () => {
    expect(statusQuery("0x7f !'()*&=+/é~-._")).toBe('node_id=0x7f%20%21%27%28%29%2A%26%3D%2B%2F%C3%A9~-._')
    expect(statusQuery(undefined)).toBe('')
  })

  it('extend the base URL of the service or a proxy path', () => {
    expect(statusUrl('https://a.example/v1', 'node_id=0x1')).toBe(
      'https://a.example/v1/node/status?node_id=0x1',
    )
    expect(statusUrl('/proxy/x', '')).toBe('/proxy/x/node/status')
  })
})

describe('further settings of a profile', () => {
  const filled = (template: string, settings: Partial<Profile>, over: Partial<SigningInput> = {}) => {
    const message = signedText({ ...profile(template), ...settings }, { ...input, ...over })
    return message.ok ? new TextDecoder().decode(message.value) : message.error.kind
  }

  it.each<[string, string, Partial<Profile>]>([
    ['{exp.s}', '1795183411', { validitySeconds: 60 }],
    ['{exp.ms}', '1795183411999', { validitySeconds: 60 }],
    ['{exp.iso}', '2026-11-20T14:03:31.999Z', { validitySeconds: 60 }],
    ['{ts.window}', '59839445', { timestamp: { floorSeconds: 30 } }],
    // Rounded down even if the next window is nearer: a strict service refuses a window that has not begun.
    ['{ts.window}', '89759167', { timestamp: { floorSeconds: 20 } }],
    ['{ts.window}', '1795183351', { timestamp: { floorSeconds: 1 } }],
    ['{ts.window}', 'unknown-placeholder', { timestamp: {} }],
    ['{param.node_id}', '0x7F3a', { nodeId: 'typed' }],
    ['{param.node_id}', '0x7f3a', { nodeId: 'lower' }],
    ['{param.node_id}', '7F3a', { nodeId: 'typed-no-0x' }],
    ['{param.node_id}', '7f3a', { nodeId: 'lower-no-0x' }],
    ['{query}', 'node_id=0x7F3a', { nodeId: 'lower-no-0x' }],
  ])('%s is %s with %j', (template, expected, settings) => {
    expect(filled(template, settings)).toBe(expected)
  })

  it.each(['sha-256', 'sha-512'] as const)('sign the %s of the text instead of the text', (prehash) => {
    const hashed: Profile = { ...profile('x'), message: { kind: 'template', template: 'é{ts.s}', prehash } }
    const message = messageToSign(hashed, input)
    const expected = createHash(prehash.replace('-', '')).update('é1795183351').digest('hex')
    expect(message.ok && bytesToHex(message.value)).toBe(expected)
    const whole = signedText(hashed, input)
    expect(whole.ok && new TextDecoder().decode(whole.value)).toBe('é1795183351')
  })

  it('refuse headers above 4 KiB in total', () => {
    const long = (chars: number) =>
      signedHeaders(profile('x', { 'X-A': 'a'.repeat(chars) }), input, new Uint8Array(64))
    expect(long(4_096 - 7).ok).toBe(true)
    expect(long(4_096 - 6)).toEqual(err({ kind: 'too-long', at: '4097 bytes' }))
  })

  it('provide no signature to send if nothing is signed', () => {
    const none: Profile = { v: 1, message: { kind: 'none' }, headers: { 'X-A': '{sig.hex}' } }
    expect(signedHeaders(none, input, new Uint8Array(64)).ok).toBe(false)
    expect(messageToSign(none, input)).toEqual(ok(new Uint8Array()))
  })
})
