import { err } from '#base/result.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import { VAULT_INPUT_BYTES_MAX } from '#keys/vault.ts'
import type { LockState } from './api.ts'
import { bytesOf, listedServices, numberOf, passkeyOf, secretOf, textOf } from './arguments.ts'
import type { IdleLock } from './idle-lock.ts'
import type { SomeCalls } from './offered.ts'

export const vaultCalls = (keyRing: KeyRing, idle: IdleLock) =>
  ({
    lock: async () => keyRing.lock(),
    unlock: async ([publicKey, secret]) => {
      const unlocked = await keyRing.unlock(textOf(publicKey), secretOf(secret))
      // Entering the secret counts as activity.
      if (unlocked.ok) idle.touch()
      return unlocked
    },
    changePassphrase: async ([publicKey, secret, passphrase]) =>
      keyRing.changePassphrase(textOf(publicKey), secretOf(secret), bytesOf(passphrase)),
    addPasskey: async ([publicKey, secret, passkey]) =>
      keyRing.addPasskey(textOf(publicKey), secretOf(secret), passkeyOf(passkey)),
    removePasskey: async ([publicKey, credentialId]) =>
      keyRing.removePasskey(textOf(publicKey), textOf(credentialId)),
    exportVault: async ([publicKey]) => keyRing.exportVault(textOf(publicKey)),
    importVault: async ([file, passphrase, label, replace, list]) => {
      const secret = bytesOf(passphrase)
      if (!(file instanceof Blob)) throw new TypeError('not a file')
      // Checked before reading, because any file can be chosen by mistake.
      if (file.size > VAULT_INPUT_BYTES_MAX) return err('not-a-vault')
      return keyRing.importVault(
        new Uint8Array(await file.arrayBuffer()),
        secret,
        textOf(label),
        replace === true,
        listedServices(list),
      )
    },
    presence: async ([isHere]) => {
      if (isHere === true) idle.touch()
      else idle.check()
      return lockState(keyRing, idle)
    },
    setLockMinutes: async ([given, publicKey, secret]) => {
      const minutes = numberOf(given)
      if (minutes !== 0) return idle.choose(minutes)
      // Turning off the automatic lock requires the secret of a vault.
      if (secret === undefined) return 'needs-secret'
      return (await keyRing.isSecretOf(textOf(publicKey), secretOf(secret))) ? idle.choose(0) : 'wrong-secret'
    },
  }) satisfies SomeCalls

async function lockState(keyRing: KeyRing, idle: IdleLock): Promise<LockState> {
  const { open, locked } = await keyRing.vaultCounts()
  const leftMs = idle.leftMs()
  return { minutes: idle.minutes(), open, locked, ...(open > 0 && leftMs !== undefined && { leftMs }) }
}
