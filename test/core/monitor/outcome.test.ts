import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { nodes, service, watch, type Answer } from './watch.ts'

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
