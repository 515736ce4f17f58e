import type { AlarmNotification, AlarmView } from '#alarms/alarm.ts'
import { describe, expect, it } from 'vitest'
import { MESSAGES, MESSAGES_MAX } from '#delivery/message-queue.ts'
import type { OutboxPorts, Outgoing } from '#delivery/delivery-queue.ts'
import { err } from '#base/result.ts'
import { TEST_START_MS, createFakeClock, settle } from '#test/support/fake-clock.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { NO_MEMBERS, NO_WORDS, TAKEN, alarm, mailbox, notice, outboxMemory, receiver } from './outgoing.ts'

const message = (id: string) => ({ id, body: { id } })

function line(storage = outboxMemory(), summary: OutboxPorts['summary'] = NO_WORDS.summary) {
  const clock = createFakeClock()
  const box = mailbox()
  let changes = 0
  const open = (given: Partial<Outgoing> = {}) => {
    const sender = MESSAGES.open(receiver(given), {
      ...NO_WORDS,
      summary,
      clock,
      post: box.post,
      storage,
      changed: () => void changes++,
    })
    const notify = (notification: AlarmNotification) => sender.notify?.(notification)
    // Reminders, because they open no problem.
    return { ...sender, notify, add: ({ id }: { id: string }) => notify(notice(id, 'reminder', [])) }
  }
  return { clock, box, storage, open, changes: () => changes }
}

const DOWN = err({ kind: 'unreachable' } as const)
const answered = (status: number, retryAfterMs?: number) =>
  err({ kind: 'status', status, answer: 'no', ...(retryAfterMs !== undefined && { retryAfterMs }) } as const)

/** A queue that has sent these messages to a receiver with this answer. */
async function sending(answer: Parameters<ReturnType<typeof mailbox>['answer']>[0], ids = ['1']) {
  const all = line()
  all.box.answer(answer)
  const sent = all.open()
  for (const id of ids) sent.add(message(id))
  await settle(6)
  return { ...all, sent }
}

it('delivers messages in order, once each, and stores none of them afterwards', async () => {
  const { box, storage, sent } = await sending(TAKEN, ['1', '2'])
  expect(box.ids()).toEqual(['1', '2'])
  expect(box.taken[0]).toMatchObject({ url: 'https://dash.example/relay/r1', blind: false })
  expect(storage.kept.size).toBe(0)
  expect(sent.state()).toMatchObject({ waiting: 0, lastDeliveredWallMs: TEST_START_MS, lost: 0, refused: 0 })
})

it('sends a message only after it is stored', async () => {
  const storage = outboxMemory()
  const written = withResolvers()
  const { box, open } = line({ ...storage, save: () => written.promise })
  open().add(message('1'))
  await settle(6)
  expect(box.taken).toEqual([])
  written.resolve()
  await settle(4)
  expect(box.ids()).toEqual(['1'])
})

it('the stored state has the waiting messages, the number of lost ones and the open problems', async () => {
  const { box, storage, open } = line()
  box.answer(DOWN)
  storage.kept.set('r1', { messages: [], lost: 1, openProblems: [] })
  const sent = open()
  sent.add(message('1'))
  await settle(6)
  expect(storage.kept.get('r1')).toMatchObject({ messages: [{ id: '1' }], lost: 1 })
  storage.kept.clear()
  const other = open()
  other.notify(notice('2', 'problem', [alarm('a')]))
  await settle(6)
  expect(storage.kept.get('r1')).toMatchObject({ messages: [{ id: '2' }], openProblems: ['a'] })
})

describe('while the receiver is down', () => {
  it('retries after 5 s, doubles the wait up to 5 min, and then delivers each message once', async () => {
    const { clock, box, sent } = await sending(DOWN, ['1', '2'])
    expect(sent.state()).toMatchObject({
      waiting: 2,
      failingSinceWallMs: TEST_START_MS,
      failure: { kind: 'unreachable' },
      nextTryWallMs: TEST_START_MS + 5_000,
      lastDeliveredWallMs: undefined,
    })
    for (const waitMs of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
      const before = box.taken.length
      await clock.advance(waitMs - 1)
      expect(box.taken).toHaveLength(before)
      await clock.advance(1)
      expect(box.taken).toHaveLength(before + 1)
    }
    expect(new Set(box.ids())).toEqual(new Set(['1']))
    expect(sent.state().failingSinceWallMs).toBe(TEST_START_MS)
    box.taken.length = 0
    box.answer(TAKEN)
    await clock.advance(300_000)
    expect(box.ids()).toEqual(['1', '2'])
    expect(sent.state()).toMatchObject({ waiting: 0, failingSinceWallMs: undefined, failure: undefined })
    // A new failure starts with the short wait again.
    box.answer(DOWN)
    sent.add(message('3'))
    await settle(4)
    expect(clock.pendingMs()).toEqual([5_000])
  })

  it('waits as long as Retry-After asks if that is longer', async () => {
    const { clock } = await sending(answered(429, 60_000))
    expect(clock.pendingMs()).toEqual([60_000])
  })

  it('retries at once on request, but never twice at a time', async () => {
    const { clock, box, sent } = await sending(DOWN)
    box.answer(TAKEN)
    sent.now()
    sent.now()
    await settle(4)
    expect(box.ids()).toEqual(['1', '1'])
    expect(clock.pendingMs()).toEqual([])
  })

  it('continues after a reload, oldest message first', async () => {
    const { box, open, sent: before } = await sending(DOWN, ['1', '2'])
    before.end()
    box.taken.length = 0
    box.answer(TAKEN)
    const after = open()
    after.add(message('3'))
    await settle(8)
    expect(box.ids()).toEqual(['1', '2', '3'])
  })

  it('drops the oldest of more than 500 messages, and tells the receiver how many', async () => {
    const { clock, box, storage, open } = line()
    box.answer(DOWN)
    const sent = open()
    await settle()
    for (let index = 0; index < MESSAGES_MAX + 3; index++) sent.add(message(String(index)))
    await settle(4)
    expect(sent.state()).toMatchObject({ waiting: MESSAGES_MAX, lost: 3 })
    sent.end()
    expect(storage.kept.get('r1')).toMatchObject({ lost: 3 })
    box.taken.length = 0
    box.answer(TAKEN)
    const after = open()
    await clock.advance(0)
    await settle(MESSAGES_MAX * 2)
    expect(box.bodies()[0]).toMatchObject({ id: '3', missed: 3 })
    expect(box.bodies()[1]).not.toHaveProperty('missed')
    expect(box.taken).toHaveLength(MESSAGES_MAX)
    expect(after.state()).toMatchObject({ waiting: 0, lost: 0 })
  })
})

it('does not send the recovery of the oldest of more than 2,000 open problems', async () => {
  const { box, open } = line()
  const { notify } = open()
  const all = Array.from({ length: 2_001 }, (_, index) => alarm(`n${index}`))
  notify(notice('all', 'problem', all))
  notify(notice('first', 'recovery', all.slice(0, 1)))
  notify(notice('second', 'recovery', all.slice(1, 2)))
  notify(notice('last', 'recovery', all.slice(-1)))
  await settle(12)
  expect(box.ids()).toEqual(['all', 'second', 'last'])
})

it('sends nothing if it ends before the stored messages are read', async () => {
  const { clock, box, storage, open } = line()
  storage.kept.set('r1', { messages: [message('1')], lost: 0, openProblems: [] })
  const sent = open()
  sent.add(message('2'))
  sent.end()
  await settle(8)
  expect([box.taken, clock.pendingMs()]).toEqual([[], []])
  expect(storage.kept.get('r1')).toMatchObject({ messages: [{ id: '1' }] })
})

describe('a message that the receiver rejects', () => {
  it.each([400, 413, 414, 415, 422])(
    'is dropped after three answers %i, and the next one is sent',
    async (status) => {
      const { clock, box, sent } = await sending(answered(status))
      await clock.advance(5_000)
      expect(sent.state()).toMatchObject({ waiting: 1, refused: 0 })
      await clock.advance(10_000)
      expect(sent.state()).toMatchObject({
        waiting: 0,
        refused: 1,
        lastRefusal: { kind: 'status', status },
        failingSinceWallMs: undefined,
        lastDeliveredWallMs: undefined,
      })
      // Each message has three attempts of its own.
      sent.add(message('2'))
      await settle(4)
      expect(sent.state()).toMatchObject({ waiting: 1, refused: 1 })
      box.answer(TAKEN)
      await clock.advance(5_000)
      expect(box.ids()).toEqual(['1', '1', '1', '2', '2'])
    },
  )

  it.each([401, 404, 500, 503])('is kept after an answer %i, which may be temporary', async (status) => {
    const { clock, sent } = await sending(answered(status))
    await clock.advance(3_600_000)
    expect(sent.state()).toMatchObject({ waiting: 1, refused: 0, failure: { kind: 'status', status } })
  })
})

it('does nothing after its end, and overwrites nothing that another tab continues with', async () => {
  const answer = withResolvers<typeof TAKEN>()
  const { clock, box, storage, sent } = await sending(answer.promise)
  sent.end()
  answer.resolve(TAKEN)
  await clock.advance(600_000)
  expect(storage.kept.get('r1')).toMatchObject({ messages: [message('1')], lost: 0, openProblems: [] })
  expect(box.taken).toHaveLength(1)
})

it.each([
  ['undefined', undefined],
  ['null', null],
  ['a string', 'x'],
  ['an invalid body', { messages: [{ id: '1', body: 'x' }], lost: 0.5 }],
  ['a number of lost messages that is a string', { messages: [], lost: '3', openProblems: [5] }],
  ['no list', { messages: 1, lost: 'many' }],
  [
    'invalid messages',
    { messages: [1, null, { id: 1, body: {} }, { id: '1' }, { id: '1', body: null }], lost: -1 },
  ],
])('recovers from damaged storage: %s', async (_name, kept) => {
  const { box, storage, open } = line()
  storage.kept.set('r1', kept)
  const sent = open()
  sent.add(message('new'))
  await settle(6)
  expect(box.ids()).toEqual(['new'])
  expect(sent.state().lost).toBe(0)
  expect(storage.kept.size).toBe(0)
})

describe('in quiet hours', () => {
  const quiet = { from: '11:00', to: '13:00', zone: 'utc' } as const
  const warning = (id: string) => alarm(id, { severity: 'warning' })

  const acknowledged = { wallMs: TEST_START_MS }
  /** Quiet until 13:00; the title of each message is `kind: alarms`. */
  const inQuiet = (storage = outboxMemory(), routing: Outgoing['routing'] = { quiet }) => {
    const { box, clock, open } = line(
      storage,
      ({ kind, alarms }) => `${kind}: ${alarms.map(({ id }) => id).join()}`,
    )
    const titles = () => box.bodies().map((body): unknown => Reflect.get(Object(body), 'title'))
    const sent = open({ routing })
    /** Evaluates every minute until they are over, with these alarms on. */
    const pass = async (on: readonly AlarmView[], minutes = 61) => {
      for (let minute = 0; minute < minutes; minute++) {
        await clock.advance(60_000)
        sent.sync(on, NO_MEMBERS)
        await settle(8)
      }
    }
    return { sent, pass, titles }
  }

  type Case = readonly [
    what: string,
    notifications: readonly AlarmNotification[],
    atOnce: readonly string[],
    /** The alarms that are on when they end. */
    on: readonly AlarmView[],
    later: readonly string[],
  ]
  const [a, b, critical] = [warning('a'), warning('b'), alarm('a')]
  const problem = (...alarms: readonly AlarmView[]) => notice(String(alarms.length), 'problem', alarms)
  const over = (...alarms: readonly AlarmView[]) => notice('over', 'recovery', alarms)
  it.each<Case>([
    ['a warning waits until they end', [problem(a)], [], [a], ['problem: a']],
    ['a critical alarm is sent', [problem(critical)], ['problem: a'], [critical], []],
    [
      'a warning that clears before their end is never sent, nor is its recovery',
      [problem(a), over(a)],
      [],
      [],
      [],
    ],
    [
      'a warning that becomes critical is sent as such, once',
      [problem(a), problem(critical)],
      ['problem: a'],
      [critical],
      [],
    ],
    [
      'of two warnings, the one that clears before their end is not sent',
      [problem(a, b), over(a)],
      [],
      [b],
      ['problem: b'],
    ],
    ['two warnings of two groups become one message', [problem(a), problem(b)], [], [a, b], ['problem: a,b']],
    [
      'a warning that clears without a notification is not sent',
      [problem(a, b)],
      [],
      [a, { ...b, phase: 'cleared' }],
      ['problem: a'],
    ],
    ['an acknowledged warning is not sent', [problem(a, b)], [], [a, { ...b, acknowledged }], ['problem: a']],
    [
      'the recovery of a sent problem waits, without the problems that were not sent',
      [problem(critical), problem(b), over(a, b)],
      ['problem: a'],
      [],
      ['recovery: a'],
    ],
  ])('%s', async (_name, notifications, atOnce, on, later) => {
    const { sent, pass, titles } = inQuiet()
    for (const one of notifications) sent.notify(one)
    await settle(8)
    expect(titles()).toEqual(atOnce)
    await pass(on)
    expect(titles()).toEqual([...atOnce, ...later])
    expect(sent.state().waiting).toBe(0)
  })

  it('a warning outlasts a restart and a maintenance window that ends later', async () => {
    const storage = outboxMemory()
    const { sent } = inQuiet(storage)
    sent.notify(notice('1', 'problem', [warning('a')]))
    await settle(8)
    expect(sent.state().waiting).toBe(1)
    sent.end()
    const { pass, titles } = inQuiet(storage)
    await pass([{ ...warning('a'), maintenance: true }])
    expect(titles()).toEqual([])
    await pass([warning('a')], 1)
    expect(titles()).toEqual(['problem: a'])
  })

  it('a waiting warning is sent if they are removed', async () => {
    const storage = outboxMemory()
    const { sent } = inQuiet(storage)
    sent.notify(problem(a))
    await settle(8)
    sent.end()
    const { pass, titles } = inQuiet(storage, {})
    await pass([a], 1)
    expect(titles()).toEqual(['problem: a'])
  })

  it('all waiting warnings are sent at their end, 20 per message', async () => {
    const { sent, pass, titles } = inQuiet()
    const many = Array.from({ length: 41 }, (_, index) => warning(`w${index}`))
    for (const one of many) sent.notify(notice(one.id, 'problem', [one]))
    await pass(many, 63)
    const ids = titles().flatMap((title) => String(title).replace('problem: ', '').split(','))
    expect(ids.toSorted()).toEqual(many.map(({ id }) => id).toSorted())
    expect(titles()).toHaveLength(3)
  })

  it('an alarm without the receiver’s tag is not sent, nor is its recovery', async () => {
    const { box, open } = line()
    const sent = open({ routing: { tags: ['eu'] } })
    sent.notify(notice('1', 'problem', [alarm('a')]))
    sent.notify(notice('2', 'recovery', [alarm('a')]))
    await settle(8)
    expect(box.ids()).toEqual([])
  })
})
