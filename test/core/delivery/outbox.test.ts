import { describe, expect, it } from 'vitest'
import { createOutbox } from '#delivery/outbox.ts'
import { SILENCES_MAX } from '#delivery/alertmanager.ts'
import type { AlarmMember, AlarmView } from '#alarms/alarm.ts'
import { err } from '#base/result.ts'
import type { Outgoing } from '#delivery/delivery-queue.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import { createFakeClock, settle, TEST_START_MS } from '#test/support/fake-clock.ts'
import {
  NO_DETAILS,
  NO_MEMBERS,
  alarm,
  facts,
  mailbox,
  notice,
  outboxMemory,
  receiver,
  TAKEN,
  view,
} from './outgoing.ts'

const HOOK = receiver({ id: 'hook', postUrl: '/relay/hook' })
const PAGER = receiver({ id: 'pager', kind: 'alertmanager', postUrl: '/relay/pager' })
const SWITCH = receiver({ id: 'switch', kind: 'ping', postUrl: 'https://ping.example', via: 'direct' })

function outbox(storage = outboxMemory()) {
  const clock = createFakeClock()
  const box = mailbox()
  const all = createOutbox({
    clock,
    post: box.post,
    storage,
    isWatching: () => true,
    describe: facts,
    details: () => NO_DETAILS,
    summary: ({ alarms }) => `${alarms.length} told`,
    test: { text: 'A test.', link: 'https://dash.example/' },
  })
  const urls = () => box.taken.map(({ url }) => url)
  return { clock, box, storage, urls, ...all }
}

/** The outbox of the active engine. */
function active(...receivers: readonly Outgoing[]) {
  const all = outbox()
  all.configure(receivers)
  all.setActive(true)
  return all
}

it('sends to a receiver that is added during an outage what others were sent before', async () => {
  const { clock, box, urls, sync, configure, notify } = active(PAGER)
  const acknowledged = { wallMs: TEST_START_MS }
  const [known, seen, waits] = [alarm('a'), alarm('b', { acknowledged }), alarm('c', { notified: false })]
  sync(view([known, seen, waits]), NO_MEMBERS)
  await clock.advance(1_000)
  box.taken.length = 0
  configure([PAGER, HOOK])
  configure([PAGER, HOOK])
  await clock.advance(1_000)
  expect(urls()).toEqual(['/relay/hook'])
  expect(box.bodies()).toMatchObject([{ kind: 'problem', count: 1, alarms: [{ id: 'a' }] }])
  notify(notice('n1', 'recovery', [known]))
  await clock.advance(1_000)
  expect(box.bodies()).toMatchObject([{}, { kind: 'recovery', alarms: [{ id: 'a' }] }])
})

it('sends only tests to a receiver that the server itself notifies', async () => {
  const { clock, box, notify, test, urls, states } = active(HOOK, {
    ...receiver({ id: 'w', postUrl: '/relay/w' }),
    isTestOnly: true,
  })
  notify(notice('n0', 'problem', [alarm('a')]))
  await clock.advance(10_000)
  expect(states.get().map(({ id }) => id)).toEqual(['hook'])
  expect(urls()).toEqual(['/relay/hook'])
  box.taken.length = 0
  await test('w')
  expect(urls()).toEqual(['/relay/w'])
})

it('sends nothing before its tab leads or after', async () => {
  const { clock, box, configure, setActive, notify, sync, states } = outbox()
  configure([HOOK, PAGER, SWITCH])
  notify(notice('n0', 'problem', [alarm('a')]))
  sync(view([alarm('a')]), NO_MEMBERS)
  await clock.advance(600_000)
  expect(box.taken).toEqual([])
  expect(states.get()).toEqual([])
  setActive(true)
  await settle(6)
  expect(states.get().map(({ id }) => id)).toEqual(['hook', 'pager', 'switch'])
  setActive(false)
  box.taken.length = 0
  notify(notice('n1', 'problem', [alarm('a')]))
  await clock.advance(600_000)
  expect(box.taken).toEqual([])
  expect(clock.pendingMs()).toEqual([])
})

it('sends each receiver its own format', async () => {
  const { box, notify, sync } = active(HOOK, PAGER, SWITCH)
  notify(notice('n1', 'problem', [alarm('a')]))
  sync(view([alarm('a'), alarm('b', { notified: false })]), NO_MEMBERS)
  await settle(8)
  const by = Object.fromEntries(box.taken.map(({ url, body }) => [url, JSON.parse(body)]))
  expect(by).toMatchObject({
    '/relay/hook': { id: 'n1', kind: 'problem', text: '1 told', alarms: [{ id: 'a', node: '0xa' }] },
    '/relay/pager': [{ labels: { alarm: 'a' } }],
    'https://ping.example': {},
  })
  expect(box.taken).toHaveLength(3)
})

it('ends an Alertmanager alert when its alarm is no longer notified, not when it is shelved or inhibited', async () => {
  const { box, sync } = active(PAGER)
  sync(view([alarm('a'), alarm('b')]), NO_MEMBERS)
  await settle(6)
  box.taken.length = 0
  const shelved = { untilWallMs: TEST_START_MS + 1, reason: 'known' }
  sync(
    view([alarm('a', { shelved, inhibitedBy: 'x' }), alarm('b', { notified: false, phase: 'cleared' })]),
    NO_MEMBERS,
  )
  await settle(6)
  expect(box.bodies()).toMatchObject([
    [{ labels: { alarm: 'b' }, endsAt: new Date(TEST_START_MS).toISOString() }],
  ])
})

it('an Alertmanager with silences counts silences beyond the limit as lost', async () => {
  const { setActive, sync, states } = active({ ...PAGER, silences: true })
  const acknowledged = { wallMs: 1 }
  sync(
    view(Array.from({ length: SILENCES_MAX + 3 }, (_, index) => alarm(`n${index}`, { acknowledged }))),
    NO_MEMBERS,
  )
  await settle()
  expect(states.get()[0]?.lost).toBe(3)
  setActive(false)
})

describe('the filter of a receiver', () => {
  it('drops alarms below its minimum severity', async () => {
    const { urls, notify, sync } = active({ ...HOOK, from: 'critical' }, { ...PAGER, from: 'critical' })
    const quiet = alarm('a', { severity: 'warning' })
    notify(notice('n1', 'problem', [quiet]))
    sync(view([quiet]), NO_MEMBERS)
    notify(notice('n2', 'recovery', [quiet]))
    await settle(6)
    expect(urls()).toEqual([])
    notify(notice('n3', 'problem', [alarm('b')]))
    sync(view([quiet, alarm('b')]), NO_MEMBERS)
    await settle(6)
    expect(urls().toSorted()).toEqual(['/relay/hook', '/relay/pager'])
  })

  it('drops blocked sound and unsaved history unless the receiver accepts screen alarms', async () => {
    const { urls, configure, setActive, notify, sync } = outbox()
    const own = (['sound-blocked', 'not-saving'] as const).map((kind) => alarm(kind, { ruleId: kind, kind }))
    const receivers = [HOOK, PAGER]
    setActive(true)
    for (const [screenAlarms, expected] of [
      [false, []],
      [true, ['/relay/hook', '/relay/hook', '/relay/pager']],
    ] as const) {
      configure(receivers.map((each) => ({ ...each, screenAlarms })))
      for (const one of own) notify(notice(`${one.id} ${screenAlarms}`, 'problem', [one]))
      sync(view(own), NO_MEMBERS)
      await settle(8)
      expect(urls().toSorted()).toEqual(expected)
    }
  })

  it('passes the recovery of a sent problem once, even at a lower severity', async () => {
    const { box, notify } = active({ ...HOOK, from: 'critical' })
    const quiet = alarm('a', { severity: 'info' })
    notify(notice('1', 'problem', [alarm('a')]))
    notify(notice('2', 'recovery', [quiet]))
    notify(notice('3', 'recovery', [quiet]))
    notify(notice('4', 'reminder', [alarm('c')]))
    notify(notice('5', 'recovery', [alarm('c', { severity: 'warning' })]))
    await settle(12)
    expect(box.ids()).toEqual(['1', '2', '4', '5'])
  })

  it('passes a recovery only if its problem was sent, in this session or before a reload', async () => {
    const first = active(HOOK)
    first.notify(notice('1', 'recovery', [alarm('a')]))
    first.notify(notice('2', 'problem', [alarm('b')]))
    await settle(8)
    expect(first.box.ids()).toEqual(['2'])
    first.setActive(false)
    const second = outbox(first.storage)
    second.configure([HOOK])
    second.setActive(true)
    second.notify(notice('3', 'recovery', [alarm('b')]))
    await settle(8)
    expect(second.box.ids()).toEqual(['3'])
    expect(first.storage.kept.size).toBe(0)
  })
})

describe('an evaluation', () => {
  it.each(['its tab leads', 'its receiver is added'])('from before %s is sent then', async (what) => {
    const { urls, configure, setActive, sync } = outbox()
    const steps = [() => configure([PAGER]), () => setActive(true)]
    if (what !== 'its tab leads') steps.reverse()
    steps[0]?.()
    sync(view([alarm('a')]), NO_MEMBERS)
    steps[1]?.()
    await settle(6)
    expect(urls()).toEqual(['/relay/pager'])
  })

  it('from before another tab led is not sent again, because that tab may have superseded it', async () => {
    const { box, storage, setActive, sync } = active(PAGER)
    sync(view([alarm('a')]), NO_MEMBERS)
    await settle(6)
    setActive(false)
    // The other tab sends its end.
    storage.kept.clear()
    box.taken.length = 0
    setActive(true)
    await settle(6)
    expect(box.taken).toEqual([])
  })
})

describe('a new list of receivers', () => {
  it('sends nothing twice to unchanged receivers, which keep working', async () => {
    const { urls, box, configure, sync, notify } = active(PAGER, HOOK)
    sync(view([alarm('a')]), NO_MEMBERS)
    await settle(6)
    box.taken.length = 0
    configure([SWITCH, { ...PAGER }, { ...HOOK }])
    await settle(6)
    expect(urls()).toEqual([SWITCH.postUrl])
    sync(view([alarm('a'), alarm('b')]), NO_MEMBERS)
    notify(notice('1', 'problem', [alarm('b')]))
    await settle(6)
    expect(urls().slice(1).toSorted()).toEqual(['/relay/hook', '/relay/pager'])
  })

  it('keeps the queue of an unchanged receiver, and stops a removed one', async () => {
    const { clock, box, configure, notify, states } = active(HOOK)
    box.answer(err({ kind: 'unreachable' }))
    notify(notice('1', 'problem', [alarm('a')]))
    await settle(6)
    configure([SWITCH, HOOK])
    await settle(4)
    expect(states.get().find(({ id }) => id === 'hook')).toMatchObject({
      waiting: 1,
      failingSinceWallMs: TEST_START_MS,
    })
    configure([])
    box.taken.length = 0
    await clock.advance(600_000)
    expect(box.taken).toEqual([])
    expect(states.get()).toEqual([])
  })
})

describe('a test', () => {
  it.each([
    [HOOK, { kind: 'test', text: 'A test.', id: `test-${TEST_START_MS}` }, false],
    [PAGER, [{ labels: { alertname: 'ImmuneNodeDashboardTest' } }], false],
    [SWITCH, {}, true],
  ])('of $kind bypasses the queue, even in a tab that does not lead', async (each, body, blind) => {
    const { box, configure, test } = outbox()
    configure([each])
    box.answer({ ok: true, value: { status: 202, answer: 'thanks' } })
    expect(await test(each.id)).toEqual({ ok: true, value: { status: 202, answer: 'thanks' } })
    expect(box.bodies()).toMatchObject([body])
    expect(box.taken[0]).toMatchObject({ url: each.postUrl, blind })
  })

  it('that succeeds triggers the waiting messages; one that fails leaves them waiting', async () => {
    const { box, notify, test } = active(HOOK)
    box.answer(err({ kind: 'timeout' }))
    notify(notice('1', 'problem', [alarm('a')]))
    await settle(6)
    expect(await test('hook')).toEqual(err({ kind: 'timeout' }))
    await settle(4)
    expect(box.ids()).toEqual(['1', `test-${TEST_START_MS}`])
    box.answer(TAKEN)
    await test('hook')
    await settle(4)
    expect(box.ids().slice(2)).toEqual([`test-${TEST_START_MS}`, '1'])
  })

  it.each(['hook', 'pager'])(
    'that succeeds counts as a delivery, one that fails does not: %s',
    async (id) => {
      const { clock, box, test, states } = active(PAGER, HOOK)
      await settle(6)
      const last = () => states.get().find((one) => one.id === id)?.lastDeliveredWallMs
      box.answer(err({ kind: 'timeout' }))
      await test(id)
      expect(last()).toBeUndefined()
      box.answer(TAKEN)
      await test(id)
      expect(last()).toBe(clock.wallMs())
    },
  )

  it('is not the only trigger: a manual retry sends one receiver’s waiting messages at once', async () => {
    const { urls, box, notify, sync, tryNow } = active(PAGER, HOOK)
    box.answer(err({ kind: 'timeout' }))
    notify(notice('1', 'problem', [alarm('a')]))
    sync(view([alarm('a')]), NO_MEMBERS)
    await settle(6)
    box.answer(TAKEN)
    box.taken.length = 0
    tryNow('nobody')
    await settle(4)
    expect(urls()).toEqual([])
    tryNow('hook')
    await settle(4)
    expect(urls()).toEqual(['/relay/hook'])
    tryNow('pager')
    await settle(4)
    expect(urls()).toEqual(['/relay/hook', '/relay/pager'])
  })
})

describe('a sent problem', () => {
  const MINUTES = 60_000
  const acknowledged = { wallMs: TEST_START_MS }
  const group = alarm('group', { memberCount: 2 })
  const memberOf = (one: AlarmView): AlarmMember => ({ ...one, node: nodeKeyFromText('s!a') })

  /** Opens a problem of two alarms, and returns what each later state of them sends. */
  async function open(changed: Partial<Outgoing>, storage = outboxMemory()) {
    const all = outbox(storage)
    all.configure([receiver(changed)])
    all.setActive(true)
    all.notify(notice('n1', 'problem', [alarm('a'), alarm('b')]))
    await settle(6)
    const see = async (alarms: readonly AlarmView[], members: readonly AlarmMember[] = []) => {
      all.box.taken.length = 0
      all.sync(view(alarms), () => members)
      await settle(6)
      return all.box.bodies().map((body) => {
        const { kind, alarms: sent } = Object(body)
        return `${kind} ${sent.map(({ id }: AlarmView) => id).join(' ')}`
      })
    }
    return { ...all, see }
  }

  it.each([
    ['pagerduty', ['acknowledged a']],
    ['slack', []],
    ['webhook', []],
  ] as const)('is acknowledged once at %s: %j', async (kind, expected) => {
    const { see } = await open({ kind })
    expect(await see([alarm('a'), alarm('b')])).toEqual([])
    const one = [alarm('a', { acknowledged }), alarm('b'), alarm('c', { acknowledged })]
    expect(await see(one)).toEqual(expected)
    expect(await see(one)).toEqual([])
    const both = [alarm('a', { acknowledged }), alarm('b', { acknowledged })]
    expect(await see(both)).toEqual(expected.map(() => 'acknowledged b'))
    expect(await see(both)).toEqual([])
  })

  it('is acknowledged individually while the screen shows it in a group', async () => {
    const { see } = await open({ kind: 'pagerduty' })
    const members = [alarm('a', { acknowledged }), alarm('b')].map(memberOf)
    expect(await see([group], members)).toEqual(['acknowledged a'])
  })

  it('is repeated every interval until each alarm is acknowledged, shelved or cleared', async () => {
    const { see, clock, notify, box } = await open({ routing: { repeatMs: 10 * MINUTES } })
    const both = [alarm('a'), alarm('b'), alarm('c')]
    await clock.advance(10 * MINUTES - 1)
    expect(await see(both)).toEqual([])
    await clock.advance(1)
    expect(await see(both)).toEqual(['reminder a b'])
    expect(await see(both)).toEqual([])
    await clock.advance(10 * MINUTES)
    notify(notice('again', 'reminder', [alarm('a')]))
    expect(await see([group], both.map(memberOf))).toEqual(['reminder a b'])
    await clock.advance(10 * MINUTES)
    const shelved = { untilWallMs: Number.MAX_SAFE_INTEGER, reason: '' }
    expect(await see([alarm('a', { acknowledged }), alarm('b', { shelved })])).toEqual([])
    expect(await see([alarm('a', { phase: 'cleared' })])).toEqual([])
    notify(notice('n2', 'recovery', [alarm('a'), alarm('b')]))
    await settle(6)
    expect(box.ids()).toEqual(['n2'])
    expect(await see(both)).toEqual([])
  })

  it('is not repeated while its receiver is down, and once when the receiver is back after a reload', async () => {
    const storage = outboxMemory()
    const { see, clock, box, setActive } = await open({ routing: { repeatMs: MINUTES } }, storage)
    box.answer(err({ kind: 'unreachable' }))
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(MINUTES)
      await see([alarm('a')])
    }
    setActive(false)
    box.answer(TAKEN)
    box.taken.length = 0
    setActive(true)
    await settle(8)
    expect(box.bodies()).toMatchObject([{ kind: 'reminder' }])
    expect(await see([alarm('a')])).toEqual([])
  })
})
