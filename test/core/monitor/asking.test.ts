import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import type { LogEntry } from '#history/event-log.ts'
import { serviceIdOf } from '#record/service.ts'
import type { SignFailure } from '#signing/signer.ts'
import { BASE, keyOf, nodes, record, service, watch, type Answer } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const MINUTE_MS = 60_000

describe('a refused key', () => {
  it.each([
    ['3 times per service', 0, 3],
    ['about 16 times if nodes were answered before', 2, 16 + 3],
  ])('is tried %s, then by one node in turn after 15 s, rising to 5 minutes', async (_, rounds, most) => {
    const screen = watch({ nodeCount: 50 }, { answer: () => ({}) })
    if (rounds > 0) await screen.clock.advance(rounds * INTERVAL_MS)
    const before = screen.seen.length
    screen.world.answer = () => ({ status: 401, body: '{"detail":"key not registered"}' })
    while (screen.service()?.hold?.reason !== 'refused') await screen.clock.advance(500)
    const tries = screen.seen.length - before
    expect(tries).toBeLessThanOrEqual(most)
    // Another node may be accepted.
    const refused = screen.config.nodes.map((_node, index) => screen.node(index).episode?.failure ?? [])
    const failure = { kind: 'unauthorized', answer: 'key not registered' }
    expect(refused.flat()).toEqual(Array.from({ length: tries }, () => failure))
    expect(screen.monitor.snapshot().causes).toMatchObject([{ code: 'auth/401', nodes: { length: tries } }])
    await screen.clock.advance(30 * MINUTE_MS)
    const slow = screen.seen.slice(before + tries)
    const waitsS = slow.map(({ atMs }, place) =>
      Math.round((atMs - (screen.seen[before + tries - 1 + place]?.atMs ?? 0)) / 1_000),
    )
    expect(waitsS).toEqual([15, 30, 60, 120, 240, 300, 300, 300, 300])
    expect(new Set(slow.map(({ node }) => node)).size).toBe(slow.length)
  })

  it('is tried no more often because requests without a signature end in turn in two ways', async () => {
    const screen = watch({ nodeCount: 5 })
    let probes = 0
    screen.world.answer = () => ({ status: 401 })
    screen.world.probed = () => ({ status: probes++ % 2 === 0 ? 401 : 403 })
    await screen.clock.advance(30 * MINUTE_MS)
    expect(screen.probes.length).toBeGreaterThan(50)
    expect(screen.seen.length).toBeLessThan(20)
  })

  it('is blamed again soon after the dashboard server was silent', async () => {
    const screen = watch({ nodeCount: 20, services: [service({ via: 'proxy' })] })
    await screen.clock.advance(2 * INTERVAL_MS)
    const rejecting = (): Answer => ({ status: 401 })
    screen.world.answer = rejecting
    await screen.clock.advance(4 * MINUTE_MS)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(MINUTE_MS)
    screen.world.answer = rejecting
    await screen.clock.advance(MINUTE_MS)
    expect(screen.monitor.snapshot().causes.map(({ code }) => code)).toEqual(['auth/401'])
  })

  it.each([
    ['all nodes', () => true, false],
    ['one node, unless others are refused', (node: string) => node === '0x0002', true],
  ])('is no longer blamed if the service limits the requests of %s', async (_, isLimited, isRefused) => {
    const screen = watch({ nodeCount: 5 })
    screen.world.answer = () => ({ status: 401 })
    screen.world.probed = () => ({ status: 401 })
    await screen.clock.advance(4 * MINUTE_MS)
    screen.world.answer = ({ node }) => ({ status: isLimited(node) ? 429 : 401 })
    screen.world.probed = () => ({ status: isLimited('') ? 429 : 401 })
    await screen.clock.advance(2 * MINUTE_MS)
    const codes = () => screen.monitor.snapshot().causes.map(({ code }) => code)
    for (let second = 0; second < 600; second++) {
      expect(codes().includes('auth/401')).toBe(isRefused)
      expect(codes()).not.toEqual([])
      await screen.clock.advance(1_000)
    }
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(6 * MINUTE_MS)
    expect(codes()).toContain('auth/401')
  })

  it('is not a failure of some nodes once it is accepted, even if it was refused from the first poll on', async () => {
    const screen = watch({ nodeCount: 5, services: [service({ via: 'proxy' })] })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(150_000)
    screen.world.answer = () => ({})
    while (screen.monitor.snapshot().screen.answered === 0) await screen.clock.advance(1_000)
    for (let passedMs = 0; passedMs < 2 * INTERVAL_MS; passedMs += 1_000) {
      expect(screen.monitor.snapshot().causes.filter(({ evidence }) => evidence.kind === 'failure')).toEqual(
        [],
      )
      await screen.clock.advance(1_000)
    }
  })

  it.each([401, 429])(
    'for all but one node (%i) is no failure of the service, also after a reload',
    async (status) => {
      const batching = { services: [service({ via: 'proxy' })], nodeCount: 12 }
      const first = watch(batching, { isBatching: () => true })
      await first.clock.advance(2 * INTERVAL_MS)
      const answer = ({ node }: { node: string }): Answer =>
        node === '0x0003' ? { body: record(node), afterMs: 900 } : { status, retryAfter: '600' }
      first.world.answer = answer
      const check = async (screen: typeof first) => {
        for (let passed = 0; passed < 12; passed++) {
          await screen.clock.advance(INTERVAL_MS / 2)
          expect(screen.service()?.hold).toBeUndefined()
          const { nowMs } = screen.monitor.snapshot()
          expect(nowMs - (screen.node(2).reading?.startedMs ?? nowMs)).toBeLessThan(2 * INTERVAL_MS)
        }
      }
      await check(first)
      first.monitor.dispose()
      const second = watch(batching, { isBatching: () => true, clock: first.clock, answer })
      second.monitor.restoreReadings(first.monitor.readingsToKeep())
      await check(second)
    },
  )

  it('is tried by another node when the trying one is removed', async () => {
    const screen = watch({ nodeCount: 5 })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(MINUTE_MS)
    const asking = screen.seen.map(({ node }) => node).at(-1)
    const next = screen.config.nodes.findIndex(({ id }) => id === asking) + 1
    screen.monitor.configure({ ...screen.config, nodes: screen.config.nodes.filter((_, at) => at !== next) })
    screen.world.answer = () => ({})
    await screen.clock.advance(2 * MINUTE_MS)
    expect(screen.service()?.hold).toBeUndefined()
  })

  it('has its pending request dropped for a new key, which is tried at once', async () => {
    const screen = watch()
    screen.world.answer = () => ({ status: 401, afterMs: 900 })
    await screen.clock.advance(10 * MINUTE_MS)
    screen.monitor.pollNow()
    await screen.clock.advance(500)
    const before = screen.seen.length
    screen.world.answer = () => ({})
    screen.monitor.keyChanged()
    await screen.clock.advance(500)
    expect(screen.seen.length).toBe(before + 1)
    expect(screen.node(0).episode).toBeUndefined()
  })

  it('is tried again only for the service whose clock correction was agreed', async () => {
    const other = 'https://other.example'
    const screen = watch({
      services: [service(), service({ baseUrl: other })],
      nodes: [...nodes(2), ...nodes(2, other)],
    })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(10 * MINUTE_MS)
    const before = screen.seen.length
    screen.monitor.keyChanged(serviceIdOf(BASE))
    await screen.clock.advance(500)
    const asked = screen.seen.slice(before).map(({ host }) => host)
    expect(asked).toEqual(asked.map(() => new URL(BASE).host))
    expect(asked.length).toBeGreaterThan(0)
    expect(screen.service(other)?.hold?.reason).toBe('refused')
  })

  it.each<[Answer, string]>([
    [{ fails: 'unreachable' }, 'net/unreachable'],
    [{ status: 503 }, 'service/503'],
    ['hang', 'net/timeout'],
    [{ status: 404 }, 'node/404'],
  ])('is forgotten when the trying node fails with %j', async (answer, code) => {
    const screen = watch({ nodeCount: 5 })
    const codes = () => screen.monitor.snapshot().causes.map((cause) => cause.code)
    await screen.clock.advance(INTERVAL_MS)
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(10 * MINUTE_MS)
    screen.world.answer = () => answer
    for (let passedS = 0; screen.service()?.hold !== undefined; passedS++) {
      expect(passedS).toBeLessThan(answer === 'hang' ? 46 : 32)
      await screen.clock.advance(1_000)
    }
    expect(codes()).toEqual([code, 'watch/overdue'])
    await screen.clock.advance(5 * MINUTE_MS)
    expect(codes()).toEqual([code])
    screen.world.answer = () => ({})
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(codes()).not.toContain(code)
  })

  it.each([
    [{ fails: 'unreachable' }, { status: 401 }, 'unauthorized'],
    [{ status: 500 }, { status: 403 }, 'forbidden'],
    [{ status: 404 }, { status: 401 }, 'unauthorized'],
  ] as const)('after %j shows at every node within two intervals (%j)', async (first, second, kind) => {
    for (const nodeCount of [2, 5, 40]) {
      const screen = watch({ nodeCount })
      screen.world.answer = () => first
      await screen.clock.advance(10 * MINUTE_MS)
      screen.world.answer = () => second
      await screen.clock.advance(2 * INTERVAL_MS)
      const shown = screen.config.nodes.map((_, index) => screen.node(index).episode?.failure.kind)
      expect(new Set(shown)).toEqual(new Set([kind]))
    }
  })
})

it('a rate-limiting service gets no request for any node until its Retry-After has passed', async () => {
  const screen = watch({ nodeCount: 50 })
  await screen.clock.advance(2 * INTERVAL_MS)
  screen.world.answer = () => ({ status: 429, retryAfter: '120' })
  await screen.clock.advance(INTERVAL_MS + 1_500)
  const before = screen.seen.length
  expect(screen.service()?.hold).toMatchObject({ reason: 'rate-limited' })
  screen.world.answer = () => ({})
  await screen.clock.advance(119_000 - INTERVAL_MS - 1_500)
  expect(screen.seen.length).toBe(before)
  await screen.clock.advance(3 * INTERVAL_MS)
  expect(screen.service()?.hold).toBeUndefined()
  expect(new Set(screen.seen.slice(before).map(({ node }) => node)).size).toBe(50)
})

it.each<[number, number, readonly number[]]>([
  [429, 5, [0]],
  // Neighbours in the interval, so that their rejections come in a row.
  [429, 40, [5, 13, 26, 34]],
  [403, 5, [0, 2, 4]],
  [401, 20, [2]],
  [401, 10, [0, 1, 2, 3, 4, 5, 6, 7, 9]],
])('a %i for some of %i nodes (%j) holds back no other node', async (status, nodeCount, rejected) => {
  const screen = watch({ nodeCount })
  const isRejected = (node: string) => rejected.includes(Number(node) - 1)
  await screen.clock.advance(2 * INTERVAL_MS)
  const before = screen.seen.length
  screen.world.answer = ({ node }) => (isRejected(node) ? { status, retryAfter: '600' } : {})
  for (let second = 0; second < 40 * 15; second++) {
    await screen.clock.advance(1_000)
    const { causes } = screen.monitor.snapshot()
    expect([screen.service()?.hold, causes.filter(({ scope }) => scope === 'service')]).toEqual([
      undefined,
      [],
    ])
  }
  const polls = screen.seen.slice(before).filter(({ node }) => isRejected(node)).length
  expect(polls / rejected.length).toBeLessThanOrEqual(13)
  expect(screen.monitor.snapshot().screen.failed).toBe(polls)
  expect(screen.seen.length - before - polls).toBeGreaterThanOrEqual((nodeCount - rejected.length) * 39)
})

it.each<[string, Answer]>([
  ['refuses the key', { status: 401 }],
  ['is unreachable', { fails: 'unreachable' }],
  ['never answers', 'hang'],
])(
  'a service that %s and then answers is not said to fail only for the nodes not polled since',
  async (_, answer) => {
    const screen = watch({ nodeCount: 8, services: [service({ pollIntervalMs: MINUTE_MS })] })
    await screen.clock.advance(2 * MINUTE_MS)
    screen.world.answer = () => answer
    await screen.clock.advance(10 * MINUTE_MS)
    screen.world.answer = () => ({})
    const isBack = () =>
      [0, 1, 2, 3, 4, 5, 6, 7].some((index) => isCurrentAt(screen.node(index), screen.monitor.nowMs()))
    while (!isBack()) await screen.clock.advance(1_000)
    const codes = new Set<string>()
    for (let passedMs = 0; passedMs < 2 * MINUTE_MS; passedMs += 1_000) {
      for (const { code } of screen.monitor.snapshot().causes) codes.add(code)
      await screen.clock.advance(1_000)
    }
    expect(Array.from(codes)).toEqual(['watch/overdue'])
    expect(screen.monitor.snapshot().causes).toEqual([])
  },
)

it('a short restart of the dashboard server is not blamed on the service', async () => {
  const screen = watch({ nodeCount: 8, services: [service({ via: 'proxy', pollIntervalMs: MINUTE_MS })] })
  await screen.clock.advance(2 * MINUTE_MS)
  screen.world.answer = () => ({ fails: 'unreachable' })
  while (screen.monitor.snapshot().screen.failed < 3) await screen.clock.advance(1_000)
  screen.world.answer = () => ({})
  const { answered } = screen.monitor.snapshot().screen
  while (screen.monitor.snapshot().screen.answered === answered) await screen.clock.advance(1_000)
  for (let passedMs = 0; passedMs < 2 * MINUTE_MS; passedMs += 1_000) {
    expect(screen.monitor.snapshot().causes.filter(({ evidence }) => evidence.kind === 'failure')).toEqual([])
    await screen.clock.advance(1_000)
  }
})

it('broken answers of one service through the dashboard server are told as long as they last', async () => {
  const other = 'https://other.example'
  const screen = watch({
    services: [service({ via: 'proxy' }), service({ via: 'proxy', baseUrl: other })],
    nodes: [...nodes(3), ...nodes(3, other)],
  })
  await screen.clock.advance(2 * INTERVAL_MS)
  screen.world.answer = ({ url }): Answer => (url.includes('other') ? {} : { fails: 'cut-off' })
  await screen.clock.advance(2 * INTERVAL_MS)
  for (let passedMs = 0; passedMs < 4 * INTERVAL_MS; passedMs += 1_000) {
    expect(screen.monitor.snapshot().causes.map(({ code }) => code)).toEqual(['net/cut-off'])
    await screen.clock.advance(1_000)
  }
})

it('a signer that fails for ten minutes and works again has all nodes polled within two intervals', async () => {
  const screen = watch({ nodeCount: 8 })
  await screen.clock.advance(2 * INTERVAL_MS)
  screen.world.sign = () => 'no-answer'
  await screen.clock.advance(10 * MINUTE_MS)
  screen.world.sign = () => undefined
  await screen.clock.advance(2 * INTERVAL_MS)
  for (let index = 0; index < 8; index++) expect(screen.node(index).episode).toBeUndefined()
})

describe('“Try now” during a rate limit', () => {
  it('brings all nodes back after the first good answer', async () => {
    const screen = watch({ nodeCount: 20, services: [service({ pollIntervalMs: 5_000 })] })
    await screen.clock.advance(10_000)
    screen.world.answer = () => ({ status: 429, retryAfter: '3600' })
    await screen.clock.advance(6_000)
    expect(screen.service()?.hold).toMatchObject({ reason: 'rate-limited' })
    for (let index = 0; index < 20; index++)
      expect(screen.node(index).episode?.failure.kind).toBe('rate-limited')
    screen.world.answer = () => ({})
    screen.monitor.pollNow(keyOf(3))
    await screen.clock.advance(6_000)
    expect(screen.service()?.hold).toBeUndefined()
    for (let index = 0; index < 20; index++) expect(screen.node(index).episode).toBeUndefined()
  })

  it('polls one node at a time, and an answer to an earlier request does not end the limit', async () => {
    const screen = watch({ nodeCount: 20, services: [service({ pollIntervalMs: 5_000 })] })
    let asked = 0
    screen.world.answer = () => (asked++ === 0 ? { afterMs: 2_000 } : { status: 429, retryAfter: '600' })
    await screen.clock.advance(3_000)
    expect(screen.service()?.hold).toMatchObject({ reason: 'rate-limited' })
    const before = screen.seen.length
    for (const index of [1, 2, 3, 4]) screen.monitor.pollNow(keyOf(index))
    await screen.clock.advance(1_000)
    expect(screen.seen.length - before).toBe(1)
  })
})

describe('without a key', () => {
  it.each<SignFailure>(['no-key', 'key-locked'])(
    '(%s) no request is made until there is one',
    async (missing) => {
      const screen = watch({ nodeCount: 30 }, { sign: () => missing })
      await screen.clock.advance(10 * MINUTE_MS)
      expect(screen.seen).toEqual([])
      expect(screen.world.signed).toBe(1)
      expect(screen.samples()).toEqual([])
      for (let index = 0; index < 30; index++)
        expect(screen.node(index)).toMatchObject({
          episode: { failure: { kind: missing }, misses: 0 },
          nextPollMs: undefined,
          failed: 0,
        })
      screen.world.sign = () => undefined
      screen.monitor.keyChanged()
      await screen.clock.advance(INTERVAL_MS)
      expect(new Set(screen.seen.map(({ node }) => node)).size).toBe(30)
      expect(screen.node(29).episode).toBeUndefined()
    },
  )

  it('that is locked later, the last readings stay and get old', async () => {
    const screen = watch({ nodeCount: 3 })
    await screen.clock.advance(1_000)
    const { reading } = screen.node(2)
    screen.world.sign = () => 'key-locked'
    await screen.clock.advance(MINUTE_MS)
    expect(screen.node(2)).toMatchObject({ reading, episode: { failure: { kind: 'key-locked' } } })
    expect(isCurrentAt(screen.node(2), screen.monitor.nowMs())).toBe(false)
  })

  it.each<[SignFailure, string]>([
    ['chain-key', 'chain-key'],
    ['not-configured', 'not-configured'],
    ['no-answer', 'no-answer'],
    ['error', 'error'],
  ])(
    'a failing signer (%s) is retried at growing intervals, and no request counts as failed',
    async (failure, reason) => {
      const screen = watch({}, { sign: () => failure })
      await screen.clock.advance(2 * MINUTE_MS)
      expect(screen.world.signed).toBe(4)
      expect(screen.node(0)).toMatchObject({
        episode: { failure: { kind: 'signer-failed', reason }, misses: 4 },
        failed: 0,
      })
      expect(screen.samples()).toEqual([])
      screen.world.sign = () => undefined
      screen.monitor.keyChanged()
      await screen.clock.advance(100)
      expect(screen.node(0).inFlight || screen.node(0).answered > 0).toBe(true)
    },
  )
})

it('a page served over https sends nothing to a plain-http service elsewhere, but polls one on this computer', async () => {
  const far = 'http://10.0.0.5:8080'
  const near = 'http://127.0.0.1:8080'
  const screen = watch({
    serverUrl: 'https://dash.example',
    services: [service({ baseUrl: far }), service({ baseUrl: near })],
    nodes: [...nodes(2, far), ...nodes(1, near)],
  })
  await screen.clock.advance(5 * MINUTE_MS)
  expect(new Set(screen.seen.map(({ host }) => host))).toEqual(new Set(['127.0.0.1:8080']))
  expect(screen.node(0, far).episode).toMatchObject({ failure: { kind: 'mixed-content' }, misses: 0 })
  screen.monitor.keyChanged()
  screen.monitor.pollNow()
  await screen.clock.advance(1_000)
  expect(screen.node(0, far).episode?.failure.kind).toBe('mixed-content')
  screen.monitor.configure({ ...screen.config, services: [service({ baseUrl: far, via: 'proxy' })] })
  await screen.clock.advance(1_000)
  expect(screen.node(1, far)).toMatchObject({ episode: undefined, answered: 1 })
})

describe('the log entries about a slowed service', () => {
  /** A screen and the log entries about its service. */
  const logged = (given: Parameters<typeof watch>[0], sign?: () => SignFailure | undefined) => {
    const log: LogEntry[] = []
    const screen = watch(given, { log: (entry) => log.push(entry), ...(sign && { sign }) })
    const told = () => log.splice(0).map(({ what, facts }) => [what, facts?.['kind'], facts?.['nodes']])
    return { ...screen, log, told }
  }

  it('report once that it refuses the key, and once that it no longer does', async () => {
    const { world, clock, told, monitor, log } = logged({ nodeCount: 4 })
    await clock.advance(INTERVAL_MS)
    world.answer = () => ({ status: 401 })
    await clock.advance(2 * INTERVAL_MS)
    expect(log[0]).toMatchObject({
      area: 'service',
      serviceId: serviceIdOf(BASE),
      facts: { code: 'auth/401' },
    })
    await clock.advance(5 * MINUTE_MS)
    expect(told()).toEqual([['asking-slowed', 'unauthorized', 4]])
    world.answer = () => ({})
    monitor.keyChanged()
    await clock.advance(INTERVAL_MS)
    expect(told()).toEqual([['asking-resumed', 'unauthorized', 4]])
  })

  it('report each reason for a missing key, and its end', async () => {
    const { world, clock, told, monitor } = logged({ nodeCount: 2 }, () => 'no-key')
    await clock.advance(MINUTE_MS)
    expect(told()).toEqual([['asking-paused', 'no-key', 2]])
    world.sign = () => 'key-locked'
    monitor.pollNow()
    await clock.advance(1_000)
    expect(told()).toEqual([
      ['asking-resumed', 'no-key', 2],
      ['asking-paused', 'key-locked', 2],
    ])
    world.sign = () => undefined
    monitor.keyChanged()
    await clock.advance(1_000)
    expect(told()).toEqual([['asking-resumed', 'key-locked', 2]])
    monitor.keyChanged()
    await clock.advance(1_000)
    expect(told()).toEqual([])
  })
})

describe('a node of a slowed service', () => {
  it('has the service’s failure without being polled, even if it is added later', async () => {
    const screen = watch({ nodeCount: 3 }, { sign: () => 'no-key' })
    await screen.clock.advance(1_000)
    screen.monitor.configure({ ...screen.config, nodes: nodes(4) })
    await screen.clock.advance(1_000)
    expect(screen.node(3)).toMatchObject({ episode: { failure: { kind: 'no-key' }, misses: 0 }, failed: 0 })
    const refused = watch({ nodeCount: 6 })
    await refused.clock.advance(INTERVAL_MS)
    refused.world.answer = () => ({ status: 401 })
    await refused.clock.advance(2 * INTERVAL_MS)
    refused.monitor.configure({ ...refused.config, nodes: nodes(7) })
    await refused.clock.advance(1_000)
    // It may be accepted, and is due when the hold of the service ends.
    expect(refused.node(6).episode).toBeUndefined()
    expect(refused.node(6).nextPollMs).toBe(refused.service()?.hold?.untilMs)
  })

  it('keeps its own failure, unless nothing can be polled at all', async () => {
    const screen = watch({ nodeCount: 8 })
    screen.world.answer = ({ node }) =>
      node === '0x0003' ? { status: 500 } : { status: 429, retryAfter: '120' }
    await screen.clock.advance(INTERVAL_MS)
    expect(screen.service()?.hold?.reason).toBe('rate-limited')
    expect(screen.node(2).episode?.failure.kind).toBe('server-error')
    expect(screen.node(5).episode?.failure.kind).toBe('rate-limited')
    screen.world.sign = () => 'key-locked'
    screen.monitor.keyChanged()
    screen.monitor.pollNow()
    await screen.clock.advance(5_000)
    expect(screen.node(2).episode?.failure.kind).toBe('key-locked')
  })

  it('loses the service’s failure when the hold ends', async () => {
    const screen = watch({ nodeCount: 5 }, { sign: () => 'no-key' })
    await screen.clock.advance(1_000)
    screen.world.sign = () => undefined
    screen.world.answer = () => 'hang'
    screen.monitor.keyChanged()
    await screen.clock.advance(300)
    expect([0, 1, 2, 3, 4].map((index) => screen.node(index).episode)).toEqual(Array(5).fill(undefined))
    expect(screen.service()?.hold).toBeUndefined()
  })
})

describe('a new key', () => {
  it.each([
    [401, undefined],
    [429, 'rate-limited'],
  ])('ends every hold except a rate limit: after %i the hold is %s', async (status, left) => {
    const screen = watch({ nodeCount: 3 }, { answer: () => ({ status, retryAfter: '600' }) })
    await screen.clock.advance(MINUTE_MS)
    screen.world.answer = () => 'hang'
    screen.monitor.keyChanged()
    await screen.clock.advance(300)
    expect(screen.service()?.hold?.reason).toBe(left)
  })

  it('may be refused as often as the first one before polling slows down', async () => {
    const screen = watch({ nodeCount: 1 }, { answer: () => ({ status: 401 }) })
    await screen.clock.advance(MINUTE_MS)
    expect(screen.service()?.hold?.reason).toBe('refused')
    screen.monitor.keyChanged()
    await screen.clock.advance(INTERVAL_MS + 500)
    expect(screen.service()?.hold).toBeUndefined()
  })

  it('polls again only the nodes that failed because of the old key', async () => {
    const screen = watch({ nodeCount: 4 })
    const statuses = [401, 500, 200]
    screen.world.answer = ({ node }) => ({ status: statuses[Number(node) - 1] ?? 404, body: record(node) })
    await screen.clock.advance(2 * INTERVAL_MS + 500)
    const before = screen.seen.length
    screen.monitor.keyChanged()
    await screen.clock.advance(300)
    expect(screen.seen.slice(before).map(({ node }) => node)).toEqual(['0x0001'])
  })
})
