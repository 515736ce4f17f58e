import { FileUp } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Field, useFieldControl, type FieldFrame } from './field.tsx'

type FileFieldProps = FieldFrame & {
  /** What stands on the field, e.g. "Choose or drop a key file". */
  readonly prompt: ReactNode
  /** As the `accept` attribute; a help for the file picker, not a check. */
  readonly accept?: string
  /** Called with the first file that is chosen or dropped. */
  readonly onFile: (file: File) => void
}

/** Choose by button or drop on it. The native input covers the field, so the keyboard works. */
export function FileField({ prompt, accept, onFile, ...frame }: FileFieldProps) {
  const [over, setOver] = useState(false)
  const tied = useFieldControl(frame)
  return (
    <Field {...frame} id={tied.id}>
      <div
        className={classNames('drop', over && 'over')}
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
        <FileUp className="i" aria-hidden />
        <input
          {...tied}
          type="file"
          accept={accept}
          onChange={(event) => {
            const file = event.target.files?.[0]
            if (file !== undefined) onFile(file)
            // The same file chosen again is a new choice.
            event.target.value = ''
          }}
        />
      </div>
    </Field>
  )
}
