import { useState } from 'react'
import { askPasskey } from '#platform/passkey.ts'
import type { KeyInfo, UnlockProblem, VaultSecret } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'

/** `failed`: the signer does not answer. `passkey`: no passkey answered. */
export type UnlockTrouble = UnlockProblem | 'failed' | 'passkey'

/** Opens a vault, and has the nodes that waited for it asked at once. */
export function useUnlock(onOpen: () => void) {
  const { signer, refreshKeys } = useDashboard()
  const [isOpening, setOpening] = useState(false)
  const [problem, setProblem] = useState<UnlockTrouble>()

  const open = async (key: KeyInfo, secretOf: () => Promise<VaultSecret | undefined>): Promise<void> => {
    setOpening(true)
    setProblem(undefined)
    const trouble = await attempt(key, secretOf)
    setOpening(false)
    setProblem(trouble)
    if (trouble !== undefined) return
    onOpen()
    await refreshKeys()
  }

  const attempt = async (
    key: KeyInfo,
    secretOf: () => Promise<VaultSecret | undefined>,
  ): Promise<UnlockTrouble | undefined> => {
    try {
      const secret = await secretOf()
      if (secret === undefined) return 'passkey'
      const opened = await signer.unlock(key.publicKey, secret)
      return opened.ok ? undefined : opened.error
    } catch {
      return 'failed' // the signer did not start or did not answer
    }
  }

  return {
    isOpening,
    problem,
    byPassphrase: (key: KeyInfo, passphrase: Uint8Array<ArrayBuffer>) =>
      open(key, async () => ({ kind: 'passphrase', passphrase })),
    byPasskey: (key: KeyInfo) =>
      open(key, async () => {
        const answer = await askPasskey(key.passkeys ?? [])
        return answer.ok
          ? { kind: 'passkey', credentialId: answer.value.credentialId, secret: answer.value.secret }
          : undefined
      }),
  }
}
