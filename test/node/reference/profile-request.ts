import { parseProfile } from '#settings/documents.ts'
import type { Profile } from '#signing/profile.ts'
import type { Known } from '#reference/profile-values.ts'
import { readQuery } from '#reference/strict-verify.ts'
import { valueOf } from '#test/support/value-of.ts'

export const NODE_ID = `0x${'Ab'.repeat(32)}`

export const profileOf = (document: object): Profile => valueOf(parseProfile(document))

/** A profile that signs `template` and sends these headers. */
export const templateProfile = (
  template: string,
  headers: Readonly<Record<string, string>> = { Authorization: 'Bearer {sig.hex}' },
  more: object = {},
): Profile => profileOf({ message: { kind: 'template', template }, headers, ...more })

/** A request with this query, as the service knows it before it reads the headers. */
export const knownOf = (profile: Profile, rawQuery = `node_id=${NODE_ID}`): Known => ({
  method: 'GET',
  origin: 'https://nodes.example:8443',
  path: '/node/status',
  rawQuery,
  query: readQuery(rawQuery) ?? [],
  profile,
})
