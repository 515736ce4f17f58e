import { expect, it } from 'vitest'
import { PROFILE_TRIES, ROUND_EVERY_MS, TRY_EVERY_MS } from '#signing/profile-tries.ts'
it('a round goes from the strongest way of signing to the weakest', () => {
  expect(PROFILE_TRIES.map(({ id }) => id)).toEqual([
    'bearer-v1',
    'bearer-v1-base64',
    'rfc9421',
    'jwt-eddsa',
    'jwt-ed25519',
    'bearer-window',
    'method-path-time',
    'ms-method-path',
    'wallet-timestamp',
    'timestamp-only',
    'bearer-node-id',
    'node-id-base64',
  ])
  expect([TRY_EVERY_MS, ROUND_EVERY_MS]).toEqual([1_000, 3_600_000])
})
