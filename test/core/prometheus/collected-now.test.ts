import { describe, expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import { badFields } from '#metrics/answer.ts'
import { readReply } from '#protocol/read-reply.ts'
import { collectedNow, COLLECTED_UNITS, nowExpression } from '#prometheus/collected-now.ts'
import type { AnsweredSeries } from '#prometheus/query-answer.ts'

const NODE = '0xAB'
const AT_S = 1_790_000_000

const series = (
  part: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): AnsweredSeries => ({
  labels: { part, node: NODE, ...labels },
  values: [[AT_S, value]],
})

const ANSWER: readonly AnsweredSeries[] = [
  series('up', 1),
  series('answered', AT_S - 12),
  series('status', 1, { status: 'ACTIVE' }),
  series('stake', 12_345_678_901_234_567_000),
  series('stake:remainder', 890.5),
  series('participation', 0.97),
  series('threatResponses', 7),
  series('heartbeat', AT_S - 20.5),
]

const nodeOf = (answer: readonly AnsweredSeries[]) => collectedNow(METRICS, answer).get('0xab')

const read = (body: string, collectedAge?: string) =>
  readReply(
    { status: 200, body, ...(collectedAge !== undefined && { collectedAge }) },
    {
      nodeId: NODE,
      timeoutMs: 1,
      wallMs: AT_S * 1_000,
      metrics: METRICS,
      readAs: { heartbeat: COLLECTED_UNITS.heartbeat, extraFields: [] },
    },
  )

describe('the latest values of collectors', () => {
  it('form a record as a service writes it, with exact amounts and times in ms', () => {
    const record = read(nodeOf(ANSWER)?.record ?? '', '12')
    if (!record.ok) throw new Error(record.error.kind)
    expect(record.value.stake).toMatchObject({ ok: true, value: { text: '12345678901234567890.5' } })
    expect(record.value.heartbeat).toMatchObject({ ok: true, value: { atMs: (AT_S - 20.5) * 1_000 } })
    expect(record.value.participation).toMatchObject({ ok: true, value: { value: 0.97 } })
    expect(record.value.status).toEqual({ ok: true, value: 'ACTIVE' })
  })

  it('have no proof, which is not a problem of the service’s record', () => {
    const body = nodeOf(ANSWER)?.record ?? ''
    const [collected, direct] = [read(body, '12'), read(body)]
    if (!collected.ok || !direct.ok) throw new Error('not a record')
    expect(badFields(collected.value, METRICS)).toEqual([])
    expect(badFields(direct.value, METRICS)).toMatchObject([
      { field: 'cryptographic_proof', problem: 'missing' },
    ])
  })

  it('include whether the node fails, and are absent for a node without a collector', () => {
    expect(nodeOf(ANSWER)).toMatchObject({ isUp: true, answeredS: AT_S - 12 })
    const failing = [series('up', 0), series('failure', 1, { kind: 'timeout' })]
    expect(nodeOf(failing)).toMatchObject({ isUp: false, isSlow: true, record: undefined })
    expect(nodeOf([])).toBeUndefined()
  })

  it('are keyed by canonical node id, and by “own” for the default node', () => {
    const answer = [series('up', 1), series('up', 0, { node: 'own' }), series('up', 1, { node: '0xCD' })]
    const nodes = collectedNow(METRICS, answer)
    expect(Array.from(nodes, ([id, { isUp }]) => [id, isUp])).toEqual([
      ['0xab', true],
      ['own', false],
      ['0xcd', true],
    ])
  })

  it('contain the node id in the record, except for the default node', () => {
    const recordOf = (node: string) =>
      JSON.parse(
        collectedNow(METRICS, [
          series('answered', AT_S, { node }),
          series('participation', 0.5, { node }),
        ]).get(node.toLowerCase())?.record ?? '',
      )
    expect(recordOf('0xAB')).toEqual({ node_id: '0xAB', network_participation: 0.5 })
    expect(recordOf('own')).toEqual({ network_participation: 0.5 })
  })

  it('have no record without an answer time or without a value', () => {
    expect(nodeOf([series('up', 1), series('participation', 0.5)])).toEqual({
      isUp: true,
      isSlow: false,
      answeredS: 0,
      record: undefined,
    })
    expect(nodeOf([series('up', 0), series('answered', AT_S - 900)])).toEqual({
      isUp: false,
      isSlow: false,
      answeredS: AT_S - 900,
      record: undefined,
    })
    expect(nodeOf([series('up', 0), series('failure', 1, { kind: 'unreachable' })])?.isSlow).toBe(false)
    // A series without a value tells nothing.
    expect(nodeOf([{ ...series('up', 1), values: [] }])?.isUp).toBe(false)
  })

  it.each([
    [7, undefined, '7'],
    [12_345_678_901_234_567_000, 890.5, '12345678901234567890.5'],
    [12_345_678_901_234_570_000, -1, '12345678901234569999'],
    [1.2345678901234568e24, -0.5, '1234567890123456799999999.5'],
    [0.123, 4e-10, '0.1230000004'],
    [7, 0, '7'],
    // A remainder larger than the amount, and an amount with more digits than are kept.
    [7, -8, '7'],
    [1e200, 1, '1e+200'],
  ])('combine an amount of %d and a remainder of %d to %s', (value, remainder, written) => {
    const rest = remainder === undefined ? [] : [series('stake:remainder', remainder)]
    const answer = [series('answered', AT_S), series('stake', value), ...rest]
    expect(nodeOf(answer)?.record).toBe(`{"node_id":"0xAB","stake_deployed":${written}}`)
  })

  it('are asked for in one query across collectors', () => {
    const only = METRICS.filter(({ id }) =>
      ['status', 'stake', 'participation', 'heartbeat', 'proof', 'answerTime'].includes(id),
    )
    const part = (name: string, asked: string) => `label_replace(${asked}, "part", "${name}", "", "")`
    expect(nowExpression(only, { service: 'a' })).toBe(
      [
        part('up', 'min by (node) (immune_node_up{service="a"})'),
        part('failure', 'max by (node, kind) (immune_node_failure{service="a"})'),
        part('answered', 'max by (node) (immune_node_last_answer_timestamp_seconds{service="a"})'),
        part('status', 'max by (node, status) (immune_node_status{service="a"}) == 1'),
        part('stake', 'max by (node) (immune_node_stake_deployed{service="a"})'),
        part('stake:remainder', 'max by (node) (immune_node_stake_deployed_remainder{service="a"})'),
        part('participation', 'max by (node) (immune_node_network_participation_ratio{service="a"})'),
        part('heartbeat', 'max by (node) (immune_node_last_heartbeat_timestamp_seconds{service="a"})'),
      ].join(' or '),
    )
  })
})
