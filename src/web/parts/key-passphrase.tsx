import { useRef } from 'react'
import type { LockedKind } from '#protocol/key-file.ts'
import { keyFileProblem, keyFormatTexts } from '#texts/en-key-formats.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { PassphraseField } from '#ui/secret-field.tsx'

type KeyPassphraseProps = {
  readonly kind: LockedKind
  readonly opening: boolean
  readonly wrong: boolean
  readonly onOpen: (passphrase: Uint8Array<ArrayBuffer>) => void
  readonly onDrop: () => void
}

/** Asks for the passphrase of a protected key file. */
export function KeyPassphrase({ kind, opening, wrong, onOpen, onDrop }: KeyPassphraseProps) {
  const input = useRef<HTMLInputElement>(null)
  const take = (): void => {
    if (input.current === null || opening) return
    const typed = input.current.value
    input.current.value = ''
    // As typed: the tool that made the file took the bytes as they were.
    onOpen(new TextEncoder().encode(typed))
  }
  return (
    <>
      <p>
        <output className="ink1">{keyFormatTexts.needsPassphrase(kind)}</output>
      </p>
      <PassphraseField
        label={keyFormatTexts.passphrase}
        hint={keyFormatTexts.passphraseHint}
        error={wrong ? keyFileProblem({ reason: 'wrong-passphrase', kind }) : undefined}
        input={input}
        autoComplete="current-password"
        onEnter={take}
      />
      <Flow>
        <Button busy={opening} onClick={take}>
          {opening ? keyFormatTexts.opening : keyFormatTexts.open}
        </Button>
        <Button look="subtle" onClick={onDrop}>
          {keyFormatTexts.drop}
        </Button>
      </Flow>
    </>
  )
}
