import { describe, expect, it } from 'vitest'
import { createStats } from '#reference/stats.ts'

const NODE = '0xab'

function counting(nodesMax?: number) {
  let nowMs = 1_000
  const stats = createStats({ wallMs: () => nowMs }, nodesMax)
  const begin = (about: Partial<Parameters<typeof stats.begin>[0]> = {}) =>
    stats.begin({ method: 'GET', path: '/node/status', node: NODE, origin: undefined, ...about })
  return {
    ...stats,
    begin,
    setMs: (ms: number) => {
      nowMs = ms
    },
  }
}

describe('the statistics of the service', () => {
  it('count requests by path, node and status, and how many there were at once', () => {
    const { begin, snapshot, setMs } = counting()
    const first = begin()
    setMs(2_000)
    const second = begin({ node: '0xcd' })
    const third = begin()
    const fourth = begin({ path: '/x', node: undefined, method: 'OPTIONS' })
    expect(snapshot()).toMatchObject({
      requests: 4,
      preflights: 1,
      inFlight: 4,
      maxInFlight: 4,
      byPath: { '/node/status': 3, '/x': 1 },
      byStatus: {},
    })
    first(200)
    second(200)
    third(404)
    fourth(undefined)
    expect(snapshot()).toMatchObject({
      inFlight: 0,
      maxInFlight: 4,
      byNode: {
        [NODE]: { requests: 2, lastAtMs: 2_000, maxInFlight: 2 },
        '0xcd': { requests: 1, lastAtMs: 2_000, maxInFlight: 1 },
      },
      byStatus: { 200: 2, 404: 1, none: 1 },
    })
    expect(Object.keys(snapshot().byNode)).toEqual([NODE, '0xcd'])
  })

  it('keep the last 1,000 requests, oldest first', () => {
    const { begin, snapshot, setMs } = counting()
    for (let i = 1; i <= 2_500; i++) {
      setMs(i)
      begin({ path: '/x' })(200)
      if (i === 3)
        expect(snapshot().recent).toEqual([
          { atMs: 1, method: 'GET', path: '/x', node: NODE, origin: undefined },
          { atMs: 2, method: 'GET', path: '/x', node: NODE, origin: undefined },
          { atMs: 3, method: 'GET', path: '/x', node: NODE, origin: undefined },
        ])
    }
    const times = snapshot().recent.map(({ atMs }) => atMs)
    expect([times.length, times[0], times.at(-1)]).toEqual([1_000, 1_501, 2_500])
  })

  it('name 200 paths, and count the others as one', () => {
    const { begin, snapshot } = counting()
    for (let i = 0; i < 203; i++) begin({ path: `/${i}` })(404)
    begin({ path: '/0' })(404)
    const { byPath } = snapshot()
    expect([Object.keys(byPath).length, byPath['/0'], byPath['/199'], byPath['other']]).toEqual([
      201, 2, 1, 3,
    ])
  })

  it('begin again when they are reset; what is in flight stays so', () => {
    const { begin, snapshot, reset } = counting()
    const end = begin({ method: 'OPTIONS' })
    begin()(200)
    reset()
    expect(snapshot()).toEqual({
      requests: 0,
      preflights: 0,
      inFlight: 1,
      maxInFlight: 1,
      byPath: {},
      byNode: {},
      byStatus: {},
      recent: [],
    })
    begin()(200)
    expect(snapshot().byNode[NODE]).toMatchObject({ requests: 1, maxInFlight: 2 })
    end(200)
    expect(snapshot().inFlight).toBe(0)
  })

  it('tell the next request that fits, once', async () => {
    const { begin, next } = counting()
    const seen: string[] = []
    const waits = [
      next(({ path }) => path === '/b'),
      next(() => true),
      next(({ method }) => method === 'PUT'),
    ]
    for (const wait of waits) void wait.then(({ path }) => seen.push(path))
    begin({ path: '/a' })(200)
    begin({ path: '/b' })(200)
    begin({ path: '/b' })(200)
    await Promise.all(waits.slice(0, 2))
    expect(seen.toSorted()).toEqual(['/a', '/b'])
  })
})
