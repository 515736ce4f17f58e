import { useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Field, useFieldControl } from './field.tsx'
import { FileField } from './file-field.tsx'

type SecretFieldProps = {
  readonly fileLabel: string
  readonly filePrompt: ReactNode
  readonly pasteLabel: string
  readonly placeholder: string
  readonly pasteHint: ReactNode
  readonly readLabel: string
  readonly busy: boolean
  readonly error?: ReactNode
  readonly onFile: (file: File) => void
  readonly onText: (bytes: Uint8Array<ArrayBuffer>) => void
}

/**
 * Takes a secret as a file, which is passed on unread, or as text. The text is in no state
 * and no attribute: a paste does not even enter the field, and what is typed leaves it when
 * it is read.
 */
export function SecretField(props: SecretFieldProps) {
  const { fileLabel, filePrompt, pasteLabel, placeholder, pasteHint, readLabel, busy, error } = props
  const input = useRef<HTMLInputElement>(null)
  const tied = useFieldControl({ hint: pasteHint, error: undefined })
  const pass = (text: string): void => {
    if (text !== '') props.onText(new TextEncoder().encode(text))
  }
  const readTyped = (): void => {
    if (input.current === null) return
    const typed = input.current.value
    input.current.value = ''
    pass(typed)
  }
  return (
    <>
      <FileField label={fileLabel} hideLabel prompt={filePrompt} onFile={props.onFile} error={error} />
      <Field id={tied.id} label={pasteLabel} hint={pasteHint}>
        <span className="with-button">
          <input
            {...tied}
            ref={input}
            className="in mono"
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            onPaste={(event) => {
              event.preventDefault()
              pass(event.clipboardData.getData('text'))
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              readTyped()
            }}
          />
          <Button look="subtle" busy={busy} onClick={readTyped}>
            {readLabel}
          </Button>
        </span>
      </Field>
    </>
  )
}
