import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import { busiestSecond, nodeId, nodes, record, service, watch, type Answer } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const MINUTE_MS = 60_000
const failuresIn = ({ monitor }: ReturnType<typeof watch>) =>
  monitor.snapshot().causes.filter(({ evidence }) => evidence.kind === 'failure')

describe('a refused key', () => {
  it('is accepted again at the first success, and the nodes come back spread over an interval', async () => {
    const screen = watch({ nodeCount: 25 })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(MINUTE_MS)
    screen.world.answer = () => ({})
    const before = screen.seen.length
    await screen.clock.advance(2 * MINUTE_MS)
    expect(screen.service()?.hold).toBeUndefined()
    const probe = screen.seen[before]
    const round = screen.seen.slice(before + 1).filter(({ atMs }) => atMs < (probe?.atMs ?? 0) + INTERVAL_MS)
    expect(new Set(round.map(({ node }) => node)).size).toBeGreaterThanOrEqual(24)
    expect(busiestSecond(round, probe)).toBeLessThanOrEqual(4)
  })
})

describe('a service that was down', () => {
  it.each([8_000, 16_000, 19_000, 22_000])('for %d ms leaves none of its nodes blamed', async (downMs) => {
    const screen = watch({ nodeCount: 20 })
    await screen.clock.advance(4 * INTERVAL_MS)
    screen.world.answer = () => ({ status: 503 })
    await screen.clock.advance(downMs)
    expect(screen.monitor.snapshot().causes).toHaveLength(1)
    screen.world.answer = () => ({})
    await screen.clock.advance(1_500)
    expect(failuresIn(screen)).toEqual([])
  })

  it('behind this dashboard’s server is not blamed after an outage of that server', async () => {
    const bases = ['https://a.example', 'https://b.example']
    const screen = watch({
      services: bases.map((baseUrl) => service({ baseUrl, via: 'proxy' })),
      nodes: bases.flatMap((base) => nodes(2, base)),
    })
    await screen.clock.advance(4 * INTERVAL_MS)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(20_000)
    expect(screen.monitor.snapshot().causes).toMatchObject([{ scope: 'screen' }])
    screen.world.answer = ({ url }) =>
      url.includes('a.example') ? { afterMs: 20 } : { fails: 'unreachable' }
    const answered = screen.node(0, bases[0]).answered
    while (screen.node(0, bases[0]).answered === answered) await screen.clock.advance(100)
    expect(failuresIn(screen)).toEqual([])
    // A service that only this server can't reach is still blamed.
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.monitor.snapshot().causes).toMatchObject([{ scope: 'service' }])
    screen.world.answer = () => ({})
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.monitor.snapshot().causes).toEqual([])
  })

  it('has all nodes back within two intervals, without a burst', async () => {
    const screen = watch({ nodeCount: 60 })
    await screen.clock.advance(INTERVAL_MS)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(4 * MINUTE_MS)
    screen.world.answer = () => ({})
    const before = screen.seen.length
    await screen.clock.advance(2 * INTERVAL_MS + 2_000)
    const back = screen.seen.slice(before)
    expect(new Set(back.map(({ node }) => node)).size).toBe(60)
    expect(busiestSecond(back)).toBeLessThanOrEqual(8)
  })
})

describe('a node that hangs', () => {
  it.each([
    ['at one of three services behind this dashboard’s own server', 3, 'proxy'],
    ['at one of eight', 8, 'proxy'],
    ['at the only service', 1, 'direct'],
  ] as const)('(%s) costs no other node a poll', async (_where, count, via) => {
    const bases = Array.from({ length: count }, (_, index) => `https://s${index}.example`)
    const screen = watch({
      services: bases.map((baseUrl) => service({ baseUrl, via, pollIntervalMs: 5_000 })),
      nodes: bases.flatMap((base) => nodes(4, base)),
    })
    screen.world.answer = ({ url, node }) =>
      url.includes('s0.') && node === '0x0001' ? 'hang' : { afterMs: 60 }
    await screen.clock.advance(51_500)
    for (const base of bases)
      for (const index of [0, 1, 2, 3]) {
        if (base === bases[0] && index === 0) continue
        expect(screen.node(index, base).answered).toBeGreaterThanOrEqual(10)
        expect(screen.node(index, base).failed).toBe(0)
      }
  })

  it('costs other services no poll even if all nodes of its service hang', async () => {
    const bases = ['https://a.example', 'https://b.example', 'https://c.example']
    const screen = watch({
      services: bases.map((baseUrl) => service({ baseUrl, via: 'proxy', pollIntervalMs: 5_000 })),
      nodes: bases.flatMap((base) => nodes(20, base)),
    })
    await screen.clock.advance(10_000)
    screen.world.answer = ({ url }) => (url.includes('a.example') ? 'hang' : { afterMs: 60 })
    await screen.clock.advance(50_000)
    for (const base of bases.slice(1))
      for (let index = 0; index < 20; index++)
        expect(screen.node(index, base).answered).toBeGreaterThanOrEqual(11)
  })
})

it.each([
  { via: 'direct', nodeCount: 300, mostS: 60, hung: 'hang' },
  {
    via: 'proxy',
    nodeCount: 1_000,
    mostS: 40,
    hung: { status: 502, proxyFailure: 'timeout', afterMs: 10_000 },
  },
] as const)(
  '$nodeCount nodes ($via), of which some hang: the others’ polls stop only briefly',
  async (fleet) => {
    const { via, nodeCount, mostS, hung } = fleet
    const options = { isBatching: () => via === 'proxy' }
    const screen = watch({ nodeCount, services: [service({ via })] }, options)
    await screen.clock.advance(30_000)
    const isHung = (node: string): boolean => Number(node) % 10 < 3
    screen.world.answer = ({ node }) => (isHung(node) ? hung : { body: record(node) })
    await screen.clock.advance(mostS * 1_000)
    const { nodes: all, causes } = screen.monitor.snapshot()
    const others = Array.from(all.values()).filter((one) => !isHung(one.nodeId ?? ''))
    expect(others.filter((one) => !isCurrentAt(one, screen.monitor.nowMs()))).toEqual([])
    expect(others.filter(({ failed }) => failed > 0)).toEqual([])
    expect(causes).toMatchObject([
      { code: 'watch/overdue', evidence: { hanging: expect.any(Number) } },
      { code: 'net/timeout' },
    ])
  },
)

it('nodes that fail together in one batch do not count as an outage that the other answers ended', async () => {
  const screen = watch({ nodeCount: 80, services: [service({ via: 'proxy' })] }, { isBatching: () => true })
  await screen.clock.advance(30_000)
  const [{ atMs } = { atMs: 0 }] = screen.seen.slice(-40)
  const failing = screen.seen.filter((one) => one.atMs === atMs).slice(0, 3)
  screen.world.answer = ({ node }) =>
    failing.some((one) => one.node === node) ? { status: 503 } : { body: record(node), afterMs: 60 }
  await screen.clock.advance(15_000)
  expect(screen.monitor.snapshot().causes).toMatchObject([{ code: 'service/503', nodes: { length: 3 } }])
})

it('nodes that hang are not said to have worked again because the only other one answers', async () => {
  const screen = watch({ nodeCount: 10 })
  await screen.clock.advance(MINUTE_MS)
  screen.world.answer = ({ node }) => (node === '0x000a' ? {} : 'hang')
  await screen.clock.advance(4 * INTERVAL_MS)
  for (let second = 0; second < 180; second++) {
    await screen.clock.advance(1_000)
    expect(screen.monitor.snapshot().causes).toMatchObject([{ code: 'net/timeout', nodes: { length: 9 } }])
  }
})

it('nodes that fail are not said to have worked again because a few others answer', async () => {
  const screen = watch({ nodeCount: 40 })
  await screen.clock.advance(MINUTE_MS)
  screen.world.answer = ({ node }) => (Number(node) % 10 === 0 ? {} : { status: 503 })
  let known = 0
  for (let passedMs = 0; passedMs < 4 * INTERVAL_MS; passedMs += 500) {
    await screen.clock.advance(500)
    const now = screen.monitor.snapshot().causes[0]?.nodes.length ?? 0
    expect(now).toBeGreaterThanOrEqual(known)
    known = now
  }
  expect(known).toBe(36)
})

it('an outage is that of the service within two intervals, also if half of the nodes failed before', async () => {
  const screen = watch({ nodeCount: 40 })
  screen.world.answer = ({ node }) => (Number(node) % 2 === 0 ? { status: 404 } : {})
  await screen.clock.advance(3 * MINUTE_MS)
  screen.world.answer = () => ({ status: 503 })
  await screen.clock.advance(2 * INTERVAL_MS)
  const [cause] = screen.monitor.snapshot().causes
  expect(cause).toMatchObject({ code: 'service/503', scope: 'service' })
})

const EVERY_INTERVAL = [0, 15, 30, 45, 60, 75]
const DOUBLING = [0, 15, 45, 105, 165, 225]
const SELDOM_IN_THE_END = [0, 15, 30, 45, 75, 135, 255, 495, 795, 1_095]

describe('polling after a failure', () => {
  it.each<[string, Answer, readonly number[]]>([
    [
      'keeps the interval for the only node of an unreachable service',
      { fails: 'unreachable' },
      EVERY_INTERVAL,
    ],
    ['keeps the interval after an error with Retry-After', { status: 503, retryAfter: '40' }, EVERY_INTERVAL],
    ['waits for the Retry-After of a rate limit', { status: 429, retryAfter: '100' }, [0, 105, 210]],
    ['doubles the wait for an invalid Retry-After', { status: 429, retryAfter: 'soon' }, DOUBLING],
    ['keeps the interval for the only node if it is unknown', { status: 404 }, EVERY_INTERVAL],
    ['slows down after 3 refusals of the key', { status: 401 }, SELDOM_IN_THE_END],
  ])('%s', async (_what, answer, expectedS) => {
    const screen = watch()
    screen.world.answer = () => answer
    await screen.clock.advance((expectedS.at(-1) ?? 0) * 1_000 + 500)
    const askedS = screen.timesOf(0).map((atMs) => atMs / 1_000)
    expect(askedS.length).toBe(expectedS.length)
    // On the grid, late by at most the few ms that the previous answer took.
    askedS.forEach((atS, index) => expect(Math.abs(atS - (expectedS[index] ?? 0))).toBeLessThan(0.2))
  })
})

it('a node whose key is refused, unlike others, is polled at least every minute or so', async () => {
  const screen = watch({ nodeCount: 5 })
  screen.world.answer = ({ node }) => (node === nodeId(0) ? { status: 401 } : {})
  await screen.clock.advance(10 * MINUTE_MS)
  const timesMs = screen.timesOf(0)
  const gapsMs = timesMs.slice(1).map((atMs, index) => atMs - (timesMs[index] ?? 0))
  expect(Math.max(...gapsMs)).toBeLessThanOrEqual(MINUTE_MS + INTERVAL_MS)
  expect(gapsMs.length).toBeGreaterThan(8)
})

it('an unreachable service that then answers 503 has only the 503 as its failure', async () => {
  const screen = watch({ nodeCount: 6 })
  await screen.clock.advance(MINUTE_MS)
  screen.world.answer = () => ({ fails: 'unreachable' })
  await screen.clock.advance(2 * MINUTE_MS)
  screen.world.answer = () => ({ status: 503 })
  await screen.clock.advance(INTERVAL_MS)
  const failure = { kind: 'server-error', status: 503 }
  expect(failuresIn(screen).map(({ nodes: keys, evidence }) => [keys.length, evidence])).toEqual([
    [6, { kind: 'failure', failure }],
  ])
})
