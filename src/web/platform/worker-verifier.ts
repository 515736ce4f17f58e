/** Checks Ed25519 signatures, with the browser's own cryptography where the page may use it. Holds no key of the operator. */
export { createVerifier } from '#keys/verify-signature.ts'
