import { describe, expect, it } from 'vitest'
import type { NetworkLine, NetworkSeries } from '#fleet/network-series.ts'
import { METRICS } from '#metrics/metrics.ts'
import { isWatched, joinNetwork, networkExpression, type LongTermNetwork } from '#prometheus/network.ts'

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

/** Four quarters of an hour, of each a value and over how many nodes it is. */
const keptOf = (
  id: string,
  value: LongTermNetwork['lines'][number]['value'],
  nodes: LongTermNetwork['lines'][number]['nodes'],
): LongTermNetwork => ({ fromMs: 0, stepMs: 15 * MINUTE_MS, count: 4, lines: [{ id, value, nodes }] })

const pointsOf = ({ lines }: NetworkSeries): readonly (readonly [minute: number, value: number])[] =>
  Array.from(lines[0]?.atMs ?? [], (atMs, index) => [atMs / MINUTE_MS, lines[0]?.value[index] ?? 0])

describe('the course of all nodes together', () => {
  it('is of the engine up to where this browser began to watch, and of the browser from there', () => {
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

  it('is all of the engine in a browser that was opened just now, and ends before what is still to come', () => {
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

  it('is filled by the engine where the browser was closed, and broken where neither watched', () => {
    const own = seriesOf(lineOf('participation', [3, 3], [10, 0.5], [20, Number.NaN], [58, 0.6]))
    const joined = joinNetwork(METRICS, own, keptOf('participation', [0.9, 0.2, null, 0.9], [3, 3, null, 3]))
    expect(pointsOf(joined)).toEqual([
      [10, 0.5],
      [30, 0.2],
      [45, Number.NaN],
      [58, 0.6],
    ])
  })

  it('breaks where a sum is over other nodes, and says over how many it is', () => {
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

  it("is the browser's own where the engine has nothing", () => {
    const own = seriesOf(lineOf('stake', [3, 3], [40, 300], [55, 300]))
    expect(
      joinNetwork(METRICS, own, keptOf('stake', [null, null, null, null], [null, null, null, null])).lines,
    ).toEqual(own.lines)
    expect(joinNetwork(METRICS, own, keptOf('participation', [1, 1, 1, 1], [3, 3, 3, 3])).lines[0]).toEqual(
      own.lines[0],
    )
  })

  it('is asked for only where the browser missed a whole step', () => {
    const steps = { fromMs: 0, stepMs: 15 * MINUTE_MS, count: 5 }
    const every = lineOf('stake', [3, 3], [10, 1], [25, 1], [40, 1], [55, 1])
    expect(isWatched(seriesOf(every), steps)).toBe(true)
    expect(isWatched(seriesOf(lineOf('stake', [3, 3], [10, 1], [40, 1], [55, 1])), steps)).toBe(false)
    expect(
      isWatched(seriesOf(lineOf('stake', [3, 3], [10, 1], [25, Number.NaN], [40, 1], [55, 1])), steps),
    ).toBe(false)
    expect(isWatched(seriesOf(), steps)).toBe(false)
  })

  it('is of the services that are named, whatever their address is written with', () => {
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
