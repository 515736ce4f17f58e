/**
 * The names of what comes with the product, apart from the documents: settings are read before
 * the first status is drawn, and need no more than these. A test compares the documents.
 */
export const PRESET_IDS = [
  'bearer-v1',
  'bearer-window',
  'jwt-eddsa',
  'rfc9421',
  'wallet-timestamp',
  'timestamp-only',
  'bearer-node-id',
] as const

export type PresetId = (typeof PRESET_IDS)[number]

export const isPresetId = (id: string): id is PresetId => PRESET_IDS.some((known) => known === id)

export const PROOF_PROFILE_IDS = ['record-v1'] as const

export type ProofProfileId = (typeof PROOF_PROFILE_IDS)[number]

export const isProofProfileId = (id: string): id is ProofProfileId =>
  PROOF_PROFILE_IDS.some((known) => known === id)

export const DEFAULT_PROFILE_ID = 'bearer-v1'
