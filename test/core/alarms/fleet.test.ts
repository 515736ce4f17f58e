import { describe, expect, it } from 'vitest'
import { evaluateBlindness } from '#alarms/shared-rules.ts'
import type { NodeLive, ServiceLive } from '#fleet/live.ts'
import {
  episode,
  explained,
  fleet,
  live,
  node,
  NOW_MS,
  reading,
  unreachable,
  WALL_MS,
} from '#test/core/monitor/fleet.ts'
import { BASE, keyOf } from '#test/core/monitor/watch.ts'
import { judge } from './evaluated.ts'
import { fleetWorld } from './fleet-world.ts'
import { evaluator, SERVICE } from './one-alarm.ts'
import type { AlarmTransition } from '#alarms/alarm-state.ts'

const OTHER = 'https://other.example'
const KEY_ID = `key-rejected key ${SERVICE}`

/** Alarms that evaluate the snapshots given by the test. */
function looking(nodes: readonly NodeLive[], services: readonly ServiceLive[] = [live()]) {
  const steps: AlarmTransition[] = []
  const alarms = evaluator({ onTransition: (step) => steps.push(step) })
  let nowMs = NOW_MS
  const look = (next = nodes, known = services, afterMs = 0): void => {
    nowMs += afterMs
    alarms.evaluate(explained(fleet(next, known)), {}, nowMs, WALL_MS + nowMs - NOW_MS)
  }
  look()
  return {
    look,
    alarms,
    heldBack: () =>
      steps.flatMap(({ transition: { name }, inhibitedBy = 'nothing' }) =>
        name === 'raised' ? [inhibitedBy] : [],
      ),
    names: () => steps.splice(0).map(({ instance, transition }) => `${instance.kind} ${transition.name}`),
    kinds: () => alarms.stored().instances.map(({ kind, phase }) => `${kind} ${phase}`),
    instances: () => alarms.stored().instances,
  }
}
const refused = (index: number, baseUrl = BASE, failed = 1): NodeLive =>
  node(index, { reading: undefined, episode: episode({ kind: 'unauthorized' }, 2), failed }, baseUrl)
const good = (index: number, answered: number, baseUrl = BASE): NodeLive =>
  node(index, { answered, reading: reading({}, { startedMs: NOW_MS }) }, baseUrl)

describe('a node', () => {
  it('is evaluated once after each poll, not after changes of its name or tags', () => {
    const one = node(0, { answered: 1, reading: reading({ status: 'RETIRED' }) })
    const { look, names, kinds } = looking([one])
    expect(names()).toEqual(['status-left pending'])
    look([{ ...one, name: 'vela' }])
    look([{ ...one, tags: ['x'] }])
    expect([names(), kinds()]).toEqual([[], ['status-left pending']])
    look([{ ...one, answered: 2 }])
    expect(names()).toEqual(['status-left raised'])
  })

  it('that first appears with an old answer waits for its next poll, but one with a failure does not', () => {
    const old = node(0, {
      answered: 1,
      reading: reading({ status: 'RETIRED' }, { startedMs: NOW_MS - 900_000 }),
    })
    const { look, names } = looking([old])
    expect(names()).toEqual([])
    look([{ ...old, answered: 2 }])
    expect(names()).toContain('status-left pending')
    expect(looking([{ ...old, failed: 1, episode: episode(unreachable) }]).names()).toEqual([
      'unreachable pending',
    ])
  })
})

describe('a rejected key', () => {
  it('inhibits each node’s alarm as soon as it is raised, and releases it once the key is accepted', () => {
    const { look, names, alarms, heldBack } = looking([refused(0), refused(1)])
    expect(heldBack()).toEqual(['nothing'])
    const raised = () => names().filter((name) => name === 'key-rejected raised')
    expect(raised()).toHaveLength(1)
    expect(alarms.view().counts).toMatchObject({ critical: 1 })
    look([refused(0, BASE, 2), refused(1, BASE, 2)])
    expect(heldBack()).toEqual([KEY_ID, KEY_ID])
    expect(raised()).toHaveLength(2)
    const shown = alarms.view()
    expect(shown.alarms.map(({ inhibitedBy, id }) => [id, inhibitedBy])).toEqual([
      [KEY_ID, undefined],
      [`key-rejected ${keyOf(0)}`, KEY_ID],
      [`key-rejected ${keyOf(1)}`, KEY_ID],
    ])
    expect(shown.alarms[0]).toMatchObject({ nodes: [keyOf(0), keyOf(1)], nodeCount: 2 })
    // An evaluation counts for at most 5 s, and the key's alarm clears after two good intervals.
    look([good(0, 1), { ...refused(1), failed: 3 }], undefined, 5_000)
    expect(alarms.view().alarms.find(({ id }) => id === `key-rejected ${keyOf(1)}`)).toMatchObject({
      phase: 'firing',
      inhibitedBy: KEY_ID,
    })
    for (let poll = 2; poll <= 10; poll++)
      look([good(0, poll), { ...refused(1), failed: 2 + poll }], undefined, 5_000)
    expect(names()).toContain('key-rejected released')
    const left = alarms.view().alarms.find(({ id }) => id === `key-rejected ${keyOf(1)}`)
    expect(left).toMatchObject({ phase: 'firing', inhibitedBy: undefined })
  })

  it.each([
    ['removed service', [live({}, OTHER)]],
    ['service whose nodes were all removed', [live(), live({}, OTHER)]],
  ])('of a %s has its alarm closed, with those of its nodes', (_what, services) => {
    const { look, names, instances } = looking([refused(0), refused(1, OTHER)], [live(), live({}, OTHER)])
    names()
    look([refused(1, OTHER)], services)
    expect(names().filter((name) => name.endsWith('closed'))).toEqual([
      'key-rejected closed',
      'key-rejected closed',
    ])
    expect(
      instances()
        .map(({ subject }) => ('serviceId' in subject ? subject.serviceId : ''))
        .every((id) => id !== SERVICE),
    ).toBe(true)
    look([refused(0), refused(1, OTHER)], [live(), live({}, OTHER)])
    // The node counts as new, so its earlier polls are evaluated again.
    expect(names()).toEqual(expect.arrayContaining(['key-rejected raised', 'key-rejected pending']))
  })
})

describe('time', () => {
  const left = () => {
    const world = fleetWorld(1)
    world.poll(0, 'good')
    for (let round = 0; round < 2; round++) {
      world.poll(0, 'retired')
      world.pass(15_000)
    }
    return world
  }

  it('ends shelving, and the transition has the service’s time', () => {
    const world = left()
    world.act({ act: 'shelve', ids: world.ids(), untilWallMs: world.wallMs() + 30_000, reason: 'test' })
    world.pass(29_000)
    expect(world.instances()[0]?.shelved).toBeDefined()
    world.pass(1_000)
    expect(world.instances()[0]?.shelved).toBeUndefined()
    const last = world.steps.at(-1)
    expect(last).toMatchObject({
      transition: { name: 'unshelved', reason: 'shelf-ended' },
      at: { wallMs: world.wallMs(), serviceMs: world.wallMs() + 500 },
    })
  })

  it('without evaluation counts for at most 5 s', () => {
    const world = left()
    const { awakeMs } = world.alarms().stored()
    world.sleep(3_600_000)
    world.pass(1)
    expect(world.alarms().stored().awakeMs).toBe(awakeMs + 5_000)
  })
})

it('nodes that are never polled raise a blind alarm too', () => {
  const world = fleetWorld(2)
  world.pass(600_000)
  expect(world.instances()).toMatchObject([
    { kind: 'blind', phase: 'firing', severity: 'critical', value: { unit: 'nodes', value: 2 } },
  ])
})

it('an answer that is a day old on arrival neither ends an outage nor counts as data', () => {
  const world = fleetWorld(2)
  for (let round = 0; round < 25; round++) {
    world.poll(0, round < 5 ? 'down' : 'cached')
    world.poll(1, 'good')
    world.pass(15_000)
  }
  expect(world.instances().filter(({ phase }) => phase === 'firing')).toMatchObject([
    { kind: 'unreachable', subject: { kind: 'node' } },
    { kind: 'blind', value: { value: 1 } },
  ])
})

it('nodes that fail again a minute after a complete outage are notified again', () => {
  const world = fleetWorld(20)
  const round = (outcome: Parameters<typeof world.poll>[1], rounds: number) => {
    for (let left = rounds; left > 0; left--) {
      for (const index of world.keys().keys()) world.poll(index, outcome)
      world.pass(15_000)
    }
    return world.notices.splice(0).map(({ kind, count }) => `${kind} ${count}`)
  }
  expect(round('good', 2)).toEqual([])
  expect(round('old', 5)).toEqual(['problem 20'])
  expect(round('good', 6)).toEqual(['recovery 20'])
  expect(round('old', 5)).toEqual(['problem 20'])
})

it.each([
  // The alarm that names the failure is a warning, so the silence of all nodes raises its own, once and for good.
  [
    ['ok hang', 'ok hang'],
    ['blind critical firing service', 'unreachable warning firing service'],
  ],
  [
    ['ok err404', 'ok err404'],
    ['blind critical firing service', 'rejected warning firing', 'rejected warning firing'],
  ],
  [['ok err503', 'ok err503'], ['unreachable critical firing service']],
  [['ok limited', 'ok limited'], ['unreachable critical firing service']],
  [['ok down', 'ok down'], ['unreachable critical firing service']],
  [['ok hang', 'ok'], ['unreachable warning firing']],
])('silence of %s for 15 minutes', async (series, alarms) => {
  const screen = judge(series)
  await screen.clock.advance(900_000)
  expect(screen.told().filter((alarm) => !alarm.endsWith('explained'))).toEqual(alarms)
  expect(screen.names().filter((name) => name === 'blind raised')).toHaveLength(1)
  // An alarm that another one explains is not sent.
  const sent = screen.notices.flatMap((notice) => notice.alarms.map(({ kind }) => kind))
  expect(new Set(sent)).toEqual(new Set(alarms.map((alarm) => alarm.split(' ')[0])))
})

it('an alarm that another one inhibited until it ended needs no acknowledgement', async () => {
  const screen = judge(['okx4 err503x30 ok', 'okx4 err503x30 ok'])
  await screen.clock.advance(200_000)
  expect(screen.told()).toContain('blind critical firing service explained')
  screen.goOn(['ok', 'ok'])
  await screen.clock.advance(75_000)
  expect(screen.told()).toEqual(['unreachable critical cleared service'])
})

it.each([
  ['err401', 1],
  ['err401', 2],
  ['err404', 2],
])('%s alternating with answers raises one alarm, for the service with %d nodes', async (refusal, count) => {
  const screen = judge([`ok ${refusal} okx3 ${refusal} okx3 ${refusal}`, 'ok'].slice(0, count))
  const polledUntil = async (isRefused: boolean) => {
    await screen.clock.advance(1_000)
    while ((screen.node(0).episode !== undefined) !== isRefused) await screen.clock.advance(100)
    await screen.clock.advance(1_000)
  }
  for (const isRefused of [true, false, true, false, true]) await polledUntil(isRefused)
  const firing = screen.told().filter((alarm) => /firing/.test(alarm) && !alarm.endsWith('explained'))
  expect(firing).toEqual(['unreachable warning firing service'])
  expect(screen.names()).not.toContain('key-rejected raised')
  expect(screen.monitor.snapshot().causes).toMatchObject([
    { scope: 'service', evidence: { alternates: true } },
  ])
  // Earlier refusals say nothing about a new key.
  screen.monitor.keyChanged()
  await screen.clock.advance(60_000)
  expect(screen.monitor.snapshot().causes[0]?.evidence).toMatchObject({ kind: 'failure' })
  expect(screen.monitor.snapshot().causes[0]?.evidence).not.toHaveProperty('alternates')
})

it('blindness depends on a node’s own poll interval if it has one', () => {
  const rare = { ...node(0), pollIntervalMs: 3_600_000 }
  const often = node(1)
  const found = (silentMs: number) =>
    evaluateBlindness(
      fleet([rare, often]),
      new Map([rare, often].map(({ key }) => [key, { awakeMs: 0, sinceMs: 0 }])),
      silentMs,
    ).flatMap(({ nodes }) => nodes)
  expect(found(1_800_000)).toEqual([often.key])
  expect(found(20 * 3_600_000)).toEqual([rare.key, often.key])
})

it.each([
  ['has never answered does not keep its service blind', undefined, 'good'],
  ['answered before this session does', node(1).reading, 'unknown'],
])('a node that %s', (_what, last, state) => {
  const both = [node(0), node(1, { reading: last })]
  const answers = both.map(({ key }, index) => [
    key,
    { awakeMs: index === 0 ? 1_000 : undefined, sinceMs: 0 },
  ])
  const [found] = evaluateBlindness(fleet(both), new Map(answers as never), 2_000)
  expect(found?.evaluation.state).toBe(state)
})
