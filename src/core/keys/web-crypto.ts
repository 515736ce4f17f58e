/** Derived, because some of the type libraries in use do not declare the global CryptoKey. */
export type WebCryptoKey = Parameters<typeof crypto.subtle.sign>[1]

/** On plain http the property is missing, although its declared type says otherwise. */
export const webCrypto = (): typeof crypto.subtle | undefined => globalThis.crypto.subtle

/** Whether this global scope supports Ed25519 keys: it needs a secure context and a browser with the algorithm. */
export async function hasWebCrypto(): Promise<boolean> {
  const subtle = webCrypto()
  if (subtle === undefined) return false
  try {
    await subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    return true
  } catch {
    return false // Browsers without Ed25519 reject with NotSupportedError.
  }
}
