import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { appendSample, createSeries, NOT_WATCHED, type Series } from '#history/series.ts'
import { createTail, mergeRows, type Tail } from '#history/store/tail.ts'

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
const stateOf = (tail: Tail, node: string) => {
  const { series, ...rest } = tail.nodes.get(node) ?? { series: undefined }
  return { times: timesOf(series), ...rest }
}
const filled = (samplesPerNode: (nodes: number) => number, times: readonly number[]) => {
  const tail = createTail(samplesPerNode)
  for (const atMs of times) tail.addSample(sample('a', atMs))
  return tail
}

describe('rows in memory', () => {
  it('are kept for each node, and counted', () => {
    const tail = filled(() => 100, [1, 2])
    tail.addSample(sample('b', 3))
    expect(stateOf(tail, 'a')).toEqual({
      times: [1, 2],
      carried: 0,
      flushed: 0,
      summed: { minute: 0, coarse: 0 },
    })
    expect(timesOf(tail.nodes.get('b')?.series)).toEqual([3])
    expect(tail.size()).toBe(3)
    tail.forget('a')
    tail.forget('nobody')
    expect([tail.size(), Array.from(tail.nodes.keys())]).toEqual([1, ['b']])
  })

  it('share the room between as many nodes as there are', () => {
    const asked: number[] = []
    const tail = createTail((nodes) => {
      asked.push(nodes)
      return 100
    })
    tail.addSample(sample('a', 1))
    tail.addSample(sample('b', 1))
    expect(asked).toEqual([1, 2])
  })

  it('give way where there is no more room, and what is said of the first rows moves with them', () => {
    const tail = filled(() => 8, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const node = tail.nodes.get('a')
    if (node === undefined) throw new Error('no node')
    Object.assign(node, { carried: 1, flushed: 5 })
    Object.assign(node.summed, { minute: 2, coarse: 1 })
    expect(tail.size()).toBe(10)
    tail.addSample(sample('a', 10))
    expect(stateOf(tail, 'a')).toEqual({
      times: [2, 3, 4, 5, 6, 7, 8, 9, 10],
      carried: 0,
      flushed: 3,
      summed: { minute: 0, coarse: 0 },
    })
    expect(tail.size()).toBe(9)
    tail.addSample(sample('a', 11))
    expect([tail.size(), stateOf(tail, 'a')]).toMatchObject([10, { flushed: 3 }])
  })

  it('say from when on nobody watched, for every node', () => {
    const tail = filled(() => 100, [1])
    tail.addSample(sample('b', 2))
    tail.addGap({ fromMs: 10, toMs: 20, reason: 'asleep' })
    for (const node of ['a', 'b']) {
      expect(timesOf(tail.nodes.get(node)?.series)?.at(-1)).toBe(10)
      expect(outcomesOf(tail.nodes.get(node)?.series)).toEqual([0, NOT_WATCHED])
    }
    expect(tail.size()).toBe(4)
    tail.addGap({ fromMs: 30, toMs: 30, reason: 'asleep' })
    expect(tail.size()).toBe(6)
  })

  it('all move back with the clock, to the whole millisecond', () => {
    const tail = filled(() => 100, [100, 200])
    tail.addGap({ fromMs: 50, toMs: 0.4, reason: 'clock-step' })
    expect(timesOf(tail.nodes.get('a')?.series)).toEqual([50, 150])
    expect(tail.size()).toBe(2)
  })

  it('that were read back are carried only where they are the first, and there are some', () => {
    const tail = createTail(() => 100)
    tail.addRows('a', seriesOf(1, 2, 3), 1, 1, true)
    expect(stateOf(tail, 'a')).toMatchObject({ times: [], carried: 0 })
    tail.addRows('a', seriesOf(1, 2, 3), 0, 1, true)
    expect(stateOf(tail, 'a')).toMatchObject({ times: [1], carried: 1 })
    tail.addRows('a', seriesOf(1, 2, 3), 1, 3, false)
    expect(stateOf(tail, 'a')).toMatchObject({ times: [1, 2, 3], carried: 1 })
    tail.addRows('b', seriesOf(5), 0, 1, false)
    tail.addRows('b', seriesOf(6), 0, 1, true)
    expect(stateOf(tail, 'b')).toMatchObject({ times: [5, 6], carried: 0 })
    expect(tail.size()).toBe(5)
  })

  it('that were kept twice, or out of order, are there once and in order', () => {
    const tail = createTail(() => 100)
    tail.addRows('a', seriesOf(5, 6), 0, 2, false)
    tail.addRows('a', seriesOf(1, 5, 6, 7), 0, 4, false)
    expect(stateOf(tail, 'a')).toMatchObject({ times: [1, 5, 6, 7] })
    tail.addRows('a', seriesOf(7, 8, 9), 0, 2, false)
    expect(stateOf(tail, 'a')).toMatchObject({ times: [1, 5, 6, 7, 8] })
    expect(tail.size()).toBe(5)
  })

  it('that records hold now go, but for the last of them', () => {
    const tail = filled(() => 100, [1, 2, 3, 4, 5])
    const node = tail.nodes.get('a')
    if (node === undefined) throw new Error('no node')
    node.flushed = 4
    Object.assign(node.summed, { minute: 3, coarse: 1 })
    tail.settle('a', 0)
    tail.settle('nobody', 3)
    expect(stateOf(tail, 'a')).toMatchObject({ times: [1, 2, 3, 4, 5], carried: 0, flushed: 4 })
    tail.settle('a', 3)
    expect(stateOf(tail, 'a')).toEqual({
      times: [3, 4, 5],
      carried: 1,
      flushed: 2,
      summed: { minute: 1, coarse: 0 },
    })
    expect(tail.size()).toBe(3)
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
