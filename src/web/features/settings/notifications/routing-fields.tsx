import { useState } from 'react'
import { MINUTE_MS } from '#base/time.ts'
import { RoutingSchema, type Routing } from '#receivers/routing.ts'
import { parseBy } from '#settings/documents.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { FieldGrid } from '#ui/settings-layout.tsx'
import { formFields } from '#ui/form-fields.tsx'

const words = channelTexts.receivers.routing

type RoutingFieldsProps = {
  readonly routing: Routing | undefined
  /** An Alertmanager decides itself when it notifies. */
  readonly hasTimes: boolean
  readonly onChange: (routing: Routing) => void
}

/** Which alarms a receiver gets, and when. What is valid holds at once. */
export function RoutingFields({ routing, hasTimes, onChange }: RoutingFieldsProps) {
  const [typed, setTyped] = useState(() => typedOf(routing))
  const read = readRouting(typed, routing)
  const wrong = new Set(read.ok ? [] : read.error.map(({ path }) => path.split('.')[0]))
  const { text } = formFields(typed, (name, value) => {
    const next = { ...typed, [name]: value }
    setTyped(next)
    const parsed = readRouting(next, routing)
    if (parsed.ok) onChange(parsed.value)
  })
  return (
    <FieldGrid>
      {text('tags', words.tags, { hint: words.tagsHint })}
      {hasTimes && (
        <>
          {text('quiet', words.quiet, {
            hint: words.quietHint,
            error: wrong.has('quiet') && words.notQuiet,
          })}
          {text('minutes', words.repeat, {
            hint: words.repeatHint,
            inputMode: 'numeric',
            error: wrong.has('repeatMs') && words.notRepeat,
          })}
        </>
      )}
    </FieldGrid>
  )
}

type Typed = { readonly tags: string; readonly quiet: string; readonly minutes: string }

const typedOf = (routing: Routing | undefined): Typed => ({
  tags: routing?.tags?.join(', ') ?? '',
  quiet: routing?.quiet ? `${routing.quiet.from}-${routing.quiet.to}` : '',
  minutes: routing?.repeatMs === undefined ? '' : String(routing.repeatMs / MINUTE_MS),
})

function readRouting({ tags: tagsText, quiet, minutes }: Typed, before: Routing | undefined) {
  const tags = tagsText
    .split(/[\s,]+/)
    .map((tag) => tag.replace(/^#/, '').toLowerCase())
    .filter((tag) => tag !== '')
  const [from = '', to = ''] = quiet.split(/\s*[-–]\s*/).map((time) => time.trim())
  return parseBy(RoutingSchema, {
    ...(before?.services !== undefined && { services: before.services }),
    ...(tags.length > 0 && { tags }),
    ...(quiet.trim() !== '' && { quiet: { from, to, zone: before?.quiet?.zone ?? 'local' } }),
    ...(minutes.trim() !== '' && { repeatMs: Math.round(Number(minutes) * MINUTE_MS) }),
  })
}
