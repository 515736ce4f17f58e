import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import type { SignFailure } from '#signing/signer.ts'
import { keyOf, nodes, service, watch, type Answer } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const MINUTE_MS = 60_000

const EVERY_INTERVAL = [0, 15, 30, 45, 60, 75]
const DOUBLING = [0, 15, 45, 105, 165, 225]
const SELDOM_IN_THE_END = [0, 15, 30, 45, 75, 135, 255, 495, 795, 1_095]

describe('asking again', () => {
  it.each<[string, Answer, readonly number[]]>([
    [
      'the only node of an unreachable service, so that its return is seen',
      { fails: 'unreachable' },
      EVERY_INTERVAL,
    ],
    ['one whose answer is cut off', { fails: 'cut-off' }, EVERY_INTERVAL],
    ['one that redirects', { fails: 'redirected' }, EVERY_INTERVAL],
    ['one that answers with a web page', { body: '<html>' }, EVERY_INTERVAL],
    ['one with an error without a word on when', { status: 500 }, EVERY_INTERVAL],
    [
      'an error that names a time, not before it',
      { status: 503, retryAfter: '40' },
      [0, 45, 90, 135, 180, 225],
    ],
    ['a limit that names a time, not before it', { status: 429, retryAfter: '100' }, [0, 105, 210]],
    ['a limit without a readable time, doubling', { status: 429, retryAfter: 'soon' }, DOUBLING],
    ['a node that is unknown, rarely', { status: 404 }, [0, 600, 1_200]],
    ['a node id that is invalid, rarely', { status: 400 }, [0, 600, 1_200]],
    ['a refused key, soon after three, then more and more rarely', { status: 401 }, SELDOM_IN_THE_END],
    ['a forbidden key, the same', { status: 403 }, SELDOM_IN_THE_END],
  ])('%s', async (_what, answer, expectedS) => {
    const screen = watch()
    screen.world.answer = () => answer
    await screen.clock.advance((expectedS.at(-1) ?? 0) * 1_000 + 500)
    const askedS = screen.timesOf(0).map((atMs) => atMs / 1_000)
    expect(askedS.length).toBe(expectedS.length)
    // On the grid, and late by no more than the few ms that the answer before took.
    askedS.forEach((atS, index) => expect(Math.abs(atS - (expectedS[index] ?? 0))).toBeLessThan(0.2))
  })

  it.each<[string, Answer]>([
    ['hangs', 'hang'],
    ['answers with an error', { status: 500 }],
    ['redirects', { fails: 'redirected' }],
  ])('a node that %s while others answer, twice as long each time up to a minute', async (_what, answer) => {
    const screen = watch({ nodeCount: 5 })
    screen.world.answer = ({ node }) => (node === '0x0001' ? answer : {})
    await screen.clock.advance(226_000)
    expect(screen.timesOf(0).map((atMs) => Math.round(atMs / 1_000))).toEqual(DOUBLING)
  })

  it('never asks a failing node more often than its interval when that is longer than the cap', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 120_000 })] })
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(600_000)
    expect(screen.timesOf(0)).toEqual([0, 120, 240, 360, 480, 600].map((s) => s * 1_000))
  })

  it('asks a node that was known once more at its slot before it slows down', async () => {
    const screen = watch()
    await screen.clock.advance(1_000)
    screen.world.answer = () => ({ status: 404 })
    await screen.clock.advance(11 * MINUTE_MS)
    expect(screen.timesOf(0)).toEqual([0, 15, 30, 630].map((s) => s * 1_000))
  })
})

describe('a key that is refused', () => {
  it('is tried three times for the whole service, then soon and more and more rarely by one node in turn', async () => {
    const screen = watch({ nodeCount: 50 })
    await screen.clock.advance(2 * INTERVAL_MS)
    const before = screen.seen.length
    screen.world.answer = () => ({ status: 401, body: '{"detail":"key not registered"}' })
    await screen.clock.advance(INTERVAL_MS)
    expect(screen.seen.length - before).toBe(3)
    expect(screen.service()?.hold).toMatchObject({ reason: 'refused' })
    for (let index = 0; index < 50; index++)
      expect(screen.node(index).episode?.failure).toMatchObject({
        kind: 'unauthorized',
        answer: 'key not registered',
      })
    await screen.clock.advance(30 * MINUTE_MS)
    const slow = screen.seen.slice(before + 3)
    const waitsS = slow.map(({ atMs }, place) =>
      Math.round((atMs - (screen.seen[before + 2 + place]?.atMs ?? 0)) / 1_000),
    )
    expect(waitsS).toEqual([15, 30, 60, 120, 240, 300, 300, 300, 300])
    expect(new Set(slow.map(({ node }) => node)).size).toBe(slow.length)
  })

  it('by mistake for a second has forty nodes back within two intervals', async () => {
    const screen = watch({ nodeCount: 40, services: [service({ pollIntervalMs: 5_000 })] })
    await screen.clock.advance(10_000)
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(1_000)
    expect(screen.service()?.hold).toMatchObject({ reason: 'refused' })
    screen.world.answer = () => ({})
    await screen.clock.advance(10_000)
    expect(screen.service()?.hold).toBeUndefined()
    for (let index = 0; index < 40; index++) expect(screen.node(index).episode).toBeUndefined()
  })

  it('has another node ask when the one that asks is no longer watched', async () => {
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

  it('is believed again at the first success, and the nodes come back spread', async () => {
    const screen = watch({ nodeCount: 50 })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(MINUTE_MS)
    screen.world.answer = () => ({})
    const before = screen.seen.length
    await screen.clock.advance(5 * MINUTE_MS)
    expect(screen.service()?.hold).toBeUndefined()
    const probe = screen.seen[before]
    const round = screen.seen.slice(before + 1).filter(({ atMs }) => atMs < (probe?.atMs ?? 0) + INTERVAL_MS)
    expect(new Set(round.map(({ node }) => node)).size).toBeGreaterThanOrEqual(49)
    const busiest = Math.max(
      ...Array.from(
        { length: 15 },
        (_, s) => round.filter(({ atMs }) => Math.floor((atMs - (probe?.atMs ?? 0)) / 1_000) === s).length,
      ),
    )
    expect(busiest).toBeLessThanOrEqual(5)
  })

  it('for one node of many slows down that node alone', async () => {
    const screen = watch({ nodeCount: 20 })
    screen.world.answer = ({ node }) => (node === '0x0003' ? { status: 401 } : {})
    await screen.clock.advance(4 * MINUTE_MS)
    expect(screen.timesOf(2).map((atMs) => Math.round(atMs / 15_000))).toEqual([0, 1, 2, 3, 5, 9])
    expect(screen.node(0).answered).toBeGreaterThanOrEqual(16)
    expect(screen.service()?.hold).toBeUndefined()
  })

  it('for one node alone is tried with the next key at once', async () => {
    const screen = watch({ nodeCount: 3 })
    screen.world.answer = ({ node }) => (node === '0x0003' ? { status: 403 } : {})
    await screen.clock.advance(2 * MINUTE_MS)
    const before = screen.timesOf(2).length
    screen.world.answer = () => ({})
    screen.monitor.keyChanged()
    await screen.clock.advance(500)
    expect(screen.timesOf(2).length).toBe(before + 1)
    expect(screen.node(2).episode).toBeUndefined()
  })

  it('stays refused while the node that asks for all times out, and is believed when the service knows who asks', async () => {
    const screen = watch({ nodeCount: 5 })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(MINUTE_MS)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(5 * MINUTE_MS)
    expect(screen.service()?.hold).toMatchObject({ reason: 'refused' })
    screen.world.answer = () => ({ status: 404 })
    await screen.clock.advance(5 * MINUTE_MS)
    expect(screen.service()?.hold).toBeUndefined()
  })

  it('is asked with once, when a person wants to know', async () => {
    const screen = watch({ nodeCount: 20 })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(MINUTE_MS)
    const before = screen.seen.length
    screen.world.answer = () => ({ status: 401, afterMs: 900 })
    screen.monitor.pollNow()
    await screen.clock.advance(1_000)
    expect(screen.seen.length - before).toBe(1)
    expect(screen.service()?.hold).toMatchObject({ reason: 'refused' })
  })
})

describe('a service that limits', () => {
  it('is left alone by all of its nodes until the time it named', async () => {
    const screen = watch({ nodeCount: 50 })
    await screen.clock.advance(2 * INTERVAL_MS)
    screen.world.answer = () => ({ status: 429, retryAfter: '120' })
    await screen.clock.advance(1_000)
    const before = screen.seen.length
    expect(screen.service()?.hold).toMatchObject({ reason: 'rate-limited' })
    screen.world.answer = () => ({})
    await screen.clock.advance(119_000 - 1_000)
    expect(screen.seen.length).toBe(before)
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.service()?.hold).toBeUndefined()
    expect(new Set(screen.seen.slice(before).map(({ node }) => node)).size).toBe(50)
  })
})

describe('“Try now” while a service limits', () => {
  it('brings all nodes back at the first good answer', async () => {
    const screen = watch({ nodeCount: 20, services: [service({ pollIntervalMs: 5_000 })] })
    await screen.clock.advance(10_000)
    screen.world.answer = () => ({ status: 429, retryAfter: '3600' })
    await screen.clock.advance(5_000)
    expect(screen.service()?.hold).toMatchObject({ reason: 'rate-limited' })
    for (let index = 0; index < 20; index++)
      expect(screen.node(index).episode?.failure.kind).toBe('rate-limited')
    screen.world.answer = () => ({})
    screen.monitor.pollNow(keyOf(3))
    await screen.clock.advance(6_000)
    expect(screen.service()?.hold).toBeUndefined()
    for (let index = 0; index < 20; index++) expect(screen.node(index).episode).toBeUndefined()
  })

  it('asks by one node at a time, and an answer that was under way before ends nothing', async () => {
    const screen = watch({ nodeCount: 20, services: [service({ pollIntervalMs: 5_000 })] })
    await screen.clock.advance(10_000)
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

describe('single nodes that are limited', () => {
  it('are slowed down themselves, and the others are not', async () => {
    const screen = watch({ nodeCount: 6, services: [service({ pollIntervalMs: 2_000 })] })
    screen.world.answer = ({ node }) => (node < '0x0003' ? { status: 429 } : {})
    await screen.clock.advance(25_000)
    expect(screen.timesOf(0).map((atMs) => Math.round(atMs / 1_000))).toEqual([0, 2, 6, 14])
    expect(screen.timesOf(1).length).toBeLessThanOrEqual(5)
    expect(screen.timesOf(4).length).toBeGreaterThanOrEqual(12)
    expect(screen.service()?.hold).toBeUndefined()
  })

  it('keep the time that the service named for them', async () => {
    const screen = watch({ nodeCount: 6, services: [service({ pollIntervalMs: 2_000 })] })
    await screen.clock.advance(2_000)
    screen.world.answer = ({ node }) => (node === '0x0002' ? { status: 503, retryAfter: '60' } : {})
    await screen.clock.advance(4_000)
    const asked = screen.timesOf(1).length
    screen.monitor.configure({ ...screen.config, services: [service({ pollIntervalMs: 1_000 })] })
    await screen.clock.advance(50_000)
    expect(screen.timesOf(1).length).toBe(asked)
    await screen.clock.advance(15_000)
    expect(screen.timesOf(1).length).toBeGreaterThan(asked)
  })
})

describe('the browser’s word that there is a network again', () => {
  it('has one node of each service that failed asked at once, and a flapping one not more than once a second', async () => {
    const screen = watch({ nodeCount: 3 })
    await screen.clock.advance(1_000)
    screen.monitor.setOffline(true)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(2 * MINUTE_MS + 500)
    const before = screen.seen.length
    for (let flap = 0; flap < 10; flap++) {
      screen.monitor.setOffline(true)
      screen.monitor.setOffline(false)
      await screen.clock.advance(50)
    }
    expect(screen.seen.length - before).toBe(1)
    screen.world.answer = () => ({})
    screen.monitor.setOffline(true)
    await screen.clock.advance(1_000)
    screen.monitor.setOffline(false)
    await screen.clock.advance(500)
    expect([0, 1, 2].filter((index) => screen.node(index).episode === undefined).length).toBeGreaterThan(0)
    await screen.clock.advance(INTERVAL_MS)
    expect([0, 1, 2].filter((index) => screen.node(index).episode !== undefined)).toEqual([])
  })
})

describe('a service that was down', () => {
  it.each<[number, Answer]>([
    [1, { fails: 'unreachable' }],
    [3, { fails: 'unreachable' }],
    [40, { fails: 'unreachable' }],
    [300, { status: 502 }],
    [3, 'hang'],
    [40, 'hang'],
  ])('with %d nodes is back within two intervals (%j)', async (nodeCount, answer) => {
    for (const downMs of [20_000, 61_000, 147_000, 600_000]) {
      const screen = watch({ nodeCount, services: [service({ pollIntervalMs: 5_000 })] })
      await screen.clock.advance(10_000)
      screen.world.answer = () => answer
      const before = screen.seen.length
      await screen.clock.advance(downMs)
      // What the nodes ask by themselves at their longest wait, and one request an interval beside it.
      const atRestMost = nodeCount * (downMs / 60_000 + 5) + downMs / 5_000 + 2
      expect(screen.seen.length - before).toBeLessThanOrEqual(atRestMost)
      screen.world.answer = () => ({})
      await screen.clock.advance(5_500)
      expect(screen.service()?.hold).toBeUndefined()
      expect(
        Array.from({ length: nodeCount }, (_, n) => n).some((n) => screen.node(n).episode === undefined),
      ).toBe(true)
      await screen.clock.advance(5_500)
      // A request that hung since before has its own time to end.
      if (answer === 'hang') await screen.clock.advance(10_000)
      for (let index = 0; index < nodeCount; index++) expect(screen.node(index).episode).toBeUndefined()
    }
  })

  it('and named a time is not asked before it', async () => {
    const screen = watch({ nodeCount: 10, services: [service({ pollIntervalMs: 5_000 })] })
    await screen.clock.advance(10_000)
    screen.world.answer = () => ({ status: 503, retryAfter: '120' })
    await screen.clock.advance(5_500)
    const before = screen.seen.length
    await screen.clock.advance(110_000)
    expect(screen.seen.length).toBe(before)
  })

  it('behind this dashboard’s own server is back within two intervals of it', async () => {
    const bases = ['https://a.example', 'https://b.example', 'https://c.example']
    const services = bases.map((baseUrl) => service({ baseUrl, via: 'proxy', pollIntervalMs: 5_000 }))
    const screen = watch({ services, nodes: bases.flatMap((base) => nodes(4, base)) })
    await screen.clock.advance(10_000)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(150_000)
    screen.world.answer = () => ({})
    await screen.clock.advance(11_000)
    for (const base of bases)
      for (const index of [0, 1, 2, 3]) expect(screen.node(index, base).episode).toBeUndefined()
  })

  it('is noticed within one interval, and its nodes are back within the next, without a burst', async () => {
    const screen = watch({ nodeCount: 200 })
    await screen.clock.advance(INTERVAL_MS)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(10 * MINUTE_MS)
    screen.world.answer = () => ({})
    const before = screen.seen.length
    await screen.clock.advance(2 * INTERVAL_MS + 2_000)
    const back = screen.seen.slice(before)
    expect(new Set(back.map(({ node }) => node)).size).toBe(200)
    const busiest = Math.max(
      ...Array.from(
        { length: 33 },
        (_, s) => back.filter(({ atMs }) => Math.floor((atMs - (back[0]?.atMs ?? 0)) / 1_000) === s).length,
      ),
    )
    expect(busiest).toBeLessThanOrEqual(25)
  })

  it('does not shorten the wait of nodes that hang while the others answer', async () => {
    const screen = watch({ nodeCount: 10 })
    screen.world.answer = ({ node }) => (node === '0x0001' ? 'hang' : {})
    await screen.clock.advance(10 * MINUTE_MS)
    expect(screen.timesOf(0).length).toBeLessThanOrEqual(12)
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
  })

  it('a person who asks has the signer asked again', async () => {
    const screen = watch({ nodeCount: 3 }, { sign: () => 'no-key' })
    await screen.clock.advance(1_000)
    screen.world.sign = () => undefined
    screen.monitor.pollNow()
    await screen.clock.advance(1_000)
    expect(screen.seen.length).toBe(3)
  })

  it.each<[SignFailure, string]>([
    ['chain-key', 'chain-key'],
    ['not-configured', 'not-configured'],
    ['no-answer', 'no-answer'],
    ['error', 'error'],
  ])(
    'a signer that fails (%s) is asked again by and by, and is no failed request',
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

describe('a page that came by https', () => {
  it('does not even try a service by plain http elsewhere, and does on this computer', async () => {
    const far = 'http://10.0.0.5:8080'
    const near = 'http://127.0.0.1:8080'
    const screen = watch({
      serverOrigin: 'https://dash.example',
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
})

describe('offline', () => {
  it('is believed when polls fail too', async () => {
    const screen = watch({ nodeCount: 3 })
    await screen.clock.advance(1_000)
    screen.monitor.setOffline(true)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.node(1).episode?.failure.kind).toBe('offline')
    expect(screen.monitor.snapshot().screen.offline).toBe(true)
    screen.monitor.setOffline(false)
    screen.world.answer = () => ({})
    await screen.clock.advance(INTERVAL_MS)
    expect(screen.node(1).episode).toBeUndefined()
  })

  it('never explains why a service on this computer is not reached', async () => {
    const near = 'http://127.0.0.1:8080'
    const screen = watch({
      services: [service(), service({ baseUrl: near })],
      nodes: [...nodes(1), ...nodes(1, near)],
    })
    await screen.clock.advance(1_000)
    screen.monitor.setOffline(true)
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.node(0).episode?.failure.kind).toBe('offline')
    expect(screen.node(0, near).episode?.failure.kind).toBe('unreachable')
  })

  it('changes nothing when the service answers all the same, or is on this computer', async () => {
    const near = 'http://localhost:8080'
    const screen = watch({
      services: [service(), service({ baseUrl: near })],
      nodes: [...nodes(2), ...nodes(1, near)],
    })
    await screen.clock.advance(1_000)
    screen.monitor.setOffline(true)
    screen.world.answer = ({ host }): Answer => (host === 'localhost:8080' ? { fails: 'unreachable' } : {})
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.node(0)).toMatchObject({ episode: undefined })
    expect(screen.node(0).answered).toBeGreaterThanOrEqual(2)
    expect(screen.node(0, near).episode?.failure.kind).toBe('unreachable')
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(INTERVAL_MS)
    expect(screen.node(0).episode?.failure.kind).toBe('unreachable')
  })
})

describe('asking now', () => {
  it('asks one node, or all of them close behind each other', async () => {
    const screen = watch({ nodeCount: 20 })
    await screen.clock.advance(INTERVAL_MS + 5_000)
    const before = screen.seen.length
    screen.monitor.pollNow(keyOf(7))
    await screen.clock.advance(50)
    expect(screen.seen.slice(before).map(({ node }) => node)).toContain('0x0008')
    const from = screen.seen.length
    screen.monitor.pollNow()
    await screen.clock.advance(2_000)
    expect(new Set(screen.seen.slice(from).map(({ node }) => node)).size).toBe(20)
    expect(screen.mostInFlight()).toBeLessThanOrEqual(4)
  })
})

describe('a node that hangs', () => {
  it.each([
    ['at one of three services behind this dashboard’s own server', 3, 'proxy'],
    ['at one of sixteen', 16, 'proxy'],
    ['at one of two', 2, 'proxy'],
    ['at the only service', 1, 'direct'],
  ] as const)('(%s) costs no other node a poll', async (_where, count, via) => {
    const bases = Array.from({ length: count }, (_, index) => `https://s${index}.example`)
    const screen = watch({
      services: bases.map((baseUrl) => service({ baseUrl, via, pollIntervalMs: 5_000 })),
      nodes: bases.flatMap((base) => nodes(4, base)),
    })
    screen.world.answer = ({ url, node }) =>
      url.includes('s0.') && node === '0x0001' ? 'hang' : { afterMs: 60 }
    await screen.clock.advance(300_500)
    for (const base of bases)
      for (const index of [0, 1, 2, 3]) {
        if (base === bases[0] && index === 0) continue
        expect(screen.node(index, base).answered).toBeGreaterThanOrEqual(60)
        expect(screen.node(index, base).failed).toBe(0)
      }
  })

  it('costs the other services nothing either when all of one service hang', async () => {
    const bases = ['https://a.example', 'https://b.example', 'https://c.example']
    const screen = watch({
      services: bases.map((baseUrl) => service({ baseUrl, via: 'proxy', pollIntervalMs: 5_000 })),
      nodes: bases.flatMap((base) => nodes(20, base)),
    })
    await screen.clock.advance(10_000)
    screen.world.answer = ({ url }) => (url.includes('a.example') ? 'hang' : { afterMs: 60 })
    await screen.clock.advance(300_000)
    for (const base of bases.slice(1))
      for (let index = 0; index < 20; index++)
        expect(screen.node(index, base).answered).toBeGreaterThanOrEqual(61)
  })
})
