import { useState } from 'react'
import type { LogEntry } from '#history/event-log.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSignedIn } from '#react/use-signed-in.ts'
import { nodeEventTexts as words } from '#texts/en-node-events.ts'
import { zoneName, type Zone } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { fromFieldText } from './calendar-time.ts'

const CHARS_MAX = 2_000

type Problem = 'empty' | 'badTime' | 'notKept'

type NoteFormProps = {
  /** The node that the note is about; without one it is about all. */
  readonly about: Pick<LogEntry, 'nodeKey' | 'serviceId'>
  readonly zone: Zone
}

/** Adds a note to the journal, pinned to now or to another moment. Keeps the text until the note is stored. */
export function NoteForm({ about, zone }: NoteFormProps) {
  const { engine, fleet, nowMs } = useDashboard()
  const by = useSignedIn()?.name
  const [text, setText] = useState('')
  const [at, setAt] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const add = async (): Promise<void> => {
    const now = fleet.get().wallMs + (nowMs() - fleet.get().nowMs)
    const wallMs = at === '' ? now : fromFieldText(at, zone)
    const note = text.trim()
    if (note === '') return setProblem('empty')
    if (wallMs === undefined) return setProblem('badTime')
    setBusy(true)
    const facts = { note, ...(by !== undefined && { by }) }
    const kept = await engine
      .appendEvents([{ wallMs, area: 'operator', what: 'note', ...about, facts }])
      .then(
        () => true,
        () => false,
      )
    setBusy(false)
    setProblem(kept ? undefined : 'notKept')
    if (!kept) return
    setText('')
    setAt('')
  }
  return (
    <Form onSubmit={() => void add()}>
      <TextField
        label={words.note}
        hint={words.noteHint}
        rows={2}
        maxLength={CHARS_MAX}
        value={text}
        onChange={setText}
        {...((problem === 'empty' || problem === 'notKept') && { error: words[problem] })}
      />
      <TextField
        label={words.at(zoneName(zone))}
        hint={words.atHint}
        type="datetime-local"
        value={at}
        onChange={setAt}
        {...(problem === 'badTime' && { error: words.badTime })}
      />
      <Button type="submit" size="small" busy={busy}>
        {words.add}
      </Button>
    </Form>
  )
}
