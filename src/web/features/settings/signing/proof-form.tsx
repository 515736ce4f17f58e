import { memberOf } from '#proof/proof-profile.ts'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { PROOF_MEMBER } from '#record/field.ts'
import { proofTexts as words } from '#texts/en-proofs.ts'
import { PlaceholderField } from '#ui/placeholder-field.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import type { ProofFields } from './proof-fields.ts'

type ProofFormProps = {
  readonly fields: ProofFields
  readonly onChange: (part: Partial<ProofFields>) => void
}

const PREHASHES = ['none', 'sha-256', 'sha-512'] as const
const SOURCES = ['node-id', 'member', 'fixed'] as const
const ENCODINGS = ['hex', 'base64'] as const
const ENDS = ['first', 'last'] as const
const PLACEHOLDERS = RECORD_MEMBERS.filter((name) => name !== PROOF_MEMBER).map((name) => `{raw.${name}}`)

/** A proof profile of one's own: the text, and whose key it is. */
export function ProofForm({ fields, onChange }: ProofFormProps) {
  return (
    <Stack>
      <PlaceholderField
        label={words.template}
        hint={words.templateHint}
        rows={7}
        value={fields.template}
        placeholders={PLACEHOLDERS}
        placeholdersLabel={words.placeholders}
        insertLabel={words.insert}
        isKnown={(name) => memberOf(name) !== undefined}
        onChange={(template) => onChange({ template })}
      />
      <FieldGrid>
        <SelectField
          label={words.prehash}
          value={fields.prehash}
          options={PREHASHES.map((value) => ({ value, label: words.prehashes[value] }))}
          onChange={(prehash) => onChange({ prehash })}
        />
        <SelectField
          label={words.key}
          value={fields.from}
          options={SOURCES.map((value) => ({ value, label: words.keys[value] }))}
          onChange={(from) => onChange({ from })}
        />
      </FieldGrid>
      {fields.from === 'fixed' && (
        <TextField label={words.fixed} mono value={fields.fixed} onChange={(fixed) => onChange({ fixed })} />
      )}
      {fields.from === 'member' && <MemberForm fields={fields} onChange={onChange} />}
    </Stack>
  )
}

/** A key that the record brings, and how the node id is made from it. */
const MemberForm = ({ fields, onChange }: ProofFormProps) => (
  <FieldGrid>
    <TextField label={words.member} mono value={fields.member} onChange={(member) => onChange({ member })} />
    <SelectField
      label={words.encoding}
      value={fields.encoding}
      options={ENCODINGS.map((value) => ({ value, label: words.encodings[value] }))}
      onChange={(encoding) => onChange({ encoding })}
    />
    <SelectField
      label={words.idHash}
      value={fields.idHash}
      options={PREHASHES.map((value) => ({ value, label: words.idHashes[value] }))}
      onChange={(idHash) => onChange({ idHash })}
    />
    <TextField
      label={words.idBytes}
      hint={words.idBytesHint}
      inputMode="numeric"
      value={fields.idBytes}
      onChange={(idBytes) => onChange({ idBytes })}
    />
    <SelectField
      label={words.idEnd}
      value={fields.idEnd}
      options={ENDS.map((value) => ({ value, label: words.idEnds[value] }))}
      onChange={(idEnd) => onChange({ idEnd })}
    />
  </FieldGrid>
)
