import { describe, expect, it } from 'vitest'
import { ALERTS_MAX, BATCH_MAX, createAlertQueue, alertOf } from '#delivery/alertmanager.ts'
import { err } from '#base/result.ts'
import { createFakeClock, settle, TEST_START_MS } from '#test/support/fake-clock.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { alarm, facts, mailbox, outboxMemory, receiver, TAKEN } from './outgoing.ts'

const alert = (id: string, changed: Parameters<typeof alarm>[1] = {}) => {
  const shown = alarm(id, changed)
  return alertOf(shown, facts(shown))
}
const many = (count: number, name = 'n') =>
  Array.from({ length: count }, (_, index) => alert(`${name}${index}`))
const at = (ms: number) => new Date(TEST_START_MS + ms).toISOString()
const DAY = 86_400_000
const DOWN = err({ kind: 'unreachable' } as const)

function line() {
  const clock = createFakeClock()
  const box = mailbox()
  const storage = outboxMemory()
  let changes = 0
  const open = (load = storage.load) =>
    createAlertQueue(receiver({ kind: 'alertmanager' }), {
      clock,
      post: box.post,
      storage: { ...storage, load },
      changed: () => void changes++,
    })
  /** The alerts of each request as "alarm ends-in-ms". */
  const told = () =>
    box
      .bodies()
      .map((body) =>
        (Array.isArray(body) ? body : []).map(
          (each: { labels: { alarm: string }; endsAt: string }) =>
            `${each.labels.alarm} ${Date.parse(each.endsAt) - TEST_START_MS}`,
        ),
      )
  return { clock, box, storage, open, told, changes: () => changes }
}

/** A queue that has sent these alerts. */
async function telling(...alerts: readonly ReturnType<typeof alert>[]) {
  const all = line()
  const sent = all.open()
  sent.sync(() => alerts)
  await settle(6)
  /** Evaluates with the same alerts after this time. */
  const pass = async (ms: number, on = alerts) => {
    await all.clock.advance(ms)
    sent.sync(() => on)
    await settle(6)
  }
  return { ...all, sent, pass }
}

it('sends a new alert at once with an end 24 h ahead, and resends it every minute with a later end', async () => {
  const { box, told, sent, pass } = await telling(alert('a'))
  expect(box.bodies()).toEqual([[{ ...alert('a'), endsAt: at(DAY) }]])
  await pass(59_999)
  expect(box.taken).toHaveLength(1)
  await pass(1)
  await pass(60_000)
  expect(told()).toEqual([[`a ${DAY}`], [`a ${DAY + 60_000}`], [`a ${DAY + 120_000}`]])
  expect(sent.state()).toMatchObject({ waiting: 0, lastDeliveredWallMs: TEST_START_MS + 120_000 })
})

it('sends the end of an alert once, with its time, and then stores nothing', async () => {
  const { clock, storage, told, sent } = await telling(alert('a'))
  await clock.advance(10_000)
  sent.sync(() => [])
  await clock.advance(300_000)
  expect(told()).toEqual([[`a ${DAY}`], ['a 10000']])
  expect(storage.kept.size).toBe(0)
})

it('waits for the stored alerts, then sends the firing ones and the end of the others', async () => {
  const { box, storage, open, told, sent: earlier } = await telling(alert('a'), alert('b'))
  earlier.end()
  box.taken.length = 0
  const reading = withResolvers<unknown>()
  const sent = open(() => reading.promise)
  sent.sync(() => [alert('b'), alert('c')])
  await settle(6)
  expect(told()).toEqual([])
  reading.resolve(storage.kept.get('r1'))
  await settle(8)
  expect(told().flat().toSorted()).toEqual(['a 0', `b ${DAY}`, `c ${DAY}`])
})

it('delivers the successor of an alert before it ends that alert', async () => {
  const { clock, box, told, sent } = await telling(alert('a', { severity: 'warning' }))
  box.answer(DOWN)
  sent.sync(() => [alert('a')])
  await settle(6)
  box.taken.length = 0
  box.answer(TAKEN)
  await clock.advance(5_000)
  expect(told()).toEqual([[`a ${DAY + 5_000}`], ['a 0']])
})

it('sends changed annotations only with the next resend', async () => {
  const { box, pass } = await telling(alert('a'))
  const changed = [alert('a', { todo: 'Look at the disk.' })]
  await pass(0, changed)
  expect(box.taken).toHaveLength(1)
  await pass(60_000, changed)
  expect(box.bodies()[1]).toMatchObject([{ annotations: { todo: 'Look at the disk.' } }])
})

describe('while Alertmanager is down', () => {
  it('keeps firing and ended alerts, and sends both after a reload', async () => {
    const { clock, box, open, told } = line()
    box.answer(DOWN)
    const before = open()
    before.sync(() => [alert('a'), alert('b')])
    await clock.advance(1_000)
    before.sync(() => [alert('b'), alert('c')])
    expect(before.state()).toMatchObject({ waiting: 3, failingSinceWallMs: TEST_START_MS })
    await settle(4)
    before.end()
    box.taken.length = 0
    box.answer(TAKEN)
    const after = open()
    await settle(6)
    expect(told()).toEqual([[`b ${DAY + 1_000}`, `c ${DAY + 1_000}`], ['a 1000']])
    expect(after.state().waiting).toBe(0)
    box.taken.length = 0
    // The current evaluation decides: b is over, and its end is sent once.
    for (let evaluation = 0; evaluation < 2; evaluation++) {
      after.sync(() => [alert('c')])
      await settle(6)
    }
    expect(told()).toEqual([['b 1000', `c ${DAY + 1_000}`]])
  })

  it('keeps the first end time of an alert over later evaluations', async () => {
    const { clock, box, told, sent } = await telling(alert('a'), alert('b'))
    box.answer(DOWN)
    sent.sync(() => [alert('b')])
    await clock.advance(1_000)
    sent.sync(() => [alert('b')])
    box.taken.length = 0
    box.answer(TAKEN)
    sent.now()
    await settle(6)
    expect(told()).toEqual([['a 0']])
  })

  it('forgets an end that was delivered together with a resend', async () => {
    const { clock, box, storage, told, pass } = await telling(alert('a'), alert('b'))
    box.answer(DOWN)
    await pass(59_000, [alert('a')])
    await pass(2_000, [alert('a')])
    box.taken.length = 0
    box.answer(TAKEN)
    await clock.advance(10_000)
    expect(told()).toEqual([['b 59000', `a ${DAY + 64_000}`]])
    expect(storage.kept.get('r1')).toMatchObject({ alerts: [{ alert: alert('a') }] })
  })

  it('sends an alert that restarts before its end is delivered as firing, with the new start', async () => {
    const { clock, box, told, sent } = await telling(alert('a'))
    box.answer(DOWN)
    sent.sync(() => [])
    await clock.advance(1_000)
    box.taken.length = 0
    sent.sync(() => [alert('a', { raisedWallMs: TEST_START_MS + 1_000 })])
    box.answer(TAKEN)
    await clock.advance(4_000)
    expect(told()).toEqual([[`a ${DAY + 5_000}`]])
    expect(box.bodies()[0]).toMatchObject([{ startsAt: at(1_000) }])
  })
})

it.each([
  ['ends', [[]], 'a 0', 0],
  ['restarts', [[], [alert('a', { raisedWallMs: TEST_START_MS + 1_000 })]], `a ${DAY}`, 1_000],
])('sends an alert that %s during its request again in the new state', async (_, changes, again, sinceMs) => {
  const { box, open, told } = line()
  const sent = open()
  await settle(4)
  const answer = withResolvers<typeof TAKEN>()
  box.answer(answer.promise)
  sent.sync(() => [alert('a')])
  await settle(4)
  for (const alerts of changes) sent.sync(() => alerts)
  box.answer(TAKEN)
  answer.resolve(TAKEN)
  await settle(6)
  expect(told()).toEqual([[`a ${DAY}`], [again]])
  expect(box.bodies()).toMatchObject([[{ startsAt: at(0) }], [{ startsAt: at(sinceMs) }]])
})

it('sends at most 32 alerts per request, one request after the other', async () => {
  const { box, told } = await telling(...many(BATCH_MAX * 2 + 1))
  await settle(6)
  expect(told().map((each) => each.length)).toEqual([32, 32, 1])
  expect(new Set(told().flat()).size).toBe(65)
  expect(box.taken.every(({ blind }) => !blind)).toBe(true)
})

it('holds at most 2,000 open alerts, and counts each of the others as lost once', async () => {
  const { box, open } = line()
  box.answer(DOWN)
  const sent = open()
  sent.sync(() => many(ALERTS_MAX + 2))
  sent.sync(() => many(ALERTS_MAX + 2))
  await settle(4)
  expect(sent.state()).toMatchObject({ waiting: ALERTS_MAX, lost: 2 })
  sent.sync(() => many(ALERTS_MAX + 2).slice(2))
  await settle(4)
  expect(sent.state().lost).toBe(0)
})

it('delivers the end of every alert that was sent, however many begin in the meantime', async () => {
  const { clock, box, told, sent } = await telling(...many(3, 'old'))
  box.answer(DOWN)
  sent.sync(() => many(ALERTS_MAX))
  await settle(4)
  sent.sync(() => [...many(ALERTS_MAX), ...many(50, 'more')])
  await settle(4)
  box.taken.length = 0
  box.answer(TAKEN)
  await clock.advance(5_000)
  await settle(200)
  expect(
    told()
      .flat()
      .filter((each) => each.startsWith('old')),
  ).toEqual(['old0 0', 'old1 0', 'old2 0'])
})

it('sends nothing of a stored alert before the first evaluation', async () => {
  const { box, open, told, sent: before } = await telling(alert('a'))
  before.end()
  box.taken.length = 0
  open()
  await settle(6)
  expect(told()).toEqual([])
})

it.each([
  ['a string', 'x'],
  ['no list', { alerts: {} }],
  [
    'invalid alerts',
    { alerts: [1, null, { isNews: 1 }, { isNews: true, alert: null }, { isNews: true, alert: {} }] },
  ],
  ['null', null],
  ['an impossible end', { alerts: [{ isNews: true, alert: alert('b'), key: 'b', endedWallMs: 'soon' }] }],
])('recovers from damaged storage: %s', async (_name, kept) => {
  const { storage, open, told } = line()
  storage.kept.set('r1', kept)
  const sent = open()
  sent.sync(() => [alert('a')])
  await settle(6)
  expect(told()).toEqual([[`a ${DAY}`]])
  expect(sent.state()).toMatchObject({ waiting: 0, failure: undefined })
})

it('does nothing after its end', async () => {
  const { clock, box, storage, sent } = await telling(alert('a'))
  const kept = storage.kept.get('r1')
  sent.end()
  sent.sync(() => [])
  await clock.advance(600_000)
  expect(box.taken).toHaveLength(1)
  expect(clock.pendingMs()).toEqual([])
  // Another tab continues with it.
  expect(storage.kept.get('r1')).toBe(kept)
})
