import { ok, type Result } from '#base/result.ts'
import {
  choiceField,
  draftOf,
  exactField,
  numberField,
  readDraft,
  textField,
  type DraftOf,
  type DraftProblem,
  type Fields,
} from '#react/form-draft.ts'
import {
  proofProfileOf,
  PROOF_PROFILES,
  ProofProfileSchema,
  type ProofProfile,
} from '#proof/proof-profile.ts'
import type { Service } from '#settings/schema.ts'
import { PROOF_PROFILE_IDS, type ProofProfileId } from '#signing/preset-ids.ts'

const COMMON = {
  template: exactField('template'),
  prehash: choiceField('prehash', ['sha-256', 'sha-512'], 'none'),
  from: choiceField('key.from', ['node-id', 'member', 'fixed']),
}

const BY_SOURCE = {
  'node-id': {},
  fixed: {
    fixed: {
      ...textField('key.hex'),
      read: (shown: string) => ok(shown.trim().toLowerCase().replace(/^0x/, '')),
    },
  },
  member: {
    member: textField('key.name'),
    encoding: choiceField('key.encoding', ['hex', 'base64']),
    idHash: choiceField('key.nodeId.hash', ['none', 'sha-256', 'sha-512']),
    idBytes: numberField('key.nodeId.bytes'),
    idEnd: choiceField('key.nodeId.end', ['first', 'last']),
  },
}

const FIELDS = { ...COMMON, ...BY_SOURCE.fixed, ...BY_SOURCE.member }

/** A proof profile as form values, including fields that the chosen key source ignores. */
export type ProofFields = DraftOf<typeof FIELDS> & { readonly choice: 'none' | ProofProfileId | 'own' }

const fieldsFor = (from: ProofFields['from']): Fields<ProofFields> => ({ ...COMMON, ...BY_SOURCE[from] })

/** The form values of a service's setting. A custom profile starts as a copy of the built-in one. */
export function proofFieldsOf(service: Service): ProofFields {
  const { proof } = service
  const profile = proofProfileOf(service) ?? PROOF_PROFILES['record-v1']
  const choice = typeof proof === 'object' ? 'own' : (PROOF_PROFILE_IDS.find((id) => id === proof) ?? 'none')
  return { choice, ...draftOf(FIELDS, profile) }
}

export const readProofFields = (
  fields: ProofFields,
): Result<ProofProfile, readonly DraftProblem<ProofFields>[]> =>
  readDraft(ProofProfileSchema, fieldsFor(fields.from), fields, { scheme: 'ed25519' })

/** The service with the edited proof setting; undefined while the fields are invalid. */
export function withProof(service: Service, fields: ProofFields): Service | undefined {
  const { proof: _, ...unchecked } = service
  if (fields.choice === 'none') return unchecked
  if (fields.choice !== 'own') return { ...service, proof: fields.choice }
  const read = readProofFields(fields)
  return read.ok ? { ...service, proof: read.value } : undefined
}
