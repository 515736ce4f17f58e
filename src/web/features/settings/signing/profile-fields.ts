import { err, ok, type Result } from '#base/result.ts'
import { parseProfile, type Profile, type ProfileProblem } from '#signing/profile.ts'
import { PRESETS } from '#signing/presets.ts'

/** A profile as it stands in the editor: lists as lines, numbers as typed. */
export type ProfileFields = {
  readonly title: string
  readonly kind: Profile['message']['kind']
  readonly nodeId: NonNullable<Profile['nodeId']>
  readonly validity: string
  readonly window: string
  readonly reuse: string
  readonly headers: string
  /** Of kind `none`: whether a token is sent. */
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

const EMPTY = {
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
} as const satisfies Partial<ProfileFields>

/** A numeric claim has this behind its name. */
const NUMBER_MARK = ' (number)'

export function fieldsOf(profile: Profile): ProfileFields {
  const { message } = profile
  return {
    ...EMPTY,
    title: profile.title ?? '',
    kind: message.kind,
    nodeId: profile.nodeId ?? 'typed',
    validity: numberText(profile.validitySeconds),
    window: numberText(profile.timestamp?.floorSeconds),
    reuse: numberText(profile.reuseSeconds),
    headers: linesOf(profile.headers),
    ...(message.kind === 'none' && { token: message.token ?? 'no' }),
    ...(message.kind === 'template' && { template: message.template, prehash: message.prehash ?? 'none' }),
    ...(message.kind === 'jwt' && {
      alg: message.alg,
      jwtHeader: linesOf(message.header),
      claims: linesOf(
        Object.fromEntries(
          Object.entries(message.claims).map(([name, claim]) =>
            typeof claim === 'string' ? [name, claim] : [name + NUMBER_MARK, claim.number],
          ),
        ),
      ),
    }),
    ...(message.kind === 'rfc9421' && {
      label: message.label,
      components: message.components.join('\n'),
      params: message.params.join('\n'),
      keyid: message.keyid ?? '',
      tag: message.tag ?? '',
    }),
  }
}

const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value))

const linesOf = (record: Readonly<Record<string, string>>): string =>
  Object.entries(record)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** The profile that the editor describes; or everything that is wrong with it. */
export function profileOfFields(fields: ProfileFields): Result<Profile, readonly ProfileProblem[]> {
  const headers = recordOf('headers', fields.headers)
  const message = messageOf(fields)
  if (!headers.ok || !message.ok)
    return err([...(headers.ok ? [] : headers.error), ...(message.ok ? [] : message.error)])
  return parseProfile({
    v: 1,
    ...(fields.title.trim() !== '' && { title: fields.title }),
    ...optionalNumber('validitySeconds', fields.validity),
    ...(fields.window.trim() !== '' && { timestamp: { floorSeconds: Number(fields.window) } }),
    ...(fields.nodeId !== 'typed' && { nodeId: fields.nodeId }),
    ...optionalNumber('reuseSeconds', fields.reuse),
    message: message.value,
    headers: headers.value,
  })
}

/** The id of the preset that this profile is, letter for letter. */
export const presetIdOf = (profile: Profile): string | undefined =>
  Array.from(PRESETS).find(([, preset]) => same(preset.profile, profile))?.[0]

const same = (one: Profile, two: Profile): boolean =>
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(two))

const optionalNumber = (name: string, text: string): object =>
  text.trim() === '' ? {} : { [name]: Number(text) }

type Problems = readonly ProfileProblem[]

function messageOf(fields: ProfileFields): Result<unknown, Problems> {
  switch (fields.kind) {
    case 'none':
      return ok({ kind: 'none', ...(fields.token !== 'no' && { token: fields.token }) })
    case 'template': {
      const { template, prehash } = fields
      return ok({ kind: 'template', template, ...(prehash !== 'none' && { prehash }) })
    }
    case 'jwt': {
      const header = recordOf('message.header', fields.jwtHeader)
      const claims = recordOf('message.claims', fields.claims)
      if (!header.ok || !claims.ok)
        return err([...(header.ok ? [] : header.error), ...(claims.ok ? [] : claims.error)])
      return ok({ kind: 'jwt', alg: fields.alg, header: header.value, claims: numbered(claims.value) })
    }
    case 'rfc9421':
      return ok({
        kind: 'rfc9421',
        label: fields.label.trim(),
        components: wordsOf(fields.components),
        params: wordsOf(fields.params),
        ...(fields.keyid !== '' && { keyid: fields.keyid }),
        ...(fields.tag !== '' && { tag: fields.tag }),
      })
  }
}

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '')

const numbered = (claims: Readonly<Record<string, string>>): object =>
  Object.fromEntries(
    Object.entries(claims).map(([name, value]) =>
      name.endsWith(NUMBER_MARK) ? [name.slice(0, -NUMBER_MARK.length), { number: value }] : [name, value],
    ),
  )

/** "Name: value", one a line. What stands behind the first colon and a space is kept as it is. */
function recordOf(path: string, text: string): Result<Readonly<Record<string, string>>, Problems> {
  const entries = new Map<string, string>()
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).trim()
    if (at <= 0) return err([{ path, message: `“${line.slice(0, 40)}” is not of the form name: value` }])
    if (entries.has(name)) return err([{ path, message: `${name} is there twice` }])
    entries.set(name, line.slice(at + 1).replace(/^ /, ''))
  }
  return ok(Object.fromEntries(entries))
}
