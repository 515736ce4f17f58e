import { ENCODINGS } from '#signing/template.ts'
import { placeholderProblem } from '#signing/profile.ts'
import type { PresetId } from '#signing/preset-ids.ts'
import { PRESETS } from '#signing/presets.ts'
import { gradeOf } from '#signing/profile-lint.ts'
import { profileTexts as words, PRESET_NOTES } from '#texts/en-profiles.ts'
import { formFields } from '#ui/form-fields.tsx'
import { PlaceholderField } from '#ui/template-field.tsx'
import { SelectField } from '#ui/select-field.tsx'
import type { ProfileFields } from './profile-fields.ts'

type ProfileFormProps = {
  readonly fields: ProfileFields
  readonly presetId: PresetId | undefined
  readonly onChange: (part: Partial<ProfileFields>) => void
  readonly onPreset: (id: string) => void
}

const OWN = ''

const HEADER_PLACEHOLDERS: Readonly<Record<ProfileFields['kind'], readonly string[]>> = {
  template: ENCODINGS.map((encoding) => `{sig.${encoding}}`),
  jwt: ['{jwt}'],
  rfc9421: ['{sigInput}', '{sigHeader}'],
  none: ['{token}'],
}
const ALWAYS = [
  ...ENCODINGS.map((encoding) => `{key.${encoding}}`),
  '{ts.s}',
  '{ts.ms}',
  '{ts.iso}',
  '{nonce.base64url}',
]

export function ProfileForm({ fields, presetId, onChange, onPreset }: ProfileFormProps) {
  const own = presetId === undefined ? [{ value: OWN, label: words.own }] : []
  const { text, select } = formFields(fields, (name, value) => onChange({ [name]: value }))
  return (
    <div className="stack">
      <SelectField
        label={words.start}
        hint={presetId === undefined ? words.startHint(PRESETS.size) : PRESET_NOTES[presetId]}
        value={presetId ?? OWN}
        options={[
          ...own,
          ...Array.from(PRESETS, ([id, { profile }]) => ({
            value: id,
            label: `${profile.title} (${id}, ${gradeOf(profile)})`,
          })),
        ]}
        onChange={(id) => id !== OWN && onPreset(id)}
      />
      <div className="settings-layout-fields">
        {text('title', words.name, { maxLength: 60 })}
        {select('kind', words.kind, words.kinds)}
      </div>
      <ProfileMessage fields={fields} onChange={onChange} />
      <PlaceholderField
        label={words.headers}
        hint={words.headersHint}
        rows={4}
        value={fields.headers}
        placeholders={[...HEADER_PLACEHOLDERS[fields.kind], ...ALWAYS]}
        placeholdersLabel={words.headerPlaceholders}
        insertLabel={words.insert}
        isKnown={(name) => placeholderProblem(name, 'header', fields.kind) === undefined}
        onChange={(headers) => onChange({ headers })}
      />
      <div className="settings-layout-fields">
        {(['validity', 'window', 'reuse'] as const).map((name) =>
          text(name, words[name], { hint: words[`${name}Hint`], inputMode: 'numeric' }),
        )}
      </div>
    </div>
  )
}

const PLACEHOLDERS = [
  '{method}',
  '{origin}',
  '{authority}',
  '{path}',
  '{query}',
  '{sortedQuery}',
  '{target}',
  '{url}',
  '{param.node_id}',
  '{ts.s}',
  '{ts.ms}',
  '{ts.iso}',
  '{ts.window}',
  '{exp.s}',
  '{nonce.base64url}',
  '{nonce.hex}',
  '{key.hex}',
  '{key.base58}',
  '{kid}',
]

function ProfileMessage({ fields, onChange }: Pick<ProfileFormProps, 'fields' | 'onChange'>) {
  const { text, select } = formFields(fields, (name, value) => onChange({ [name]: value }))
  const nodeId = select('nodeId', words.nodeId, words.nodeIds)
  const lines = (name: 'jwtHeader' | 'components' | 'params', rows: number) =>
    text(name, words[name], { hint: words[`${name}Hint`], mono: true, rows })
  const signed = (name: 'template' | 'claims', label: string, hint: string) => (
    <PlaceholderField
      label={label}
      hint={hint}
      rows={8}
      value={fields[name]}
      placeholders={PLACEHOLDERS}
      placeholdersLabel={words.placeholders}
      insertLabel={words.insert}
      isKnown={(known) => placeholderProblem(known, 'signed', fields.kind) === undefined}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  switch (fields.kind) {
    case 'none':
      return (
        <div className="settings-layout-fields">
          {select('token', words.token, words.tokens, { hint: words.tokenHint })}
          {nodeId}
        </div>
      )
    case 'template':
      return (
        <div className="stack">
          {signed('template', words.message, words.messageHint)}
          <div className="settings-layout-fields">
            {select('prehash', words.prehash, words.prehashes)}
            {nodeId}
          </div>
        </div>
      )
    case 'jwt':
      return (
        <div className="stack">
          <div className="settings-layout-fields">
            {select('alg', words.alg, words.algs)}
            {nodeId}
          </div>
          {lines('jwtHeader', 2)}
          {signed('claims', words.claims, words.claimsHint)}
        </div>
      )
    case 'rfc9421':
      return (
        <div className="stack">
          <div className="settings-layout-fields">
            {lines('components', 5)}
            {lines('params', 5)}
          </div>
          <div className="settings-layout-fields">
            {(['label', 'keyid', 'tag'] as const).map((name) => text(name, words[name], { mono: true }))}
            {nodeId}
          </div>
        </div>
      )
  }
}
