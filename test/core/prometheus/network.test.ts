import { describe, expect, it } from 'vitest'
import type { NetworkLine, NetworkSeries } from '#fleet/network-metrics.ts'
import { METRICS } from '#metrics/metrics.ts'
import {
  isWatched,
  joinNetwork,
  longTermNetwork,
  networkExpression,
  type LongTermNetwork,
} from '#prometheus/long-term-network.ts'

const MINUTE_MS = 60_000

const lineOf = (
  id: string,
  nodes: NetworkLine['nodes'],
  ...points: readonly [number, number][]
): NetworkLine => ({
  id,
  atMs: Float64Array.from(points, ([minute]) => minute * MINUTE_MS),
  value: Float64Array.from(points, ([, value]) => value),
  nodes,
  of: nodes[1],
})

const seriesOf = (...lines: readonly NetworkLine[]): NetworkSeries => ({
  fromMs: lines[0]?.atMs[0] ?? 60 * MINUTE_MS,
  toMs: 60 * MINUTE_MS,
  lines,
})

/** Four quarters of an hour, each with a value and its number of nodes. */
const keptOf = (
  id: string,
  value: LongTermNetwork['lines'][number]['value'],
  nodes: LongTermNetwork['lines'][number]['nodes'],
): LongTermNetwork => ({ fromMs: 0, stepMs: 15 * MINUTE_MS, count: 4, lines: [{ id, value, nodes }] })

const pointsOf = ({ lines }: NetworkSeries): readonly (readonly [minute: number, value: number])[] =>
  Array.from(lines[0]?.atMs ?? [], (atMs, index) => [atMs / MINUTE_MS, lines[0]?.value[index] ?? 0])

describe('the trend of the whole network', () => {
  it('is from the query engine up to the start of this browser’s data, then from the browser', () => {
    const own = seriesOf(lineOf('participation', [3, 3], [40, 0.5], [55, 0.6]))
    const joined = joinNetwork(METRICS, own, keptOf('participation', [0.1, 0.2, 0.3, 0.4], [3, 3, 3, 3]))
    expect(pointsOf(joined)).toEqual([
      [15, 0.1],
      [30, 0.2],
      [40, 0.5],
      [55, 0.6],
    ])
    expect(joined.fromMs).toBe(15 * MINUTE_MS)
    expect(joined.lines[0]?.longTermUntilMs).toBe(30 * MINUTE_MS)
  })

  it('is from the query engine alone in a new browser, and has no future steps', () => {
    const joined = joinNetwork(
      METRICS,
      { ...seriesOf(), toMs: 50 * MINUTE_MS },
      keptOf('stake', [1, 2, 3, 4], [3, 3, 3, 3]),
    )
    expect(pointsOf(joined)).toEqual([
      [15, 1],
      [30, 2],
      [45, 3],
    ])
    expect(joined.lines[0]).toMatchObject({ id: 'stake', nodes: [3, 3], of: 3 })
  })

  it('is filled by the query engine where the browser was closed, with a gap where neither watched', () => {
    const own = seriesOf(lineOf('participation', [3, 3], [10, 0.5], [20, Number.NaN], [58, 0.6]))
    const joined = joinNetwork(METRICS, own, keptOf('participation', [0.9, 0.2, null, 0.9], [3, 3, null, 3]))
    expect(pointsOf(joined)).toEqual([
      [10, 0.5],
      [30, 0.2],
      [45, Number.NaN],
      [58, 0.6],
    ])
  })

  it('breaks a sum when its nodes change, and has their number', () => {
    const own = seriesOf(lineOf('stake', [3, 3], [40, 300], [55, 300]))
    const kept = keptOf('stake', [200, 300, 0, 0], [2, 3, 3, 3])
    const joined = joinNetwork(METRICS, own, kept)
    expect(pointsOf(joined)).toEqual([
      [15, 200],
      [22.5, Number.NaN],
      [30, 300],
      [40, 300],
      [55, 300],
    ])
    expect(joined.lines[0]).toMatchObject({ nodes: [2, 3], of: 3 })
  })

  it("is the browser's own if the query engine has nothing", () => {
    const own = seriesOf(lineOf('stake', [3, 3], [40, 300], [55, 300]))
    expect(
      joinNetwork(METRICS, own, keptOf('stake', [null, null, null, null], [null, null, null, null])).lines,
    ).toEqual(own.lines)
    expect(joinNetwork(METRICS, own, keptOf('participation', [1, 1, 1, 1], [3, 3, 3, 3])).lines[0]).toEqual(
      own.lines[0],
    )
  })

  it('has the lines of both, in the order of the definitions', () => {
    const heartbeat = lineOf('heartbeat', [3, 3], [40, 1])
    const kept = keptOf('stake', [1, 2, 3, 4], [3, 3, 3, 3])
    const joined = joinNetwork(METRICS, seriesOf(heartbeat), kept)
    expect(joined.lines.map(({ id }) => id)).toEqual(['stake', 'heartbeat'])
    expect(joined.lines[1]).toBe(heartbeat)
    expect([joined.fromMs, joined.toMs]).toEqual([15 * MINUTE_MS, 60 * MINUTE_MS])
    expect(joinNetwork(METRICS, { ...seriesOf(heartbeat), fromMs: 7 }, kept).fromMs).toBe(7)
    const empty = lineOf('heartbeat', [0, 0])
    expect(joinNetwork(METRICS, seriesOf(empty), kept).fromMs).toBe(15 * MINUTE_MS)
  })

  it('needs a query only if the browser missed a whole step', () => {
    const steps = { fromMs: 0, stepMs: 15 * MINUTE_MS, count: 5 }
    const every = lineOf('stake', [3, 3], [10, 1], [25, 1], [40, 1], [55, 1])
    expect(isWatched(seriesOf(every), steps)).toBe(true)
    expect(isWatched(seriesOf(lineOf('stake', [3, 3], [10, 1], [40, 1], [55, 1])), steps)).toBe(false)
    expect(
      isWatched(seriesOf(lineOf('stake', [3, 3], [10, 1], [25, Number.NaN], [40, 1], [55, 1])), steps),
    ).toBe(false)
    expect(isWatched(seriesOf(), steps)).toBe(false)
  })

  it('is queried for the named services, with their URLs escaped', () => {
    const asked = networkExpression(
      METRICS,
      { job: 'immune "nodes"' },
      ['https://a.example/v1?x=(1)', 'b'],
      900_000,
      60_000,
    )
    expect(asked).toContain(
      '{job="immune \\"nodes\\"",service=~"https://a\\\\.example/v1\\\\?x=\\\\(1\\\\)|b"}',
    )
    expect(networkExpression(METRICS, {}, ['b'], 900_000, 60_000)).toContain(
      'immune_node_stake_deployed{service=~"b"}',
    )
    expect(asked).not.toContain('proof')
  })
})

describe('the query for the whole network', () => {
  const only = (...ids: readonly string[]) => METRICS.filter(({ id }) => ids.includes(id))
  const part = (name: string, asked: string) => `label_replace(${asked}, "part", "${name}", "", "")`
  /** The newest value of each node, across collectors. */
  const newest = (name: string, more = '') =>
    `max by (service, node) (last_over_time(${name}{${more}service=~"b"}[180s]))`
  const stake = newest('immune_node_stake_deployed')
  const participation = newest('immune_node_network_participation_ratio')
  const status = newest('immune_node_status')
  const good = newest('immune_node_status_meaning', 'state="ok",')
  const asked = (ids: readonly string[], stepMs = 900_000) =>
    networkExpression(only(...ids), {}, ['b'], stepMs, MINUTE_MS)

  it('asks for the sum of an amount', () => {
    expect(asked(['stake'])).toBe(
      [part('stake', `sum(${stake})`), part('stake:nodes', `count(${stake})`)].join(' or '),
    )
  })

  it('asks for the stake-weighted mean of a ratio, over nodes with both values', () => {
    expect(asked(['stake', 'participation'])).toContain(
      [
        part('participation', `sum(${participation} * ${stake}) / sum(${stake} and ${participation})`),
        part('participation:nodes', `count(${stake} and ${participation})`),
      ].join(' or '),
    )
  })

  it('asks for the share of stake with a good status, which is 0 if no node has one', () => {
    const [some, all] = [`sum(${stake} and ${good})`, `sum(${stake} and ${status})`]
    expect(asked(['stake', 'status'])).toContain(
      [
        part('status', `(${some} or 0 * ${all}) / ${all}`),
        part('status:nodes', `count(${stake} and ${status})`),
      ].join(' or '),
    )
  })

  it.each([
    [900_000, '900s'],
    [60_000, '600s'],
  ])(
    'asks for the hourly rate of a counter, over at least 10 minutes: in steps of %i ms over %s',
    (stepMs, window) => {
      const rate = `max by (service, node) (rate(immune_node_threat_responses_total{service=~"b"}[${window}]))`
      expect(asked(['threatResponses'], stepMs)).toBe(
        [
          part('threatResponses', `sum(${rate}) * 3600`),
          part('threatResponses:nodes', `count(${rate})`),
        ].join(' or '),
      )
    },
  )

  it('asks for the share of nodes whose timestamp was fresh when scraped', () => {
    const name = 'immune_node_last_heartbeat_timestamp_seconds{service=~"b"}'
    const age = `max by (service, node) (timestamp(${name}) - ${name})`
    expect(asked(['heartbeat'])).toBe(
      [
        part('heartbeat', `sum(${age} < bool 15) / count(${age})`),
        part('heartbeat:nodes', `count(${age})`),
      ].join(' or '),
    )
  })

  it('is answered in steps, without lines that the query engine does not have', () => {
    const steps = { fromMs: 0, stepMs: 60_000, count: 2 }
    const answer = [
      { labels: { part: 'stake' }, values: [[60, 300]] as const },
      { labels: { part: 'stake:nodes' }, values: [[60, 3]] as const },
      { labels: { part: 'participation' }, values: [[60, 1]] as const },
    ]
    expect(longTermNetwork(METRICS, steps, answer)).toEqual({
      ...steps,
      lines: [{ id: 'stake', value: [300, null], nodes: [3, null] }],
    })
  })
})
