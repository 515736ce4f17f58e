import { useState } from 'react'
import { RoutingSchema, type Routing } from '#receivers/routing.ts'
import { parseBy } from '#settings/documents.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { FieldGrid } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'

const words = channelTexts.receivers.routing

type RoutingFieldsProps = {
  readonly routing: Routing | undefined
  readonly onChange: (routing: Routing) => void
}

/** Which alarms a receiver gets, and when. What is valid holds at once. */
export function RoutingFields({ routing, onChange }: RoutingFieldsProps) {
  const [tags, setTags] = useState(routing?.tags?.join(', ') ?? '')
  const [quiet, setQuiet] = useState(routing?.quiet ? `${routing.quiet.from}-${routing.quiet.to}` : '')
  const read = readRouting(tags, quiet, routing)
  const set = (nextTags: string, nextQuiet: string): void => {
    setTags(nextTags)
    setQuiet(nextQuiet)
    const next = readRouting(nextTags, nextQuiet, routing)
    if (next !== undefined) onChange(next)
  }
  return (
    <FieldGrid>
      <TextField
        label={words.tags}
        hint={words.tagsHint}
        value={tags}
        onChange={(text) => set(text, quiet)}
      />
      <TextField
        label={words.quiet}
        hint={words.quietHint}
        value={quiet}
        onChange={(text) => set(tags, text)}
        error={read === undefined ? words.notQuiet : undefined}
      />
    </FieldGrid>
  )
}

/** Undefined while it is not valid. */
function readRouting(tagsText: string, quietText: string, before: Routing | undefined): Routing | undefined {
  const tags = tagsText
    .split(/[\s,]+/)
    .map((tag) => tag.replace(/^#/, '').toLowerCase())
    .filter((tag) => tag !== '')
  const [from = '', to = ''] = quietText.split(/\s*[-–]\s*/).map((time) => time.trim())
  const parsed = parseBy(RoutingSchema, {
    ...(before?.services !== undefined && { services: before.services }),
    ...(tags.length > 0 && { tags }),
    ...(quietText.trim() !== '' && { quiet: { from, to, zone: before?.quiet?.zone ?? 'local' } }),
  })
  return parsed.ok ? parsed.value : undefined
}
