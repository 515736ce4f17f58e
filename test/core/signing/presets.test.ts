import { execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bindingOf, gradeOf, lintProfile, startsWithFixedTag } from '#signing/profile-lint.ts'
import type { Profile } from '#signing/profile.ts'
import { DEFAULT_PROFILE_ID, PRESET_IDS } from '#signing/preset-ids.ts'
import { PRESETS, PROFILES } from '#signing/presets.ts'
import { messageToSign, signedHeaders } from '#signing/status-request.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import { valueOf } from '#test/support/value-of.ts'

const presets = Array.from(PRESETS, ([id, preset]) => [id, preset] as const)

describe('the presets', () => {
  it('have these ids and grades', () => {
    expect(presets.map(([id, { profile }]) => `${id} ${gradeOf(profile)}`)).toEqual([
      'bearer-v1 A',
      'bearer-window B',
      'jwt-eddsa A',
      'rfc9421 A',
      'wallet-timestamp C',
      'timestamp-only D',
      'bearer-node-id F',
    ])
    expect(Object.keys(PROFILES)).toEqual([...PRESETS.keys()])
    expect(PRESET_IDS).toEqual([...PRESETS.keys()])
    expect(PRESETS.has(DEFAULT_PROFILE_ID)).toBe(true)
  })

  it.each([
    ['bearer-v1', 'time once host node key', []],
    ['jwt-eddsa', 'time once host node key', []],
    ['rfc9421', 'time once host node key', []],
    ['bearer-window', 'time host node', ['replayable', 'key-not-sent']],
    ['wallet-timestamp', 'time node key', ['no-host', 'replayable']],
    ['timestamp-only', 'time key', ['no-host', 'no-node', 'replayable', 'no-fixed-tag']],
    ['bearer-node-id', 'node', ['permanent-password', 'no-host', 'no-fixed-tag', 'key-not-sent']],
  ])('%s binds %s, and lacks %j', (id, binds, lacks) => {
    const profile = PROFILES[id]
    if (profile === undefined) throw new Error(id)
    const { time, singleUse, host, node, identitySent } = bindingOf(profile)
    const words = { time, once: singleUse, host, node, key: identitySent }
    expect(Object.entries(words).flatMap(([word, is]) => (is ? [word] : []))).toEqual(binds.split(' '))
    expect(lintProfile(profile).map(({ code }) => code)).toEqual(lacks)
  })
})

const SIGNED = ['-in', 'message', '-sigfile', 'signature']

/** A key in openssl, which signs and verifies with it. */
function openssl() {
  const folder = temporaryFolder()
  const { privateKey } = generateKeyPairSync('ed25519')
  const publicKey = createPublicKey(privateKey)
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }))
  writeFileSync(join(folder, 'pub.pem'), publicKey.export({ format: 'pem', type: 'spki' }))
  const run = (...args: readonly string[]) =>
    execFileSync('openssl', ['pkeyutl', '-rawin', ...args], { cwd: folder })
  return {
    publicKey: new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
    sign: (message: Uint8Array) => {
      writeFileSync(join(folder, 'message'), message)
      return new Uint8Array(run('-sign', '-inkey', 'key.pem', '-in', 'message'))
    },
    verifies: (message: string, signature: Uint8Array): boolean => {
      writeFileSync(join(folder, 'message'), message)
      writeFileSync(join(folder, 'signature'), signature)
      const verified = run('-verify', '-pubin', '-inkey', 'pub.pem', ...SIGNED)
      return verified.toString().includes('Signature Verified Successfully')
    },
  }
}

const at = {
  baseUrl: 'https://api.example',
  nodeId: '0xAb',
  nowMs: 1_795_183_351_999,
  nonce: new Uint8Array(16),
}

function signedBy(profile: Profile, key: ReturnType<typeof openssl>): Readonly<Record<string, string>> {
  const message = valueOf(messageToSign(profile, { ...at, publicKey: key.publicKey }))
  const headers = valueOf(signedHeaders(profile, { ...at, publicKey: key.publicKey }, key.sign(message)))
  return headers.headers
}

it.each<[string, RegExp, BufferEncoding, (hex: string) => string]>([
  [
    'bearer-v1',
    /^Bearer ([0-9a-f]{128})$/,
    'hex',
    (hex) =>
      `immune-node-auth-v1\nGET\nhttps://api.example\n/node/status\nnode_id=0xAb\n1795183351\nAAAAAAAAAAAAAAAAAAAAAA\n${hex}`,
  ],
  [
    'bearer-window',
    /^Bearer ([0-9a-f]{128})$/,
    'hex',
    () => 'immune-node-auth-v1w\nGET\nhttps://api.example\n/node/status\nnode_id=0xAb\n59839445',
  ],
  ['wallet-timestamp', /^Bearer (\S{86}==)$/, 'base64', () => '{"agentId":"0xAb","timestamp":1795183351999}'],
  ['timestamp-only', /^Bearer [0-9a-f]{64}:1795183351:(\S{86})$/, 'base64url', () => '1795183351'],
  ['bearer-node-id', /^Bearer ([0-9a-f]{128})$/, 'hex', () => '0xAb'],
])('openssl verifies the bare signatures of %s over a text written here', (id, pattern, encoding, text) => {
  const profile = PROFILES[id]
  if (profile === undefined) throw new Error(id)
  const key = openssl()
  const [, encoded] = pattern.exec(signedBy(profile, key)['Authorization'] ?? '') ?? []
  const signature = Buffer.from(encoded ?? '', encoding)
  expect(signature).toHaveLength(64)
  expect(key.verifies(text(Buffer.from(key.publicKey).toString('hex')), signature)).toBe(true)
})

describe('a grade', () => {
  const of = (text: string, rest: Partial<Profile> = {}) =>
    gradeOf({ v: 1, message: { kind: 'template', template: text }, headers: {}, ...rest })

  it.each([
    ['{ts.s}{nonce.hex}{origin}{query}', 'A'],
    ['{exp.s}{nonce.hex}{url}', 'A'],
    ['{ts.window}{authority}{target}', 'B'],
    ['{ts.iso}{param.node_id}{nonce.hex}', 'C'],
    ['{ts.ms}{origin}', 'C'],
    ['{ts.s}{nonce.hex}', 'D'],
    ['{nonce.hex}{url}', 'E'],
    ['{url}{key.hex}', 'F'],
    ['', 'F'],
  ])('of %s is %s', (text, grade) => {
    expect(of(text)).toBe(grade)
  })

  it('is at most B if signatures are reused', () => {
    expect(of('{ts.s}{nonce.hex}{url}', { reuseSeconds: 5 })).toBe('B')
  })
})

describe('the linter reports', () => {
  const lint = (text: string, headers: Record<string, string>, rest: Partial<Profile> = {}) =>
    lintProfile({ v: 1, message: { kind: 'template', template: text }, headers, ...rest }).map(
      ({ code, severity, header }) => `${severity} ${code}${header === undefined ? '' : ` ${header}`}`,
    )
  const good = 'immune-1 {url}{ts.s}{nonce.hex}'
  const expiring = 'immune-1 {url}{exp.ms}{nonce.hex}'
  const sending = (X: string) => ({ Authorization: '{sig.hex}', X })
  const sent = sending('{kid}{ts.s}{nonce.hex}')

  it.each<[string, string, Record<string, string>, Partial<Profile>, readonly string[]]>([
    ['nothing', good, sent, {}, []],
    ['no time', 'immune-1 {url}{nonce.hex}', sent, {}, ['error no-time']],
    ['no signature', good, { X: '{kid}{ts.s}{nonce.hex}' }, {}, ['error signature-not-sent']],
    ['time not sent', good, sending('{kid}{nonce.hex}'), {}, ['error time-not-sent']],
    ['expiry not sent', expiring, sending('{kid}{nonce.hex}'), {}, ['error time-not-sent']],
    ['nothing for an expiry sent in another unit', expiring, sending('{kid}{exp.iso}{nonce.hex}'), {}, []],
    [
      'a parameter in place of the signature',
      good,
      { ...sent, Authorization: '{param.jwt}' },
      {},
      ['error signature-not-sent'],
    ],
    ['nonce not sent', good, sending('{kid}{ts.ms}'), {}, ['error nonce-not-sent']],
    ['key not sent', good, sending('{ts.s}{nonce.hex}'), {}, ['info key-not-sent']],
    ['reused nonce', good, sent, { reuseSeconds: 5 }, ['warning reused-nonce']],
    ['a dropped header', good, { ...sent, Date: '{ts.iso}' }, {}, ['error header-dropped Date']],
    [
      'a fixed secret',
      good,
      { Authorization: 'Bearer x', X: '{sig.hex}{kid}{ts.s}{nonce.hex}' },
      {},
      ['error fixed-secret Authorization'],
    ],
    ['too long', good, { ...sent, Y: 'y'.repeat(4_096) }, {}, ['error headers-too-long']],
    ['short tag', 'immune-{url}{ts.s}{nonce.hex}', sent, {}, ['warning no-fixed-tag']],
    ['tag not ASCII', 'immuné-1 {url}{ts.s}{nonce.hex}', sent, {}, ['warning no-fixed-tag']],
    ['nothing signed', '', {}, { message: { kind: 'none' } }, ['warning nothing-signed']],
  ])('%s', (_what, text, headers, rest, findings) => {
    expect(lint(text, headers, rest)).toEqual(findings)
  })

  it('which messages a chain key may sign', () => {
    const tagged = (message: Profile['message']) => startsWithFixedTag({ v: 1, message, headers: {} })
    const rfc = (component: string) =>
      tagged({ kind: 'rfc9421', label: 'a', components: [component], params: [] })
    expect(tagged({ kind: 'template', template: 'immune-1' })).toBe(true)
    expect(tagged({ kind: 'template', template: 'immune-1', prehash: 'sha-256' })).toBe(false)
    expect(tagged({ kind: 'template', template: '{method}immune-1' })).toBe(false)
    expect(tagged({ kind: 'template', template: '{' })).toBe(false)
    expect(tagged({ kind: 'jwt', alg: 'EdDSA', header: {}, claims: {} })).toBe(true)
    expect([rfc('@path'), rfc('@query-param;name="node_id"'), rfc('x')]).toEqual([true, false, false])
    expect(tagged({ kind: 'none' })).toBe(false)
  })
})

it.each<[readonly string[], string]>([
  [['@authority', '@query-param;name="node_id"'], 'host node'],
  [['@target-uri'], 'host node'],
  [['@request-target', '@method'], 'node method'],
  [['x-time'], 'time'],
  [['@path'], ''],
])('the binding of an RFC 9421 message %j', (components, binds) => {
  const binding = bindingOf({
    v: 1,
    message: { kind: 'rfc9421', label: 'a', components: [...components], params: [] },
    headers: { 'X-Time': '{ts.s}' },
  })
  const { time, host, node, method } = binding
  const words = Object.entries({ time, host, node, method }).flatMap(([word, is]) => (is ? [word] : []))
  expect(words.join(' ')).toBe(binds)
  expect(binding.identitySent).toBe(false)
})
