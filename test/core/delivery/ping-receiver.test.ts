import { expect, it } from 'vitest'
import { PING } from '#delivery/ping.ts'
import { err } from '#base/result.ts'
import { createFakeClock, settle, TEST_START_MS } from '#test/support/fake-clock.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { mailbox, NO_WORDS, outboxMemory, receiver, TAKEN } from './outgoing.ts'

function line(changed: Parameters<typeof receiver>[0] = {}) {
  const clock = createFakeClock()
  const box = mailbox()
  let isWatching = true
  const sent = PING.open(receiver({ kind: 'ping', everyMs: 300_000, ...changed }), {
    ...NO_WORDS,
    clock,
    post: box.post,
    storage: outboxMemory(),
    isWatching: () => isWatching,
    changed: () => undefined,
  })
  return {
    clock,
    box,
    sent,
    watch: (is: boolean) => {
      isWatching = is
    },
  }
}

it('pings at once and then every interval, with an empty object', async () => {
  const { clock, box, sent } = line()
  await settle(4)
  expect(box.taken).toEqual([{ url: 'https://dash.example/relay/r1', body: '{}', blind: false }])
  await clock.advance(299_999)
  expect(box.taken).toHaveLength(1)
  await clock.advance(1)
  expect(box.taken).toHaveLength(2)
  await clock.advance(300_000)
  expect(box.taken).toHaveLength(3)
  expect(sent.state()).toMatchObject({ waiting: 0, lastDeliveredWallMs: TEST_START_MS + 600_000 })
})

it('is silent while nothing is monitored, and pings within 10 s of the restart', async () => {
  const { clock, box, sent, watch } = line()
  await settle(4)
  watch(false)
  await clock.advance(3_000_000)
  expect(box.taken).toHaveLength(1)
  expect(sent.state().waiting).toBe(1)
  watch(true)
  await clock.advance(10_000)
  expect(box.taken).toHaveLength(2)
  await clock.advance(290_000)
  expect(box.taken).toHaveLength(3)
})

it('retries a failed ping on request', async () => {
  const { clock, box, sent } = line()
  box.answer(err({ kind: 'unreachable' }))
  await clock.advance(300_000)
  box.taken.length = 0
  expect(sent.state().failure).toEqual({ kind: 'unreachable' })
  box.answer(TAKEN)
  sent.now()
  await settle(4)
  expect(box.taken).toHaveLength(1)
  expect(sent.state().failure).toBeUndefined()
})

it('ignores the answer to a direct ping, because such services let no page read it', async () => {
  const { box } = line({ via: 'direct' })
  await settle(4)
  expect(box.taken[0]?.blind).toBe(true)
})

it.each([
  [1_000, 60_000],
  [Number.MAX_SAFE_INTEGER, 86_400_000],
])('changes an interval of %i ms to %i ms', async (everyMs, usedMs) => {
  const { clock, box } = line({ everyMs })
  await clock.advance(usedMs - 1)
  expect(box.taken).toHaveLength(1)
  await clock.advance(1)
  expect(box.taken).toHaveLength(2)
})

it('stops at its end', async () => {
  const { clock, sent, box } = line()
  await settle()
  sent.end()
  await clock.advance(600_000)
  expect(box.taken).toHaveLength(1)
  expect(clock.pendingMs()).toEqual([])
})

it('does not retry a ping that fails after its end', async () => {
  const { clock, box, sent } = line()
  await settle(4)
  const answer = withResolvers<typeof TAKEN>()
  box.answer(answer.promise)
  await clock.advance(300_000)
  sent.end()
  answer.resolve(err({ kind: 'unreachable' }))
  await settle(4)
  expect(clock.pendingMs()).toEqual([])
})
