import { describe, expect, it } from 'vitest'
import { createAlarmStore, parseStoredAlarms } from '#alarms/alarm-store.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { serviceIdOf } from '#record/service.ts'
import { WALL_MS } from '#test/core/monitor/fleet.ts'
import { fleetWorld } from './fleet-world.ts'
import { alarm, firing, onNode, SERVICE } from './one-alarm.ts'

const DAY_MS = 86_400_000
const one = firing({
  acknowledged: { wallMs: 1 },
  shelved: { untilWallMs: 2, untilAwakeMs: 3, reason: '' },
  raises: [1, 2],
})
const screen = alarm({ subject: { kind: 'screen' }, kind: 'throttled' })
const kept = {
  version: 1,
  wallMs: 5,
  awakeMs: 6,
  mutedUntilWallMs: 7,
  hadKey: false,
  instances: [one, screen],
  polls: [['n', 3]],
  reach: [['alarm', ['n', 'm']]],
  last: [],
} as const
const { last: nothing, ...rest } = kept
const read = { ...rest, memory: nothing }

it('an engine that always dies within the group wait still notifies of a problem and of its end', () => {
  const world = fleetWorld(1)
  for (const outcome of ['retired', 'good'] as const)
    for (let life = 0; life < 4; life++) {
      for (let poll = 0; poll < 5; poll++) {
        world.poll(0, outcome)
        world.pass(5_000)
      }
      world.reload(5_000)
    }
  expect(world.notices.map(({ kind }) => kind)).toEqual(['problem', 'recovery'])
})

describe('stored alarms', () => {
  it('are read back', () => {
    expect(parseStoredAlarms(structuredClone(kept))).toEqual(read)
    expect(parseStoredAlarms({ ...kept, mutedUntilWallMs: undefined })).toEqual({
      ...read,
      mutedUntilWallMs: undefined,
    })
  })

  it('from a version that did not record keys count as having had one', () => {
    const { hadKey, ...older } = kept
    expect([hadKey, parseStoredAlarms(older)?.hadKey]).toEqual([false, true])
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'x'],
    ['another version', { ...kept, version: 2 }],
    ['no time', { ...kept, wallMs: undefined }],
    ['an infinite time', { ...kept, awakeMs: Number.POSITIVE_INFINITY }],
    ['no list of alarms', { ...kept, instances: {} }],
  ])('are undefined for %s', (_, value) => {
    expect(parseStoredAlarms(value)).toBeUndefined()
  })

  it('are read without their invalid optional parts', () => {
    expect(parseStoredAlarms({ ...kept, mutedUntilWallMs: 'x', polls: undefined })).toMatchObject({
      mutedUntilWallMs: undefined,
      polls: [],
    })
    expect(
      parseStoredAlarms({ ...kept, polls: [['n', 3], ['n'], [3, 3], 'n', ['n', 'x'], ['m', Number.NaN]] })
        ?.polls,
    ).toEqual([['n', 3]])
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a string', 'alarm'],
    ['one without an id', { ...one, id: undefined }],
    ['one without a rule', { ...one, ruleId: 5 }],
    ['one without a kind', { ...one, kind: null }],
    ['one without a subject', { ...one, subject: null }],
    ['a subject of an unknown kind', { ...one, subject: { kind: 'fleet', serviceId: 's' } }],
    ['a node without a name', { ...one, subject: { kind: 'node', serviceId: 's' } }],
    ['a node without a service', { ...one, subject: { kind: 'node', node: 'n' } }],
    ['a key without a service', { ...one, subject: { kind: 'key' } }],
    ['an unknown phase', { ...one, phase: 'cleared' }],
    ['an unknown side', { ...one, side: 'between' }],
    ['one without a trail', { ...one, trail: undefined }],
    ['a trail without bits', { ...one, trail: { count: 1 } }],
    ['a trail without a count', { ...one, trail: { bits: 1 } }],
    ['an unknown severity', { ...one, severity: 'loud' }],
    ['one without watched time', { ...one, watchedMs: undefined }],
    ['an invalid time of the last evaluation', { ...one, evaluatedAwakeMs: Number.NaN }],
    ['an invalid freshness', { ...one, freshForMs: '5' }],
    ['an invalid start', { ...one, sinceWallMs: null }],
    ['one without the start of its bad state', { ...one, badSinceWallMs: undefined }],
    ['one without a list of raises', { ...one, raises: undefined }],
    ['an invalid raise', { ...one, raises: [1, 'x'] }],
    ['a shelf without a monotonic end', { ...one, shelved: { untilWallMs: 1 } }],
    ['a shelf without a wall-clock end', { ...one, shelved: { untilAwakeMs: 1 } }],
    ['a null shelf', { ...one, shelved: null }],
    ['an acknowledgement without a time', { ...one, acknowledged: {} }],
    ['a null acknowledgement', { ...one, acknowledged: null }],
  ])('leave out an invalid alarm (%s) and keep the others', (_, damaged) => {
    expect(parseStoredAlarms({ ...kept, instances: [damaged, screen] })?.instances).toEqual([screen])
  })
})

describe('the alarm store', () => {
  const whole = parseStoredAlarms(structuredClone(kept))
  if (whole === undefined) throw new Error('can not be read')

  it('loads nothing at first, then the last save', async () => {
    const storage = createMemoryStorage()
    const keeper = createAlarmStore(storage)
    expect(await keeper.load()).toBeUndefined()
    expect([await keeper.save({ ...whole, wallMs: 1 }, true), await keeper.save(whole, false)]).toEqual([
      true,
      true,
    ])
    expect(await keeper.load()).toEqual(read)
    expect([storage.counts.open, Array.from(storage.databases.keys())]).toEqual([1, ['immune-alarms']])
    expect(await createAlarmStore(storage).load()).toEqual(read)
  })

  it('reports a failed save, and reopens the database for the next one', async () => {
    const storage = createMemoryStorage()
    const keeper = createAlarmStore(storage)
    storage.fault = (operation) => (operation === 'open' ? 'none' : undefined)
    expect([await keeper.save(whole, true), await keeper.load()]).toEqual([false, undefined])
    storage.fault = (operation) => (operation === 'write' || operation === 'read' ? 'closed' : undefined)
    expect([await keeper.save(whole, true), await keeper.load()]).toEqual([false, undefined])
    storage.fault = () => undefined
    const before = storage.counts.open
    expect(await keeper.save(whole, true)).toBe(true)
    expect(storage.counts.open).toBe(before + 1)
  })
})

describe('alarms across a reload', () => {
  /** One node that has just been evaluated as bad for the second time. */
  const raised = () => {
    const world = fleetWorld(1)
    world.poll(0, 'good')
    world.poll(0, 'retired')
    world.pass(15_000)
    world.poll(0, 'retired')
    return world
  }

  it('are unchanged, and their state is unknown since', () => {
    const world = raised()
    const before = world.instances()
    expect(before).toMatchObject([{ kind: 'status-left', phase: 'firing' }])
    world.reload(60_000)
    expect(world.instances()).toEqual(before.map((was) => ({ ...was, heldAwakeMs: expect.any(Number) })))
    expect(world.alarms().stored()).toMatchObject({ polls: [[world.keys()[0], 3]], awakeMs: 15_000 })
  })

  it.each([
    [3_600_000, 20_000, []],
    [3_600_001, 0, ['timer-restarted', 'timer-restarted']],
    [-3_600_001, 0, ['timer-restarted', 'timer-restarted']],
  ])('%d ms later keep %d ms of their watched time', (afterMs, watchedMs, names) => {
    const world = fleetWorld(1)
    const timing = alarm({ phase: 'pending', watchedMs: 20_000, side: 'bad', trail: { bits: 1, count: 1 } })
    const instances = [
      timing,
      { ...timing, id: 'x', phase: 'firing' as const },
      { ...timing, id: 'y', watchedMs: 0 },
      { ...timing, id: 'z', phase: 'recovering' as const },
    ]
    world.alarms().restore({ ...read, wallMs: WALL_MS, instances, polls: [] }, WALL_MS + afterMs)
    expect(world.instances().map((now) => now.watchedMs)).toEqual([watchedMs, 20_000, 0, watchedMs])
    expect(world.steps.map(({ transition }) => transition)).toEqual(
      names.map((name) => ({ name, reason: 'not-watched-too-long' })),
    )
    expect(world.alarms().stored().polls).toEqual([])
  })

  it('are shown after the first evaluation, as the same objects until something changes', () => {
    const world = raised()
    world.reload()
    const alarms = world.alarms()
    expect([alarms.view().alarms, Array.from(alarms.raised())]).toEqual([[], []])
    world.pass(1)
    // The wait before its notification is running.
    expect(alarms.dirty()).toBe('alarms')
    const shown = [alarms.view(), alarms.raised()]
    expect(shown[0]).toMatchObject({ alarms: [{ kind: 'status-left' }] })
    expect(Array.from(alarms.raised())).toEqual([[world.keys()[0], [{ check: 'status', severity: 'info' }]]])
    world.pass(1)
    expect([alarms.view(), alarms.raised()].map((now, at) => now === shown[at])).toEqual([true, true])
    world.act({ act: 'acknowledge-all' })
    expect([alarms.view(), alarms.raised()].map((now, at) => now === shown[at])).toEqual([false, false])
    alarms.stored()
    world.pass(1)
    expect(alarms.dirty()).toBe('nothing')
  })

  it('are still inhibited by the alarm that explains them', () => {
    const world = fleetWorld(1)
    const failed = onNode(0, { kind: 'rejected', severity: 'critical' })
    const subject = { kind: 'service', serviceId: SERVICE } as const
    const blind = firing({ kind: 'blind', severity: 'critical', subject })
    const reach = [[blind.id, world.keys()]] as const
    world.alarms().restore({ ...read, wallMs: WALL_MS, instances: [failed, blind], reach }, WALL_MS)
    world.pass(1)
    expect(world.alarms().view().alarms).toContainEqual(
      expect.objectContaining({ kind: 'blind', inhibitedBy: failed.id }),
    )
  })

  it('keep sound muted for at most 24 h, until the mute ends or is lifted', () => {
    const world = raised()
    const view = () => world.alarms().view()
    world.act({ act: 'mute', untilWallMs: 9e15 })
    expect(view().mutedUntilWallMs).toBe(world.wallMs() + DAY_MS)
    world.act({ act: 'mute', untilWallMs: world.wallMs() + 5_000 })
    world.reload()
    expect(view().mutedUntilWallMs).toBe(world.wallMs() + 5_000)
    world.pass(4_999)
    expect(view().mutedUntilWallMs).toBeDefined()
    world.pass(1)
    expect(view().mutedUntilWallMs).toBeUndefined()
    world.act({ act: 'mute', untilWallMs: world.wallMs() + 5_000 })
    world.act({ act: 'unmute' })
    expect(view().mutedUntilWallMs).toBeUndefined()
  })

  it('of nodes that are no longer configured are closed after an hour of monitoring', () => {
    const world = raised()
    const gone = fleetWorld(0)
    const before = world.alarms().stored()
    const service = firing({
      kind: 'unreachable',
      subject: { kind: 'service', serviceId: serviceIdOf('https://elsewhere.example') },
    })
    gone.alarms().restore({ ...before, instances: [...before.instances, service] }, gone.wallMs())
    gone.pass(3_600_000)
    expect(gone.instances()).toHaveLength(2)
    expect(gone.alarms().view().alarms).toEqual([])
    gone.pass(5_000)
    expect([gone.instances(), gone.steps.map(({ transition }) => transition)]).toEqual([
      [],
      [
        { name: 'closed', reason: 'node-removed' },
        { name: 'closed', reason: 'node-removed' },
      ],
    ])
  })
})

it('a grouped row has all its alarms as members, and acknowledging it acknowledges each', () => {
  const world = fleetWorld(5)
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 5; index++) world.poll(index, 'retired')
    world.pass(15_000)
  }
  const rows = world.alarms().view().alarms
  expect(rows).toMatchObject([{ memberCount: 5, kind: 'status-left' }])
  const id = rows[0]?.id ?? ''
  expect(world.alarms().members(id)).toHaveLength(5)
  expect(world.alarms().members('nothing')).toEqual([])
  world.act({ act: 'acknowledge', ids: [id, 'nothing'] })
  expect(world.instances().every(({ acknowledged }) => acknowledged !== undefined)).toBe(true)
  const [first] = world.ids()
  world.act({ act: 'unacknowledge', ids: [first ?? ''] })
  expect(world.instances().filter(({ acknowledged }) => acknowledged === undefined)).toHaveLength(1)
  expect(world.alarms().view().revision).toBeGreaterThan(1)
  expect(world.alarms().view()).toMatchObject({ writer: 'test', wallMs: world.wallMs() })
})
