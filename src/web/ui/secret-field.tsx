import { useRef, type ReactNode, type RefObject, useState } from 'react'
import { Button } from './button.tsx'
import { Field, useFieldControl, type FieldFrame } from './field.tsx'
import { FileUp } from 'lucide-react'
import { classNames } from './class-names.ts'

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
 * Accepts a secret as a file, which is passed on unread, or as text. The text enters no state and no attribute: a paste never
 * reaches the field, and typed text is removed from the field when it is read.
 */
export function SecretField(props: SecretFieldProps) {
  const { fileLabel, filePrompt, pasteLabel, placeholder, pasteHint, readLabel, busy, error } = props
  const input = useRef<HTMLInputElement>(null)
  const tied = useFieldControl({ hint: pasteHint, error: undefined })
  const pass = (bytes: Uint8Array<ArrayBuffer>): void => {
    if (bytes.length > 0) props.onText(bytes)
  }
  const readTyped = (): void => pass(takeSecret(input))
  return (
    <>
      <FileField label={fileLabel} hideLabel prompt={filePrompt} onFile={props.onFile} error={error} />
      <Field id={tied.id} label={pasteLabel} hint={pasteHint}>
        <span className="row">
          <input
            {...tied}
            ref={input}
            className="field-input mono"
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            onPaste={(event) => {
              event.preventDefault()
              pass(new TextEncoder().encode(event.clipboardData.getData('text')))
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

type PassphraseFieldProps = FieldFrame & {
  /** Read with `takePassphrase`; the typed text is in no state and no attribute. */
  readonly input: RefObject<HTMLInputElement | null>
  /** For a new passphrase: a password manager then suggests one. */
  readonly isNew?: boolean
  readonly onEnter?: () => void
}

export function PassphraseField({ input, isNew = false, onEnter, ...frame }: PassphraseFieldProps) {
  const tied = useFieldControl(frame)
  return (
    <Field {...frame} id={tied.id}>
      <input
        {...tied}
        ref={input}
        className="field-input"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
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

type Input = RefObject<HTMLInputElement | null>

/** Empties the field and returns its content as bytes, in one Unicode normalization form. */
export const takePassphrase = (input: Input): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(taken(input).normalize('NFKC'))

/** Empties the field and returns the exact bytes. */
export const takeSecret = (input: Input): Uint8Array<ArrayBuffer> => new TextEncoder().encode(taken(input))

function taken({ current }: Input): string {
  const typed = current?.value ?? ''
  if (current !== null) current.value = ''
  return typed
}

type FileFieldProps = FieldFrame & {
  readonly prompt: ReactNode
  /** Value of the `accept` attribute; a hint for the file picker, not a check. */
  readonly accept?: string
  readonly onFile: (file: File) => void
}

/** Accepts a file by button or drop. The native input covers the field, so the keyboard works. */
export function FileField({ prompt, accept, onFile, ...frame }: FileFieldProps) {
  const [over, setOver] = useState(false)
  const tied = useFieldControl(frame)
  return (
    <Field {...frame} id={tied.id}>
      <div
        className={classNames('secret-field-drop flow', over && 'over')}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          const file = event.dataTransfer.files[0]
          if (file !== undefined) onFile(file)
        }}
      >
        <span>{prompt}</span>
        <FileUp className="icon" aria-hidden />
        <input
          {...tied}
          type="file"
          accept={accept}
          onChange={(event) => {
            const file = event.target.files?.[0]
            if (file !== undefined) onFile(file)
            // Lets the same file be chosen again.
            event.target.value = ''
          }}
        />
      </div>
    </Field>
  )
}
