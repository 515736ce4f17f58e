import type { ReactNode, RefObject } from 'react'
import { Field, useFieldControl } from './field.tsx'

type PassphraseFieldProps = {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: ReactNode
  /** Read with `takePassphrase`: what is typed is in no state and no attribute. */
  readonly input: RefObject<HTMLInputElement | null>
  /** `new-password` where it is chosen, so that a password manager offers one. */
  readonly autoComplete: 'current-password' | 'new-password'
  readonly onEnter?: () => void
}

export function PassphraseField(props: PassphraseFieldProps) {
  const { label, hint, error, input, autoComplete, onEnter } = props
  const tied = useFieldControl({ hint, error })
  return (
    <Field id={tied.id} label={label} hint={hint} error={error}>
      <input
        {...tied}
        ref={input}
        className="in"
        type="password"
        autoComplete={autoComplete}
        spellCheck={false}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || onEnter === undefined) return
          event.preventDefault()
          onEnter()
        }}
      />
    </Field>
  )
}

/** Empties the field and gives what stood in it as bytes, the same for every way of typing an accent. */
export function takePassphrase(input: RefObject<HTMLInputElement | null>): Uint8Array<ArrayBuffer> {
  if (input.current === null) return new Uint8Array()
  const typed = input.current.value
  input.current.value = ''
  return new TextEncoder().encode(typed.normalize('NFKC'))
}
