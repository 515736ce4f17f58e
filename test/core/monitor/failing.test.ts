import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import type { SignFailure } from '#signing/signer.ts'
import { keyOf, nodes, service, watch, type Answer } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const MINUTE_MS = 60_000

describe('asking again', () => {
  it.each<[string, Answer, readonly number[]]>([
    [
      'an unreachable service, twice as long each time up to a minute',
      { fails: 'unreachable' },
      [0, 15, 45, 105, 165, 225],
    ],
    ['an answer cut off', { fails: 'cut-off' }, [0, 15, 45, 105, 165, 225]],
    ['a redirect', { fails: 'redirected' }, [0, 15, 45, 105, 165, 225]],
    ['a web page', { body: '<html>' }, [0, 15, 45, 105, 165, 225]],
    ['an error without a word on when', { status: 500 }, [0, 15, 45, 105, 165, 225]],
    [
      'an error that names a time, not before it',
      { status: 503, retryAfter: '40' },
      [0, 45, 90, 135, 180, 225],
    ],
    ['a limit that names a time, not before it', { status: 429, retryAfter: '100' }, [0, 105, 210]],
    [
      'a limit without a readable time, doubling',
      { status: 429, retryAfter: 'soon' },
      [0, 15, 45, 105, 165, 225],
    ],
    ['a node that is unknown, rarely', { status: 404 }, [0, 600, 1_200]],
    ['a node id that is invalid, rarely', { status: 400 }, [0, 600, 1_200]],
    ['a refused key, slowly after three', { status: 401 }, [0, 15, 30, 330, 630]],
    ['a forbidden key, slowly after three', { status: 403 }, [0, 15, 30, 330, 630]],
  ])('%s', async (_what, answer, expectedS) => {
    const screen = watch()
    screen.world.answer = () => answer
    await screen.clock.advance((expectedS.at(-1) ?? 0) * 1_000 + 500)
    const askedS = screen.timesOf(0).map((atMs) => atMs / 1_000)
    expect(askedS.length).toBe(expectedS.length)
    // On the grid, and late by no more than the few ms that the answer before took.
    askedS.forEach((atS, index) => expect(Math.abs(atS - (expectedS[index] ?? 0))).toBeLessThan(0.1))
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
  it('is tried three times for the whole service, then by one node at a time every five minutes', async () => {
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
    expect(slow.length).toBe(6)
    expect(new Set(slow.map(({ node }) => node)).size).toBe(6)
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
    await screen.clock.advance(5 * MINUTE_MS)
    expect(screen.timesOf(2).length).toBe(3)
    expect(screen.node(0).answered).toBeGreaterThanOrEqual(20)
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

describe('a service that was down', () => {
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
