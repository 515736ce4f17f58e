import { useRef, useState } from 'react'
import { PASSPHRASE_BYTES_MIN } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { PassphraseField, takePassphrase } from '#ui/secret-field.tsx'

const words = keyTexts.passphrase

/** A new passphrase, typed twice. It is stored in no state and no attribute. */
export function useNewPassphrase() {
  const [problem, setProblem] = useState<string>()
  const first = useRef<HTMLInputElement>(null)
  const again = useRef<HTMLInputElement>(null)
  return {
    first,
    again,
    problem,
    /** Clears the message about the last attempt. */
    settle: () => setProblem(undefined),
    /** Empties both fields. Returns undefined and shows an error if the passphrase is not valid. */
    take: (): Uint8Array<ArrayBuffer> | undefined => {
      const [passphrase, repeated] = [takePassphrase(first), takePassphrase(again)]
      const same =
        passphrase.length === repeated.length && passphrase.every((byte, at) => byte === repeated[at])
      repeated.fill(0)
      const isShort = passphrase.length < PASSPHRASE_BYTES_MIN
      setProblem(isShort ? words.short : same ? undefined : words.differ)
      if (same && !isShort) return passphrase
      passphrase.fill(0)
      return undefined
    },
  }
}

type NewPassphraseProps = {
  readonly passphrase: ReturnType<typeof useNewPassphrase>
  readonly label?: string
  readonly onEnter?: () => void
}

export const NewPassphrase = ({ passphrase, label = words.label, onEnter }: NewPassphraseProps) => (
  <>
    <PassphraseField
      label={label}
      hint={words.hint}
      error={passphrase.problem}
      input={passphrase.first}
      isNew
    />
    <PassphraseField
      label={words.again}
      input={passphrase.again}
      isNew
      {...(onEnter !== undefined && { onEnter })}
    />
  </>
)
