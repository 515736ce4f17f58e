import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import type { KeyInfo } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { TextField } from '#ui/text-field.tsx'

type KeyNotesFormProps = { readonly info: KeyInfo; readonly onClose: () => void }

const words = keyTexts.card

/** The name of a key and its last day, as the operator notes them down. */
export function KeyNotesForm({ info, onClose }: KeyNotesFormProps) {
  const { signer, refreshKeys } = useDashboard()
  const [label, setLabel] = useState(info.label)
  const [day, setDay] = useState(info.notAfterMs === undefined ? '' : dayOf(info.notAfterMs))
  const [isFailed, setFailed] = useState(false)
  const save = async (): Promise<void> => {
    const notAfterMs = Date.parse(`${day}T23:59:59Z`)
    const notes = Number.isNaN(notAfterMs) ? { label } : { label, notAfterMs }
    const noted = await signer.noteKey(info.publicKey, notes).catch(() => ({ ok: false }))
    setFailed(!noted.ok)
    await refreshKeys()
    if (noted.ok) onClose()
  }
  return (
    <>
      <TextField label={settingsTexts.key.label} value={label} maxLength={60} onChange={setLabel} />
      <TextField
        label={words.date}
        hint={words.dateHint}
        placeholder="2027-01-31"
        value={day}
        onChange={setDay}
        error={day !== '' && !/^\d{4}-\d{2}-\d{2}$/.test(day) ? words.dateForm : undefined}
      />
      <Flow>
        <Button look="primary" size="small" onClick={() => void save()}>
          {settingsTexts.save}
        </Button>
        <Button size="small" onClick={onClose}>
          {settingsTexts.cancel}
        </Button>
        <span role="alert" className="t12 ink1">
          {isFailed && words.noteFailed}
        </span>
      </Flow>
    </>
  )
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
