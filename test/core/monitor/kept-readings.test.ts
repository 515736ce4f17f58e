import { describe, expect, it } from 'vitest'
import { parseKeptReading, type KeptReading, type KeptReadings } from '#monitor/kept-readings.ts'
import { keyOf, nodeId, nodes, record, service, watch, type Answer, type Asked } from './watch.ts'

const MINUTE_MS = 60_000
const QUICK = { services: [service({ pollIntervalMs: 15_000 })] }

/** A screen after a minute of polling. */
async function heard(
  answer: (asked: Asked) => Answer = ({ node }) => ({ body: record(node) }),
  nodeCount = 1,
) {
  const screen = watch({ ...QUICK, nodeCount }, { answer })
  await screen.clock.advance(MINUTE_MS)
  return screen
}

/** One node's reading, kept `agoMs` before the wall time. */
const kept = (wallMs: number, given: Partial<KeptReading> = {}, agoMs = 20_000): KeptReading => ({
  node: keyOf(0),
  body: record(nodeId(0), { status: 'RETIRED' }),
  startedMs: wallMs - agoMs,
  latencyMs: 50,
  ages: { heartbeat: { kind: 'known', ageMs: 1_000, uncertaintyMs: 500 } },
  sinceMs: { status: wallMs - 3_600_000, gone: 5 },
  unseenMs: { status: 7_000 },
  failing: undefined,
  ...given,
})

/** A screen that gets no answers and whose kept readings were restored. */
async function restored(
  given: Partial<KeptReading> = {},
  { agoMs = 20_000, watchedAgoMs = 5_000, before = true } = {},
) {
  const screen = watch({ ...QUICK, nodeCount: before ? 2 : 0 }, { answer: () => 'hang' })
  const wallMs = screen.clock.wallMs()
  const readings: KeptReadings = {
    watchedMs: wallMs - watchedAgoMs,
    readings: [kept(wallMs, given, agoMs), kept(wallMs, { node: keyOf(9) })],
  }
  screen.monitor.restoreReadings(readings)
  if (!before) screen.monitor.configure({ ...screen.config, nodes: nodes(2) })
  await screen.clock.advance(300)
  return { ...screen, wallMs }
}

describe('the readings to keep', () => {
  it('include the last answer, its time and since when each value is unchanged', async () => {
    const { clock, monitor, node } = await heard()
    const { reading, since } = node(0)
    const { watchedMs, readings } = monitor.readingsToKeep()
    expect(watchedMs).toBe(clock.wallMs())
    expect(readings).toEqual([
      {
        node: keyOf(0),
        body: record(nodeId(0)),
        startedMs: reading?.startedWallMs,
        latencyMs: reading?.latencyMs,
        ages: reading?.ages,
        sinceMs: Object.fromEntries(Object.entries(since).map(([id, one]) => [id, one?.sinceWallMs])),
        unseenMs: Object.fromEntries(Object.entries(since).map(([id, one]) => [id, one?.unseenMs])),
        failing: undefined,
      },
    ])
  })

  it('omit nodes that never answered and answers over 4,096 characters', async () => {
    const long = (node: string, length: number) => {
      const short = record(node, { more: '' })
      return record(node, { more: 'x'.repeat(length - short.length) })
    }
    const { monitor } = await heard(
      ({ node }) =>
        node === nodeId(0) ? { status: 503 } : { body: long(node, node === nodeId(1) ? 4_096 : 4_097) },
      3,
    )
    expect(monitor.readingsToKeep().readings.map(({ node }) => node)).toEqual([keyOf(1)])
  })

  it('include since when a node fails, except if its service is only on hold', async () => {
    const screen = await heard()
    screen.world.answer = () => ({ status: 503 })
    await screen.clock.advance(MINUTE_MS)
    const { episode } = screen.node(0)
    expect(episode?.misses).toBeGreaterThan(1)
    expect(screen.monitor.readingsToKeep().readings[0]?.failing).toEqual({
      sinceMs: episode?.sinceWallMs,
      misses: episode?.misses,
    })
    const locked = await heard()
    locked.world.sign = () => 'no-key'
    await locked.clock.advance(MINUTE_MS)
    expect(locked.node(0).episode?.failure.kind).toBe('no-key')
    expect(locked.monitor.readingsToKeep().readings[0]?.failing).toBeUndefined()
  })
})

describe('restored readings', () => {
  it.each([true, false])(
    'are shown with their true age, if nodes were configured before: %s',
    async (before) => {
      const { node, wallMs, monitor, clock } = await restored({}, { before })
      const { reading, since, answered } = node(0)
      expect(reading?.record.status).toEqual({ ok: true, value: 'RETIRED' })
      expect(reading).toMatchObject({
        startedWallMs: wallMs - 20_000,
        latencyMs: 50,
        ages: { heartbeat: { kind: 'known', ageMs: 1_000, uncertaintyMs: 500 } },
      })
      expect(monitor.nowMs() - (reading?.startedMs ?? 0)).toBe(clock.wallMs() - wallMs + 20_000)
      expect(since['status']).toEqual({
        sinceMs: monitor.nowMs() - (clock.wallMs() - wallMs) - 3_600_000,
        sinceWallMs: wallMs - 3_600_000,
        unseenMs: 7_000,
      })
      // A value whose time was not kept counts from the answer.
      expect(since['stake']).toMatchObject({ sinceWallMs: wallMs - 20_000, unseenMs: 0 })
      expect(since).not.toHaveProperty('gone')
      expect(answered).toBe(0)
      expect(node(1).reading).toBeUndefined()
    },
  )

  it.each<[string, Partial<KeptReading>, number]>([
    ['lies in the future', {}, -1],
    ['is not a record', { body: 'x' }, 20_000],
    ['is of another node', { node: keyOf(5) }, 20_000],
  ])('show none that %s', async (_what, given, agoMs) => {
    const { node } = await restored(given, { agoMs })
    expect(node(0).reading).toBeUndefined()
  })

  it.each([0, 30_000])('are not renewed by a cached answer that is %i ms older', async (olderMs) => {
    const madeMs = Date.UTC(2026, 5, 1, 12)
    const answer =
      (atMs: number) =>
      ({ node }: Asked): Answer => ({
        body: record(node, { last_heartbeat: atMs / 1_000 }),
        date: new Date(atMs).toUTCString(),
      })
    const before = await heard(answer(madeMs))
    const after = watch(QUICK, { answer: answer(madeMs - olderMs), clock: before.clock })
    after.monitor.restoreReadings(before.monitor.readingsToKeep())
    await after.clock.advance(MINUTE_MS)
    expect(after.node(0).reading?.startedWallMs).toBe(before.node(0).reading?.startedWallMs)
  })

  it.each([
    ['a node failed before', MINUTE_MS, 20_000, 300],
    ['no answer came since', Number.POSITIVE_INFINITY, 0, MINUTE_MS],
  ])(
    'do not make new answers look cached after the clock was set ahead, if %s',
    async (_, failsFromMs, sinceMs, correctAfterMs) => {
      let [aheadMs, watchedMs] = [0, 0]
      const answer = ({ node, wallMs }: Asked): Answer => {
        if (node === nodeId(2) && watchedMs >= failsFromMs) return { status: 500 }
        const serviceMs = wallMs - aheadMs
        const body = record(node, { last_heartbeat: Math.floor(serviceMs / 1_000) })
        return { body, date: new Date(serviceMs).toUTCString() }
      }
      const before = watch({ ...QUICK, nodeCount: 3 }, { answer })
      await before.clock.advance(MINUTE_MS)
      watchedMs = MINUTE_MS
      await before.clock.advance(20_000)
      aheadMs = 120_000
      before.clock.stepWall(aheadMs)
      await before.clock.advance(sinceMs)
      const after = watch({ ...QUICK, nodeCount: 3 }, { answer, clock: before.clock })
      after.monitor.restoreReadings(before.monitor.readingsToKeep())
      await after.clock.advance(correctAfterMs)
      expect(after.service()?.offset?.highMs).toBeLessThan(2_000 - aheadMs)
      expect(after.node(0).reading?.cachedForS ?? 0).toBe(0)
    },
  )

  it('of a collector lack its proof for the same reason as before', async () => {
    const body = record(nodeId(0), { cryptographic_proof: undefined })
    const { readings } = (await heard(() => ({ body, collectedAge: '4' }))).monitor.readingsToKeep()
    const { startedMs: _, ...given } = { ...parseKeptReading(readings[0]) }
    const { node } = await restored(given)
    expect(node(0).reading?.record.proof).toEqual({ ok: false, error: 'not-collected' })
  })

  it('do not count for counters, which start at the first new answer', async () => {
    const screen = await restored({ body: record(nodeId(0), { threat_responses_executed: 5 }) })
    screen.world.answer = ({ node }) => ({ body: record(node, { threat_responses_executed: 9 }) })
    screen.monitor.pollNow()
    await screen.clock.advance(MINUTE_MS)
    expect(screen.node(0).counters['threatResponses']?.increase ?? 0).toBe(0)
  })

  const FAILING = { sinceMs: 1_000, misses: 4 }
  it.each([
    ['continue the failure', 45_000, true],
    ['begin a new failure after more than 45 s, which is longer than a reload takes', 45_001, false],
  ])('of a node that still fails %s', async (_what, watchedAgoMs, goesOn) => {
    const screen = watch({ ...QUICK, nodeCount: 1 }, { answer: () => ({ status: 503 }) })
    const wallMs = screen.clock.wallMs()
    screen.monitor.restoreReadings({
      watchedMs: wallMs - watchedAgoMs,
      readings: [kept(wallMs, { failing: FAILING })],
    })
    await screen.clock.advance(1_000)
    const { episode } = screen.node(0)
    expect(episode?.misses).toBe(goesOn ? 5 : 1)
    expect(episode?.sinceWallMs === FAILING.sinceMs).toBe(goesOn)
    screen.monitor.pollNow()
    await screen.clock.advance(1_000)
    expect(screen.node(0).episode?.misses).toBe(goesOn ? 6 : 2)
  })

  it('have failing nodes polled first', async () => {
    const screen = watch({ ...QUICK, nodeCount: 40 })
    const wallMs = screen.clock.wallMs()
    screen.monitor.restoreReadings({
      watchedMs: wallMs,
      readings: [30, 20].map((index) =>
        kept(wallMs, {
          node: keyOf(index),
          body: record(nodeId(index)),
          failing: index === 30 ? FAILING : undefined,
        }),
      ),
    })
    await screen.clock.advance(1_000)
    const place = (index: number) => screen.seen.findIndex(({ node }) => node === nodeId(index))
    expect(place(30)).toBeLessThan(12)
    expect(place(20) === -1 || place(20) > place(30)).toBe(true)
  })
})

const WHOLE = kept(1_780_000_000_000, { failing: { sinceMs: 0, misses: 0 } })

it.each<[string, unknown, boolean]>([
  ['complete', WHOLE, true],
  ['not an object', 7, false],
  ['a body of the maximum length', { ...WHOLE, body: 'x'.repeat(4_096) }, true],
  ['a longer body', { ...WHOLE, body: 'x'.repeat(4_097) }, false],
  ['an invalid time', { ...WHOLE, startedMs: '1' }, false],
  ['an age without its uncertainty', { ...WHOLE, ages: { heartbeat: { kind: 'known', ageMs: 3 } } }, false],
  ['a negative age', { ...WHOLE, ages: { heartbeat: { kind: 'unchecked', ageMs: -1 } } }, false],
  ['one invalid time of several', { ...WHOLE, sinceMs: { status: 0, stake: '1' } }, false],
  ['a failure without its start', { ...WHOLE, failing: { misses: 3 } }, false],
  ['not failing', { ...WHOLE, failing: undefined }, true],
  ...(
    [
      { kind: 'unchecked', ageMs: 3 },
      { kind: 'at-least', ageMs: 3 },
      { kind: 'unknown', aheadMs: 3, unchecked: true },
      { kind: 'uncertain', uncertaintyMs: 3 },
    ] as const
  ).map((heartbeat): [string, unknown, boolean] => [
    `an age that is ${heartbeat.kind}`,
    { ...WHOLE, ages: { heartbeat } },
    true,
  ]),
])('a kept reading is accepted as a whole or not at all: %s', (_what, value, isAccepted) => {
  expect(parseKeptReading(value)).toEqual(isAccepted ? value : undefined)
})
