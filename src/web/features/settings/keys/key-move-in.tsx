import { useRef, useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import type { MoveProblem } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { FileField } from '#ui/file-field.tsx'
import { Flow } from '#ui/page.tsx'
import { PassphraseField, takePassphrase } from '#ui/passphrase-field.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'

const words = keyTexts.move

/** Takes in a vault that was saved on another computer. The file is read in the signer. */
export function KeyMoveIn() {
  const { signer, refreshKeys } = useDashboard()
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<MoveProblem | 'failed'>()
  /** The key of this file is here already; asked, and not yet answered. */
  const [isThere, setThere] = useState(false)
  const choose = (chosen: File | undefined): void => {
    setFile(chosen)
    setThere(false)
    setProblem(undefined)
  }
  const take = async (chosen: File): Promise<void> => {
    if (isBusy) return
    const passphrase = takePassphrase(input)
    setBusy(true)
    const taken = await signer
      .importVault(chosen, passphrase, words.label, isThere)
      .catch(() => ({ ok: false as const, error: 'failed' as const }))
    setBusy(false)
    if (taken.ok) choose(undefined)
    else {
      setProblem(taken.error)
      if (taken.error === 'exists') setThere(true)
    }
    await refreshKeys()
  }
  return (
    <Disclosure summary={words.title}>
      <FileField
        label={words.file}
        prompt={file === undefined ? words.filePrompt : words.chosen(file.name)}
        accept="application/json,.json"
        onFile={choose}
        error={problem === undefined ? undefined : words.problems[problem]}
      />
      {file !== undefined && (
        <>
          <PassphraseField
            label={keyTexts.unlock.label}
            input={input}
            autoComplete="current-password"
            onEnter={() => void take(file)}
          />
          <Flow>
            <Button size="small" busy={isBusy} onClick={() => void take(file)}>
              {isThere ? words.replace : words.take}
            </Button>
            {isThere && (
              <Button size="small" look="subtle" onClick={() => choose(undefined)}>
                {words.leave}
              </Button>
            )}
          </Flow>
        </>
      )}
    </Disclosure>
  )
}
