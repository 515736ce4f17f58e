/*
 * What key files are called and what can be wrong with them: the words for it are chosen where
 * no key is, and the keys are read where no words are.
 */

export type LockedKind = 'encrypted-pkcs8' | 'encrypted-openssh' | 'encrypted-minisign' | 'polkadot'

/** Forms of Ed25519 keys that are read. */
export type KeyKind =
  | LockedKind
  | 'seed'
  | 'seed-and-public'
  | 'pkcs8'
  | 'openssh'
  | 'jwk'
  | 'minisign'
  | 'libp2p'
  | 'solana'
  | 'near'
  | 'cometbft-validator'
  | 'cometbft-node'
  | 'stellar'
  | 'sui'
  | 'aptos'

/** Other keys and files, which are recognised by name. */
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

/** Closed, so that each has a text. */
export type KeyFileProblem =
  | { readonly reason: 'empty' | 'too-large' }
  /** `seen`: what was recognised. `words`: a dump in words of 16 bits, which has two readings. */
  | { readonly reason: 'unknown'; readonly seen?: 'json' | 'pem' | 'words' }
  | { readonly reason: 'wrong-length'; readonly seen?: 'hex' | 'base64'; readonly bytes?: number }
  | { readonly reason: 'wrong-type'; readonly found: ForeignKind }
  | {
      /** `unsupported`: recognised by its frame; what stands in it is not read here, which is no sign of damage. */
      readonly reason: 'truncated' | 'damaged' | 'unsupported' | 'public-half-differs'
      readonly kind: KeyKind
    }
  /** `too-costly`: the file asks for more memory or time than a browser has. `other-cipher`: protected in a way that is not read here. */
  | { readonly reason: 'wrong-passphrase' | 'too-costly' | 'other-cipher'; readonly kind: LockedKind }

/** `chain`: keys that can spend or, as a validator's, be punished; a key that may only read status is better. */
export type KeyFamily = 'plain' | 'chain'
