import { fieldsOf, MESSAGE_KINDS, RECEIVER_FORMATS } from '#receivers/kinds.ts'
import { templatePreview } from '#receivers/webhook-members.ts'
import { ADDRESS_KINDS, isMessageKind, receiverTraits, type ReceiverKind } from '#settings/receiver-traits.ts'
import { SaveRow } from '#parts/save.tsx'
import { channelTexts } from '#texts/en-channels.ts'
import { receiverKindName, sampleMessage } from '#texts/en-receivers.ts'
import { CheckBox } from '#ui/check-box.tsx'
import { choiceRow } from '#ui/choices.tsx'
import { CodeText } from '#ui/code-text.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { fromRow } from './channel-level.ts'
import { EVERY_MINUTES, isByServer, useReceiverDraft, type ReceiverDraft } from './use-receiver-draft.ts'

const words = channelTexts.receivers

const NAME_CHARS_MAX = 60

type ReceiverFormProps = Parameters<typeof useReceiverDraft>[0] & { readonly onCancel: () => void }

export function ReceiverForm({ onCancel, ...ports }: ReceiverFormProps) {
  const { draft, problems, set, submit } = useReceiverDraft(ports)
  const { kind, name, url } = draft
  const { text } = formFields({ name, url }, (field, value) => set({ [field]: value }))
  const kinds = ports.hasServer ? [...ADDRESS_KINDS, ...MESSAGE_KINDS] : ADDRESS_KINDS
  return (
    <Panel title={ports.edited === undefined ? words.adding : words.editing}>
      <Form onSubmit={() => void submit()}>
        <div className="settings-layout-fields">
          <SelectField
            label={words.kind}
            value={kind}
            options={kinds.map((value) => ({ value, label: receiverKindName(value) }))}
            onChange={(next) => set({ kind: next })}
            disabled={ports.edited !== undefined}
          />
          {text('name', words.name, {
            hint: words.nameHint,
            maxLength: NAME_CHARS_MAX,
            error: problems['name'],
          })}
        </div>
        <About kind={kind} />
        <div className="settings-layout-fields">
          {!isMessageKind(kind) &&
            text('url', words.url, {
              inputMode: 'url',
              mono: true,
              error: problems['url'] ?? problems['via'],
            })}
          {ports.hasServer && isByServer(draft) && (
            <MemberFields
              kind={kind}
              members={draft.members}
              problems={problems}
              removed={draft.removed}
              isEdited={ports.edited !== undefined}
              onChange={set}
            />
          )}
          {receiverTraits(kind).hasInterval && (
            <SelectField
              label={words.every}
              value={draft.minutes}
              options={EVERY_MINUTES.map((value) => ({ value, label: words.minutes(Number(value)) }))}
              onChange={(minutes) => set({ minutes })}
            />
          )}
        </div>
        <WhatAndHow draft={draft} set={set} hasServer={ports.hasServer} />
        <Preview text={isByServer(draft) ? previewOf(draft) : undefined} />
        <output className="text-12 ink-1">{problems['']}</output>
        <SaveRow label={ports.edited === undefined ? words.save : words.saveEdited} onCancel={onCancel} />
      </Form>
    </Panel>
  )
}

function previewOf({ kind, members: { template = '' } }: ReceiverDraft): string | undefined {
  if (isMessageKind(kind)) return RECEIVER_FORMATS[kind].preview(sampleMessage)
  return kind === 'webhook' ? templatePreview(template, sampleMessage) : undefined
}

const Preview = ({ text }: { readonly text: string | undefined }) =>
  text !== undefined && (
    <>
      <p className="text-12 ink-3">{words.preview}</p>
      <CodeText label={words.preview} text={text} />
    </>
  )

const About = ({ kind }: { readonly kind: ReceiverKind }) => (
  <p className="text-12">
    {isMessageKind(kind) ? RECEIVER_FORMATS[kind].text : words.kindTexts[kind]}{' '}
    {isMessageKind(kind) && (
      <a className="link" href={RECEIVER_FORMATS[kind].docs} target="_blank" rel="noreferrer">
        {words.docs}
      </a>
    )}
  </p>
)

type MemberFieldsProps = {
  readonly kind: ReceiverKind
  readonly members: Readonly<Record<string, string>>
  readonly problems: Readonly<Record<string, string>>
  readonly removed: readonly string[]
  readonly isEdited: boolean
  readonly onChange: (part: Partial<Pick<ReceiverDraft, 'members' | 'removed'>>) => void
}

/** The fields of a kind whose messages the server renders. A secret is never shown again. */
const MemberFields = ({ kind, members, removed, problems, isEdited, onChange }: MemberFieldsProps) =>
  Object.entries(fieldsOf(kind)).map(([name, field]) => {
    const { input, secret, isOptional, options, initial, label, hint } = field
    const value = members[name] ?? (isEdited ? '' : initial)
    const set = (text: string): void => onChange({ members: { ...members, [name]: text } })
    const shared = { label, hint, error: problems[name] }
    if (input === 'choice')
      return (
        <SelectField
          key={name}
          {...shared}
          value={value === '' ? initial : value}
          options={options.map((option) => ({ value: option, label: option }))}
          onChange={set}
        />
      )
    const others = removed.filter((other) => other !== name)
    return (
      <div key={name} className="field">
        <TextField
          {...shared}
          hint={isEdited && secret !== undefined ? words.secretStays : hint}
          value={value}
          onChange={set}
          autoComplete="off"
          mono={input === 'url' || input === 'multiline' || secret !== undefined}
          {...(input === 'multiline' && { rows: 4 })}
          {...(secret !== undefined && { type: 'password' })}
          {...(input === 'number' && { inputMode: 'numeric' })}
        />
        {isEdited && secret !== undefined && isOptional && (
          <CheckBox
            label={words.removeSecret(label)}
            checked={removed.includes(name)}
            onChange={(checked) => onChange({ removed: checked ? [...others, name] : others })}
          />
        )}
      </div>
    )
  })

type WhatAndHowProps = Pick<ReturnType<typeof useReceiverDraft>, 'draft' | 'set'> & {
  readonly hasServer: boolean
}

function WhatAndHow({ draft, set, hasServer }: WhatAndHowProps) {
  const hasWays = hasServer && !isMessageKind(draft.kind)
  return (
    <>
      <Properties
        items={[
          receiverTraits(draft.kind).hasSeverity && fromRow(draft.from, (from) => set({ from })),
          hasWays && choiceRow(words.via, draft.via, words.vias, (via) => set({ via })),
        ]}
      />
      <p className="text-12 ink-3">
        {hasWays ? words.viaHint : hasServer ? words.serverHint : words.staticHint}
      </p>
    </>
  )
}
