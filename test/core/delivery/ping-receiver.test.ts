import { expect, it } from 'vitest'
import { PING } from '#delivery/ping.ts'
import { err } from '#base/result.ts'
import { createFakeClock, settle, TEST_START_MS } from '#test/support/fake-clock.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { mailbox, NO_MEMBERS, NO_WORDS, outboxMemory, receiver, TAKEN } from './outgoing.ts'

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
  /** Evaluates every second for this long, as the engine does. */
  const pass = async (ms: number) => {
    for (let leftMs = ms; leftMs >= 0; leftMs -= 1_000) {
      sent.sync([], NO_MEMBERS)
      await settle(4)
      await clock.advance(Math.min(leftMs, 1_000))
    }
    sent.sync([], NO_MEMBERS)
    await settle(4)
  }
  return {
    clock,
    box,
    sent,
    pass,
    watch: (is: boolean) => {
      isWatching = is
    },
  }
}

it('pings at once and then every interval, with an empty object', async () => {
  const { box, sent, pass } = line()
  await pass(0)
  expect(box.taken).toEqual([{ url: 'https://dash.example/relay/r1', body: '{}', blind: false }])
  await pass(299_999)
  expect(box.taken).toHaveLength(1)
  await pass(1)
  expect(box.taken).toHaveLength(2)
  await pass(300_000)
  expect(box.taken).toHaveLength(3)
  expect(sent.state()).toMatchObject({ waiting: 0, lastDeliveredWallMs: TEST_START_MS + 600_000 })
})

it('is silent while nothing is monitored, and pings with the first evaluation after the restart', async () => {
  const { box, sent, watch, pass } = line()
  await pass(0)
  watch(false)
  await pass(3_000_000)
  expect(box.taken).toHaveLength(1)
  expect(sent.state().waiting).toBe(1)
  watch(true)
  await pass(10_000)
  expect(box.taken).toHaveLength(2)
  await pass(290_000)
  expect(box.taken).toHaveLength(3)
})

it('retries a failed ping on request', async () => {
  const { box, sent, pass } = line()
  box.answer(err({ kind: 'unreachable' }))
  await pass(0)
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
  await settle(8)
  expect(box.taken[0]?.blind).toBe(true)
})

it('stops at its end, and does not retry a ping that fails after it', async () => {
  const { clock, box, sent, pass } = line()
  const answer = withResolvers<typeof TAKEN>()
  box.answer(answer.promise)
  await pass(0)
  sent.end()
  answer.resolve(err({ kind: 'unreachable' }))
  await pass(600_000)
  expect(box.taken).toHaveLength(1)
  expect(clock.pendingMs()).toEqual([])
})
