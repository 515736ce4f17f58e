import { useRef, useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { canUsePasskeys, createPasskey } from '#react/passkeys.ts'
import type { KeyInfo } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { PassphraseField, takePassphrase } from '#ui/passphrase-field.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'

const words = keyTexts.passkey

/** A second way into the vault: says what it is worth, and where it can't be had. */
export function KeyPasskey({ info }: { readonly info: KeyInfo }) {
  const { signer, refreshKeys } = useDashboard()
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [said, setSaid] = useState<string>()
  const add = async (): Promise<void> => {
    const passphrase = takePassphrase(input)
    setBusy(true)
    setSaid(undefined)
    setSaid(await addTo(info, passphrase))
    setBusy(false)
    await refreshKeys()
  }
  const addTo = async (key: KeyInfo, passphrase: Uint8Array<ArrayBuffer>): Promise<string> => {
    const made = await createPasskey(key.label)
    if (!made.ok) return words.unsupported
    const added = await signer
      .addPasskey(key.publicKey, { kind: 'passphrase', passphrase }, made.value)
      .catch(() => ({ ok: false as const, error: 'failed' as const }))
    return added.ok ? words.added : words.problems[added.error]
  }
  const remove = async (credentialId: string): Promise<void> => {
    const removed = await signer
      .removePasskey(info.publicKey, credentialId)
      .catch(() => ({ ok: false as const, error: 'failed' as const }))
    setSaid(removed.ok ? undefined : words.problems[removed.error])
    await refreshKeys()
  }
  return (
    <Disclosure summary={words.title}>
      <p className="t12 ink3">{words.text}</p>
      {canUsePasskeys() ? (
        <>
          <PassphraseField label={words.passphrase} input={input} autoComplete="current-password" />
          <Flow>
            <Button size="small" busy={isBusy} onClick={() => void add()}>
              {words.add}
            </Button>
            {(info.passkeys ?? []).map(({ credentialId }) => (
              <Button key={credentialId} size="small" onClick={() => void remove(credentialId)}>
                {words.remove}
              </Button>
            ))}
          </Flow>
        </>
      ) : (
        <p className="t12 ink1">{words.needsName(location.port === '' ? '80' : location.port)}</p>
      )}
      <output className="t12 ink1">{said}</output>
    </Disclosure>
  )
}
