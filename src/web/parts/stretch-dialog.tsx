import { useState } from 'react'
import { useConfiguration } from '#react/use-fleet.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { zoneName, type Zone } from '#texts/format-time.ts'
import { formatSpan } from '#texts/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { SaveRow } from './save.tsx'
import { dayAt, fromFieldText, rangeTexts } from './calendar-time.ts'
import { SPAN_MAX_MS, SPAN_MIN_MS, type TimeWindow } from './time-view.ts'

const words = nodeHistoryTexts.stretch

type StretchDialogProps = {
  readonly open: boolean
  readonly window: TimeWindow
  readonly nowMs: number
  readonly onClose: () => void
  readonly onChoose: (fromMs: number, toMs: number) => void
}

export const StretchDialog = (props: StretchDialogProps) => (
  <Dialog open={props.open} title={words.title} closeLabel={words.close} onClose={props.onClose}>
    <Fields {...props} />
  </Dialog>
)

function Fields({ window, nowMs, onClose, onChoose }: StretchDialogProps) {
  const zone = useConfiguration().settings.display.timeZone
  const [typed, setTyped] = useState(() => rangeTexts(window, zone))
  const { text } = formFields(typed, (name, value) => setTyped((now) => ({ ...now, [name]: value })))
  const [tried, setTried] = useState(false)
  const chosen = read(typed.from, typed.to, zone, nowMs)
  const set = (range: Parameters<typeof rangeTexts>[0]) => setTyped(rangeTexts(range, zone))
  const submit = (): void => {
    setTried(true)
    if (typeof chosen !== 'string') onChoose(chosen.fromMs, chosen.toMs)
  }
  return (
    <Form onSubmit={submit}>
      <div className="flow">
        <Button size="small" onClick={() => set(dayAt(nowMs, zone, 0))}>
          {words.today}
        </Button>
        <Button size="small" onClick={() => set(dayAt(nowMs, zone, -1))}>
          {words.yesterday}
        </Button>
        <Button
          size="small"
          onClick={() => set({ fromMs: dayAt(nowMs, zone, -6).fromMs, toMs: dayAt(nowMs, zone, 0).toMs })}
        >
          {words.week}
        </Button>
      </div>
      {text('from', words.from(zoneName(zone)), { type: 'datetime-local' })}
      {text('to', words.to(zoneName(zone)), {
        type: 'datetime-local',
        error: tried && typeof chosen === 'string' && chosen,
      })}
      <SaveRow label={words.show} onCancel={onClose} />
    </Form>
  )
}

function read(from: string, to: string, zone: Zone, nowMs: number) {
  const fromMs = fromFieldText(from, zone)
  const toMs = fromFieldText(to, zone)
  if (fromMs === undefined || toMs === undefined) return words.notATime
  if (fromMs >= nowMs) return words.inFuture
  if (toMs - fromMs < SPAN_MIN_MS) return words.turnedRound
  return toMs - fromMs > SPAN_MAX_MS ? words.tooLong(formatSpan(SPAN_MAX_MS)) : { fromMs, toMs }
}
