/** Derived, because the global name CryptoKey is not declared in every library that this is compiled against. */
export type WebCryptoKey = Parameters<typeof crypto.subtle.sign>[1]

/** On plain http the property is missing, whatever its declared type says. */
type SubtleCryptoMaybe = typeof crypto.subtle | undefined

/** Whether this global scope can make and use Ed25519 keys: a secure context, in a browser that has the algorithm. */
export async function hasWebCrypto(): Promise<boolean> {
  const subtle: SubtleCryptoMaybe = globalThis.crypto.subtle
  if (subtle === undefined) return false
  try {
    await subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    return true
  } catch {
    return false // browsers before Ed25519 reject with NotSupportedError
  }
}
