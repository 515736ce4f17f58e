import { expect, it } from 'vitest'
import * as v from 'valibot'
import { createDeliveryQueue, createPersisted } from '#delivery/delivery-queue.ts'
import { createFakeClock, settle, TEST_START_MS } from '#test/support/fake-clock.ts'
import { mailbox, outboxMemory } from './outgoing.ts'

it('reports a request that can’t be built, tries again, and then delivers', async () => {
  const clock = createFakeClock()
  const box = mailbox()
  let isBroken = true
  let isWaiting = true
  const queue = createDeliveryQueue(
    'r1',
    { clock, post: box.post, changed: () => undefined },
    {
      next: () => {
        if (isBroken) throw new RangeError('Invalid time value')
        if (!isWaiting) return undefined
        return {
          message: { url: '/relay/r1', body: '{}', blind: false },
          accepted: () => {
            isWaiting = false
            return undefined
          },
        }
      },
      state: () => ({ waiting: isWaiting ? 1 : 0 }),
    },
    createPersisted('r1', outboxMemory(), v.object({})),
  )
  await settle(8)
  expect(queue.state()).toMatchObject({
    failure: { kind: 'defect', message: 'RangeError: Invalid time value' },
    failingSinceWallMs: TEST_START_MS,
    nextTryWallMs: TEST_START_MS + 5_000,
  })
  isBroken = false
  await clock.advance(5_000)
  expect(queue.state()).toMatchObject({ waiting: 0, failure: undefined })
  expect(box.taken).toHaveLength(1)
})
