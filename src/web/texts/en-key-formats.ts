import type { ForeignKind, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-file.ts'

/** What a key file is, as it stands before "was read" or after "This is". */
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

const otherKey =
  'A service that takes Ed25519 signatures has no use for it. Bring an Ed25519 key, or make one here.'
const publicOnly = 'Nothing in it can sign.'

/** What it is instead, and what to do. */
const foreign: Readonly<Record<ForeignKind, string>> = {
  rsa: `This is an RSA key. ${otherKey}`,
  dsa: `This is a DSA key. ${otherKey}`,
  ecdsa: `This is an elliptic-curve key such as P-256. ${otherKey}`,
  secp256k1: `This is a secp256k1 key, as Bitcoin and Ethereum use. ${otherKey}`,
  nostr: `This is a Nostr key, which is of Bitcoin’s kind. ${otherKey}`,
  x25519: `This is an X25519 key. It encrypts and can’t sign. ${otherKey}`,
  age: `This belongs to age, which encrypts; its keys can’t sign. ${otherKey}`,
  wireguard: `This is a WireGuard configuration. Its key makes connections and can’t sign. ${otherKey}`,
  ed448: `This is an Ed448 key. ${otherKey}`,
  x448: `This is an X448 key. It encrypts and can’t sign. ${otherKey}`,
  sr25519: `This is an sr25519 key, the usual kind of Polkadot. ${otherKey}`,
  symmetric: `This is a shared secret. ${otherKey}`,
  'public-key': `This is a public key. ${publicOnly} Bring the private key that belongs to it.`,
  certificate: `This is a certificate. ${publicOnly} Bring the private key that belongs to it.`,
  words:
    'These are the words of a wallet. Never type them into a page: they open everything the wallet holds, and which key comes of them is a guess. Make a new key here instead.',
  'wallet-root':
    'This is the root of a wallet. It opens everything the wallet holds and belongs in no page. Make a new key here instead.',
  tor: 'This is a Tor service’s expanded key: the seed can’t be had back from it. Make a new key here instead.',
  'security-key':
    'The private half of this key is inside a security key and never leaves it. Make a new key here instead.',
  'ethereum-keystore': `This is an Ethereum wallet. ${otherKey}`,
  pkcs12:
    'This is a PKCS#12 bundle. Take the key out first: openssl pkcs12 -in FILE -nocerts -noenc -out key.pem',
  putty: 'This is a PuTTY key. Convert it first: puttygen FILE -O private-openssh -o key',
  pgp: `This is a PGP key. Its Ed25519 parts are wrapped in a way that is not read here. ${otherKey}`,
  signify: 'This is a signify key of OpenBSD, which is not read here. Make a new key here instead.',
  'key-set': 'This is a set of several keys. Bring one of them by itself.',
}

/** How to protect a file in a way that is read here. */
const reencrypt: Readonly<Record<LockedKind, string>> = {
  'encrypted-pkcs8': 'openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out key.pem',
  'encrypted-openssh': 'ssh-keygen -p -Z aes256-ctr -f FILE',
  'encrypted-minisign': 'minisign -C -W -s FILE',
  polkadot: 'an export by a current polkadot-js',
}

const plain: Readonly<Record<'empty' | 'too-large' | 'unknown' | 'wrong-length', string>> = {
  empty: 'There is nothing in it.',
  'too-large': 'This file is too large to be a key: more than 64 KiB. Choose the key file itself.',
  unknown:
    'This is no key in a form that is known here. An Ed25519 key comes as 32 bytes in hex or base64, or as a file of openssl, ssh-keygen or a wallet.',
  'wrong-length':
    'A seed has 32 bytes, with its public key 64. This is longer or shorter: something was lost or added.',
}

/** What is wrong with a key file, what it is, and what to do. */
export function keyFileProblem(problem: KeyFileProblem): string {
  switch (problem.reason) {
    case 'wrong-type':
      return foreign[problem.found]
    case 'truncated':
      return `This is ${kinds[problem.kind]}, but its end is missing. Copy all of it.`
    case 'damaged':
      return `This looks like ${kinds[problem.kind]}, but something in it is wrong. Take the original again.`
    case 'public-half-differs':
      return `This is ${kinds[problem.kind]} whose public key is not its own. Signing with it would give the secret away, so it is not taken. Take the original again.`
    case 'wrong-passphrase':
      return 'This passphrase does not open it, or the file is damaged. Try again.'
    case 'too-costly':
      return `This is ${kinds[problem.kind]}, protected with more work than a browser can do. Protect a copy in another way first: ${reencrypt[problem.kind]}`
    case 'other-cipher':
      return `This is ${kinds[problem.kind]}, protected in a way that is not read here. Protect a copy in another way first: ${reencrypt[problem.kind]}`
    default:
      return plain[problem.reason]
  }
}

/** A key between being read and being kept. */
export const keyFormatTexts = {
  kinds,
  isRead: (kind: KeyKind): string => `Read: ${kinds[kind]}.`,
  untyped:
    'Such bytes carry no type: keys of Ethereum or WireGuard look the same. Compare the public key with the one your service knows.',
  publicKey: 'Public key',
  fingerprint: 'Fingerprint',
  chain:
    'A key of a wallet or a validator can spend, or be punished for signing twice. Better make a new key here and register it as one that may only read status.',
  keep: 'Keep this key',
  keeping: 'Keeping',
  drop: 'Don’t keep it',
  needsPassphrase: (kind: LockedKind): string => `This is ${kinds[kind]}.`,
  passphrase: 'Its passphrase',
  passphraseHint: 'Used to read it, and not kept. Opening may take some seconds.',
  open: 'Open it',
  opening: 'Opening',
} as const
