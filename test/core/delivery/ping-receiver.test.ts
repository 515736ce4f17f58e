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

it('pings at once and then every so often, without anything to say', async () => {
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

it('is silent while nothing is watched, and begins within ten seconds of watching', async () => {
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

it('tries again when it was not taken', async () => {
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

it('directly it is sent blind, since such services let no page read', async () => {
  const { box } = line({ via: 'direct' })
  await settle(4)
  expect(box.taken[0]?.blind).toBe(true)
})

it.each([
  [1_000, 60_000],
  [Number.MAX_SAFE_INTEGER, 86_400_000],
])('every %i ms becomes every %i ms', async (everyMs, usedMs) => {
  const { clock, box } = line({ everyMs })
  await clock.advance(usedMs - 1)
  expect(box.taken).toHaveLength(1)
  await clock.advance(1)
  expect(box.taken).toHaveLength(2)
})

it('ends', async () => {
  const { clock, sent, box } = line()
  await settle()
  sent.end()
  await clock.advance(600_000)
  expect(box.taken).toHaveLength(1)
  expect(clock.pendingMs()).toEqual([])
})

it('tries nothing again that failed while it was ended', async () => {
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
