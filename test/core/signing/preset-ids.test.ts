import { expect, it } from 'vitest'
import { DEFAULT_PROFILE_ID, isPresetId, PRESET_IDS } from '#signing/preset-ids.ts'
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
