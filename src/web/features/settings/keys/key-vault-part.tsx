import { useState } from 'react'
import { UnlockDialog } from '#parts/unlock-dialog.tsx'
import { useDashboard } from '#react/dashboard.ts'
import type { KeyInfo } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { KeyChangePassphrase } from './key-change-passphrase.tsx'
import { KeyPasskey } from './key-passkey.tsx'
import { useVaultCopy } from './use-vault-copy.ts'

/** What can be done with a key in a vault: open and lock it, take an encrypted copy, add a passkey. */
export function KeyVaultPart({ info }: { readonly info: KeyInfo }) {
  const { signer, refreshKeys } = useDashboard()
  const [isAsking, setAsking] = useState(false)
  const { isFailed, save } = useVaultCopy()
  const lock = async (): Promise<void> => {
    await signer.lock().catch(() => undefined) // a signer that is gone holds no key
    await refreshKeys()
  }
  return (
    <>
      <Flow>
        {info.locked === true ? (
          <Button size="small" look="primary" onClick={() => setAsking(true)}>
            {keyTexts.unlock.open}
          </Button>
        ) : (
          <Button size="small" onClick={() => void lock()}>
            {keyTexts.unlock.lockNow}
          </Button>
        )}
        <Button size="small" onClick={() => void save(info.publicKey)}>
          {keyTexts.move.export}
        </Button>
        <span className="t12 ink3">{keyTexts.move.exportText}</span>
      </Flow>
      <p role="alert" className="t12 ink1">
        {isFailed && keyTexts.move.exportFailed}
      </p>
      <KeyChangePassphrase info={info} />
      <KeyPasskey info={info} />
      <UnlockDialog open={isAsking} onClose={() => setAsking(false)} publicKey={info.publicKey} />
    </>
  )
}
