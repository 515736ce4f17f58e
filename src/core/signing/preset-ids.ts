/**
 * Ids of the presets, separate from their documents, because the settings are read before the first status is drawn
 * and need only the ids. A test compares them with the documents.
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
