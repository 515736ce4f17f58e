import { expect, it, onTestFinished } from 'vitest'
import type { DeliveryState } from '#alarms/delivery.ts'
import { createStore } from '#base/store.ts'
import { createNotificationService } from '#engine/notification-service.ts'
import { alarm, mailbox, notice, outboxMemory, receiver, view } from '#test/core/alarms/outgoing.ts'
import { fleet, live, node } from '#test/core/monitor/fleet.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'
import type { TabCall } from '#tabs/share-message.ts'
import type { TabState } from '#tabs/tabs.ts'

const HOOK = receiver({ id: 'hook', postUrl: '/relay/hook' })
const PING = receiver({ id: 'ping', kind: 'ping', postUrl: '/relay/ping' })
const HEAR_EVERY_MS = 5_000

/** A tab that leads or follows, with a receiver in memory. `answers`: what the tab that leads says, if there is one. */
function desk(role: TabState['role'] = 'leading', answers: (call: TabCall) => unknown = () => undefined) {
  const clock = createFakeClock()
  const box = mailbox()
  const storage = outboxMemory()
  const leading: TabState = {
    role,
    term: 1,
    leader: 'other',
    silent: false,
    by: 'locks',
    otherBuild: false,
    tookOver: false,
  }
  const state = createStore(leading)
  const asked: TabCall[] = []
  let polls = 0
  const one = createNotificationService({
    clock,
    post: box.post,
    storage,
    origin: 'https://dash.example',
    monitor: { snapshot: () => fleet([node(0)], [live()], { answered: polls }) },
    tabs: {
      state,
      ask: async (call) => {
        asked.push(call)
        return answers(call)
      },
    },
  })
  onTestFinished(one.end)
  const told: (readonly DeliveryState[])[] = []
  return {
    ...one,
    clock,
    box,
    storage,
    asked,
    told,
    watch: () => one.api.watchDeliveries((states) => told.push(states)),
    become: (next: TabState['role']) => state.publish({ ...leading, role: next }),
    judge: () => {
      polls++
      one.evaluated(view([]))
    },
  }
}
const problem = notice('n1', 'problem', [alarm('a')])
const lastIds = (told: readonly (readonly DeliveryState[])[]) => told.at(-1)?.map(({ id }) => id)

it('sends while its tab leads; what waits is sent by the tab that leads next', async () => {
  const { api, notify, box, become, storage } = desk()
  await api.sendTo([HOOK])
  box.answer({ ok: false, error: { kind: 'unreachable' } })
  notify(problem)
  await settle(8)
  expect(box.ids()).toEqual(['n1'])
  become('following')
  notify(notice('n2', 'problem', [alarm('b')]))
  await settle(8)
  expect(box.ids()).toEqual(['n1'])
  expect(storage.kept.get('hook')).toMatchObject({ messages: [{ id: 'n1' }] })
  box.answer({ ok: true, value: { status: 200, answer: '' } })
  become('leading')
  await settle(8)
  expect(box.ids()).toEqual(['n1', 'n1'])
})

it('says of a leading tab’s deliveries at once, and at every change', async () => {
  const { api, watch, told, notify, asked } = desk()
  await watch()
  expect(told).toEqual([[]])
  await api.sendTo([HOOK])
  notify(problem)
  await settle(8)
  expect(told.at(-1)).toMatchObject([{ id: 'hook', waiting: 0, lastDeliveredWallMs: expect.any(Number) }])
  expect(asked).toEqual([])
})

it('asks the tab that leads how its deliveries are doing, as long as somebody wants to know', async () => {
  const states = [{ id: 'elsewhere' }]
  const { clock, watch, told, asked } = desk('following', () => states)
  await clock.advance(2 * HEAR_EVERY_MS)
  expect(asked).toEqual([])
  await watch()
  await settle()
  expect([told, asked]).toEqual([[states], [{ what: 'deliveries' }]])
  await clock.advance(HEAR_EVERY_MS)
  expect(asked).toHaveLength(2)
})

it('goes on saying what was known, where no tab answers', async () => {
  const { clock, watch, told, asked } = desk('following')
  await watch()
  await clock.advance(HEAR_EVERY_MS)
  expect([told, asked.length]).toEqual([[], 2])
})

it('does not take an answer for its own that comes when it leads itself', async () => {
  let answer: (states: unknown) => void = () => undefined
  const late = new Promise((resolve) => {
    answer = resolve
  })
  const { api, watch, told, become } = desk('following', () => late)
  await api.sendTo([HOOK])
  await watch()
  become('leading')
  await settle(8)
  answer([{ id: 'elsewhere' }])
  await settle(8)
  expect(lastIds(told)).toEqual(['hook'])
})

it('has the tab that leads try again, be it this one or another', async () => {
  const here = desk()
  await here.api.sendTo([HOOK])
  here.box.answer({ ok: false, error: { kind: 'timeout' } })
  here.notify(problem)
  await settle(8)
  await here.api.tryReceiver('hook')
  await settle(8)
  expect(here.box.ids()).toEqual(['n1', 'n1'])
  expect(here.answer({ what: 'try-receiver', id: 'hook' })).toBe(true)
  await settle(8)
  expect(here.box.ids()).toHaveLength(3)
  expect(here.answer({ what: 'deliveries' })).toMatchObject([{ id: 'hook', waiting: 1 }])

  const there = desk('following')
  await there.api.tryReceiver('hook')
  expect(there.asked).toEqual([{ what: 'try-receiver', id: 'hook' }])
})

it('sends a test from any tab', async () => {
  const { api, box } = desk('following')
  await api.sendTo([HOOK])
  expect(await api.testReceiver('hook')).toMatchObject({ ok: true })
  expect(box.bodies()).toMatchObject([{ kind: 'test' }])
})

it('pings only once nodes are asked and judged', async () => {
  const { api, box, clock, judge } = desk()
  await api.sendTo([PING])
  await clock.advance(60_000)
  expect(box.taken).toEqual([])
  judge()
  judge()
  await clock.advance(10_000)
  expect(box.taken.map(({ url }) => url)).toEqual(['/relay/ping'])
})

it('leaves no timer behind', async () => {
  const { api, watch, clock, end } = desk()
  await api.sendTo([HOOK, PING])
  await watch()
  end()
  expect(clock.pendingMs()).toEqual([])
})
