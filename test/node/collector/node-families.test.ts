import { describe, expect, it } from 'vitest'
import { nodeFamilies, type ExposedFleet } from '#collector/node-families.ts'
import type { Point } from '#node/metrics-text.ts'
import type { NodeLive, ServiceLive } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import { serviceIdOf } from '#record/service.ts'
import type { ServiceRules } from '#settings/effective.ts'
import {
  aFailingNode,
  aNode,
  anEpisode,
  aReading,
  aService,
  aServiceLive,
  BASE_URL,
  NODE_ID,
  NOW_MS,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'

const fleetOf = (
  nodes: readonly NodeLive[],
  services: readonly ServiceLive[] = [aServiceLive()],
): ExposedFleet => ({
  nodes,
  services: new Map(services.map((service) => [service.id, service])),
  nowMs: NOW_MS,
})

/** The points of one metric, each with its value and its labels except service and node. */
const told = (name: string, fleet: ExposedFleet, families = nodeFamilies(METRICS)) => {
  const family = families.find((each) => each.name === `immune_node_${name}`)
  if (family === undefined) throw new Error(name)
  return family
    .points(fleet)
    .map(({ labels: { service: _service, node: _node, ...labels }, value }: Point) => ({ ...labels, value }))
}

describe('the metric families of nodes', () => {
  it('have names and types that follow the conventions of Prometheus', () => {
    expect(nodeFamilies(METRICS).map(({ name, type }) => [name, type])).toEqual([
      ['immune_node_up', 'gauge'],
      ['immune_node_failure', 'gauge'],
      ['immune_node_info', 'gauge'],
      ['immune_node_last_answer_timestamp_seconds', 'gauge'],
      ['immune_node_status', 'gauge'],
      ['immune_node_status_meaning', 'gauge'],
      ['immune_node_stake_deployed', 'gauge'],
      ['immune_node_stake_deployed_remainder', 'gauge'],
      ['immune_node_network_participation_ratio', 'gauge'],
      ['immune_node_threat_responses_total', 'counter'],
      ['immune_node_last_heartbeat_timestamp_seconds', 'gauge'],
      ['immune_node_proof_valid', 'gauge'],
      ['immune_node_answer_time_seconds', 'gauge'],
      ['immune_node_limit', 'gauge'],
      ['immune_node_unreadable', 'gauge'],
    ])
  })

  it('label the service by base URL and the node by id, or "own" without one', () => {
    const labels = (node: NodeLive, services?: readonly ServiceLive[]) =>
      nodeFamilies(METRICS)[0]?.points(fleetOf([node], services))[0]?.labels
    expect(labels(aNode())).toEqual({ service: BASE_URL, node: NODE_ID })
    expect(labels(aNode({ nodeId: undefined }))).toEqual({ service: BASE_URL, node: 'own' })
    expect(labels(aNode(), [])).toEqual({ service: serviceIdOf(BASE_URL), node: NODE_ID })
  })
})

describe('a node', () => {
  const timeout = { kind: 'timeout', afterMs: 10_000, hop: 'service' } as const

  it('is up after a good poll, down after a failed one, and absent before the first', () => {
    expect(told('up', fleetOf([aNode()]))).toEqual([{ value: 1 }])
    expect(told('up', fleetOf([aFailingNode(timeout)]))).toEqual([{ value: 0 }])
    expect(told('up', fleetOf([aFailingNode(timeout, { reading: undefined })]))).toEqual([{ value: 0 }])
    expect(told('up', fleetOf([aNode({ reading: undefined })]))).toEqual([])
  })

  it('has a failure kind only while it fails', () => {
    expect(told('failure', fleetOf([aNode(), aFailingNode(timeout)]))).toEqual([
      { kind: 'timeout', value: 1 },
    ])
  })

  it('has an info series with its name and sorted tags', () => {
    expect(told('info', fleetOf([aNode({ tags: ['eu', 'a'] }), aNode({ name: undefined })]))).toEqual([
      { name: 'vela-007', tags: 'a,eu', value: 1 },
      { name: '', tags: '', value: 1 },
    ])
  })

  it('has the time of its last answer to the millisecond, if there is one', () => {
    const nodes = [aNode({ reading: aReading({ agoMs: 2_000.4 }) }), aNode({ reading: undefined })]
    expect(told('last_answer_timestamp_seconds', fleetOf(nodes))).toEqual([
      { value: (WALL_MS - 2_000) / 1_000 },
    ])
  })

  it('has a heartbeat time only if the heartbeat age is known', () => {
    const reading = {
      ...aReading(),
      ages: { heartbeat: { kind: 'known', ageMs: 4_000, uncertaintyMs: 9 } },
    } as const
    const unknown = { ...reading, ages: { heartbeat: { kind: 'unknown', aheadMs: 9_000 } } } as const
    expect(
      told('last_heartbeat_timestamp_seconds', fleetOf([aNode({ reading }), aNode({ reading: unknown })])),
    ).toEqual([{ value: (WALL_MS - 6_000) / 1_000 }])
  })

  it.each([
    [{ kind: 'verified' }, [{ value: 1 }]],
    [{ kind: 'wrong', reason: 'mismatch' }, [{ value: 0 }]],
    [{ kind: 'not-checked', reason: 'busy' }, []],
    [undefined, []],
  ] as const)('with the proof %j has the points %j', (proof, points) => {
    const reading = { ...aReading(), ...(proof && { proof }) }
    expect(told('proof_valid', fleetOf([aNode({ reading })]))).toEqual(points)
  })

  it('has its amounts and counters, and its response time in seconds', () => {
    const fleet = fleetOf([aNode()])
    expect(told('stake_deployed', fleet)).toEqual([{ value: 1_250_000 }])
    expect(told('network_participation_ratio', fleet)).toEqual([{ value: 0.9842 }])
    expect(told('threat_responses_total', fleet)).toEqual([{ value: 1_204_882 }])
    expect(told('answer_time_seconds', fleet)).toEqual([{ value: 0.184 }])
  })

  it.each([
    ['1250000', undefined],
    ['9007199254740992', undefined],
    ['9007199254740993', 1],
    ['12345678901234567890.5', 890.5],
    ['12345678901234568999', -1_001],
    ['0.1234567890123456789012', -1.0988e-18],
    ['1.1', undefined],
    // More digits than two doubles hold.
    ['1234567890'.repeat(4), undefined],
  ])('with a stake of %s has the rounding remainder %s', (amount, missing) => {
    const big = aReading({ body: `{"stake_deployed":${amount}}` })
    const points = told('stake_deployed_remainder', fleetOf([aNode({ reading: big })]))
    expect(points).toEqual(missing === undefined ? [] : [{ value: missing }])
  })

  it('with unreadable fields lacks their values, but is up and has a response time', () => {
    const fields = {
      status: 7,
      stake_deployed: 'much',
      network_participation: 101,
      threat_responses_executed: 1.5,
      last_heartbeat: 0,
    }
    const fleet = fleetOf([aNode({ reading: aReading({ fields }) })])
    for (const name of [
      'status',
      'stake_deployed',
      'stake_deployed_remainder',
      'network_participation_ratio',
    ])
      expect(told(name, fleet), name).toEqual([])
    for (const name of ['threat_responses_total', 'last_heartbeat_timestamp_seconds'])
      expect(told(name, fleet), name).toEqual([])
    expect(told('up', fleet)).toEqual([{ value: 1 }])
    expect(told('answer_time_seconds', fleet)).toEqual([{ value: 0.184 }])
  })
})

describe('a status value', () => {
  const saying = (...words: readonly string[]) =>
    fleetOf(words.map((status) => aNode({ reading: aReading({ fields: { status } }) })))
  const now = (points: readonly { readonly value: number; readonly status?: string }[]) =>
    points.filter(({ value }) => value === 1).map(({ status }) => status)

  it('is 1 while current; the other known values are 0', () => {
    const points = told('status', saying('DRAINING'))
    expect(now(points)).toEqual(['DRAINING'])
    expect(points).toEqual([
      { status: 'ACTIVE', value: 0 },
      { status: 'DRAINING', value: 1 },
    ])
    expect(told('status', saying('ACTIVE'))).toEqual([{ status: 'ACTIVE', value: 1 }])
  })

  it('is exported with its meaning', () => {
    const rules: ServiceRules = {
      service: [
        {
          from: { kind: 'service', by: 'browser' },
          units: { statusWords: [{ word: 'HALTED', means: 'bad' }] },
          limits: {},
        },
      ],
      tags: [],
      detected: {},
    }
    const nodes = ['ACTIVE', 'HALTED', 'DRAINING'].map((status) =>
      aNode({ reading: aReading({ fields: { status } }) }),
    )
    expect(told('status_meaning', fleetOf(nodes, [aServiceLive(aService(), { rules })]))).toEqual([
      { state: 'ok', value: 1 },
      { state: 'critical', value: 1 },
      { state: 'info', value: 1 },
    ])
  })

  it('has its own series if it is one of the first 32 of its service; others are "other"', () => {
    const families = nodeFamilies(METRICS)
    const words = Array.from({ length: 32 }, (_, place) => `WORD_${place}`)
    expect(now(told('status', saying(...words), families))).toEqual(words)
    expect(now(told('status', saying('WORD_32', 'WORD_0'), families))).toEqual(['other', 'WORD_0'])
    const other = aService({ baseUrl: 'https://other.example' })
    const node = aNode({
      serviceId: serviceIdOf(other.baseUrl),
      reading: aReading({ fields: { status: 'WORD_32' } }),
    })
    expect(now(told('status', fleetOf([node], [aServiceLive(other)]), families))).toEqual(['WORD_32'])
  })
})

describe('a reading', () => {
  const readAgo = (agoMs: number, more: Partial<NodeLive> = {}) =>
    aNode({ reading: aReading({ agoMs }), ...more })

  it('is exported for 2.5 poll intervals', () => {
    const services = [aServiceLive(aService({ pollIntervalMs: 10_000 }))]
    const counts = (node: NodeLive) => told('stake_deployed', fleetOf([node], services)).length
    expect([counts(readAgo(25_000)), counts(readAgo(25_001))]).toEqual([1, 0])
    const often = { pollIntervalMs: 1_000 }
    expect([counts(readAgo(2_500, often)), counts(readAgo(2_501, often))]).toEqual([1, 0])
  })

  it('is not exported for a removed service or before the first answer', () => {
    for (const name of ['stake_deployed', 'status', 'status_meaning', 'answer_time_seconds']) {
      expect(told(name, fleetOf([aNode()], [])), name).toEqual([])
      expect(told(name, fleetOf([aNode({ reading: undefined })])), name).toEqual([])
    }
    const failing = aNode({ episode: anEpisode({ kind: 'timeout', afterMs: 1, hop: 'service' }) })
    expect(told('stake_deployed', fleetOf([failing]))).toHaveLength(1)
  })
})

it('limits are exported as resolved for the node, with durations in seconds', () => {
  const rules = [
    {
      from: { kind: 'node', by: 'browser' },
      units: {},
      limits: { stakeBelow: '1000', participationBelow: 0.9, answerTimeAboveMs: 1_500 },
    } as const,
  ]
  expect(told('limit', fleetOf([aNode({ rules })]))).toEqual([
    { metric: 'stake', side: 'below', severity: 'warning', value: 1_000 },
    { metric: 'participation', side: 'below', severity: 'warning', value: 0.9 },
    { metric: 'heartbeat', side: 'above', severity: 'critical', value: 180 },
    { metric: 'heartbeat', side: 'above', severity: 'warning', value: 60 },
    { metric: 'answerTime', side: 'above', severity: 'warning', value: 1.5 },
  ])
  expect(told('limit', fleetOf([aNode({ reading: undefined })]))).toHaveLength(3)
  expect(told('limit', fleetOf([aNode()], []))).toEqual([])
})
