import { useState } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import { needsAcknowledgement } from '#parts/alarm-words.ts'
import { NOTE_CHARS_MAX, type AlarmActs } from '#parts/alarm-acts.tsx'
import { alarmTexts } from '#texts/en-alarms.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/text-field.tsx'

const words = alarmTexts.all

type AcknowledgeAllProps = { readonly alarms: readonly AlarmView[]; readonly acts: AlarmActs }

/**
 * Asks for confirmation with the number of alarms, and acknowledges exactly those; alarms raised after the question stay
 * unacknowledged.
 */
export function AcknowledgeAll({ alarms, acts }: AcknowledgeAllProps) {
  const [asked, setAsked] = useState<readonly AlarmView[]>()
  const [note, setNote] = useState('')
  const waiting = alarms.filter(needsAcknowledgement)
  const close = (): void => {
    setAsked(undefined)
    setNote('')
  }
  return (
    <>
      {waiting.length > 1 && (
        <Button size="small" onClick={() => setAsked(waiting)}>
          {alarmTexts.act.acknowledgeAll}
        </Button>
      )}
      <Dialog
        open={asked !== undefined}
        title={words.title(asked?.length ?? 0)}
        closeLabel={alarmTexts.act.close}
        onClose={close}
        actions={
          <>
            <Button look="quiet" onClick={close}>
              {alarmTexts.act.cancel}
            </Button>
            <Button
              look="primary"
              onClick={() => {
                if (asked !== undefined) acts.acknowledge(asked, note.trim())
                close()
              }}
            >
              {words.confirm(asked?.length ?? 0)}
            </Button>
          </>
        }
      >
        <p>{words.text(asked?.length ?? 0)}</p>
        <TextField label={words.note} value={note} onChange={setNote} maxLength={NOTE_CHARS_MAX} />
      </Dialog>
    </>
  )
}
