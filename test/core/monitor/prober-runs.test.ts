import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createProber } from '#monitor/prober.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { HttpReply } from '#protocol/ports.ts'
import { episode, NOW_MS, reading, timeout, unreachable } from './fleet.ts'
import { tracked } from './tracked.ts'

const REFUSED: PollFailure = { kind: 'unauthorized' }

/** Looks into failures of one node, where the service refuses whoever does not sign. */
function probing() {
  const { clock, nodeAt, serviceAt } = tracked()
  let changes = 0
  const prober = createProber(
    { clock, transport: async () => ok<HttpReply>({ status: 401, body: '' }), probe: undefined },
    () => 'http://127.0.0.1',
    { services: () => changes++ },
  )
  const consider = (failure: PollFailure, nowMs = NOW_MS) =>
    prober.consider(nodeAt(0), failure, { status: 401, body: '{"detail":"who"}' }, nowMs)
  return { prober, consider, clock, node: nodeAt(0), service: serviceAt(0), changes: () => changes }
}

describe('what is looked into', () => {
  it.each<[PollFailure, number, boolean, boolean]>([
    [unreachable, 1, true, false],
    [unreachable, 2, true, true],
    [timeout, 1, true, false],
    [timeout, 2, true, true],
    [timeout, 1, false, true],
    [REFUSED, 1, true, true],
  ])(
    'of %j, missed %i times, of a node that answered before (%s): %s',
    (failure, misses, hasAnswered, isMeant) => {
      const { consider, node, service } = probing()
      node.live = {
        ...node.live,
        episode: episode(failure, misses),
        reading: hasAnswered ? reading() : undefined,
      }
      consider(failure)
      expect(service.probed !== undefined).toBe(isMeant)
    },
  )

  it('is told with how the clocks compare', async () => {
    const { consider, clock, service, changes } = probing()
    service.offset = { lowMs: 1_000, highMs: 2_000 }
    consider(REFUSED)
    await clock.advance(0)
    expect(service.probed?.found).toMatchObject({ code: 'auth/401' })
    expect(service.probed?.found?.diagnosis.clues).toContainEqual({
      kind: 'clocks',
      offset: { lowMs: 1_000, highMs: 2_000 },
    })
    expect(changes()).toBe(1)
  })

  it('is told of no more once it is over, and is news only where something was told', async () => {
    const { prober, consider, clock, service, changes } = probing()
    consider(REFUSED)
    prober.end(service)
    expect(changes()).toBe(0)
    await clock.advance(0)
    expect([service.probed, changes()]).toEqual([undefined, 0])
    prober.end(service)
    expect(changes()).toBe(0)
    consider(REFUSED)
    await clock.advance(0)
    prober.end(service)
    expect(changes()).toBe(2)
  })

  it('is looked into six times in six minutes, and again when the first of them is that old', () => {
    const { prober, consider, service } = probing()
    for (let run = 0; run < 6; run++) {
      consider(REFUSED, NOW_MS + run)
      prober.end(service)
    }
    consider(REFUSED, NOW_MS + 359_999)
    expect(service.probed).toBeUndefined()
    consider(REFUSED, NOW_MS + 360_000)
    expect(service.probed).toBeDefined()
  })
})
