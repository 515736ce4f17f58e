export { askPasskey, canUsePasskeys, createPasskey } from '#platform/passkey.ts'
