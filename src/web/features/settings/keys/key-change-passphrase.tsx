import { useRef, useState } from 'react'
import { NewPassphrase, useNewPassphrase } from '#parts/new-passphrase.tsx'
import { useDashboard } from '#react/dashboard.ts'
import type { KeyInfo } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { PassphraseField, takePassphrase } from '#ui/passphrase-field.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'

const words = keyTexts.change

/** Another passphrase for the vault, which needs the one it has; locked or open makes no difference. */
export function KeyChangePassphrase({ info }: { readonly info: KeyInfo }) {
  const { signer, refreshKeys } = useDashboard()
  const current = useRef<HTMLInputElement>(null)
  const next = useNewPassphrase()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isChanged, setChanged] = useState(false)
  const change = async (): Promise<void> => {
    if (isBusy) return
    setChanged(false)
    setProblem(undefined)
    // What can't be used is said before the old passphrase is taken out of its field.
    const passphrase = next.take()
    if (passphrase === undefined) return
    setBusy(true)
    const changed = await signer
      .changePassphrase(
        info.publicKey,
        { kind: 'passphrase', passphrase: takePassphrase(current) },
        passphrase,
      )
      .catch(() => ({ ok: false as const, error: 'failed' as const }))
    setBusy(false)
    setChanged(changed.ok)
    setProblem(changed.ok ? undefined : words.problems[changed.error])
    await refreshKeys()
  }
  return (
    <Disclosure summary={words.title}>
      <p className="t12 ink3">{words.text}</p>
      <PassphraseField
        label={words.current}
        error={problem}
        input={current}
        autoComplete="current-password"
      />
      <NewPassphrase passphrase={next} label={words.next} onEnter={() => void change()} />
      <Flow>
        <Button size="small" busy={isBusy} onClick={() => void change()}>
          {words.change}
        </Button>
        <output className="t12 ink1">{isBusy ? words.changing : isChanged && words.changed}</output>
      </Flow>
    </Disclosure>
  )
}
