import { ADDRESS_KINDS, receiverTraits, RECEIVER_WAYS } from '#settings/receiver-traits.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { SaveRow } from '#parts/save.tsx'
import { RadioCards } from '#ui/radio-cards.tsx'
import { choiceRow } from '#ui/choices.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { fromRow } from './channel-level.ts'
import { EVERY_MINUTES, useReceiverDraft } from './use-receiver-draft.ts'

const words = channelTexts.receivers

const NAME_CHARS_MAX = 60

type ReceiverFormProps = Parameters<typeof useReceiverDraft>[0] & { readonly onCancel: () => void }

/** A new receiver: what it is, where, and what is sent to it. */
export function ReceiverForm({ onCancel, ...ports }: ReceiverFormProps) {
  const { draft, problem, set, submit } = useReceiverDraft(ports)
  return (
    <Panel title={words.adding}>
      <Form onSubmit={() => void submit()}>
        <RadioCards
          legend={words.kind}
          value={draft.kind}
          cards={ADDRESS_KINDS.map((value) => ({
            value,
            title: words.kinds[value],
            text: words.kindTexts[value],
          }))}
          onChange={(kind) => set({ kind })}
        />
        <FieldGrid>
          <TextField
            label={words.url}
            value={draft.url}
            onChange={(url) => set({ url })}
            inputMode="url"
            mono
            error={problem}
          />
          <TextField
            label={words.name}
            hint={words.nameHint}
            value={draft.name}
            onChange={(name) => set({ name })}
            maxLength={NAME_CHARS_MAX}
          />
          {receiverTraits(draft.kind).hasInterval && (
            <SelectField
              label={words.every}
              value={draft.minutes}
              options={EVERY_MINUTES.map((value) => ({ value, label: words.minutes(Number(value)) }))}
              onChange={(minutes) => set({ minutes })}
            />
          )}
        </FieldGrid>
        <WhatAndHow draft={draft} set={set} hasServer={ports.hasServer} />
        <SaveRow label={words.save} onDiscard={onCancel} discardLabel={words.cancel} />
      </Form>
    </Panel>
  )
}

type WhatAndHowProps = Pick<ReturnType<typeof useReceiverDraft>, 'draft' | 'set'> & {
  readonly hasServer: boolean
}

/** What is sent, and by whom. */
const WhatAndHow = ({ draft, set, hasServer }: WhatAndHowProps) => (
  <>
    <Properties
      items={[
        ...(receiverTraits(draft.kind).hasSeverity ? [fromRow(draft.from, (from) => set({ from }))] : []),
        ...(hasServer
          ? [
              choiceRow('via', {
                legend: words.via,
                value: draft.via,
                options: RECEIVER_WAYS.map((value) => ({ value, label: words.vias[value] })),
                onChange: (via) => set({ via }),
              }),
            ]
          : []),
      ]}
    />
    <p className="text-12 ink-3">{hasServer ? words.viaHint : words.staticHint}</p>
  </>
)
