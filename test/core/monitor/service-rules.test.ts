import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { effectiveSettings, type EffectiveSettings, type SetRule } from '#settings/effective.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { BASE, keyOf, nodes, record, watch } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const OTHER = 'https://other.example'

const rule = (given: object): SetRule => ({ units: {}, limits: {}, by: 'browser', ...given }) as SetRule

describe('rules in the running engine', () => {
  const rulesFor = (screen: ReturnType<typeof watch>, index: number): EffectiveSettings => {
    const service = screen.service()
    if (service === undefined) throw new Error('no service')
    return effectiveSettings(service.rules, screen.node(index))
  }

  it('apply to their own nodes and no others', async () => {
    const [one, two] = nodes(2)
    if (one === undefined || two === undefined) throw new Error('no nodes')
    const screen = watch({
      nodes: [one, { ...two, tags: ['eu'] }],
      rules: [
        rule({ for: 'service', service: BASE, limits: { answerTimeAboveMs: 1 } }),
        rule({ for: 'service', service: OTHER, limits: { answerTimeAboveMs: 2 } }),
        rule({ for: 'tag', tag: 'eu', limits: { stakeBelow: '5' } }),
        rule({ for: 'node', service: BASE, node: '0x0001', units: { stakeSymbol: 'IMN' } }),
        rule({ for: 'node', service: BASE, units: { stakeSymbol: 'OWN' } }),
        rule({ for: 'node', service: OTHER, node: '0x0002', units: { stakeSymbol: 'NO' } }),
      ],
    })
    await screen.clock.advance(1_000)
    expect(rulesFor(screen, 0)).toMatchObject({
      answerTimeAboveMs: { value: 1 },
      stakeBelow: { value: undefined },
      stakeSymbol: { value: 'IMN' },
    })
    expect(rulesFor(screen, 1)).toMatchObject({
      answerTimeAboveMs: { value: 1 },
      stakeBelow: { value: '5' },
      stakeSymbol: { value: '' },
    })
  })

  it('change without disturbing a node, and keep the identity of unaffected nodes', async () => {
    const screen = watch({ nodeCount: 2 })
    await screen.clock.advance(1_000)
    const before = [screen.node(0), screen.node(1)]
    const rules = [rule({ for: 'node', service: BASE, node: '0x0001', units: { stakeSymbol: 'IMN' } })]
    screen.monitor.configure({ ...screen.config, rules })
    await screen.clock.advance(300)
    expect(screen.node(0)).toEqual({ ...before[0], rules: screen.node(0).rules })
    expect(rulesFor(screen, 0).stakeSymbol.value).toBe('IMN')
    expect(screen.node(1)).toBe(before[1])
    const [, two] = nodes(2)
    screen.monitor.configure({ ...screen.config, nodes: [...nodes(1), { ...two, tags: ['eu'] }] })
    await screen.clock.advance(300)
    expect(screen.node(1).tags).toEqual(['eu'])
    expect(screen.node(0).rules).toEqual([])
  })

  it('determine how a record is read', async () => {
    const screen = watch({
      nodeCount: 1,
      rules: [
        rule({
          for: 'service',
          service: BASE,
          units: { heartbeat: 'ms', extraFields: ['region'], participation: 'percent' },
        }),
      ],
    })
    screen.world.answer = ({ node }) => ({
      body: record(node, { region: 'eu', last_heartbeat: 5_000, network_participation: 50 }),
    })
    await screen.clock.advance(2 * INTERVAL_MS)
    const read = screen.node(0).reading?.record
    expect(read?.heartbeat).toEqual({ ok: true, value: { atMs: 5_000, unit: 'ms' } })
    expect(read?.extraFields).toEqual([{ name: 'region', valueText: '"eu"' }])
    expect(screen.samples().at(-1)).toMatchObject({ participation: 0.5 })
  })
})

describe('a new unit of heartbeats', () => {
  const LATE_MS = 9e12
  const inUnit = (unit: 's' | 'ms' | 'detect', scope: object = { for: 'service', service: BASE }) => [
    rule({ ...scope, units: { heartbeat: unit } }),
  ]
  const setUp = async (lastHeartbeat: number) => {
    const screen = watch({ nodeCount: 2, rules: inUnit('detect') })
    screen.world.answer = ({ node }) => ({ body: record(node, { last_heartbeat: lastHeartbeat }) })
    await screen.clock.advance(INTERVAL_MS / 3)
    const asked = screen.seen.length
    const set = async (rules: readonly SetRule[]) => {
      screen.monitor.configure({ ...screen.config, rules })
      await screen.clock.advance(300)
    }
    return { screen, set, asked: () => screen.seen.length - asked }
  }

  it('applies at once to existing readings, without polling', async () => {
    const { screen, set, asked } = await setUp(TEST_START_MS / 1_000)
    const age = screen.node(0).reading?.ages['heartbeat']
    expect(screen.node(0).reading?.record.heartbeat).toEqual(ok({ atMs: TEST_START_MS, unit: 's' }))
    await set(inUnit('ms'))
    expect(screen.node(0).reading?.record.heartbeat).toEqual(ok({ atMs: TEST_START_MS / 1_000, unit: 'ms' }))
    expect(screen.node(0).reading?.ages['heartbeat']).toMatchObject({
      kind: age?.kind,
      ageMs: (age?.kind === 'unchecked' || age?.kind === 'known' ? age.ageMs : 0) + TEST_START_MS * 0.999,
    })
    expect(screen.node(1).reading?.record.heartbeat).toEqual(screen.node(0).reading?.record.heartbeat)
    await set(inUnit('detect'))
    expect(screen.node(0).reading?.record.heartbeat).toEqual(ok({ atMs: TEST_START_MS, unit: 's' }))
    expect(screen.node(0).reading?.ages['heartbeat']).toEqual(age)
    expect(asked()).toBe(0)
  })

  it('also applies to answers that are under way', async () => {
    const { screen, set } = await setUp(TEST_START_MS / 1_000)
    const { answer } = screen.world
    screen.world.answer = (asked) => Object.assign(answer(asked), { afterMs: 2_000 })
    screen.monitor.pollNow(keyOf(0))
    await screen.clock.advance(500)
    await set(inUnit('ms'))
    await screen.clock.advance(2_000)
    expect(screen.node(0).reading?.latencyMs).toBe(2_000)
    expect(screen.node(0).reading?.record.heartbeat).toEqual(ok({ atMs: TEST_START_MS / 1_000, unit: 'ms' }))
  })

  it('that is impossible is reported, and reverting it polls for the lost value', async () => {
    // As seconds, this is after the last moment that a Date can represent.
    const { screen, set, asked } = await setUp(LATE_MS)
    await set(inUnit('s'))
    expect(screen.node(0).reading?.record.heartbeat).toEqual(err('out-of-range'))
    expect(screen.node(0).reading?.ages['heartbeat']).toBeUndefined()
    expect(asked()).toBe(0)
    await set(inUnit('ms'))
    await screen.clock.advance(1_000)
    expect(asked()).toBe(2)
    expect(screen.node(0).reading?.record.heartbeat).toEqual(ok({ atMs: LATE_MS, unit: 'ms' }))
  })

  it('for one node leaves the others unchanged', async () => {
    const { screen, set } = await setUp(TEST_START_MS / 1_000)
    const other = screen.node(1)
    await set(inUnit('ms', { for: 'node', service: BASE, node: '0x0001' }))
    expect(screen.node(0).reading?.record.heartbeat).toMatchObject({ value: { unit: 'ms' } })
    expect(screen.node(1)).toBe(other)
  })

  it('is not applied again when another rule changes', async () => {
    const { screen, set } = await setUp(TEST_START_MS / 1_000)
    const { reading } = screen.node(0)
    await set([rule({ for: 'tag', tag: 'eu' })])
    expect(screen.node(0).reading).toBe(reading)
  })
})

describe('the detected properties of a service', () => {
  const beating = (periodS: number) => {
    const screen = watch({ nodeCount: 1 })
    screen.world.answer = ({ node, atMs }) => ({
      body: record(node, {
        last_heartbeat: 1_795_000_000 + Math.floor(atMs / 1_000 / periodS) * periodS,
        network_participation: 97,
      }),
    })
    return screen
  }

  it('include the unit of participation and a heartbeat period below the poll interval', async () => {
    const screen = beating(10)
    await screen.clock.advance(9 * INTERVAL_MS + 1_000)
    expect(screen.service()?.rules.detected.participation?.unit).toBe('percent')
    expect(screen.service()?.rules.detected.heartbeatPeriod).toEqual({ periodMs: 10_000, readings: 8 })
  })

  it('are kept when the settings change', async () => {
    const screen = beating(10)
    await screen.clock.advance(8 * INTERVAL_MS + 1_000)
    const before = screen.service()?.rules.detected
    screen.monitor.configure({ ...screen.config, rules: [rule({ for: 'tag', tag: 'eu' })] })
    await screen.clock.advance(300)
    expect(screen.service()?.rules.detected).toEqual(before)
    expect(screen.service()?.rules.tags).toHaveLength(1)
  })

  it('are not derived from steps across many missed answers', async () => {
    const screen = beating(10)
    const answer = screen.world.answer
    let asked = 0
    screen.world.answer = (request) => (asked++ % 5 === 0 ? answer(request) : { status: 503 })
    await screen.clock.advance(400 * INTERVAL_MS)
    expect(screen.samples().filter(({ outcome }) => outcome === 'answered').length).toBeGreaterThan(10)
    expect(screen.service()?.rules.detected.heartbeatPeriod).toBeUndefined()
    expect(keyOf(0)).toBe(screen.node(0).key)
  })
})
