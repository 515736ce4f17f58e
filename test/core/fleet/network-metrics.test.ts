import { describe, expect, it } from 'vitest'
import { AGE_EDGES_MS, networkFigures, type NetworkFigure } from '#fleet/network-metrics.ts'
import { nodeKeyOf, type NodeLive } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import { recordOf } from '#test/support/fleet-fixture.ts'
import {
  aged,
  episode,
  fleet,
  live,
  node,
  NOW_MS,
  reading,
  unreachable,
  WALL_MS,
} from '#test/core/monitor/fleet.ts'
import { WITH_PEERS } from '#test/core/metrics/peers.ts'

const says = (index: number, fields: Record<string, unknown>, more: Partial<NodeLive> = {}) =>
  node(index, { reading: reading(fields), ...more })

const find = <K extends NetworkFigure['kind']>(
  nodes: readonly NodeLive[],
  kind: K,
  nowMs = NOW_MS,
  screen: Parameters<typeof fleet>[2] = {},
) => {
  const all = networkFigures(fleet(nodes, [live()], screen), nowMs, METRICS)
  const found = all.find((each): each is Extract<NetworkFigure, { kind: K }> => each.kind === kind)
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}

const counting = (index: number, increase: number, more: Partial<NodeLive> = {}) =>
  says(
    index,
    {},
    {
      counters: { threatResponses: { increase, unwatched: 0, restarts: 0, lastRestartWallMs: undefined } },
      ...more,
    },
  )

describe('the network’s figures', () => {
  const WHALE = says(0, { stake_deployed: 3_000, network_participation: 0.9, status: 'ACTIVE' })
  const MINNOW = says(1, { stake_deployed: 1_000, network_participation: 0.5, status: 'RETIRED' })

  it('sum stake to the last digit', () => {
    const exact = ['9007199254740993', '0.000000000000000001'].map((amount, index) => {
      const record = recordOf(`{"status":"ACTIVE","stake_deployed":${amount}}`)
      return node(index, { reading: { ...reading(), record } })
    })
    expect(find(exact, 'total').value?.text).toBe('9007199254740993.000000000000000001')
  })

  it('count a node once if it is polled both without an id and by its id', () => {
    const own = { ...WHALE, key: nodeKeyOf(WHALE.serviceId, undefined), nodeId: undefined }
    const byId = { ...WHALE, key: nodeKeyOf(WHALE.serviceId, '0X0001') }
    expect(find([own, byId, MINNOW], 'total')).toMatchObject({
      value: { value: 4_000 },
      coverage: { nodes: 2, of: 2 },
    })
    expect(find([own, MINNOW], 'total')).toMatchObject({
      value: { value: 4_000 },
      coverage: { nodes: 2, of: 2 },
    })
  })

  it('weigh participation and status by stake', () => {
    expect(find([WHALE, MINNOW], 'mean')).toMatchObject({ value: 0.8, isWeighted: true })
    expect(find([WHALE, MINNOW], 'share')).toMatchObject({ value: 0.75, isWeighted: true })
    const late = says(2, { stake_deployed: 4_000, status: 'ACTIVE' })
    expect(find([WHALE, MINNOW, late], 'share').value).toBe(0.875)
  })

  it('weigh all nodes equally if no stake is known', () => {
    const poor = [0.9, 0.5].map((part, index) =>
      says(index, { stake_deployed: null, network_participation: part }),
    )
    expect(find(poor, 'mean')).toMatchObject({ value: 0.7, isWeighted: false })
    expect(find(poor, 'total')).toMatchObject({ value: undefined, coverage: { nodes: 0, of: 2 } })
  })

  it('have the number of nodes that they cover and the age of the oldest answer', () => {
    const nodes = [
      WHALE,
      says(1, {}, { reading: reading({}, { startedMs: NOW_MS - 9_000 }) }),
      says(2, {}, { reading: undefined }),
    ]
    expect(find(nodes, 'total').coverage).toEqual({ nodes: 2, old: 0, of: 3, oldestMs: 9_000 })
  })

  it('leave out old answers, except in the total stake, which counts them separately', () => {
    const late = NOW_MS + 3_600_000
    const current = says(1, { stake_deployed: 1_000 }, { reading: reading({}, { startedMs: late }) })
    expect(find([WHALE, current], 'total', late)).toMatchObject({
      last: undefined,
      coverage: { nodes: 1, old: 1, of: 2, oldestMs: 3_605_000 },
    })
    expect(find([WHALE, MINNOW], 'total', late)).toMatchObject({
      value: undefined,
      last: { value: 4_000 },
      coverage: { nodes: 0, old: 2, of: 2, oldestMs: 3_605_000 },
    })
    expect(find([WHALE], 'mean', late).value).toBeUndefined()
    expect(find([WHALE], 'share', late)).toMatchObject({ value: undefined, coverage: { nodes: 0, of: 1 } })
  })

  it('do not count a node as good while its state is unknown', () => {
    const silent = { episode: episode(unreachable, 9), reading: aged(3_600_000) }
    const good = (index: number, more: Partial<NodeLive> = {}) => says(index, {}, more)
    expect(find([good(0), good(1), good(2), node(3, silent)], 'share')).toMatchObject({
      value: 0.75,
      isWeighted: true,
      coverage: { nodes: 3, of: 4 },
    })
    const poor = { stake_deployed: null }
    const neverAnswered = node(1, { reading: undefined })
    expect(find([says(0, poor), neverAnswered], 'share')).toMatchObject({ value: 0.5, isWeighted: false })
  })

  it('have no total if nodes report stake in different units', () => {
    const rules = [
      { from: { kind: 'node', by: 'browser' }, units: { stakeSymbol: 'GLD' }, limits: {} },
    ] as const
    const [gold, silver] = [{ ...WHALE, rules }, MINNOW]
    expect(find([gold], 'total')).toMatchObject({ symbol: 'GLD', value: { text: '3000' } })
    expect(find([gold, silver], 'total').value).toBeUndefined()
    expect(find([gold, silver], 'mean')).toMatchObject({ isWeighted: false })
  })

  it('have a rate of threat responses since monitoring started, after the first minute', () => {
    const nodes = [counting(0, 20), counting(1, 10)]
    const at = (agoMs: number, nowMs = NOW_MS) =>
      find(nodes, 'rate', nowMs, { startedWallMs: WALL_MS - agoMs })
    expect(at(1_800_000)).toMatchObject({ value: 60, sinceWallMs: WALL_MS - 1_800_000 })
    // The rate excludes unwatched time and its increase.
    const gaps = [{ fromWallMs: WALL_MS - 1_000_000, toWallMs: WALL_MS - 100_000, reason: 'asleep' as const }]
    const rested = { startedWallMs: WALL_MS - 1_800_000, gaps }
    expect(find(nodes, 'rate', NOW_MS, rested)).toMatchObject({ value: 120 })
    expect(at(60_000)).toMatchObject({ value: 1_800 })
    expect(at(59_999)).toMatchObject({ value: undefined, coverage: { nodes: 0, of: 2 } })
    expect(at(1_800_000, NOW_MS + 1_800_000)).toMatchObject({
      value: undefined,
      last: 30,
      coverage: { nodes: 0, old: 2, oldestMs: expect.closeTo(1_800_000, -5) },
    })
    expect(find([says(0, {})], 'rate', NOW_MS, { startedWallMs: WALL_MS - 1_800_000 })).toMatchObject({
      value: undefined,
      coverage: { nodes: 0, of: 1 },
    })
  })

  const HOUR = { startedWallMs: WALL_MS - 3_600_000 }

  it('keep the responses of a node from before it failed', () => {
    const failing = counting(0, 30, { reading: undefined, episode: episode(unreachable, 9, 0) })
    expect(find([failing, says(1, {})], 'rate', NOW_MS, HOUR)).toMatchObject({
      value: undefined,
      last: 30,
      coverage: { nodes: 0, old: 1, of: 2 },
    })
  })

  it('have no rate if most of the time is unknown', () => {
    const rate = (...failingMs: readonly number[]) => {
      const nodes = failingMs.map((ms, index) =>
        counting(index, 30, ms > 0 ? { episode: episode(unreachable, 9, ms) } : {}),
      )
      return find(nodes, 'rate', NOW_MS, HOUR)
    }
    expect(rate(0)).toMatchObject({ value: 30 })
    expect(rate(1_800_000)).toMatchObject({ last: 60 })
    expect(rate(1_800_001)).toMatchObject({ last: undefined, coverage: { nodes: 0, of: 1 } })
    expect(rate(0, 0, 3_600_000)).toMatchObject({ value: 60, coverage: { nodes: 2, old: 1, of: 3 } })
    expect(rate(0, 3_600_000, 3_600_000)).toMatchObject({ value: undefined })
  })

  it('leave nodes without a stake out of weighted figures and their coverage', () => {
    const light = says(2, { stake_deployed: null, network_participation: 0.1 })
    expect(find([WHALE, MINNOW, light], 'mean')).toMatchObject({ value: 0.8, coverage: { nodes: 2, of: 3 } })
    expect(find([WHALE, says(1, { status: null })], 'share').coverage).toMatchObject({ nodes: 1, of: 2 })
  })

  it('group heartbeats by their current age', () => {
    const countsOf = (...agesMs: readonly number[]) => {
      const beating = (ageMs: number, index: number) => {
        const ages = { heartbeat: { kind: 'known', ageMs, uncertaintyMs: 500 } } as const
        return node(index, { reading: reading({}, { startedMs: NOW_MS, ages }) })
      }
      return find(agesMs.map(beating), 'ages').counts
    }
    expect(countsOf(4_000, 20_000, 50_000, 100_000, 500_000)).toEqual([1, 1, 1, 1, 1])
    expect(countsOf()).toEqual(Array(AGE_EDGES_MS.length + 1).fill(0))
    expect(countsOf(14_999, 1_000, 15_000)).toEqual([2, 1, 0, 0, 0])
  })

  it('depend on the kind of each metric', () => {
    const kinds = (metrics: typeof WITH_PEERS) =>
      networkFigures(fleet([WHALE]), NOW_MS, metrics).map(({ kind, metric }) => `${metric.id} ${kind}`)
    expect(kinds(METRICS)).toEqual([
      'status share',
      'stake total',
      'participation mean',
      'threatResponses rate',
      'heartbeat ages',
    ])
    expect(kinds(WITH_PEERS)).toEqual(kinds(METRICS))
    const unjudged = METRICS.map(({ check, ...metric }) =>
      metric.id === 'status' || check === undefined ? metric : { ...metric, check },
    ) as typeof WITH_PEERS
    expect(kinds(unjudged)).toEqual(kinds(METRICS).slice(1))
  })
})
