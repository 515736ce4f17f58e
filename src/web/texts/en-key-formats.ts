import type { ForeignKind, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-kinds.ts'

/** Kinds of key files, worded to follow "Detected:" or "This is". */
const kinds: Readonly<Record<KeyKind, string>> = {
  seed: '32 bytes without a type',
  'seed-and-public': 'a seed with its public key (tweetnacl, libsodium)',
  pkcs8: 'a PKCS#8 private key (openssl)',
  'encrypted-pkcs8': 'an encrypted PKCS#8 private key (openssl)',
  openssh: 'an OpenSSH private key',
  'encrypted-openssh': 'an OpenSSH private key with a passphrase',
  jwk: 'a JSON Web Key',
  minisign: 'a minisign secret key',
  'encrypted-minisign': 'a minisign secret key with a password',
  libp2p: 'a libp2p or IPFS key',
  solana: 'a Solana key',
  near: 'a NEAR key',
  'cometbft-validator': 'a CometBFT validator’s key',
  'cometbft-node': 'a CometBFT node’s key',
  stellar: 'a Stellar secret key',
  sui: 'a Sui private key',
  aptos: 'an Aptos private key',
  polkadot: 'a Polkadot account',
}

const otherKey = 'Use an Ed25519 key, or generate one in the dashboard.'
const publicOnly = 'It can’t sign.'

const foreign: Readonly<Record<ForeignKind, string>> = {
  rsa: `This is an RSA key. ${otherKey}`,
  dsa: `This is a DSA key. ${otherKey}`,
  ecdsa: `This is an elliptic-curve key such as P-256. ${otherKey}`,
  secp256k1: `This is a secp256k1 key, as used by Bitcoin and Ethereum. ${otherKey}`,
  nostr: `This is a Nostr key, which is a secp256k1 key. ${otherKey}`,
  x25519: `This is an X25519 key. It can’t sign. ${otherKey}`,
  age: `This is an age key. It can’t sign. ${otherKey}`,
  wireguard: `This is a WireGuard configuration. Its key can’t sign. ${otherKey}`,
  ed448: `This is an Ed448 key. ${otherKey}`,
  x448: `This is an X448 key. It can’t sign. ${otherKey}`,
  sr25519: `This is an sr25519 key, the usual kind on Polkadot. ${otherKey}`,
  symmetric: `This is a shared secret. ${otherKey}`,
  'public-key': `This is a public key. ${publicOnly} Import its private key.`,
  certificate: `This is a certificate. ${publicOnly} Import its private key.`,
  words:
    'This is a wallet’s recovery phrase. Never enter it anywhere but in the wallet: it controls the whole wallet. Generate a new key in the dashboard instead.',
  'wallet-root':
    'This is a wallet’s root key. It controls the whole wallet. Generate a new key in the dashboard instead.',
  tor: 'This is a Tor service’s expanded key, which does not contain the seed. Generate a new key in the dashboard instead.',
  'security-key':
    'The private half of this key stays inside a security key. Generate a new key in the dashboard instead.',
  'ethereum-keystore': `This is an Ethereum wallet. ${otherKey}`,
  pkcs12:
    'This is a PKCS#12 bundle. Extract the key first: openssl pkcs12 -in FILE -nocerts -noenc -out key.pem',
  putty: 'This is a PuTTY key. Convert it first: puttygen FILE -O private-openssh -o key',
  pgp: `This is a PGP key. PGP keys are not supported. ${otherKey}`,
  signify:
    'This is an OpenBSD signify key, which is not supported. Generate a new key in the dashboard instead.',
  'key-set': 'This is a set of several keys. Import a single one.',
}

const remedies: Readonly<Record<LockedKind, string>> = {
  'encrypted-pkcs8': 'Re-encrypt a copy first: openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out key.pem',
  'encrypted-openssh': 'Re-encrypt a copy first: ssh-keygen -p -Z aes256-ctr -f FILE',
  'encrypted-minisign':
    'Remove the password from a copy first, and delete the copy after the import: minisign -C -W -s FILE',
  polkadot: 'Export it again with a current polkadot-js.',
}

const seen = {
  json: 'This is JSON. ',
  pem: 'This is a PEM file. ',
  words: 'This is a hex dump in 16-bit words, whose byte order is unknown: dump it with xxd -p. ',
  hex: 'hex',
  base64: 'base64',
} as const

const lengths = 'Wrong length: a seed has 32 bytes, or 64 with its public key.'

export function keyFileProblem(problem: KeyFileProblem): string {
  switch (problem.reason) {
    case 'wrong-type':
      return foreign[problem.found]
    case 'truncated':
      return `This is ${kinds[problem.kind]}, but it is truncated. Copy all of it.`
    case 'damaged':
      return `This looks like ${kinds[problem.kind]}, but it is damaged. Use the original.`
    case 'public-half-differs':
      return `This is ${kinds[problem.kind]} with a public key that does not match. Signing with it would reveal the private key, so it is rejected. Use the original.`
    case 'wrong-passphrase':
      return 'Wrong passphrase, or the file is damaged. Try again.'
    case 'too-costly':
      return `This is ${kinds[problem.kind]}, encrypted with a key-derivation cost above the limit. ${remedies[problem.kind]}`
    case 'other-cipher':
      return `This is ${kinds[problem.kind]}, encrypted with an unsupported cipher. ${remedies[problem.kind]}`
    case 'unsupported':
      return `This looks like ${kinds[problem.kind]}, in a variant that is not supported. Export the key as PKCS#8 (openssl), or generate one in the dashboard.`
    case 'unknown':
      return `${problem.seen === undefined ? '' : seen[problem.seen]}Not a known key format. Expected: 32 bytes in hex or base64, or an openssl, ssh-keygen or wallet key file.`
    case 'wrong-length':
      if (problem.seen === undefined) return lengths
      return problem.bytes === undefined
        ? `This is ${seen[problem.seen]} with one digit too few or too many. ${lengths}`
        : `This is ${problem.bytes === 1 ? '1 byte' : `${problem.bytes} bytes`} in ${seen[problem.seen]}. ${lengths}`
    case 'empty':
      return 'The file or text is empty.'
    case 'too-large':
      return 'Larger than 64 KiB: not a key file.'
  }
}

export const keyFormatTexts = {
  kinds,
  isRead: (kind: KeyKind): string => `Detected: ${kinds[kind]}.`,
  untyped:
    'Raw bytes carry no type: an Ethereum or WireGuard key looks the same. Compare the public key with the one registered with your service.',
  publicKey: 'Public key',
  fingerprint: 'Fingerprint',
  chain:
    'A wallet key can spend funds, and a validator can be slashed for double signing. Prefer a new read-only key, generated here.',
  keep: 'Save key',
  keeping: 'Saving',
  drop: 'Discard',
  needsPassphrase: (kind: LockedKind): string => `This is ${kinds[kind]}.`,
  passphrase: 'Passphrase of the file',
  passphraseHint: 'Not stored. Decrypting may take a few seconds.',
  open: 'Decrypt',
  opening: 'Decrypting',
} as const
