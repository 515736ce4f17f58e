import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'

export type TestSigningKey = {
  /** 64 hex digits of the public key. */
  readonly hex: string
  readonly publicKey: Uint8Array<ArrayBuffer>
  /** The public half for node:crypto and for libraries. */
  readonly keyObject: KeyObject
  readonly privateKey: KeyObject
  readonly sign: (message: Uint8Array) => Uint8Array<ArrayBuffer>
}

/** An Ed25519 key of node:crypto whose seed is one byte, 32 times. */
export function ed25519Key(seedByte: number): TestSigningKey {
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.alloc(32, seedByte),
  ])
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const keyObject = createPublicKey(privateKey)
  const publicKey = new Uint8Array(keyObject.export({ format: 'der', type: 'spki' }).subarray(-32))
  return {
    hex: Buffer.from(publicKey).toString('hex'),
    publicKey,
    keyObject,
    privateKey,
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  }
}
