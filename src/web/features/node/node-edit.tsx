import { Pencil } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { nodeKeyOf, type NodeLive } from '#fleet/live.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { ruleAt, withRule, type RuleScope } from '#settings/effective.ts'
import { NODE_NAME_CHARS_MAX, plainName, readNodeTags } from '#settings/node-list.ts'
import type { Service } from '#settings/schema.ts'
import { nameOf, rowsOf, tagText, type NodeRow, useNodeEdits } from '#parts/node-edits.ts'
import { readRuleFields, ruleFieldsOf, type RuleParts } from '#parts/rule-fields.ts'
import { SaveRow, useSave } from '#parts/save.tsx'
import { useFormChecks } from '#react/drafts.ts'
import { useDashboard } from '#react/dashboard.ts'
import { usePageCommands } from '#react/page-commands.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { nodeOwnTexts as words } from '#texts/en-node-own.ts'
import { ruleTexts } from '#texts/en-rules.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formatSpan } from '#texts/format.ts'
import { IconButton } from '#ui/button.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'

export type Editing = 'name' | 'tags' | { readonly limitsOf: string }

type NodeEditProps = {
  readonly node: NodeLive
  readonly service: Service
  readonly editing: Editing | undefined
  readonly onEdit: (editing: Editing | undefined) => void
}

/** Edits the node's name and tags in place. Offers the same, and the node's limits, to the palette. */
export function NodeEdit({ node, service, editing, onEdit }: NodeEditProps) {
  const configuration = useConfiguration()
  const { metrics } = useDashboard()
  const row = useMemo(
    () =>
      rowsOf(configuration, service.baseUrl).find(
        (each) => nodeKeyOf(node.serviceId, each.node.id) === node.key && !each.isConfigured,
      ),
    [configuration, service, node],
  )
  const detail = nameOf({ name: node.name, id: node.nodeId })
  const command = (id: string, label: string, what: Editing) => ({
    id: `node:${id}`,
    label,
    detail,
    run: () => onEdit(what),
  })
  usePageCommands([
    ...(row === undefined
      ? []
      : [command('rename', words.rename, 'name'), command('tags', words.editTags, 'tags')]),
    ...limited(metrics).map(({ id, heading }) =>
      command(`limit-${id}`, words.setLimit(heading), { limitsOf: id }),
    ),
  ])
  if (row === undefined) return null
  if (editing !== 'name' && editing !== 'tags')
    return <IconButton small label={words.rename} icon={Pencil} onClick={() => onEdit('name')} />
  return (
    <NameForm
      key={editing}
      row={row}
      baseUrl={service.baseUrl}
      focusOn={editing}
      onDone={() => onEdit(undefined)}
    />
  )
}

type InPlaceProps = {
  /** The index of a field. */
  readonly focusOn: number
  readonly onSubmit: () => void
  readonly onLeave: () => void
  readonly children: ReactNode
}

function InPlace({ focusOn, onSubmit, onLeave, children }: InPlaceProps) {
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => form.current?.querySelectorAll('input')[focusOn]?.focus(), [focusOn])
  return (
    <div
      ref={form}
      role="presentation"
      className="node-edit"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onLeave()
      }}
    >
      <Form onSubmit={onSubmit}>{children}</Form>
    </div>
  )
}

type NameFormProps = {
  readonly row: NodeRow
  readonly baseUrl: string
  readonly focusOn: 'name' | 'tags'
  readonly onDone: () => void
}

function NameForm({ row: { key, node }, baseUrl, focusOn, onDone }: NameFormProps) {
  const [typed, setTyped] = useState({ name: node.name ?? '', tags: tagText(node) })
  const { text } = formFields(typed, (name, value) => setTyped((now) => ({ ...now, [name]: value })))
  const { edit, saved } = useNodeEdits()
  const plain = plainName(typed.name)
  const tags = readNodeTags(typed.tags)
  const isTooLong = plain.length > NODE_NAME_CHARS_MAX
  const submit = (): void => {
    if (isTooLong || !tags.ok) return
    const { name: _, ...rest } = node
    const next = { ...rest, ...(plain !== '' && { name: plain }), tags: [...tags.value] }
    const edits = new Map([[baseUrl, new Map([[key, { node: next }]])]])
    if (edit(edits, settingsTexts.nodes.edited(nameOf(next)))) onDone()
  }
  return (
    <InPlace onSubmit={submit} onLeave={onDone} focusOn={focusOn === 'name' ? 0 : 1}>
      <div className="flow">
        {text('name', settingsTexts.nodes.columns.name, {
          error: isTooLong && settingsTexts.nodes.nameTooLong(plain.length, NODE_NAME_CHARS_MAX),
        })}
        {text('tags', settingsTexts.nodes.columns.tags, {
          placeholder: settingsTexts.nodes.tagsExample,
          error: !tags.ok && formTexts.nodes.problems[tags.error],
        })}
      </div>
      <SaveRow onCancel={onDone} saved={saved} />
    </InPlace>
  )
}

type Limited =
  | 'participationBelow'
  | 'participationAbove'
  | 'stakeBelow'
  | 'heartbeatWarning'
  | 'heartbeatCritical'
  | 'answerTime'

const LIMITS: Readonly<Record<string, readonly Limited[]>> = {
  participation: ['participationBelow', 'participationAbove'],
  stake: ['stakeBelow'],
  heartbeat: ['heartbeatWarning', 'heartbeatCritical'],
  answerTime: ['answerTime'],
}

const limited = (metrics: MetricRegistry): MetricRegistry => metrics.filter(({ id }) => id in LIMITS)

type LimitEditProps = {
  readonly node: NodeLive
  readonly service: Service
  readonly metric: string
  readonly onDone: () => void
}

export function LimitEdit({ node, service, metric, onDone }: LimitEditProps) {
  const { settings, server } = useConfiguration()
  const scope: RuleScope = { for: 'node', service: service.baseUrl, node: node.nodeId }
  const fixed = ruleFieldsOf(ruleAt(server, scope))
  const [fields, setFields] = useState(() => ruleFieldsOf(ruleAt(settings, scope)))
  const { problems, change, submit } = useFormChecks(fields, setFields, readRuleFields)
  const { save, saved } = useSave()
  const saveLimits = (parts: RuleParts): void => {
    if (save((now) => withRule(now, scope, parts))) onDone()
  }
  return (
    <InPlace onSubmit={() => submit(saveLimits)} onLeave={onDone} focusOn={0}>
      {LIMITS[metric]?.map((name) => {
        const value = fixed[name] || fields[name]
        return (
          <TextField
            key={name}
            label={ruleTexts.fields[name]}
            hint={fixed[name] === '' ? ruleTexts.limitsHint : ruleTexts.fixed}
            disabled={fixed[name] !== ''}
            value={value}
            error={fieldProblemText(problems[name], formatSpan)}
            onChange={(next) => change({ [name]: next })}
          />
        )
      })}
      <SaveRow onCancel={onDone} saved={saved} />
    </InPlace>
  )
}
