import { describe, expect, it } from 'vitest'
import { roundsOf, withAnswer, type ServiceLoad } from '#monitor/round-time.ts'
import type { AnswerTime } from '#monitor/tracked.ts'

const load = (given: Partial<ServiceLoad> = {}): ServiceLoad => ({
  host: 'a:443',
  nodes: 5_000,
  hung: 0,
  intervalMs: 30_000,
  timeoutMs: 10_000,
  answerMs: 50,
  pace: undefined,
  requests: given.nodes ?? 5_000,
  ...given,
})
const roundOf = (given: Partial<ServiceLoad> = {}) => roundsOf(new Map([['a', load(given)]])).get('a')

describe('how long a round takes', () => {
  it.each<[string, Partial<ServiceLoad>, number, string]>([
    ['5,000 nodes, four at once', {}, 62_500, 'in-flight'],
    ['a pace below what there is room for', { pace: 50 }, 100_000, 'pace'],
    ['a pace above it', { pace: 500 }, 62_500, 'in-flight'],
    ['fewer nodes than places: the slowest answer', { nodes: 3, answerMs: 8_000 }, 8_000, 'answers'],
    ['one node', { nodes: 1, answerMs: 20 }, 20, 'answers'],
    // 6 of them, asked every 60 s and waited for 10 s: 6/7 of a place is theirs.
    ['hung nodes hold places', { hung: 6 }, (5_000 * 50) / (4 - 6 / 7), 'in-flight'],
    ['and never more than two', { hung: 1_000 }, 125_000, 'in-flight'],
  ])('%s', (_what, given, takesMs, limit) => {
    const round = roundOf(given)
    expect(round?.takesMs).toBeCloseTo(takesMs, 3)
    expect(round).toMatchObject({ limit, isShared: false, nodes: given.nodes ?? 5_000 })
  })

  it('services of one host share its places, and what one does not need is the others’', () => {
    const rounds = roundsOf(
      new Map([
        ['busy', load()],
        ['idle', load({ nodes: 3 })],
        ['elsewhere', load({ host: 'b:443' })],
      ]),
    )
    // Two at most, so that a service that hangs leaves places to the others.
    expect(rounds.get('busy')).toMatchObject({ takesMs: 125_000, isShared: true, inFlight: 2 })
    expect(rounds.get('idle')?.takesMs).toBeLessThan(1_000)
    expect(rounds.get('elsewhere')).toMatchObject({ takesMs: 62_500, isShared: false, inFlight: 4 })
  })

  it('four busy services of one host get one place each', () => {
    const rounds = roundsOf(new Map(['a', 'b', 'c', 'd'].map((id) => [id, load()])))
    expect(Array.from(rounds.values(), ({ inFlight }) => inFlight)).toEqual([1, 1, 1, 1])
  })

  it('is measured over about half a round, so that one slow answer is no alarm', () => {
    let time: AnswerTime | undefined
    for (let asked = 0; asked < 1_000; asked++) time = withAnswer(time, 50, 1_000)
    expect(time).toEqual({ meanMs: 50, count: 1_000 })
    expect(withAnswer(time, 10_000, 1_000).meanMs).toBeLessThan(70)
    for (let asked = 0; asked < 2_000; asked++) time = withAnswer(time, 100, 1_000)
    expect(time?.meanMs).toBeGreaterThan(98)
  })

  it('is that of few answers over as many of them, and of many over half of the nodes', () => {
    expect(withAnswer(undefined, 80, 1)).toEqual({ meanMs: 80, count: 1 })
    expect(withAnswer({ meanMs: 80, count: 1 }, 40, 1)).toEqual({ meanMs: 60, count: 2 })
    expect(withAnswer({ meanMs: 80, count: 19 }, 40, 1)).toEqual({ meanMs: 78, count: 20 })
    expect(withAnswer({ meanMs: 80, count: 500 }, 40, 30)).toEqual({ meanMs: 78, count: 501 })
    expect(withAnswer({ meanMs: 80, count: 500 }, 40, 80)).toEqual({ meanMs: 79, count: 501 })
  })

  it('counts more requests than nodes where some are asked more often', () => {
    expect(roundOf({ nodes: 100, requests: 400, answerMs: 100 })).toMatchObject({
      nodes: 100,
      takesMs: 10_000,
      intervalMs: 30_000,
      answerMs: 100,
      limit: 'in-flight',
    })
    expect(roundOf({ nodes: 4, answerMs: 100 })).toMatchObject({ takesMs: 100, limit: 'answers' })
    expect(roundOf({ nodes: 5, answerMs: 100 })).toMatchObject({ takesMs: 125, limit: 'in-flight' })
  })

  it('is as long as its pace makes it, also where that is longer than the slowest answer', () => {
    expect(roundOf({ nodes: 3, answerMs: 100, pace: 2 })).toMatchObject({ takesMs: 1_500, limit: 'pace' })
    expect(roundOf({ nodes: 40, answerMs: 100, pace: 40 })).toMatchObject({
      takesMs: 1_000,
      limit: 'in-flight',
    })
  })

  it('is shorter where the host carries more at once, and the longer the timeout of nodes that hang, the less is left', () => {
    const at = (given: Partial<ServiceLoad>, max: number) =>
      roundsOf(new Map([['a', load(given)]]), () => max).get('a')?.inFlight
    expect(at({}, 16)).toBe(16)
    expect(at({ hung: 7, timeoutMs: 60_000 }, 16)).toBe(12.5)
    expect(at({ hung: 1_000 }, 16)).toBe(8)
    // Asked once in two minutes, and waited for a minute.
    expect(at({ hung: 3, timeoutMs: 60_000, intervalMs: 120_000 }, 16)).toBe(15)
  })

  it('of a service that shares its host has what the others leave, whoever is named first', () => {
    const light = { nodes: 60, answerMs: 250 }
    const loads = { light: load(light), busy: load(), paced: load({ pace: 1 }) }
    const inFlight = (...ids: readonly (keyof typeof loads)[]) => {
      const rounds = roundsOf(new Map(ids.map((id) => [id, loads[id]])))
      return Object.fromEntries(Array.from(rounds, ([id, round]) => [id, round.inFlight]))
    }
    // 60 in 30 s of 250 ms each are half a place; one a second of 50 ms are a twentieth.
    expect(inFlight('busy', 'light')).toEqual({ light: 2, busy: 2 })
    expect(inFlight('light', 'busy')).toEqual({ light: 2, busy: 2 })
    expect(inFlight('busy', 'paced')).toEqual({ paced: 2, busy: 2 })
    const hung = load({ hung: 1_000 })
    const rounds = roundsOf(
      new Map([
        ['a', hung],
        ['b', hung],
      ]),
    )
    expect(Array.from(rounds.values(), ({ inFlight: places }) => places)).toEqual([1, 1])
  })
})
