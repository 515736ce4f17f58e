import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { appendSample, createSeries, NOT_WATCHED, type Series } from '#history/series.ts'
import { HeadBlock, mergeRows } from '#history/store/head-block.ts'

const sample = (node: string, atMs: number): Sample => ({ node, atMs, latencyMs: 1, outcome: 'answered' })
const seriesOf = (...times: readonly number[]): Series => {
  const series = createSeries()
  for (const atMs of times) appendSample(series, sample('n', atMs), 1_000)
  return series
}
const timesOf = (series: Series | undefined) =>
  series && Array.from(series.columns.atMs.subarray(0, series.length))
const outcomesOf = (series: Series | undefined) =>
  series && Array.from(series.columns.outcome.subarray(0, series.length))
const stateOf = (head: HeadBlock, node: string) => {
  const { series, ...rest } = head.nodes.get(node) ?? { series: undefined }
  return { times: timesOf(series), ...rest }
}
const filled = (samplesPerNode: (nodes: number) => number, times: readonly number[]) => {
  const head = new HeadBlock(samplesPerNode)
  head.addSamples(times.map((atMs) => sample('a', atMs)))
  return head
}

describe('rows in memory', () => {
  it('are kept for each node, and counted', () => {
    const head = filled(() => 100, [1, 2])
    head.addSamples([sample('b', 3)])
    expect(stateOf(head, 'a')).toEqual({
      times: [1, 2],
      flushed: 0,
    })
    expect(timesOf(head.nodes.get('b')?.series)).toEqual([3])
    expect(head.size()).toBe(3)
    head.forget('a')
    head.forget('nobody')
    expect([head.size(), Array.from(head.nodes.keys())]).toEqual([1, ['b']])
  })

  it('share the room between as many nodes as there are', () => {
    const asked: number[] = []
    const head = new HeadBlock((nodes) => {
      asked.push(nodes)
      return 100
    })
    head.addSamples([sample('a', 1)])
    head.addSamples([sample('b', 1)])
    expect(asked).toEqual([1, 2])
  })

  it('give way where there is no more room, and what is said of the first rows moves with them', () => {
    const head = filled(() => 8, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const node = head.nodes.get('a')
    if (node === undefined) throw new Error('no node')
    node.flushed = 5
    expect(head.size()).toBe(10)
    head.addSamples([sample('a', 10)])
    expect(stateOf(head, 'a')).toEqual({
      times: [3, 4, 5, 6, 7, 8, 9, 10],
      flushed: 2,
    })
    expect(head.size()).toBe(8)
    head.addSamples([sample('a', 11)])
    expect([head.size(), stateOf(head, 'a')]).toMatchObject([9, { flushed: 2 }])
  })

  it('say from when on nobody watched, for every node', () => {
    const head = filled(() => 100, [1])
    head.addSamples([sample('b', 2)])
    head.addGap({ fromMs: 10, toMs: 20, reason: 'asleep' })
    for (const node of ['a', 'b']) {
      expect(timesOf(head.nodes.get(node)?.series)?.at(-1)).toBe(10)
      expect(outcomesOf(head.nodes.get(node)?.series)).toEqual([0, NOT_WATCHED])
    }
    expect(head.size()).toBe(4)
    head.addGap({ fromMs: 30, toMs: 30, reason: 'asleep' })
    expect(head.size()).toBe(6)
  })

  it('all move back with the clock, to the whole millisecond', () => {
    const head = filled(() => 100, [100, 200])
    head.addGap({ fromMs: 50, toMs: 0.4, reason: 'clock-step' })
    expect(timesOf(head.nodes.get('a')?.series)).toEqual([50, 150])
    expect(head.size()).toBe(2)
  })

  it('that were kept twice, or out of order, are there once and in order', () => {
    const head = new HeadBlock(() => 100)
    head.addRows('a', seriesOf(5, 6), 0, 2)
    head.addRows('a', seriesOf(1, 5, 6, 7), 0, 4)
    expect(stateOf(head, 'a')).toMatchObject({ times: [1, 5, 6, 7] })
    head.addRows('a', seriesOf(7, 8, 9), 0, 2)
    expect(stateOf(head, 'a')).toMatchObject({ times: [1, 5, 6, 7, 8] })
    expect(head.size()).toBe(5)
  })

  it('that blocks hold now go', () => {
    const head = filled(() => 100, [1, 2, 3, 4, 5])
    const node = head.nodes.get('a')
    if (node === undefined) throw new Error('no node')
    node.flushed = 4
    head.drop('a', 0)
    head.drop('nobody', 3)
    expect(stateOf(head, 'a')).toEqual({ times: [1, 2, 3, 4, 5], flushed: 4 })
    head.drop('a', 3)
    expect([stateOf(head, 'a'), head.size()]).toEqual([{ times: [4, 5], flushed: 1 }, 2])
  })

  it('of several nodes may come at once, in any order', () => {
    const head = new HeadBlock(() => 100)
    head.addSamples([sample('a', 1), sample('a', 2), sample('b', 1), sample('c', 5), sample('a', 3)])
    expect(Array.from(head.nodes, ([node, { series }]) => [node, timesOf(series)])).toEqual([
      ['a', [1, 2, 3]],
      ['b', [1]],
      ['c', [5]],
    ])
    expect(head.size()).toBe(5)
  })
})

describe('rows of two records', () => {
  it.each([
    [[], [], []],
    [[1, 2], [], [1, 2]],
    [[], [1, 2], [1, 2]],
    [
      [1, 2],
      [3, 4],
      [1, 2, 3, 4],
    ],
    [
      [3, 4],
      [1, 2],
      [1, 2, 3, 4],
    ],
    [
      [1, 3, 5],
      [2, 4, 6],
      [1, 2, 3, 4, 5, 6],
    ],
    [
      [1, 2, 3],
      [2, 3, 4],
      [1, 2, 3, 4],
    ],
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
    [
      [1, 9],
      [2, 3, 4],
      [1, 2, 3, 4, 9],
    ],
  ])('%j and %j are %j', (one, other, merged) => {
    expect(timesOf(mergeRows(seriesOf(...one), seriesOf(...other)))).toEqual(merged)
  })

  it('that are of the same moment are those of the first', () => {
    const failed = createSeries()
    appendSample(failed, { ...sample('n', 1), outcome: 'timeout' }, 100)
    expect(outcomesOf(mergeRows(seriesOf(1), failed))).toEqual([0])
    expect(outcomesOf(mergeRows(failed, seriesOf(1)))).toEqual([10])
  })
})
