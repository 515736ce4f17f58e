import { describe, expect, it } from 'vitest'
import { sentAlerts, SILENCES_MAX, createSilenceQueue, silencesFor } from '#delivery/alertmanager.ts'
import { createOutbox } from '#delivery/outbox.ts'
import { err, ok } from '#base/result.ts'
import { TEST_START_MS, createFakeClock, settle } from '#test/support/fake-clock.ts'
import { NO_MEMBERS, NO_WORDS, alarm, facts, mailbox, outboxMemory, receiver, view } from './outgoing.ts'

const HOUR = 3_600_000
const BELOW = 'https://dash.example/relay/r1/'
const want = (id: string, severity = 'critical') => ({ alarm: id, severity, comment: `${id} is known` })
const made = (id: string) => ok({ status: 200, answer: `{"silenceID":"${id}"}` })
const refused = (status: number, answer = '') => err({ kind: 'status', status, answer } as const)

function line() {
  const clock = createFakeClock()
  const box = mailbox()
  box.answer(made('aa-1'))
  const storage = outboxMemory()
  const open = () =>
    createSilenceQueue(receiver({ kind: 'alertmanager', silences: true }), {
      clock,
      post: box.post,
      storage,
      changed: () => undefined,
    })
  /** A summary of each request. */
  const asked = () =>
    box.taken.map(({ body }) => {
      const { id = 'new', matchers, endsAt } = JSON.parse(body)
      return `${id} ${matchers[0].value} ${Date.parse(endsAt) - TEST_START_MS}`
    })
  return { clock, box, storage, open, asked }
}

/** A queue that has requested these silences. */
async function silencing(wanted: readonly ReturnType<typeof want>[]) {
  const all = line()
  const sent = all.open()
  sent.sync(wanted)
  await settle(10)
  return { ...all, sent }
}

it('creates one silence for an acknowledged alarm, with its matchers, times and author', async () => {
  const { box, storage, sent } = await silencing([want('a')])
  expect(box.taken).toMatchObject([{ url: `${BELOW}silences`, blind: false }])
  expect(box.bodies()).toEqual([
    {
      matchers: [
        { name: 'alarm', value: 'a', isRegex: false, isEqual: true },
        { name: 'severity', value: 'critical', isRegex: false, isEqual: true },
      ],
      startsAt: new Date(TEST_START_MS).toISOString(),
      endsAt: new Date(TEST_START_MS + HOUR).toISOString(),
      createdBy: 'immune node dashboard',
      comment: 'a is known',
    },
  ])
  expect(sent.state()).toMatchObject({ waiting: 0, lost: 0, failure: undefined })
  expect(storage.kept.get('r1 silences')).toMatchObject({ silences: [{ id: 'aa-1', alarm: 'a' }] })
})

it('renews a silence under its id in its last half hour, and creates a new one if it is gone', async () => {
  const { clock, box, asked, sent } = await silencing([want('a')])
  const pass = async (ms: number) => {
    await clock.advance(ms)
    sent.sync([want('a')])
    await settle(6)
  }
  await pass(HOUR / 2)
  expect([asked(), sent.state().waiting]).toEqual([[`new a ${HOUR}`], 0])
  await clock.advance(1)
  expect(sent.state().waiting).toBe(1)
  await pass(0)
  expect(sent.state().waiting).toBe(0)
  expect(asked()).toEqual([`new a ${HOUR}`, `aa-1 a ${HOUR * 1.5 + 1}`])
  box.taken.length = 0
  box.answer(refused(404, 'silence not found'))
  await pass(HOUR / 2 + 1)
  expect(asked()[0]).toContain('aa-1 a')
  box.answer(made('bb-2'))
  sent.now()
  await pass(0)
  expect(asked().at(-1)).toMatch(/^new a/)
})

describe('the end of a silence', () => {
  it('is set to 30 s ahead once, when the silence is no longer wanted', async () => {
    const { clock, asked, storage, sent } = await silencing([want('a')])
    sent.sync([])
    await clock.advance(2 * HOUR)
    expect(asked().slice(1)).toEqual(['aa-1 a 30000'])
    expect(storage.kept.size).toBe(0)
  })

  it('comes with a new silence when the alarm gets worse', async () => {
    const { asked, sent } = await silencing([want('a', 'warning')])
    sent.sync([want('a')])
    await settle(10)
    expect(asked().slice(1)).toEqual(['aa-1 a 30000', `new a ${HOUR}`])
  })

  it('is requested by the next session after its first evaluation, if this one could not', async () => {
    const { clock, box, open, asked, storage, sent: first } = await silencing([want('a'), want('b')])
    first.end()
    box.taken.length = 0
    const second = open()
    await clock.advance(10_000)
    expect(asked()).toEqual([])
    box.answer(err({ kind: 'unreachable' }))
    second.sync([want('b')])
    await settle(6)
    expect(second.state()).toMatchObject({ waiting: 1, failingSinceWallMs: TEST_START_MS + 10_000 })
    box.answer(refused(500, '"silence not found"'))
    await clock.advance(5_000)
    expect(asked()).toEqual(['aa-1 a 40000', 'aa-1 a 45000'])
    expect(second.state()).toMatchObject({ waiting: 0, failure: undefined })
    expect(storage.kept.get('r1 silences')).toMatchObject({ silences: [{ alarm: 'b' }] })
  })

  it('needs no request once the silence has expired', async () => {
    const { clock, box, open, asked, storage, sent: first } = await silencing([want('a')])
    first.end()
    box.taken.length = 0
    await clock.advance(HOUR)
    open().sync([])
    await settle(6)
    expect(asked()).toEqual([])
    expect(storage.kept.size).toBe(0)
  })
})

it.each([
  ['forbidden', 403, ''],
  ['too many requests', 429, ''],
  ['an internal error', 500, 'internal error'],
  ['a bad gateway', 502, ''],
])('keeps a silence and retries if its end is refused: %s', async (_why, status, said) => {
  const { clock, box, asked, storage, sent } = await silencing([want('a')])
  box.answer(refused(status, said))
  sent.sync([])
  await settle(6)
  expect(sent.state()).toMatchObject({ waiting: 1, failure: { kind: 'status', status } })
  expect(storage.kept.get('r1 silences')).toMatchObject({ silences: [{ id: 'aa-1' }] })
  box.answer(ok({ status: 200, answer: '' }))
  await clock.advance(5_000)
  expect(asked().slice(1)).toEqual(['aa-1 a 30000', 'aa-1 a 35000'])
  expect(sent.state()).toMatchObject({ waiting: 0, failure: undefined })
})

it('changes only the silences of added and removed alarms', async () => {
  const { asked, sent } = await silencing([want('a'), want('b')])
  sent.sync([want('b'), want('a')])
  sent.sync([want('a'), want('c')])
  await settle(10)
  expect(asked().slice(2)).toEqual(['aa-1 b 30000', `new c ${HOUR}`])
})

it.each([
  [404, '', 0],
  [500, 'silence 5 already expired', 0],
])('an end answered with %i "%s" leaves %i waiting', async (status, said, waiting) => {
  const { box, sent } = await silencing([want('a')])
  box.answer(refused(status, said))
  sent.sync([])
  await settle(6)
  expect(sent.state().waiting).toBe(waiting)
})

it.each(['{"silenceID":"aa-1"}', '{ "silenceID" : "aa-1" }', '{"silenceId":\n"aa-1"}'])(
  'finds the id of a new silence in %s',
  async (answer) => {
    const { open, box, storage } = line()
    box.answer(ok({ status: 200, answer }))
    open().sync([want('a')])
    await settle(6)
    expect(storage.kept.get('r1 silences')).toMatchObject({ silences: [{ id: 'aa-1' }] })
  },
)

it('reports an answer without an id as a failure until the retry succeeds', async () => {
  const { clock, box, open, asked } = line()
  box.answer(ok({ status: 200, answer: 'hello' }))
  const sent = open()
  sent.sync([want('a')])
  await settle(6)
  expect(sent.state()).toMatchObject({
    waiting: 1,
    failure: { kind: 'status', status: 200, answer: 'hello' },
  })
  box.answer(made('aa-1'))
  await clock.advance(5_000)
  expect(sent.state()).toMatchObject({ waiting: 0, failure: undefined })
  expect(asked()).toHaveLength(2)
})

it('limits the number of silences, and counts the others as lost', async () => {
  const { box, sent } = await silencing(Array.from({ length: SILENCES_MAX + 3 }, (_, at) => want(`a${at}`)))
  await settle(10 * SILENCES_MAX)
  expect([box.taken.length, sent.state().lost]).toEqual([SILENCES_MAX, 3])
})

describe('the wanted silences', () => {
  const known = { acknowledged: { wallMs: 1, note: 'Ada looks.' } }
  it.each([
    [{}, []],
    [{ ...known, phase: 'cleared' as const }, []],
    [known, ['Acknowledged on the dashboard: Ada looks.']],
    [{ ...known, phase: 'recovering' as const }, ['Acknowledged on the dashboard: Ada looks.']],
    [
      { acknowledged: { wallMs: 1, by: 'Ada' } },
      ['Acknowledged on the dashboard by Ada: a: heartbeat too old'],
    ],
    [{ acknowledged: { wallMs: 1 } }, ['Acknowledged on the dashboard: a: heartbeat too old']],
  ])('for an alarm with %j are %j', (changed, comments) => {
    const sent = sentAlerts([alarm('a', changed)], [], facts, NO_MEMBERS)
    expect(silencesFor(sent).map(({ comment }) => comment)).toEqual(comments)
  })

  it('have comments of at most 1,024 characters', () => {
    const note = 'x'.repeat(2_000)
    const sent = sentAlerts([alarm('a', { acknowledged: { wallMs: 1, note } })], [], facts, NO_MEMBERS)
    expect(silencesFor(sent)[0]?.comment).toHaveLength(1_024)
  })

  it('are created only while silences are shared, and end when they no longer are', async () => {
    const clock = createFakeClock()
    const box = mailbox()
    box.answer(made('aa-1'))
    const outbox = createOutbox({ clock, post: box.post, storage: outboxMemory(), ...NO_WORDS })
    const to = (share: boolean) => receiver({ kind: 'alertmanager', silences: share })
    outbox.setActive(true)
    outbox.configure([to(false)])
    outbox.sync(view([alarm('a', known)]), NO_MEMBERS)
    await settle(8)
    const silences = () => box.taken.filter(({ url }) => url.includes('silence'))
    expect(silences()).toEqual([])
    outbox.configure([to(true)])
    await settle(8)
    expect(silences()).toMatchObject([{ url: `${BELOW}silences` }])
    outbox.configure([to(false)])
    await settle(8)
    expect(silences()[1]).toMatchObject({ url: `${BELOW}silences`, body: expect.stringContaining('aa-1') })
    box.answer(err({ kind: 'unreachable' }))
    outbox.configure([to(true)])
    await settle(8)
    expect(outbox.states.get()).toMatchObject([{ id: 'r1', failure: { kind: 'unreachable' } }])
    outbox.setActive(false)
    expect(clock.pendingMs()).toEqual([])
  })
})

const HELD = { ...want('a'), id: 'x', startsWallMs: TEST_START_MS, endsWallMs: TEST_START_MS + HOUR }
it.each([
  undefined,
  null,
  {},
  { silences: 1 },
  { silences: [null, 1] },
  ...Object.keys(HELD).map((name) => ({ silences: [{ ...HELD, [name]: undefined }] })),
])('creates a new silence if %j was stored', async (stored) => {
  const { open, storage, asked } = line()
  storage.kept.set('r1 silences', stored)
  open().sync([want('a')])
  await settle(6)
  expect(asked()).toEqual([`new a ${HOUR}`])
})

it('updates a silence at once with the new note of its acknowledgement', async () => {
  const { box, asked, sent } = await silencing([want('a')])
  sent.sync([{ ...want('a'), comment: 'Bob looks.' }])
  await settle(6)
  expect(asked()[1]).toMatch(/^aa-1 a /)
  expect(box.bodies()[1]).toMatchObject({ comment: 'Bob looks.' })
})
