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
  const take = async (chosen: File): Promise<void> => {
    const passphrase = takePassphrase(input)
    setBusy(true)
    const taken = await signer
      .importVault(chosen, passphrase, words.label)
      .catch(() => ({ ok: false as const, error: 'failed' as const }))
    setBusy(false)
    setProblem(taken.ok ? undefined : taken.error)
    if (!taken.ok) return
    setFile(undefined)
    await refreshKeys()
  }
  return (
    <Disclosure summary={words.title}>
      <FileField
        label={words.file}
        prompt={file === undefined ? words.filePrompt : words.chosen(file.name)}
        accept="application/json,.json"
        onFile={setFile}
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
              {words.take}
            </Button>
          </Flow>
        </>
      )}
    </Disclosure>
  )
}
