import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'

export type TestSigningKey = {
  /** The public key as 64 hex digits. */
  readonly hex: string
  readonly publicKey: Uint8Array<ArrayBuffer>
  /** The public key as node:crypto and libraries accept it. */
  readonly keyObject: KeyObject
  readonly privateKey: KeyObject
  readonly sign: (message: Uint8Array) => Uint8Array<ArrayBuffer>
}

/** An Ed25519 key from node:crypto. Its seed repeats one byte 32 times. */
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
