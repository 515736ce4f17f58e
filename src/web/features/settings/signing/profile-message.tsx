import type { ReactNode } from 'react'
import { placeholderProblem } from '#signing/profile-placeholders.ts'
import { profileTexts as words } from '#texts/en-profiles.ts'
import { PlaceholderField } from '#ui/placeholder-field.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import type { ProfileFields } from './profile-fields.ts'

type ProfileMessageProps = {
  readonly fields: ProfileFields
  readonly onChange: (part: Partial<ProfileFields>) => void
  /** What is set for every kind, beside its own choices. */
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

/** What is signed, by the kind of message. */
export function ProfileMessage({ fields, onChange, children }: ProfileMessageProps) {
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
