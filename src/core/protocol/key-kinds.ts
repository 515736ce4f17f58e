/**
 * The kinds of key files and their problems. Shared, because the page chooses the texts and the signer reads the keys.
 */

export type LockedKind = 'encrypted-pkcs8' | 'encrypted-openssh' | 'encrypted-minisign' | 'polkadot'

/** Formats of keys that can spend funds or, for a validator, be slashed. */
export type ChainKind =
  | 'solana'
  | 'near'
  | 'cometbft-validator'
  | 'cometbft-node'
  | 'polkadot'
  | 'stellar'
  | 'sui'
  | 'aptos'

/** Supported formats of Ed25519 keys. */
export type KeyKind =
  | LockedKind
  | ChainKind
  | 'seed'
  | 'seed-and-public'
  | 'pkcs8'
  | 'openssh'
  | 'jwk'
  | 'minisign'
  | 'libp2p'

/** Unsupported keys and files that are recognized. */
export type ForeignKind =
  | 'rsa'
  | 'dsa'
  | 'ecdsa'
  | 'secp256k1'
  | 'nostr'
  | 'x25519'
  | 'age'
  | 'wireguard'
  | 'ed448'
  | 'x448'
  | 'sr25519'
  | 'symmetric'
  | 'public-key'
  | 'certificate'
  | 'words'
  | 'wallet-root'
  | 'tor'
  | 'security-key'
  | 'ethereum-keystore'
  | 'pkcs12'
  | 'putty'
  | 'pgp'
  | 'signify'
  | 'key-set'

/** A closed union, so that each problem has a text. */
export type KeyFileProblem =
  | { readonly reason: 'empty' | 'too-large' }
  /** `seen`: the recognized container. `words`: a dump in 16-bit words, whose byte order is unknown. */
  | { readonly reason: 'unknown'; readonly seen?: 'json' | 'pem' | 'words' }
  | { readonly reason: 'wrong-length'; readonly seen?: 'hex' | 'base64'; readonly bytes?: number }
  | { readonly reason: 'wrong-type'; readonly found: ForeignKind }
  | {
      /** `unsupported`: a recognized format with unsupported content, which does not indicate damage. */
      readonly reason: 'truncated' | 'damaged' | 'unsupported' | 'public-half-differs'
      readonly kind: KeyKind
    }
  /** `too-costly`: the file requires more memory or time than a browser has. `other-cipher`: an unsupported encryption. */
  | { readonly reason: 'wrong-passphrase' | 'too-costly' | 'other-cipher'; readonly kind: LockedKind }

/** `chain`: keys that can spend funds or, for a validator, be slashed. A key that may only read the status is safer. */
export type KeyFamily = 'plain' | 'chain'
