import { PROFILES } from '#signing/presets.ts'
import type { Profile } from '#signing/profile.ts'
import { isProofProfileId } from '#signing/preset-ids.ts'
import { PROOF_PROFILES, type ProofProfile } from '#proof/proof-profile.ts'
import type { Service } from './settings.ts'

/** How requests to a service are signed: the document, also where the settings name a built-in one. */
export const profileOf = ({ profile }: Service): Profile | undefined =>
  typeof profile === 'string' ? PROFILES[profile] : profile

/** How a service's proofs are checked; undefined: they are not. */
export const proofProfileOf = ({ proof }: Pick<Service, 'proof'>): ProofProfile | undefined => {
  if (typeof proof !== 'string') return proof
  return isProofProfileId(proof) ? PROOF_PROFILES[proof] : undefined
}
