import { useState, type FormEvent } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Flow } from '#ui/page.tsx'
import { Segmented } from '#ui/choices.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { whatOf } from './alarm-subject.ts'

const words = alarmTexts.shelf

/** Seconds; none is without an end, and none longer than a day. */
const SPANS = ['900', '3600', '14400', '28800', '86400'] as const
type Span = (typeof SPANS)[number]

const REASON_CHARS_MAX = 500

type ShelfFormProps = {
  readonly onShelve: (forMs: number, reason: string) => void
  readonly onCancel: () => void
}

/** For how long nobody is called, and why. */
export function ShelfForm({ onShelve, onCancel }: ShelfFormProps) {
  const [span, setSpan] = useState<Span>('3600')
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const zone = useConfiguration().settings.display.timeZone
  const nowMs = useWallNow()
  const forMs = Number(span) * 1_000
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (reason.trim() !== '') onShelve(forMs, reason.trim())
  }
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <Segmented
          legend={words.legend}
          value={span}
          options={SPANS.map((value) => ({ value, label: words.spans[value] }))}
          onChange={setSpan}
        />
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          value={reason}
          maxLength={REASON_CHARS_MAX}
          onChange={setReason}
          {...(tried && reason.trim() === '' && { error: words.reasonWanted })}
        />
        {nowMs !== undefined && (
          <p className="t12 ink3">{words.until(formatMoment(nowMs + forMs, nowMs, zone))}</p>
        )}
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

type ShelfDialogProps = {
  readonly alarm: AlarmView | undefined
  readonly onShelve: (alarm: AlarmView, forMs: number, reason: string) => void
  readonly onClose: () => void
}

/** The same over the page, for the alarm that is given. */
export function ShelfDialog({ alarm, onShelve, onClose }: ShelfDialogProps) {
  const { metrics } = useDashboard()
  const fleet = useFleet((snapshot) => snapshot)
  return (
    <Dialog
      open={alarm !== undefined}
      title={alarm === undefined ? '' : words.title(whatOf(alarm, fleet, metrics))}
      closeLabel={alarmTexts.act.close}
      onClose={onClose}
    >
      {alarm !== undefined && (
        <ShelfForm
          onShelve={(forMs, reason) => {
            onShelve(alarm, forMs, reason)
            onClose()
          }}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}
