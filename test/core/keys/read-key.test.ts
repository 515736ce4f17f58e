import { createPrivateKey } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { base32nopad, bech32 } from '@scure/base'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytesToBase58, bytesToHex } from '#base/bytes.ts'
import { OPENSSH_MAGIC } from '#keys/format-binary.ts'
import type { ForeignKind, KeyFileProblem, KeyKind } from '#protocol/key-kinds.ts'
import { createPlainKey, publicKeyOf, createWebCryptoKey } from '#keys/signing-key.ts'
import { KEY_FILE_BYTES_MAX, readKey, type ReadKey } from '#keys/read-key.ts'
import { crc16 } from '#keys/secret-text.ts'
import { isAll } from '#test/fuzz/random.ts'
import {
  KEY_FILE_VARIANTS,
  KEY_FILES,
  KEY_FILES_MESSAGE,
  KEY_FILES_PASSPHRASE,
  PASTED_KEYS,
  keyFileBytes,
} from '#test/support/key-files.ts'
import { holdsSecret, recordBuffers } from '#test/support/recorded-buffers.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const PASS = utf8(KEY_FILES_PASSPHRASE)

/** Sample files of each form, made by its own tool. Forms without one are covered by other tests here. */
const FILES: Readonly<Record<KeyKind, readonly string[]>> = {
  jwk: ['jose.jwk.json'],
  solana: ['solana-id.json'],
  'cometbft-validator': ['cometbft-priv_validator_key.json'],
  'cometbft-node': [],
  polkadot: ['polkadot-ed25519.json'],
  minisign: ['minisign_plain.key'],
  'encrypted-minisign': [],
  pkcs8: ['openssl-pkcs8.pem', 'openssl-pkcs8.der'],
  'encrypted-pkcs8': ['openssl-pkcs8-enc.pem', 'openssl-pkcs8-enc-scrypt.pem'],
  openssh: ['openssh-ssh_plain'],
  'encrypted-openssh': ['openssh-ssh_enc'],
  near: ['near-credentials.json'],
  stellar: ['stellar-secret.txt'],
  sui: ['sui-privkey.txt'],
  aptos: ['aptos-aip80.txt'],
  libp2p: ['ipfs-privkey-base64.txt'],
  // The last cannot be distinguished from a seed, which is why the screen shows its public key.
  seed: ['raw-seed.hex', 'raw-seed-0x.hex', 'raw-seed.b64', 'raw-seed.b64url', 'ethereum-like.hex'],
  'seed-and-public': ['nacl-secretkey-64.hex'],
}
const refused = (problem: unknown) => ({ outcome: 'refused', problem })

const KINDS = Object.keys(FILES).filter((name): name is KeyKind => Object.hasOwn(FILES, name))
const ACCEPTED: Readonly<Record<string, KeyKind>> = Object.fromEntries(
  KINDS.flatMap((kind) => FILES[kind].map((file) => [file, kind])),
)

const REFUSED: Readonly<Record<string, unknown>> = {
  'solana-id-mismatched-public-half.json': { reason: 'public-half-differs', kind: 'solana' },
  'polkadot-sr25519.json': { reason: 'wrong-type', found: 'sr25519' },
  'jose-mismatched-x.jwk.json': { reason: 'public-half-differs', kind: 'jwk' },
  'jose-public-only.jwk.json': { reason: 'wrong-type', found: 'public-key' },
  'openssl-spki-public.pem': { reason: 'wrong-type', found: 'public-key' },
  'openssh-ssh_enc_chacha': { reason: 'other-cipher', kind: 'encrypted-openssh' },
  'openssh-ssh_rsa': { reason: 'wrong-type', found: 'rsa' },
  'minisign_enc.key': { reason: 'too-costly', kind: 'encrypted-minisign' },
  'age.txt': { reason: 'wrong-type', found: 'age' },
}

const CHAIN = ['solana', 'polkadot', 'stellar', 'near', 'sui', 'aptos', 'cometbft-validator', 'cometbft-node']
const LOCKED = ['encrypted-pkcs8', 'encrypted-openssh', 'polkadot']

function readOf(read: ReadKey): Extract<ReadKey, { outcome: 'read' }> {
  if (read.outcome !== 'read') throw new Error(JSON.stringify(read))
  return read
}

describe('key files of other tools', () => {
  it('are all covered here', () => {
    const told = [...Object.keys(ACCEPTED), ...Object.keys(REFUSED)].toSorted()
    expect(told).toEqual(KEY_FILES.map(({ file }) => file).toSorted())
  })

  it.each(KEY_FILES.filter(({ file }) => file in ACCEPTED))(
    '$file is read, signs with both signers as its own tool does, and leaves its seed in no other buffer',
    async ({ file, publicKeyHex, signatureHex }) => {
      const input = keyFileBytes(file)
      const { result: read, buffers } = await recordBuffers(async () =>
        readOf(await readKey(new Uint8Array(input), PASS)),
      )
      expect(buffers.length).toBeGreaterThan(2)
      // The first is the copy of the input, which is the caller's.
      const others = buffers.slice(1).filter((buffer) => buffer !== read.seed.buffer)
      expect(others.filter((buffer) => holdsSecret(buffer, read.seed))).toEqual([])
      expect(holdsSecret(read.seed.buffer, read.seed)).toBe(true)
      const kind = ACCEPTED[file]
      expect(read.kind).toBe(kind)
      expect(read.family).toBe(CHAIN.includes(String(kind)) ? 'chain' : 'plain')
      if (publicKeyHex !== undefined) expect(bytesToHex(read.publicKey)).toBe(publicKeyHex)
      const [native, plain] = [await createWebCryptoKey(read.seed), createPlainKey(read.seed)]
      for (const key of [native, plain]) {
        expect(bytesToHex(key.publicKey)).toBe(bytesToHex(read.publicKey))
        const signature = bytesToHex(await key.sign(KEY_FILES_MESSAGE))
        if (signatureHex !== undefined) expect(signature).toBe(signatureHex)
      }
    },
  )

  it.each(Object.entries(REFUSED))('%s is refused with the reason', async (file, problem) => {
    for (const passphrase of [PASS, undefined])
      expect(await readKey(keyFileBytes(file), passphrase)).toEqual(refused(problem))
  })

  it.each(Object.entries(ACCEPTED).filter(([, kind]) => LOCKED.includes(kind)))(
    '%s asks for its passphrase and detects a wrong one',
    async (file, kind) => {
      expect(await readKey(keyFileBytes(file))).toEqual({ outcome: 'needs-passphrase', kind })
      // One wrong passphrase for Polkadot: its derivation is that of a file above, at twice the cost.
      for (const wrong of kind === 'polkadot' ? ['wrong-horse'] : ['wrong-horse', ''])
        expect(await readKey(keyFileBytes(file), utf8(wrong))).toEqual(
          refused({ reason: 'wrong-passphrase', kind }),
        )
    },
  )
})

describe('key files of openssl and ssh-keygen', () => {
  it.each(KEY_FILE_VARIANTS)(
    '$file is read or refused by name',
    async ({ file, publicKeyHex, found, reason }) => {
      const outcome = await readKey(keyFileBytes(file), PASS)
      if (publicKeyHex !== undefined) expect(bytesToHex(readOf(outcome).publicKey)).toBe(publicKeyHex)
      else if (found !== undefined) expect(outcome).toEqual(refused({ reason: 'wrong-type', found }))
      else expect(outcome).toMatchObject(refused({ reason }))
    },
  )

  it('are read without WebCrypto, as on plain http', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    for (const hash of ['SHA1', 'SHA256', 'SHA384', 'SHA512'])
      readOf(await readKey(keyFileBytes(`pbkdf2-${hash}-aes256.pem`), PASS))
  })
})

/** One private key, for all unencrypted forms. */
const SEED = Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 201) & 0xff)
const PUBLIC = publicKeyOf(SEED)
const SECRET = Uint8Array.of(...SEED, ...PUBLIC)
const OTHER = Uint8Array.from(SECRET, (byte, i) => (i === 63 ? byte ^ 1 : byte))

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
const cometbft = (bytes: Uint8Array, more = {}, type = 'tendermint/PrivKeyEd25519'): string =>
  JSON.stringify({ priv_key: { type, value: base64(bytes) }, ...more })
const validator = (shown: string): string => cometbft(SECRET, { pub_key: { value: shown } })
const near = (bytes: Uint8Array): string => `ed25519:${bytesToBase58(bytes)}`
const nearFile = (shown: string): string => JSON.stringify({ public_key: shown, private_key: near(SECRET) })
const jwk = (more: object): string => JSON.stringify({ kty: 'OKP', crv: 'Ed25519', ...more })
const PKCS8_HEADER = [2, 1, 1, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]
const pkcs8 = (...bytes: readonly number[]): Uint8Array =>
  Uint8Array.of(0x30, PKCS8_HEADER.length + 32 + bytes.length, ...PKCS8_HEADER, ...SEED, ...bytes)
const libp2p = (...bytes: readonly number[]): string =>
  base64(Uint8Array.of(8, 1, 0x12, bytes.length, ...bytes))

const POLKADOT_HEADER = [48, 83, 2, 1, 1, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]
const polkadot = (
  own: Uint8Array,
  shown: Uint8Array,
  more: object = {},
  type: readonly string[] = ['none'],
): string =>
  JSON.stringify({
    encoded: base64(Uint8Array.of(...POLKADOT_HEADER, ...own, 161, 35, 3, 33, 0, ...shown)),
    encoding: { content: ['pkcs8', 'ed25519'], type, version: '3' },
    ...more,
  })
const ss58 = (key: Uint8Array, ...prefix: readonly number[]): string =>
  bytesToBase58(Uint8Array.of(...prefix, ...key, 7, 7))

const minisignBytes = (checksum: Uint8Array, derivation = [0, 0], algorithm = 'Ed'): Uint8Array =>
  Uint8Array.of(
    ...utf8(algorithm),
    ...derivation,
    ...utf8('B2'),
    ...new Uint8Array(48),
    ...MINISIGN_ID,
    ...SECRET,
    ...checksum,
  )
const MINISIGN_ID = [1, 2, 3, 4, 5, 6, 7, 8]
const MINISIGN_SUM = blake2b(Uint8Array.of(...utf8('Ed'), ...MINISIGN_ID, ...SECRET), { dkLen: 32 })
const minisignOf = ({ sum = MINISIGN_SUM, derivation = [0, 0], algorithm = 'Ed' }): string =>
  minisign(minisignBytes(sum, derivation, algorithm))
const minisign = (bytes: Uint8Array): string => `untrusted comment: my key\n${base64(bytes)}\n`

/** SEP 23, with the first byte and the checksum as given. */
function stellar(kind: number, wrong = 0): string {
  const bytes = Uint8Array.of(kind, ...SEED)
  const sum = crc16(bytes) ^ wrong
  return base32nopad.encode(Uint8Array.of(...bytes, sum & 0xff, sum >> 8))
}

const sui = (bytes: readonly number[]): string => bech32.encodeFromBytes('suiprivkey', Uint8Array.from(bytes))

const utf16 = (text: string): Uint8Array => Uint8Array.of(0xff, 0xfe, ...Buffer.from(text, 'utf16le'))

const forms: readonly [string, KeyKind, string | Uint8Array][] = [
  ['raw bytes', 'seed', SEED],
  ['raw seed and public key', 'seed-and-public', SECRET],
  ['hex', 'seed', bytesToHex(SEED)],
  ['capital hex', 'seed', bytesToHex(SEED).toUpperCase()],
  ['hex with 0X', 'seed', `0X${bytesToHex(SEED)}`],
  ['hex between white space', 'seed', ` \t\r\n${bytesToHex(SEED)} \r\n`],
  ['hex after a UTF-8 byte order mark', 'seed', `\ufeff${bytesToHex(SEED)}`],
  ['hex in UTF-16', 'seed', utf16(`${bytesToHex(SEED)}\r\n`)],
  ['base64', 'seed', base64(SEED)],
  ['base64 without padding', 'seed', base64(SEED).replace('=', '')],
  ['hex of both halves', 'seed-and-public', `0x${bytesToHex(SECRET)}`],
  ['base64 of both halves', 'seed-and-public', base64(SECRET)],
  ['base64 of PKCS#8', 'pkcs8', base64(pkcs8())],
  ['hex of PKCS#8', 'pkcs8', bytesToHex(pkcs8())],
  ['PKCS#8 with its public key', 'pkcs8', pkcs8(0x81, 33, 0, ...PUBLIC)],
  ['PKCS#8 with attributes', 'pkcs8', pkcs8(0xa0, 2, 0x30, 0)],
  ['PKCS#8 with both', 'pkcs8', pkcs8(0xa0, 2, 0x30, 0, 0x81, 33, 0, ...PUBLIC)],
  ['PKCS#8 of node:crypto', 'pkcs8', nodePkcs8('pem')],
  ['a PEM block after other text', 'pkcs8', `Bag Attributes\n    friendlyName: x\n${nodePkcs8('pem')}`],
  ['a PEM block on one line', 'pkcs8', nodePkcs8('pem').replaceAll('\n', ' ')],
  ['a JWK without x', 'jwk', jwk({ d: base64Url(SEED) })],
  ['a JWK', 'jwk', jwk({ d: base64Url(SEED), x: base64Url(PUBLIC) })],
  ['Solana’s list', 'solana', JSON.stringify([...SECRET])],
  ['Solana’s list with white space', 'solana', JSON.stringify([...SECRET], undefined, 2)],
  ['a list of only the seed', 'solana', JSON.stringify([...SEED])],
  ['Solana’s base58', 'solana', bytesToBase58(SECRET)],
  ['NEAR’s text', 'near', near(SECRET)],
  ['NEAR’s file', 'near', nearFile(near(PUBLIC))],
  ['NEAR’s validator file', 'near', JSON.stringify({ account_id: 'a', secret_key: near(SECRET) })],
  ['CometBFT’s node key', 'cometbft-node', cometbft(SECRET)],
  ['CometBFT’s validator key', 'cometbft-validator', validator(base64(PUBLIC))],
  ['Aptos', 'aptos', `ed25519-priv-0x${bytesToHex(SEED)}`],
  ['libp2p', 'libp2p', libp2p(...SECRET)],
  ['libp2p with the public key twice', 'libp2p', libp2p(...SECRET, ...PUBLIC)],
  ['Stellar', 'stellar', stellar(144)],
  ['an unencrypted Polkadot file', 'polkadot', polkadot(SECRET, PUBLIC)],
  ['Polkadot’s older form', 'polkadot', polkadot(SEED, PUBLIC, { address: ss58(PUBLIC, 42) })],
  ['Polkadot with a long address', 'polkadot', polkadot(SECRET, PUBLIC, { address: ss58(PUBLIC, 90, 1) })],
  ['Polkadot with a hex address', 'polkadot', polkadot(SECRET, PUBLIC, { address: '0x12' })],
  ['Polkadot with a non-ASCII name', 'polkadot', polkadot(SECRET, PUBLIC, { meta: { name: 'Größe' } })],
  ['minisign', 'minisign', minisign(minisignBytes(new Uint8Array(32)))],
  ['minisign with a checksum', 'minisign', minisign(minisignBytes(MINISIGN_SUM))],
]

describe('a key', () => {
  it.each(forms)('is read from %s', async (_name, kind, input) => {
    const read = readOf(await readKey(bytesOf(input)))
    expect([read.kind, read.family, bytesToHex(read.seed), bytesToHex(read.publicKey)]).toEqual([
      kind,
      CHAIN.includes(kind) ? 'chain' : 'plain',
      bytesToHex(SEED),
      bytesToHex(PUBLIC),
    ])
  })

  it.each<[string, KeyKind, string | Uint8Array]>([
    ['raw bytes', 'seed-and-public', OTHER],
    ['hex', 'seed-and-public', bytesToHex(OTHER)],
    ['base64', 'seed-and-public', base64(OTHER)],
    ['PKCS#8', 'pkcs8', pkcs8(0x81, 33, 0, ...OTHER.subarray(32))],
    ['a JWK', 'jwk', jwk({ d: base64(SEED), x: base64(OTHER.subarray(32)) })],
    ['Solana’s list', 'solana', JSON.stringify([...OTHER])],
    ['Solana’s base58', 'solana', bytesToBase58(OTHER)],
    ['NEAR’s text', 'near', near(OTHER)],
    ['NEAR’s file', 'near', nearFile(near(OTHER.subarray(32)))],
    ['CometBFT’s node key', 'cometbft-node', cometbft(OTHER)],
    ['CometBFT’s validator key', 'cometbft-validator', validator(base64(OTHER.subarray(32)))],
    ['libp2p', 'libp2p', libp2p(...OTHER)],
    ['libp2p’s second copy', 'libp2p', libp2p(...SECRET, ...OTHER.subarray(32))],
    ['Polkadot’s secret', 'polkadot', polkadot(OTHER, PUBLIC)],
    ['Polkadot’s public key', 'polkadot', polkadot(SECRET, OTHER.subarray(32))],
    ['Polkadot’s address', 'polkadot', polkadot(SECRET, PUBLIC, { address: ss58(OTHER.subarray(32), 42) })],
  ])('with a mismatched public half is refused in %s', async (_name, kind, input) => {
    expect(await readKey(bytesOf(input))).toEqual(refused({ reason: 'public-half-differs', kind }))
  })

  it.each([0x7b, 0x5b, 0x30, 0x08, 0xef, 0xff, 0x3d, 0x53])(
    'may be raw bytes starting with %i',
    async (first) => {
      const raw = Uint8Array.from(SEED, (byte, i) => (i === 0 ? first : i === 31 ? 0x0a : byte))
      expect(bytesToHex(readOf(await readKey(raw)).seed)).toBe(bytesToHex(raw))
    },
  )
})

const UNKNOWN: KeyFileProblem = { reason: 'unknown' }
const wrongLength = (seen: 'hex' | 'base64', bytes?: number): KeyFileProblem => ({
  reason: 'wrong-length',
  seen,
  ...(bytes !== undefined && { bytes }),
})
const unsupported = (kind: KeyKind): KeyFileProblem => ({ reason: 'unsupported', kind })
const damaged = (kind: KeyKind): KeyFileProblem => ({ reason: 'damaged', kind })
const truncated = (kind: KeyKind): KeyFileProblem => ({ reason: 'truncated', kind })

describe('a file without a supported key', () => {
  it.each<[string, ForeignKind, string | Uint8Array]>([
    ['a WireGuard configuration', 'wireguard', `[Interface]\nPrivateKey = ${base64(SEED)}\n`],
    ['a Nostr key', 'nostr', 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5'],
    ['twelve words', 'words', 'legal winner thank year wave sausage worth useful legal winner thank yellow'],
    ['24 words over two lines', 'words', `${'abandon '.repeat(12)}\n${'abandon '.repeat(11)}art`],
    [
      'twelve words of three to eight letters, from a to z',
      'words',
      'zoo absolute abandon zoo zoo zoo zoo zoo zoo zoo zoo zebra',
    ],
    [
      'a wallet’s root key',
      'wallet-root',
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
    ],
    ['an age key after comments', 'age', `# created\nAGE-SECRET-KEY-1${'Q'.repeat(58)}`],
    ['an age recipient', 'public-key', 'age1fvgdzhxrmv56q8fe085mczlhgzy8k7954cf8w4mdrsrafhqg4p4q0p7s'],
    ['an expanded Tor key', 'tor', Uint8Array.of(...utf8('== ed25519v1-secret: type0 ==\0\0\0'), ...SECRET)],
    [
      'a Tor public key',
      'public-key',
      Uint8Array.of(...utf8('== ed25519v1-public: type0 ==\0\0\0'), ...PUBLIC),
    ],
    ['an Ed25519 ssh public key', 'public-key', 'ssh-ed25519 AAAA me'],
    ['an RSA ssh public key', 'public-key', 'ssh-rsa AAAA me'],
    ['an ECDSA ssh public key', 'public-key', 'ecdsa-sha2-nistp256 AAAA me'],
    ['a Nostr public key', 'public-key', 'npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6'],
    ['a WireGuard configuration after a comment', 'wireguard', `# wg0\n[Interface]\nPrivateKey = x\n`],
    ...(
      [
        ['RSA PRIVATE KEY', 'rsa'],
        ['EC PRIVATE KEY', 'ecdsa'],
        ['DSA PRIVATE KEY', 'dsa'],
        ['PGP PUBLIC KEY BLOCK', 'pgp'],
        ['PUBLIC KEY', 'public-key'],
        ['RSA PUBLIC KEY', 'public-key'],
        ['CERTIFICATE', 'certificate'],
        ['CERTIFICATE REQUEST', 'certificate'],
        ['TRUSTED CERTIFICATE', 'certificate'],
        ['NEW CERTIFICATE REQUEST', 'certificate'],
        ['AGE ENCRYPTED FILE', 'age'],
      ] as const
    ).map(([label, found]): [string, ForeignKind, string] => [
      `a PEM block of ${label}`,
      found,
      pemOf('AA==', label),
    ]),
    [
      'a certificate before another tool’s key',
      'certificate',
      '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\n',
    ],
    [
      'an ssh public key of RFC 4716',
      'public-key',
      '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----\n',
    ],
    ['an X448 JWK', 'x448', jwk({ crv: 'X448' })],
    ['a PuTTY key', 'putty', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n'],
    ['a PGP key', 'pgp', pemOf('\nlQ==', 'PGP PRIVATE KEY BLOCK')],
    ['an ssh security key’s public part', 'security-key', 'sk-ssh-ed25519@openssh.com AAAA'],
    [
      'an Ethereum keystore',
      'ethereum-keystore',
      JSON.stringify({ version: 3, crypto: { ciphertext: 'ab' } }),
    ],
    ['an old Ethereum keystore', 'ethereum-keystore', JSON.stringify({ Crypto: { ciphertext: 'ab' } })],
    ['an X25519 JWK', 'x25519', jwk({ crv: 'X25519', d: 'x' })],
    ['an Ed448 JWK', 'ed448', jwk({ crv: 'Ed448' })],
    ['an RSA JWK', 'rsa', JSON.stringify({ kty: 'RSA', d: 'x' })],
    ['an EC JWK', 'ecdsa', JSON.stringify({ kty: 'EC', crv: 'P-256' })],
    ['a secp256k1 JWK', 'secp256k1', JSON.stringify({ kty: 'EC', crv: 'secp256k1' })],
    ['a shared secret', 'symmetric', JSON.stringify({ kty: 'oct', k: 'x' })],
    ['a set of JWKs', 'key-set', JSON.stringify({ keys: [{ kty: 'OKP' }] })],
    ['a list of JWKs', 'key-set', JSON.stringify([{ kty: 'OKP' }])],
    ['a NEAR file with a secp256k1 key', 'secp256k1', JSON.stringify({ private_key: 'secp256k1:abc' })],
    ['a NEAR secp256k1 key', 'secp256k1', 'secp256k1:abc'],
    ['a NEAR public key', 'public-key', near(PUBLIC)],
    ['an Aptos secp256k1 key', 'secp256k1', `secp256k1-priv-0x${bytesToHex(SEED)}`],
    ['a CometBFT secp256k1 key', 'secp256k1', cometbft(SEED, {}, 'tendermint/PrivKeySecp256k1')],
    ['a CometBFT sr25519 key', 'sr25519', cometbft(SEED, {}, 'tendermint/PrivKeySr25519')],
    ['a Polkadot ecdsa key', 'secp256k1', polkadot(SECRET, PUBLIC).replace('ed25519', 'ecdsa')],
    ['a Polkadot ethereum key', 'secp256k1', polkadot(SECRET, PUBLIC).replace('ed25519', 'ethereum')],
    ['a Sui secp256k1 key', 'secp256k1', sui([1, ...SEED])],
    ['a Sui P-256 key', 'ecdsa', sui([2, ...SEED])],
    ['a Stellar address', 'public-key', 'GAQNNYFRDVYYES3IMRLDDOGDUZMTBFXX5M5IO7ZTBDBYWTBQNPWWMAZX'],
    ['a minisign public key', 'public-key', minisign(new Uint8Array(42))],
    ['a signify key', 'signify', minisign(new Uint8Array(104))],
    ['a libp2p public key', 'public-key', Uint8Array.of(8, 1, 0x12, 32, ...PUBLIC)],
    ['a libp2p RSA key', 'rsa', Uint8Array.of(8, 0, 0x12, 3, 1, 2, 3)],
    ['a libp2p secp256k1 key', 'secp256k1', Uint8Array.of(8, 2, 0x12, 32, ...SEED)],
    ['a libp2p ECDSA key', 'ecdsa', Uint8Array.of(8, 3, 0x12, 3, 1, 2, 3)],
  ])('is refused by name: %s', async (_name, found, input) => {
    expect(await readKey(bytesOf(input))).toEqual(refused({ reason: 'wrong-type', found }))
  })

  it.each<[string, string | Uint8Array, KeyFileProblem]>([
    ['nothing', '', { reason: 'empty' }],
    ['white space', ' \r\n\t', { reason: 'empty' }],
    ['a large file', new Uint8Array(KEY_FILE_BYTES_MAX + 1).fill(0x61), { reason: 'too-large' }],
    ['a sentence', 'this is not a key', UNKNOWN],
    ['a Stellar secret with a wrong low byte in its checksum', stellar(144, 1), damaged('stellar')],
    ['25 words', 'abandon '.repeat(25), UNKNOWN],
    ['other JSON', '{"a":1}', { reason: 'unknown', seen: 'json' }],
    ['31 raw bytes', SEED.slice(1), UNKNOWN],
    ['an unknown PEM block', '-----BEGIN X-----\nAA==\n-----END X-----', { reason: 'unknown', seen: 'pem' }],
    ['62 hex digits', 'ab'.repeat(31), wrongLength('hex', 31)],
    ['43 hex digits, which are also base64 of 32 bytes', `${'a'.repeat(42)}8`, wrongLength('hex')],
    ['base64 of 33 bytes', base64(SECRET.subarray(0, 33)), wrongLength('base64', 33)],
    ['hex with a wrong digit', `${'ab'.repeat(31)}ag`, wrongLength('base64', 48)],
    ['hex after 1x', `1x${'ab'.repeat(32)}`, UNKNOWN],
    ['base64 with too much padding', `${base64(SEED)}=`, UNKNOWN],
    ['base64 whose unused bits are set', `${'A'.repeat(42)}B=`, UNKNOWN],
    ['half a PEM file', nodePkcs8('pem').slice(0, 60), truncated('pkcs8')],
    [
      'a truncated encrypted PEM file',
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGbMF',
      truncated('encrypted-pkcs8'),
    ],
    ['a PEM file with a wrong end', nodePkcs8('pem').replace('END PRIVATE', 'END PUBLIC'), damaged('pkcs8')],
    ['a PEM file with a missing character', nodePkcs8('pem').replace('MC4', 'MC'), damaged('pkcs8')],
    ['half a DER file', pkcs8().slice(0, 40), truncated('pkcs8')],
    ['a DER file with an extra byte', Uint8Array.of(...pkcs8(), 0), damaged('pkcs8')],
    ['a JWK truncated after its type', '{"kty":"OKP', truncated('jwk')],
    ['a NEAR file truncated after one name', '{"private_key":"e', truncated('near')],
    ['other truncated JSON', '{"a":1', { reason: 'unknown', seen: 'json' }],
    ['a list with a negative number', `[${'1,'.repeat(63)}-1]`, damaged('solana')],
    ['a JWK of another curve', jwk({ crv: 'Ed25520', d: base64(SEED) }), unsupported('jwk')],
    ['a JWK with invalid base64', jwk({ d: '!' }), damaged('jwk')],
    [
      'a CometBFT file without a key',
      JSON.stringify({ priv_key: { type: 'tendermint/PrivKeyEd25519' } }),
      damaged('cometbft-node'),
    ],
    ['the first 20 characters of a Stellar secret', `S${'A'.repeat(19)}`, truncated('stellar')],
    [
      'a Stellar address with a wrong checksum',
      `GAQNNYFRDVYYES3IMRLDDOGDUZMTBFXX5M5IO7ZTBDBYWTBQNPWWMAZY`,
      wrongLength('base64', 42),
    ],
    ['base58 of 65 bytes, in 88 digits', 'z'.repeat(88), wrongLength('base64', 66)],
    ['an Aptos key one digit short', `ed25519-priv-0x${bytesToHex(SEED).slice(1)}`, truncated('aptos')],
    ['a Sui key one letter short', sui([0, ...SEED]).slice(0, -1), truncated('sui')],
    ['libp2p with a wrong length', Uint8Array.of(8, 1, 0x12, 65, ...SECRET, 0), UNKNOWN],
    ['15 characters in UTF-16', utf16('fifteen letters'), UNKNOWN],
    ['libp2p of an unknown kind', Uint8Array.of(8, 4, 0x12, 3, 1, 2, 3), UNKNOWN],
    ['libp2p with a cut second public key', Uint8Array.of(8, 1, 0x12, 96, ...SECRET), truncated('libp2p')],
    ['half a JWK', jwk({ d: 'abc' }).slice(0, -4), truncated('jwk')],
    ['a JWK with a duplicate name', '{"kty":"OKP","kty":"OKP"}', unsupported('jwk')],
    ['a JWK with a short d', jwk({ d: base64(SEED.subarray(1)) }), damaged('jwk')],
    ['a JWK with a broken x', jwk({ d: base64(SEED), x: '!' }), damaged('jwk')],
    ['half of Solana’s list', JSON.stringify([...SECRET]).slice(0, 90), truncated('solana')],
    ['a list of 63 numbers', JSON.stringify([...SECRET.subarray(1)]), truncated('solana')],
    ['a list with a number above 255', JSON.stringify([...SECRET.subarray(1), 256]), damaged('solana')],
    ['a list with 007', `[${'1,'.repeat(63)}007]`, damaged('solana')],
    ['a truncated NEAR key', near(SECRET).slice(0, 60), damaged('near')],
    ['a NEAR key with the digit 0', 'ed25519:0', damaged('near')],
    ['a NEAR file with a broken public key', nearFile('x'), damaged('near')],
    ['a truncated NEAR file', '{"account_id":"a', truncated('near')],
    ['a CometBFT file of an unknown type', cometbft(SECRET, {}, 'other'), unsupported('cometbft-node')],
    ['a CometBFT file with a short key', cometbft(SEED), damaged('cometbft-node')],
    ['a CometBFT file with broken base64', cometbft(SECRET).replace('==', '='), damaged('cometbft-node')],
    ['a CometBFT file with a broken public key', validator('!'), damaged('cometbft-validator')],
    ['a truncated CometBFT file', '{"pub_key":{', truncated('cometbft-validator')],
    [
      'a Polkadot file of an unknown kind',
      polkadot(SECRET, PUBLIC).replace('ed25519', 'other'),
      unsupported('polkadot'),
    ],
    ['a Polkadot file with a shifted divider', polkadot(SECRET.subarray(1), PUBLIC), unsupported('polkadot')],
    [
      'a Polkadot file with a short address',
      polkadot(SECRET, PUBLIC, { address: ss58(PUBLIC) }),
      damaged('polkadot'),
    ],
    [
      'an older Polkadot file',
      polkadot(SECRET, PUBLIC, {}, ['xsalsa20-poly1305']),
      { reason: 'other-cipher', kind: 'polkadot' },
    ],
    [
      'a Polkadot file with invalid base64',
      JSON.stringify({ encoded: '!', encoding: { content: ['pkcs8', 'ed25519'] } }),
      damaged('polkadot'),
    ],
    ['a truncated Polkadot file', '{"encoded":"a', truncated('polkadot')],
    ['a truncated Aptos key', `ed25519-priv-0x${bytesToHex(SEED).slice(4)}`, truncated('aptos')],
    ['an Aptos key with extra digits', `ed25519-priv-0x${bytesToHex(SEED)}00`, damaged('aptos')],
    ['an Aptos key with an invalid digit', `ed25519-priv-0x${bytesToHex(SEED).slice(2)}g0`, damaged('aptos')],
    ['a truncated Sui key', sui([0, ...SEED]).slice(0, 50), truncated('sui')],
    ['a Sui key with a wrong letter', `${sui([0, ...SEED]).slice(0, -1)}b`, damaged('sui')],
    ['a Sui key of an unknown kind', sui([3, ...SEED]), unsupported('sui')],
    ['a truncated Stellar secret', 'SDH2QZBZPT745CV3FOBSDOILSCRVBZ2A2TYFDQIKT5', truncated('stellar')],
    ['a Stellar secret with a wrong checksum', `S${'A'.repeat(55)}`, damaged('stellar')],
    ['a truncated libp2p key', libp2p(...SECRET).slice(0, 60), truncated('libp2p')],
    ['a libp2p key and a byte', base64(Uint8Array.of(8, 1, 0x12, 64, ...SECRET, 0)), damaged('libp2p')],
    ['truncated minisign', minisign(minisignBytes(MINISIGN_SUM).slice(0, 150)), truncated('minisign')],
    ['minisign and a byte', minisign(Uint8Array.of(...minisignBytes(MINISIGN_SUM), 1)), damaged('minisign')],
    ['minisign with invalid base64', 'untrusted comment: x\n!', damaged('minisign')],
    [
      'minisign with a wrong checksum',
      minisignOf({ sum: MINISIGN_SUM.map((byte) => byte ^ 1) }),
      damaged('minisign'),
    ],
    ['minisign with an unknown derivation', minisignOf({ derivation: [1, 0] }), unsupported('minisign')],
    ['minisign of an unknown algorithm', minisignOf({ algorithm: 'Ad' }), unsupported('minisign')],
  ])('is refused with its problem: %s', async (_name, input, problem) => {
    expect(await readKey(bytesOf(input))).toEqual(refused(problem))
  })
})

describe('a printed or pasted key', () => {
  it.each(PASTED_KEYS)(
    'is read from $file ($made), and leaves no copy of its seed',
    async ({ text, publicKeyHex }) => {
      const { result, buffers } = await recordBuffers(async () => readOf(await readKey(utf8(text))))
      expect(bytesToHex(result.publicKey)).toBe(publicKeyHex)
      const others = buffers.filter((buffer) => buffer !== result.seed.buffer)
      expect(others.filter((buffer) => holdsSecret(buffer, result.seed))).toEqual([])
    },
  )

  it.each(PASTED_KEYS)(
    'is the same key or none if $file is truncated anywhere',
    async ({ text, publicKeyHex }) => {
      const whole = utf8(text)
      for (let length = 0; length < whole.length; length++) {
        const read = await readKey(whole.slice(0, length))
        if (read.outcome === 'read') expect(bytesToHex(read.publicKey), String(length)).toBe(publicKeyHex)
      }
    },
  )

  const LINES = [bytesToHex(SEED.subarray(0, 16)), bytesToHex(SEED.subarray(16))]
  const grouped = (hex = '', digits = 2) => hex.match(new RegExp(`.{${digits}}`, 'g'))?.join(' ') ?? ''
  it.each<[string, string, KeyFileProblem]>([
    ['a dump without its first line', `00000010: ${grouped(LINES[1], 4)}`, wrongLength('hex', 16)],
    [
      'a dump with a missing line',
      `00000000: ${grouped(LINES[0], 4)}\n00000020: ${grouped(LINES[1], 4)}`,
      UNKNOWN,
    ],
    [
      '16-bit words of hexdump and od',
      `0000000 ${grouped(LINES[0], 4)}\n0000020 ${grouped(LINES[1], 4)}`,
      { reason: 'unknown', seen: 'words' },
    ],
    ['a sentence as long as a seed in base64', 'these words all have only five signs here now ok', UNKNOWN],
    ['an INI file', '[core]\nname = x\n', UNKNOWN],
    ['a list of words', '["a", "b"]', { reason: 'unknown', seen: 'json' }],
    ['JSON with another secret', '{"secret_key":"sk_live_1"}', { reason: 'unknown', seen: 'json' }],
    ['a JWK with a comment', '{"kty":"OKP" /* mine */,"crv":"Ed25519"}', unsupported('jwk')],
    ['a PEM block with headers', pemOf('Proc-Type: 4,ENCRYPTED\n\nAAAA'), unsupported('pkcs8')],
    ['PKCS#8 with both halves in place of the seed', pemOf(base64(longPkcs8())), unsupported('pkcs8')],
    ['a PEM block with other DER', pemOf(base64(Uint8Array.of(0x30, 3, 4, 1, 1))), unsupported('pkcs8')],
  ])('%s is refused as what was recognized, not as damaged', async (_name, text, problem) => {
    expect(await readKey(utf8(text))).toEqual(refused(problem))
  })
})

/** The files in which damage must never silently yield another key. */
const CHECKED_FILES = Object.keys(ACCEPTED).filter(
  (file) => !LOCKED.includes(ACCEPTED[file] ?? '') && file !== 'ethereum-like.hex',
)

describe('a damaged file', () => {
  it.each(CHECKED_FILES)('%s, truncated anywhere, is the same key or none', async (file) => {
    const whole = keyFileBytes(file)
    const { publicKey } = readOf(await readKey(whole))
    for (let length = 0; length < whole.length; length++) {
      const outcome = await readKey(whole.slice(0, length))
      if (outcome.outcome !== 'refused')
        expect(bytesToHex(readOf(outcome).publicKey), String(length)).toBe(bytesToHex(publicKey))
    }
  })

  const SELF_CHECKING = CHECKED_FILES.filter((file) => !/^raw-seed|^openssl-pkcs8|^aptos/.test(file))
  it.each(SELF_CHECKING)('%s, with any byte changed, is the same key or none', async (file) => {
    const whole = keyFileBytes(file)
    const { publicKey } = readOf(await readKey(whole))
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.map((byte, i) => (i === at ? byte ^ 0x01 : byte))
      const outcome = await readKey(changed)
      if (outcome.outcome === 'read')
        expect(bytesToHex(outcome.publicKey), String(at)).toBe(bytesToHex(publicKey))
    }
  })

  it.each([
    'pbkdf2-SHA1-aes128.pem',
    'scrypt-aes128.pem',
    'ssh-aes128-ctr',
    'bundle.p12',
    'openssh-ssh_enc_chacha',
    'polkadot-ed25519.json',
  ])('%s, truncated or with any byte changed, is not read and throws nothing', async (file) => {
    const whole = keyFileBytes(file)
    const read: number[] = []
    for (let at = 0; at < whole.length; at++)
      for (const changed of [whole.slice(0, at), whole.map((byte, i) => (i === at ? byte ^ 0x11 : byte))])
        if ((await readKey(changed)).outcome === 'read') read.push(at)
    expect(read).toEqual([])
  })

  it('throws nothing, whatever its bytes', async () => {
    const beginnings = [
      '',
      '{"kty":',
      '[1,',
      '-----BEGIN PRIVATE KEY-----\n',
      'untrusted comment:\n',
      'S',
      'suiprivkey1',
      'ed25519:',
      OPENSSH_MAGIC,
    ]
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 160 }),
      fc.string({ maxLength: 160 }).map(utf8),
      fc.json().map(utf8),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...beginnings), bytes, async (beginning, rest) => {
        await readKey(Uint8Array.of(...utf8(beginning), ...rest), PASS)
      }),
    )
  })
})

it.each(['pbkdf2-SHA256-aes256.pem', 'scrypt-aes128.pem', 'ssh-aes256-ctr', 'ssh-aes256-cbc'])(
  'a passphrase of random bytes does not open %s',
  async (file) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (passphrase) => {
        const outcome = await readKey(keyFileBytes(file), passphrase)
        expect(outcome).toMatchObject(refused({ reason: 'wrong-passphrase' }))
      }),
      { numRuns: isAll() ? 8 : 1 },
    )
  },
)

describe('buffers after a refusal', () => {
  it('contain nothing of a truncated key', async () => {
    const { buffers } = await recordBuffers(async () => {
      const text = utf8(`ed25519-priv-0x${bytesToHex(SEED).slice(2)}`)
      expect(await readKey(text)).toMatchObject({ problem: truncated('aptos') })
    })
    expect(buffers.length).toBeGreaterThan(0)
    expect(buffers.filter((buffer) => holdsSecret(buffer, SEED.subarray(1)))).toEqual([])
  })

  it('contain nothing of a key with a wrong public half', async () => {
    const mismatched = keyFileBytes('solana-id-mismatched-public-half.json')
    const { seed } = readOf(await readKey(keyFileBytes('solana-id.json')))
    const { result, buffers } = await recordBuffers(async () => readKey(mismatched))
    expect(result.outcome).toBe('refused')
    expect(buffers.filter((buffer) => holdsSecret(buffer, seed))).toEqual([])
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

function nodePkcs8(format: 'pem'): string {
  const key = createPrivateKey({ key: Buffer.from(pkcs8Version1()), format: 'der', type: 'pkcs8' })
  return key.export({ type: 'pkcs8', format }).toString()
}

function pkcs8Version1(): Uint8Array {
  return Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20, ...SEED)
}

function pemOf(body: string, label = 'PRIVATE KEY'): string {
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`
}

/** As some tools write it: both halves where the seed belongs. */
function longPkcs8(): Uint8Array {
  return Uint8Array.of(0x30, 0x4e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x42, 4, 0x40, ...SECRET)
}

const bytesOf = (input: string | Uint8Array): Uint8Array =>
  typeof input === 'string' ? utf8(input) : input.slice()
