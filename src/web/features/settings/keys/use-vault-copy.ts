import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { saveFile } from '#react/save-file.ts'

/** Saves an encrypted copy of a vault as a file. Says whether the last one failed. */
export function useVaultCopy(): {
  readonly isFailed: boolean
  readonly save: (publicKey: string) => Promise<void>
} {
  const { signer } = useDashboard()
  const [isFailed, setFailed] = useState(false)
  return {
    isFailed,
    save: async (publicKey) => {
      const text = await signer.exportVault(publicKey).catch(() => undefined)
      setFailed(text?.ok !== true)
      if (text?.ok === true) saveFile(`immune-vault-${publicKey.slice(0, 8)}.json`, text.value)
    },
  }
}
