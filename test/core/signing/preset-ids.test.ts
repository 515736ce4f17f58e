import { expect, it } from 'vitest'
import {
  DEFAULT_PROFILE_ID,
  isPresetId,
  isProofProfileId,
  PRESET_IDS,
  PROOF_PROFILE_IDS,
} from '#signing/preset-ids.ts'
import { PRESETS } from '#signing/presets.ts'

it('names each profile that comes with the product, as it stands in settings, and no other', () => {
  expect(PRESET_IDS).toEqual([
    'bearer-v1',
    'bearer-window',
    'jwt-eddsa',
    'rfc9421',
    'wallet-timestamp',
    'timestamp-only',
    'bearer-node-id',
  ])
  expect(Array.from(PRESETS.keys())).toEqual(PRESET_IDS)
  expect(PRESET_IDS.every(isPresetId)).toBe(true)
  expect(['', 'toString', 'bearer', 'record-v1'].some(isPresetId)).toBe(false)
  expect(DEFAULT_PROFILE_ID).toBe('bearer-v1')
})

it('names each way in which proofs are checked', () => {
  expect(PROOF_PROFILE_IDS).toEqual(['record-v1'])
  expect([isProofProfileId('record-v1'), isProofProfileId('bearer-v1'), isProofProfileId('')]).toEqual([
    true,
    false,
    false,
  ])
})
