export { canUsePasskeys, createPasskey } from '#platform/passkey.ts'
