import { useState } from 'react'
import type { NodeLive } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { nodeEventTexts as words } from '#texts/en-node-events.ts'
import { zoneName, type Zone } from '#texts/format-time.ts'
import { fromFieldText } from '#parts/calendar-time.ts'
import { Button } from '#ui/button.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'

const CHARS_MAX = 2_000

type Problem = 'empty' | 'badTime' | 'notKept'

/** A note of the operator's, pinned to now or to a moment. It stays in its field until it is kept. */
export function NoteForm({ node, zone }: { readonly node: NodeLive; readonly zone: Zone }) {
  const { engine, fleet, nowMs } = useDashboard()
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
    const { key: nodeKey, serviceId } = node
    const kept = await engine
      .appendEvents([{ wallMs, area: 'operator', what: 'note', nodeKey, serviceId, facts: { note } }])
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
