import { useState } from 'react'
import type { Service } from '#settings/settings.ts'
import { createDrafts } from '#react/drafts.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import {
  fieldsOf,
  readFields,
  type FieldProblem,
  type FieldProblems,
  type ServiceFields,
} from './service-fields.ts'

type ServiceFormProps = {
  readonly service: Service
  /** Whether the server's proxy can take a service from here. */
  readonly canProxy: boolean
  readonly busy: boolean
  readonly onSave: (service: Service) => void
  readonly onCancel: () => void
}

const words = settingsTexts.services

/** What is typed into each service's form and not saved yet. */
export const useServiceDraft = createDrafts<ServiceFields>()

/** Every setting of one service. Nothing typed is lost by a save that is refused, nor by a look at another page. */
export function ServiceForm({ service, canProxy, busy, onSave, onCancel }: ServiceFormProps) {
  const [fields = fieldsOf(service), setDraft] = useServiceDraft(service.baseUrl)
  const [problems, setProblems] = useState<FieldProblems>({})
  const set = (part: Partial<ServiceFields>): void => {
    const next = { ...fields, ...part }
    setDraft(next)
    // A message goes as soon as its field is mended; a new one only comes with the next save.
    const read = readFields(service, next)
    setProblems((shown) => (read.ok ? {} : stillWrong(shown, read.error)))
  }
  const submit = (): void => {
    const read = readFields(service, fields)
    setProblems(read.ok ? {} : read.error)
    if (read.ok) onSave(read.value)
  }
  const textField = (name: 'label' | 'poll' | 'deadline', hint: string) => (
    <TextField
      label={words.fields[name]}
      hint={hint}
      value={fields[name]}
      inputMode={name === 'label' ? 'text' : 'decimal'}
      error={problemText(problems[name])}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) submit()
      }}
    >
      <Stack>
        <FieldGrid>
          {textField('label', words.fields.labelHint)}
          <SelectField
            label={words.fields.via}
            value={fields.via}
            options={(canProxy || service.via === 'proxy'
              ? (['proxy', 'direct'] as const)
              : (['direct'] as const)
            ).map((value) => ({ value, label: words.fields.viaNames[value] }))}
            onChange={(via) => set({ via })}
          />
          {textField('poll', words.fields.pollHint)}
          {textField('deadline', words.fields.deadlineHint)}
        </FieldGrid>
        <Flow>
          <Button type="submit" look="primary" busy={busy}>
            {settingsTexts.save}
          </Button>
          <Button look="quiet" onClick={onCancel}>
            {settingsTexts.cancel}
          </Button>
        </Flow>
      </Stack>
    </form>
  )
}

/** Of the messages in view, those whose field is still wrong, in today's words. */
const stillWrong = (shown: FieldProblems, now: FieldProblems): FieldProblems => ({
  ...(shown.label && now.label && { label: now.label }),
  ...(shown.poll && now.poll && { poll: now.poll }),
  ...(shown.deadline && now.deadline && { deadline: now.deadline }),
})

function problemText(problem: FieldProblem | undefined): string | undefined {
  if (problem === undefined) return undefined
  if (problem.kind === 'not-a-number') return words.problems['not-a-number']
  if (problem.kind === 'too-long') return words.problems['too-long'](problem.max)
  return words.problems['out-of-range'](problem.minMs, problem.maxMs)
}
