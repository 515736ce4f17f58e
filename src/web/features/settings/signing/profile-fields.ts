import { ok, type Result } from '#base/result.ts'
import {
  choiceField,
  draftOf,
  exactField,
  namedTextsField,
  numberField,
  readDraft,
  textField,
  wordsField,
  type DraftProblem,
  type Field,
  type Fields,
} from '#react/form-draft.ts'
import { PRESET_IDS, type PresetId } from '#signing/preset-ids.ts'
import { PRESETS } from '#signing/presets.ts'
import { ProfileSchema, type Profile } from '#signing/profile.ts'

/** A profile as form values: lists as lines, numbers as typed. */
export type ProfileFields = {
  readonly title: string
  readonly kind: Profile['message']['kind']
  readonly nodeId: NonNullable<Profile['nodeId']>
  readonly validity: string
  readonly window: string
  readonly reuse: string
  readonly headers: string
  /** For kind `none`: whether a token is sent. */
  readonly token: 'no' | 'operator-typed'
  readonly template: string
  readonly prehash: 'none' | 'sha-256' | 'sha-512'
  readonly alg: 'EdDSA' | 'Ed25519'
  readonly jwtHeader: string
  readonly claims: string
  readonly label: string
  readonly components: string
  readonly params: string
  readonly keyid: string
  readonly tag: string
}

const EMPTY: ProfileFields = {
  title: '',
  kind: 'template',
  nodeId: 'typed',
  validity: '',
  window: '',
  reuse: '',
  headers: '',
  token: 'no',
  template: '',
  prehash: 'none',
  alg: 'EdDSA',
  jwtHeader: '',
  claims: '',
  label: 'sig1',
  components: '@method\n@authority\n@path\n@query',
  params: 'created\nexpires\nnonce\nkeyid\nalg',
  keyid: '{kid}',
  tag: '',
}

const NUMBER_MARK = ' (number)'

function claimsField(at: string): Field<string> {
  const field = namedTextsField(at)
  const marked = ([name, claim]: [string, unknown]): [string, unknown] =>
    typeof claim === 'object' && claim !== null && 'number' in claim
      ? [name + NUMBER_MARK, claim.number]
      : [name, claim]
  const numbered = ([name, text]: [string, unknown]): [string, unknown] =>
    name.endsWith(NUMBER_MARK) ? [name.slice(0, -NUMBER_MARK.length), { number: text }] : [name, text]
  return {
    at,
    show: (claims) => field.show(Object.fromEntries(Object.entries(Object(claims)).map(marked))),
    read(shown) {
      const read = field.read(shown)
      return read.ok ? ok(Object.fromEntries(Object.entries(Object(read.value)).map(numbered))) : read
    },
  }
}

/** Optional text, stored exactly as typed. */
const anyText = (at: string): Field<string> => ({
  ...exactField(at),
  read: (shown) => ok(shown === '' ? undefined : shown),
})

const COMMON: Fields<ProfileFields> = {
  title: textField('title'),
  kind: choiceField('message.kind', ['template', 'jwt', 'rfc9421', 'none']),
  nodeId: choiceField('nodeId', ['typed', 'lower', 'typed-no-0x', 'lower-no-0x'], 'typed'),
  validity: numberField('validitySeconds'),
  window: numberField('timestamp.floorSeconds'),
  reuse: numberField('reuseSeconds'),
  headers: namedTextsField('headers'),
}

const BY_KIND: Readonly<Record<ProfileFields['kind'], Fields<ProfileFields>>> = {
  none: { token: choiceField('message.token', ['operator-typed'], 'no') },
  template: {
    template: exactField('message.template'),
    prehash: choiceField('message.prehash', ['sha-256', 'sha-512'], 'none'),
  },
  jwt: {
    alg: choiceField('message.alg', ['EdDSA', 'Ed25519']),
    jwtHeader: namedTextsField('message.header'),
    claims: claimsField('message.claims'),
  },
  rfc9421: {
    label: textField('message.label'),
    components: wordsField('message.components'),
    params: wordsField('message.params'),
    keyid: anyText('message.keyid'),
    tag: anyText('message.tag'),
  },
}

const fieldsFor = (kind: ProfileFields['kind']): Fields<ProfileFields> => ({ ...COMMON, ...BY_KIND[kind] })

export const fieldsOf = (profile: Profile): ProfileFields =>
  draftOf(EMPTY, fieldsFor(profile.message.kind), profile)

export const profileOfFields = (
  fields: ProfileFields,
): Result<Profile, readonly DraftProblem<ProfileFields>[]> =>
  readDraft(ProfileSchema, fieldsFor(fields.kind), fields)

/** The preset that equals this profile exactly. */
export const presetIdOf = (profile: Profile): PresetId | undefined =>
  PRESET_IDS.find((id) => same(PRESETS.get(id)?.profile, profile))

const same = (one: Profile | undefined, two: Profile): boolean =>
  one !== undefined && JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(two))
