/** Verifies Ed25519 signatures, with WebCrypto where available. Never has access to an operator's key. */
export { createVerifier } from '#keys/verify-signature.ts'
