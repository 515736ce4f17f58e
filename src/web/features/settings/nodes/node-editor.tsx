import { useEffect, useRef } from 'react'
import { NODE_NAME_CHARS_MAX, plainName, readNodeTags } from '#settings/node-list.ts'
import { ruleKey } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import { hrefOf, scopePath } from '#react/routes.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { formatSpan } from '#texts/format.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { pollTextOf, withPollText, nameOf, tagText, type NodeEdits, type NodeRow } from '#parts/node-edits.ts'

const words = settingsTexts.nodes

export type NodeDraft = {
  readonly key: string
  readonly name: string
  readonly tags: string
  readonly poll: string
}

export const draftOfRow = ({ key, node }: NodeRow): NodeDraft => ({
  key,
  name: node.name ?? '',
  tags: tagText(node),
  poll: pollTextOf(node),
})

type NodeEditorProps = {
  readonly row: NodeRow
  readonly service: Service
  readonly draft: NodeDraft
  readonly takesFocus: boolean
  readonly onChange: (draft: NodeDraft | undefined) => void
  readonly onEdit: (edits: NodeEdits, done: string) => boolean
}

export function NodeEditor({ row, service, draft, takesFocus, onChange, onEdit }: NodeEditorProps) {
  const { key, node, isConfigured } = row
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) form.current?.querySelector<HTMLElement>('input:enabled, button')?.focus()
  }, [takesFocus])
  const name = plainName(draft.name)
  const tags = readNodeTags(draft.tags)
  const polled = withPollText(node, draft.poll)
  const isTooLong = name.length > NODE_NAME_CHARS_MAX
  const { text } = formFields(isConfigured ? draftOfRow(row) : draft, (field, value) =>
    onChange({ ...draft, [field]: value }),
  )
  const close = (): void => {
    form.current?.closest<HTMLElement>('[role="row"]')?.focus()
    onChange(undefined)
  }
  const submit = (): void => {
    if (isConfigured) return close()
    if (isTooLong || !tags.ok || !polled.ok)
      return form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
    const { name: _, ...rest } = polled.value
    const next = { ...rest, ...(name !== '' && { name }), tags: [...tags.value] }
    const isSame = polled.value === node && (node.name ?? '') === name && tagText(node) === tagText(next)
    if (isSame || onEdit(new Map([[key, { node: next }]]), words.edited(nameOf(next)))) close()
  }
  return (
    <div
      ref={form}
      role="presentation"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <Form onSubmit={submit}>
        <div className="settings-layout-fields">
          {text('name', words.columns.name, {
            disabled: isConfigured,
            hint: isConfigured && words.fixed,
            error: isTooLong && words.nameTooLong(name.length, NODE_NAME_CHARS_MAX),
          })}
          {text('tags', words.columns.tags, {
            disabled: isConfigured,
            placeholder: words.tagsExample,
            error: !tags.ok && formTexts.nodes.problems[tags.error],
          })}
          {text('poll', settingsTexts.services.fields.poll, {
            disabled: isConfigured,
            placeholder: words.pollOfService(formatSpan(service.pollIntervalMs)),
            error: !polled.ok && fieldProblemText(polled.error.poll, formatSpan),
          })}
        </div>
        <EditorActions isFixed={isConfigured} node={node} service={service} onCancel={close} />
      </Form>
    </div>
  )
}

type EditorActionsProps = {
  readonly node: NodeRow['node']
  readonly service: Service
  readonly isFixed: boolean
  readonly onCancel: () => void
}

function EditorActions({ node, service, isFixed, onCancel }: EditorActionsProps) {
  const scope = { for: 'node', service: service.baseUrl, node: node.id } as const
  return (
    <div className="flow">
      {!isFixed && (
        <Button type="submit" look="primary" size="small">
          {settingsTexts.save}
        </Button>
      )}
      <Button size="small" onClick={onCancel}>
        {isFixed ? words.close : settingsTexts.cancel}
      </Button>
      <LinkButton size="small" look="subtle" href={hrefOf(scopePath(ruleKey(scope)))}>
        {words.limits}
      </LinkButton>
    </div>
  )
}
