import { ENCODINGS } from '#signing/template-parts.ts'
import { placeholderProblem } from '#signing/profile.ts'
import type { PresetId } from '#signing/preset-ids.ts'
import { PRESETS } from '#signing/presets.ts'
import { profileTexts as words, PRESET_NOTES } from '#texts/en-profiles.ts'
import { PlaceholderField } from '#ui/template-field.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import type { ProfileFields } from './profile-fields.ts'
import type { ReactNode } from 'react'

type ProfileFormProps = {
  readonly fields: ProfileFields
  /** The preset that equals the fields exactly. */
  readonly presetId: PresetId | undefined
  readonly onChange: (part: Partial<ProfileFields>) => void
  readonly onPreset: (id: string) => void
}

const OWN = ''
const KINDS = ['template', 'jwt', 'rfc9421', 'none'] as const
const NODE_IDS = ['typed', 'lower', 'typed-no-0x', 'lower-no-0x'] as const

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
  return (
    <Stack>
      <SelectField
        label={words.start}
        hint={presetId === undefined ? words.startHint(PRESETS.size) : PRESET_NOTES[presetId]}
        value={presetId ?? OWN}
        options={[
          ...own,
          ...Array.from(PRESETS, ([id, { profile, grade }]) => ({
            value: id,
            label: `${profile.title} (${id}, ${grade})`,
          })),
        ]}
        onChange={(id) => id !== OWN && onPreset(id)}
      />
      <FieldGrid>
        <TextField
          label={words.name}
          value={fields.title}
          maxLength={60}
          onChange={(title) => onChange({ title })}
        />
        <SelectField
          label={words.kind}
          value={fields.kind}
          options={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
          onChange={(kind) => onChange({ kind })}
        />
      </FieldGrid>
      <ProfileMessage fields={fields} onChange={onChange}>
        <SelectField
          label={words.nodeId}
          value={fields.nodeId}
          options={NODE_IDS.map((value) => ({ value, label: words.nodeIds[value] }))}
          onChange={(nodeId) => onChange({ nodeId })}
        />
      </ProfileMessage>
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
      <FieldGrid>
        {(['validity', 'window', 'reuse'] as const).map((name) => (
          <TextField
            key={name}
            label={words[name]}
            hint={words[`${name}Hint`]}
            inputMode="numeric"
            value={fields[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
      </FieldGrid>
    </Stack>
  )
}

type ProfileMessageProps = {
  readonly fields: ProfileFields
  readonly onChange: (part: Partial<ProfileFields>) => void
  readonly children: ReactNode
}

const PREHASHES = ['none', 'sha-256', 'sha-512'] as const
const TOKENS = ['no', 'operator-typed'] as const
const ALGS = ['EdDSA', 'Ed25519'] as const
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

function ProfileMessage({ fields, onChange, children }: ProfileMessageProps) {
  switch (fields.kind) {
    case 'none':
      return (
        <FieldGrid>
          <SelectField
            label={words.token}
            hint={words.tokenHint}
            value={fields.token}
            options={TOKENS.map((value) => ({ value, label: words.tokens[value] }))}
            onChange={(token) => onChange({ token })}
          />
          {children}
        </FieldGrid>
      )
    case 'template':
      return (
        <Stack>
          {withPlaceholders('template', words.message, words.messageHint, 8, fields, onChange)}
          <FieldGrid>
            <SelectField
              label={words.prehash}
              value={fields.prehash}
              options={PREHASHES.map((value) => ({ value, label: words.prehashes[value] }))}
              onChange={(prehash) => onChange({ prehash })}
            />
            {children}
          </FieldGrid>
        </Stack>
      )
    case 'jwt':
      return (
        <Stack>
          <FieldGrid>
            <SelectField
              label={words.alg}
              value={fields.alg}
              options={ALGS.map((value) => ({ value, label: value }))}
              onChange={(alg) => onChange({ alg })}
            />
            {children}
          </FieldGrid>
          {lines('jwtHeader', words.jwtHeader, words.jwtHeaderHint, 2, fields, onChange)}
          {withPlaceholders('claims', words.claims, words.claimsHint, 8, fields, onChange)}
        </Stack>
      )
    case 'rfc9421':
      return (
        <Stack>
          <FieldGrid>
            {lines('components', words.components, words.componentsHint, 5, fields, onChange)}
            {lines('params', words.params, words.paramsHint, 5, fields, onChange)}
          </FieldGrid>
          <FieldGrid>
            {lines('label', words.label, undefined, undefined, fields, onChange)}
            {lines('keyid', words.keyid, undefined, undefined, fields, onChange)}
            {lines('tag', words.tag, undefined, undefined, fields, onChange)}
            {children}
          </FieldGrid>
        </Stack>
      )
  }
}

type TextName = 'template' | 'claims' | 'jwtHeader' | 'components' | 'params' | 'label' | 'keyid' | 'tag'

const withPlaceholders = (
  name: TextName,
  label: string,
  hint: string,
  rows: number,
  fields: ProfileFields,
  onChange: ProfileMessageProps['onChange'],
) => (
  <PlaceholderField
    label={label}
    hint={hint}
    rows={rows}
    value={fields[name]}
    placeholders={PLACEHOLDERS}
    placeholdersLabel={words.placeholders}
    insertLabel={words.insert}
    isKnown={(known) => placeholderProblem(known, 'signed', fields.kind) === undefined}
    onChange={(value) => onChange({ [name]: value })}
  />
)

const lines = (
  name: TextName,
  label: string,
  hint: string | undefined,
  rows: number | undefined,
  fields: ProfileFields,
  onChange: ProfileMessageProps['onChange'],
) => (
  <TextField
    label={label}
    hint={hint}
    mono
    {...(rows !== undefined && { rows })}
    value={fields[name]}
    onChange={(value) => onChange({ [name]: value })}
  />
)
