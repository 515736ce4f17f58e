import { expect, it } from 'vitest'
import { watchState } from '#parts/watch-state.ts'
import { A_KEY } from '#test/support/fake-dashboard.tsx'
import { aNode, aService, aServiceLive, aSnapshot, NOW_MS } from '#test/support/fleet-fixture.ts'

it.each([
  [[true], 'unlocking'],
  [[true, true], 'unlocking'],
  [[true, false], undefined],
])('polling waits for a passphrase only while every key is locked: %j', (locks, lacks) => {
  const fleet = aSnapshot([aNode()], [aServiceLive(aService())])
  const keys = locks.map((locked) => ({ ...A_KEY, locked }))
  const state = watchState(
    fleet,
    { keys, report: undefined, failed: false },
    'ready',
    { kind: 'running' },
    NOW_MS,
  )
  expect(state.lacks).toBe(lacks)
})
