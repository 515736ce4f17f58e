import type { ProofProfileId } from '#signing/preset-ids.ts'
import { memberOf, type ProofProfile } from './proof-profile.ts'
import { FIELD_KEYS, FIELD_NAMES, type FieldName } from '#record/status-record.ts'
import { placeholdersOf } from '#signing/template-parts.ts'

/**
 * Proof profiles that come with the product. `record-v1` is our own, as the interface gives
 * none: it is what the reference service's nodes sign.
 */
export const PROOF_PROFILES: Readonly<Record<ProofProfileId, ProofProfile & { readonly title: string }>> = {
  'record-v1': {
    v: 1,
    title: 'Each member as written, by the node’s key',
    scheme: 'ed25519',
    template: [
      'immune-node-record-v1',
      ...FIELD_KEYS.filter((key) => key !== 'proof').map(
        (key) => `${FIELD_NAMES[key]}={raw.${FIELD_NAMES[key]}}`,
      ),
    ].join('\n'),
    key: { from: 'node-id' },
  },
}

/** The record's fields that a proof says nothing about: they could be changed without it. */
export function fieldsNotCovered({ template }: ProofProfile): readonly FieldName[] {
  const covered = new Set(placeholdersOf(template).map((placeholder) => memberOf(placeholder)?.name))
  return FIELD_KEYS.filter((key) => key !== 'proof' && !covered.has(FIELD_NAMES[key]))
}
