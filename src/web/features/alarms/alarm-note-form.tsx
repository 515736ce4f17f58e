import { useState } from 'react'
import { alarmTexts } from '#texts/en-alarms.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'

const words = alarmTexts.note
const NOTE_CHARS_MAX = 500

type NoteFormProps = { readonly onNote: (note: string) => void; readonly onCancel: () => void }

/** What whoever comes next should know. */
export function NoteForm({ onNote, onCancel }: NoteFormProps) {
  const [note, setNote] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onNote(note.trim())
      }}
    >
      <Stack>
        <TextField label={words.label} value={note} onChange={setNote} rows={2} maxLength={NOTE_CHARS_MAX} />
        <Flow>
          <Button look="primary" type="submit">
            {words.confirm}
          </Button>
          <Button look="quiet" onClick={onCancel}>
            {alarmTexts.act.cancel}
          </Button>
        </Flow>
      </Stack>
    </form>
  )
}
