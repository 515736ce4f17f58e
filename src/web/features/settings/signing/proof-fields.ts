import type { Result } from '#base/result.ts'
import { PROOF_PROFILE_IDS, type ProofProfileId } from '#signing/preset-ids.ts'
import type { ProfileProblem } from '#signing/profile.ts'
import { PROOF_PROFILES } from '#proof/proof-presets.ts'
import { parseProofProfile, type ProofProfile } from '#proof/proof-profile.ts'
import type { Service } from '#settings/settings.ts'
import { proofProfileOf } from '#settings/service-profiles.ts'

/** A proof profile as it is edited: all that can be set, also what the chosen key source does not use. */
export type ProofFields = {
  readonly choice: 'none' | ProofProfileId | 'own'
  readonly template: string
  readonly prehash: 'none' | 'sha-256' | 'sha-512'
  readonly from: 'node-id' | 'member' | 'fixed'
  readonly fixed: string
  readonly member: string
  readonly encoding: 'hex' | 'base64'
  readonly idHash: 'none' | 'sha-256' | 'sha-512'
  readonly idBytes: string
  readonly idEnd: 'first' | 'last'
}

/** What a service's setting is in the editor. Own profiles begin as the built-in one. */
export function proofFieldsOf(service: Service): ProofFields {
  const { proof } = service
  const profile = proofProfileOf(service) ?? PROOF_PROFILES['record-v1']
  const { key } = profile
  const member = key.from === 'member' ? key : undefined
  return {
    choice: typeof proof === 'object' ? 'own' : (PROOF_PROFILE_IDS.find((id) => id === proof) ?? 'none'),
    template: profile.template,
    prehash: profile.prehash ?? 'none',
    from: key.from,
    fixed: key.from === 'fixed' ? key.hex : '',
    member: member?.name ?? '',
    encoding: member?.encoding ?? 'hex',
    idHash: member?.nodeId.hash ?? 'none',
    idBytes: member?.nodeId.bytes === undefined ? '' : String(member.nodeId.bytes),
    idEnd: member?.nodeId.end ?? 'first',
  }
}

/** What fields of one's own come to. */
export const readProofFields = (fields: ProofFields): Result<ProofProfile, readonly ProfileProblem[]> =>
  parseProofProfile({
    scheme: 'ed25519',
    template: fields.template,
    ...(fields.prehash !== 'none' && { prehash: fields.prehash }),
    key: keyOf(fields),
  })

function keyOf({ from, fixed, member, encoding, idHash, idBytes, idEnd }: ProofFields): object {
  if (from === 'node-id') return { from }
  if (from === 'fixed') return { from, hex: fixed.trim().toLowerCase().replace(/^0x/, '') }
  const bytes = idBytes.trim() === '' ? {} : { bytes: Number(idBytes) }
  return { from, name: member.trim(), encoding, nodeId: { hash: idHash, ...bytes, end: idEnd } }
}

/** The service with what the fields come to; undefined while they come to nothing. */
export function withProof(service: Service, fields: ProofFields): Service | undefined {
  const { proof: _, ...unchecked } = service
  if (fields.choice === 'none') return unchecked
  if (fields.choice !== 'own') return { ...service, proof: fields.choice }
  const read = readProofFields(fields)
  return read.ok ? { ...service, proof: read.value } : undefined
}
