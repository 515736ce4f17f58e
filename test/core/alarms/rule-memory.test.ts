import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { AlarmId } from '#alarms/alarm.ts'
import { createAlarmStore, documentsOf, memoryFrom } from '#alarms/alarm-store.ts'
import { evaluateCondition, type Memory } from '#alarms/metric-conditions.ts'
import { showWith, type MetricReading } from '#alarms/metric-values.ts'
import { METRICS } from '#metrics/metrics.ts'
import { NO_SERVICE_RULES, effectiveSettings } from '#settings/effective.ts'
import { AlarmSettingsSchema } from '#settings/schema.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { judge } from './evaluated.ts'
import { fleetWorld } from './fleet-world.ts'
import { readBack } from './read-back.ts'

const EVERY_MS = 15_000
const HOUR_MS = 3_600_000
const settings = (condition: object, rule: object = {}) =>
  v.parse(AlarmSettingsSchema, {
    rules: [
      {
        id: 'mine',
        scope: { for: 'all' },
        raiseAfter: { polls: 1, of: 1 },
        clearAfter: 1,
        condition,
        ...rule,
      },
    ],
  })
const STAKE = { metric: 'stake', test: 'changed' }
const STUCK = { metric: 'threatResponses', test: 'stuck', windowMs: 60_000 }
const RATE = { metric: 'threatResponses', test: 'rate-above', limit: 59, windowMs: 60_000 }
const SLOW = { metric: 'answerTime', test: 'p95-above', limit: 99 }
const PROOF = { metric: 'proof', test: 'unchanged', limit: 44_000 }

describe('rule memory across a reload', () => {
  /** `[check, series, polls before the reload, polls until it fires]`; the last is the same without one. */
  it.each([
    [STAKE, 'stake=9x3 stake=10', 3, 4],
    [STAKE, 'stake=9x3 stake=10', 1, 4],
    [STUCK, 'threats=7', 4, 5],
    [STUCK, 'threats=7x3 threats=8', 6, 8],
    [RATE, 'threats=0x4 threats=1', 4, 5],
    [SLOW, 'ACTIVE,lat=100', 4, 5],
    [PROOF, 'proof=0xaa', 3, 4],
  ])('%j on %s, reloaded after %i polls, fires at poll %i', async (check, series, before, fires) => {
    const screen = judge(series)
    const rules = settings(check)
    screen.alarms.configure(rules)
    const phase = () => screen.view().alarms.find(({ ruleId }) => ruleId === 'mine')?.phase
    await screen.clock.advance((before - 1) * EVERY_MS + 1_000)
    screen.reload(rules)
    await screen.clock.advance((fires - 1 - before) * EVERY_MS)
    expect(phase()).toBeUndefined()
    await screen.clock.advance(EVERY_MS)
    expect(phase()).toBe('firing')
  })

  it('is dropped when its rule is disabled or tests something else', async () => {
    const screen = judge('threats=7')
    screen.alarms.configure(settings(STUCK))
    await screen.clock.advance(3 * EVERY_MS + 1_000)
    expect(screen.alarms.stored().memory).toHaveLength(1)
    screen.alarms.configure(settings(SLOW))
    await screen.clock.advance(EVERY_MS)
    expect(screen.alarms.stored().memory).toMatchObject([
      [expect.any(String), { of: 'answerTime-p95-above', points: { length: 1 }, total: undefined }],
    ])
    screen.alarms.configure(settings(SLOW, { off: true }))
    expect(screen.alarms.stored().memory).toEqual([])
  })

  it('is dropped with its node', async () => {
    const screen = judge(['stake=1', 'stake=2'])
    screen.alarms.configure(settings(STAKE))
    await screen.clock.advance(EVERY_MS)
    const [first, second] = screen.alarms.stored().memory
    expect([first?.[1], second?.[1]]).toMatchObject([{ text: '1' }, { text: '2' }])
    const { nodes } = screen.monitor.snapshot()
    const [kept] = nodes
    if (kept === undefined) throw new Error('no node')
    const now = { ...screen.monitor.snapshot(), nodes: new Map([kept]) }
    screen.alarms.evaluate(now, {}, screen.monitor.nowMs(), screen.clock.wallMs())
    expect(screen.alarms.stored().memory.map(([id]) => id)).toEqual([first?.[0]])
  })

  it('of nodes that are no longer configured is dropped after an hour of monitoring', () => {
    const world = fleetWorld(1)
    const ids = [`mine ${world.keys()[0]}`, 'mine https://old.example!0x01']
    const kept = { ...world.alarms().stored(), memory: ids.map((id): [AlarmId, Memory] => [id, LAST]) }
    world.alarms().restore(kept, world.wallMs())
    const remembered = () =>
      world
        .alarms()
        .stored()
        .memory.map(([id]) => id)
    world.pass(HOUR_MS)
    expect(remembered()).toEqual(ids)
    world.pass(5_000)
    expect(remembered()).toEqual(ids.slice(0, 1))
  })

  it('counts no poll twice', async () => {
    const screen = judge('ok,lat=100')
    const rules = settings(SLOW)
    screen.alarms.configure(rules)
    await screen.clock.advance(2 * EVERY_MS + 1_000)
    screen.reload(rules)
    await screen.clock.advance(1_000)
    expect(screen.alarms.stored().memory).toMatchObject([[expect.any(String), { points: { length: 3 } }]])
  })
})

const LAST: Memory = { kind: 'last', of: 'stake-changed', text: '7', before: '6', sinceAwakeMs: 1 }
const POINTS: Memory = {
  kind: 'points',
  of: 'threatResponses-stuck',
  points: [
    [1, 2],
    [3, 4.5],
  ],
  wallMs: 5,
  total: '99999999999999999999',
}

describe('stored rule memory', () => {
  const kept = {
    version: 1,
    wallMs: 5,
    awakeMs: 6,
    mutedUntilWallMs: undefined,
    hadKey: true,
    instances: [],
    polls: [],
    reach: [],
    memory: [
      ['mine n', LAST],
      ['mine m', POINTS],
    ],
  } as const

  it('is read back', () => {
    expect(readBack(kept).memory).toEqual(kept.memory)
  })

  it('keeps earlier points when only last values are written', async () => {
    const storage = createMemoryStorage()
    const keeper = createAlarmStore(storage)
    await keeper.save(kept, true)
    const next: Memory = { ...LAST, text: '8' }
    await keeper.save({ ...kept, memory: [['mine n', next]] }, false)
    expect((await keeper.load())?.memory).toEqual([
      ['mine n', next],
      ['mine m', POINTS],
    ])
    await keeper.save({ ...kept, memory: [] }, true)
    expect((await keeper.load())?.memory).toEqual([])
  })

  it('holds at most 50,000 last values', () => {
    const memory = Array.from({ length: 50_001 }, (): [AlarmId, Memory] => ['mine n', LAST])
    expect(documentsOf({ ...kept, memory }).document.last).toHaveLength(50_000)
  })

  it('holds at most 500,000 points, and drops all rules from the first that exceeds them', () => {
    const point = [1, 2] as const
    const memory = [1, 500_000, 1].map((count, at): [AlarmId, Memory] => [
      `mine ${at}`,
      { ...POINTS, points: Array.from({ length: count }, () => point) },
    ])
    expect(documentsOf({ ...kept, memory }).points.map(([id]) => id)).toEqual(['mine 0'])
  })

  const flat = new Float64Array([1, 2])
  const rest = { kind: POINTS.kind, of: POINTS.of, wallMs: 5, total: '99999999999999999999' }
  it.each([
    [undefined, undefined],
    [{}, 'x'],
    [[['a']], [null]],
    [[['a', null]], [['a', null]]],
    [[[5, LAST]], [[5, { ...rest, flat }]]],
    [[['a', { ...LAST, text: 5 }]], [['a', { ...rest, flat: ['1', 2] }]]],
    [[['a', { ...LAST, sinceAwakeMs: Number.NaN }]], [['a', { ...rest, flat: new Float64Array([1]) }]]],
    [[['a', { ...LAST, of: 'no metric' }]], [['a', { ...rest, flat: new Float64Array([1, Number.NaN]) }]]],
    [[['a', { ...LAST, kind: 'points' }]], [['a', { ...rest, flat, wallMs: 'x' }]]],
    [[], [['a', { ...rest, flat, total: '1.5' }]]],
    [[], [['a', { ...rest, flat, total: 7 }]]],
    [[['a', { ...LAST, of: '!stake-changed' }]], [['a', { ...rest, flat, of: 'stake-changed!' }]]],
    [[], [['a', { ...rest, flat, of: 'no metric' }]]],
    [[], [['a', { ...rest, flat, kind: 'last' }]]],
  ])('is empty for the invalid documents %j and %j', (last, points) => {
    expect(memoryFrom(last, points)).toEqual([])
  })
})

describe('a rule with memory', () => {
  const metric = (id: string) => {
    const found = METRICS.find((each) => each.id === id)
    if (found === undefined) throw new Error(`no metric ${id}`)
    return found
  }
  const answer = (id: string, raw: string, show = (text: string) => text): MetricReading => ({
    metric: metric(id),
    raw,
    shown: { text: show(raw), value: Number(show(raw)) },
    show,
    check: undefined,
  })
  const stake = (text: string, stakeDecimals: number) => {
    const from = { kind: 'node', by: 'browser' } as const
    const rules = [{ from, units: { stakeDecimals }, limits: {} }]
    return answer(
      'stake',
      text,
      showWith(metric('stake'), effectiveSettings(NO_SERVICE_RULES, { tags: [], rules })),
    )
  }
  const judged = (
    check: object,
    looks: readonly (readonly [awakeMs: number, MetricReading, wallMs?: number])[],
  ) => {
    const [rule] = settings(check).rules
    if (rule === undefined) throw new Error('no rule')
    let memory: Memory | undefined
    return looks.map(([awakeMs, seen, wallMs = awakeMs]) => {
      const next = evaluateCondition(rule, seen, memory, { awakeMs, wallMs, freshForMs: 150_000 })
      memory = next.memory
      return next.evaluation
    })
  }
  const last = (...of: Parameters<typeof judged>) => judged(...of).at(-1)

  it('ignores a change of the stake’s unit, and shows both stakes in the current unit', () => {
    expect(
      judged(STAKE, [
        [0, stake('1250', 0)],
        [1, stake('1250', 3)],
        [2, stake('1500', 3)],
        [3, stake('1500', 2)],
      ]),
    ).toMatchObject([
      { state: 'good', value: { text: '1250' } },
      { state: 'good', value: { text: '1.25' } },
      { state: 'bad', value: { text: '1.5', before: '1.25' } },
      { state: 'good', value: { text: '15', before: '12.5' } },
    ])
  })

  it('compares counters beyond 2^53 exactly', () => {
    const big = (text: string) => answer('threatResponses', text)
    const looks = [
      [0, big('9007199254740993')],
      [60_000, big('9007199254740994')],
    ] as const
    expect(last(RATE, looks)).toMatchObject({ state: 'bad', value: { value: 60 } })
    expect(last(STUCK, looks)?.state).toBe('good')
  })
})
