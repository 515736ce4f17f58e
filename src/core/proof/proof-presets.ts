import type { ProofProfileId } from '#signing/preset-ids.ts'
import { memberOf, type ProofProfile } from './proof-profile.ts'
import { PROOF_MEMBER } from '#record/field.ts'
import { placeholdersOf } from '#signing/template-parts.ts'

/** What a proof of version 1 is over, whatever members a record gets. */
const V1_MEMBERS = [
  'node_id',
  'status',
  'stake_deployed',
  'network_participation',
  'threat_responses_executed',
  'last_heartbeat',
]

/**
 * Proof profiles that come with the product. `record-v1` is our own, as the interface gives
 * none: it is what the reference service's nodes sign.
 */
export const PROOF_PROFILES: Readonly<Record<ProofProfileId, ProofProfile & { readonly title: string }>> = {
  'record-v1': {
    v: 1,
    title: 'Each member as written, by the node’s key',
    scheme: 'ed25519',
    template: ['immune-node-record-v1', ...V1_MEMBERS.map((name) => `${name}={raw.${name}}`)].join('\n'),
    key: { from: 'node-id' },
  },
}

/** Those of a record's members that a proof says nothing about: they could be changed without it. */
export function membersNotCovered({ template }: ProofProfile, members: readonly string[]): readonly string[] {
  const covered = new Set(placeholdersOf(template).map((placeholder) => memberOf(placeholder)?.name))
  return members.filter((name) => name !== PROOF_MEMBER && !covered.has(name))
}
