import { expect, it } from 'vitest'
import type { ServiceLive } from '#fleet/live.ts'
import { watchState } from '#parts/watch-state.ts'
import type { KeyInfo } from '#signer/api.ts'
import { A_KEY, A_REPORT } from '#test/support/fake-dashboard.tsx'
import { aNode, aService, aServiceLive, aSnapshot, NOW_MS } from '#test/support/fleet-fixture.ts'

const stateOf = (services: readonly ServiceLive[], keys: readonly KeyInfo[]) =>
  watchState(
    aSnapshot([aNode()], services),
    { keys, report: A_REPORT, failed: false },
    'ready',
    { kind: 'running' },
    NOW_MS,
  )

it('a key is missing only if every service needs one', () => {
  const unsigned = { v: 1, message: { kind: 'none' }, headers: {} }
  const services = [
    aServiceLive(),
    aServiceLive(aService({ baseUrl: 'https://open.example', profile: unsigned })),
  ]
  expect([stateOf(services.slice(0, 1), []).lacks, stateOf(services, []).lacks]).toEqual(['key', undefined])
})

it.each([
  [[true], 'unlocking'],
  [[true, true], 'unlocking'],
  [[true, false], undefined],
])('polling waits for a passphrase only while every key is locked: %j', (locks, lacks) => {
  const state = stateOf(
    [aServiceLive()],
    locks.map((locked) => ({ ...A_KEY, locked })),
  )
  expect(state.lacks).toBe(lacks)
})
