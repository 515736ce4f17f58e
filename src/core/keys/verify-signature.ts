import nacl from 'tweetnacl'

/** Whether a signature fits. For signatures made here a moment ago: it accepts more forms than a service should. */
export const fitsSignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  nacl.sign.detached.verify(message, signature, publicKey)
