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
  type DraftOf,
  type DraftProblem,
  type Field,
  type Fields,
} from '#react/form-draft.ts'
import { PRESET_IDS, type PresetId } from '#signing/preset-ids.ts'
import { PRESETS } from '#signing/presets.ts'
import { ProfileSchema, type Profile } from '#signing/profile.ts'

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

/** A text that a new profile starts with. */
const startingWith = (text: string, field: Field<string>): Field<string> => ({
  ...field,
  show: (value) => (value === undefined ? text : field.show(value)),
})

const COMMON = {
  title: textField('title'),
  kind: choiceField('message.kind', ['template', 'jwt', 'rfc9421', 'none']),
  nodeId: choiceField('nodeId', ['typed', 'lower', 'typed-no-0x', 'lower-no-0x'], 'typed'),
  validity: numberField('validitySeconds'),
  window: numberField('timestamp.floorSeconds'),
  reuse: numberField('reuseSeconds'),
  headers: namedTextsField('headers'),
}

const BY_KIND = {
  /** Whether a token is sent. */
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
    label: startingWith('sig1', textField('message.label')),
    components: startingWith('@method\n@authority\n@path\n@query', wordsField('message.components')),
    params: startingWith('created\nexpires\nnonce\nkeyid\nalg', wordsField('message.params')),
    keyid: startingWith('{kid}', anyText('message.keyid')),
    tag: anyText('message.tag'),
  },
}

const FIELDS = {
  ...COMMON,
  ...BY_KIND.none,
  ...BY_KIND.template,
  ...BY_KIND.jwt,
  ...BY_KIND.rfc9421,
}

/** A profile as form values, including those of the other kinds: lists as lines, numbers as typed. */
export type ProfileFields = DraftOf<typeof FIELDS>

const fieldsFor = (kind: ProfileFields['kind']): Fields<ProfileFields> => ({ ...COMMON, ...BY_KIND[kind] })

export function fieldsOf(profile: Profile): ProfileFields {
  const draft = draftOf(FIELDS, profile)
  // Only a new profile starts with a key id; a stored one may have none.
  return profile.message.kind === 'rfc9421' ? { ...draft, keyid: profile.message.keyid ?? '' } : draft
}

export const profileOfFields = (
  fields: ProfileFields,
): Result<Profile, readonly DraftProblem<ProfileFields>[]> =>
  readDraft(ProfileSchema, fieldsFor(fields.kind), fields)

/** The preset that equals this profile exactly. */
export const presetIdOf = (profile: Profile): PresetId | undefined =>
  PRESET_IDS.find((id) => same(PRESETS.get(id)?.profile, profile))

const same = (one: Profile | undefined, two: Profile): boolean =>
  one !== undefined && JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(two))
