import type { Service } from '#settings/settings.ts'
import { createDrafts, useFormChecks } from '#react/drafts.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formatSpan } from '#texts/format.ts'
import { SelectField } from '#ui/select-field.tsx'
import { Form, FieldGrid } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { readServiceFields, serviceFieldsOf, type ServiceFields } from './service-fields.ts'
import { SaveRow } from '#features/settings/save.tsx'

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
  const [fields = serviceFieldsOf(service), setDraft] = useServiceDraft(service.baseUrl)
  const {
    problems,
    change: set,
    check,
  } = useFormChecks(fields, setDraft, (typed) => readServiceFields(service, typed))
  const submit = (): void => {
    const next = check()
    if (next !== undefined) onSave(next)
  }
  const textField = (name: 'label' | 'poll' | 'deadline', hint: string) => (
    <TextField
      label={words.fields[name]}
      hint={hint}
      value={fields[name]}
      inputMode={name === 'label' ? 'text' : 'decimal'}
      error={fieldProblemText(problems[name], formatSpan)}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <Form onSubmit={() => busy || submit()}>
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
      <SaveRow busy={busy} onDiscard={onCancel} discardLabel={settingsTexts.cancel} />
    </Form>
  )
}
