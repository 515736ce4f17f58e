import { describe, expect, it } from 'vitest'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import { cachedForS } from '#monitor/reply-clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { SignFailure } from '#signing/signer.ts'
import { serviceIdOf } from '#record/service.ts'
import { BASE, keyOf, nodeId, nodes, service, watch, type Answer } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const MINUTE_MS = 60_000
const OTHER = 'https://other.example'
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('the age that a cache gives', () => {
  it.each([
    ['3', 3],
    [' 30 ', 30],
    ['0', 0],
    ['x3', undefined],
    ['3x', undefined],
    ['-3', undefined],
    ['', undefined],
    ['12345678901', undefined],
    [undefined, undefined],
  ])('%j is %s', (age, expected) => {
    const reply = { status: 200, body: '', ...(age === undefined ? {} : { age }) }
    expect(cachedForS(reply)).toBe(expected)
  })

  it('is none without an answer', () => {
    expect(cachedForS(undefined)).toBeUndefined()
  })
})

describe('the counts of the screen', () => {
  it('are those of all nodes since the start', async () => {
    const screen = watch({ nodeCount: 3 })
    screen.world.answer = ({ node }) => (node === nodeId(1) ? { status: 500 } : {})
    await screen.clock.advance(1_000)
    expect(screen.monitor.snapshot().screen).toMatchObject({ answered: 2, failed: 1 })
    await screen.clock.advance(2 * INTERVAL_MS)
    const { answered, failed } = screen.monitor.snapshot().screen
    expect(answered).toBe(screen.node(0).answered + screen.node(2).answered)
    expect(failed).toBe(screen.node(1).failed)
  })
})

describe('samples of a node', () => {
  it('stay in order when the clock is nudged back a little', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 1_000 })] })
    await screen.clock.advance(1_500)
    for (let times = 0; times < 4; times++) {
      screen.clock.stepWall(-1_200)
      await screen.clock.advance(1_000)
    }
    const at = screen.samples().map(({ atMs }) => atMs)
    expect(at.length).toBeGreaterThanOrEqual(5)
    at.slice(1).forEach((atMs, place) => expect(atMs).toBeGreaterThan(at[place] ?? 0))
  })
})

describe('a service that comes back', () => {
  it('has all of its nodes asked within two intervals, but not one that it does not know', async () => {
    const screen = watch({ nodeCount: 8 })
    await screen.clock.advance(INTERVAL_MS)
    screen.world.answer = ({ node }) => (node === nodeId(7) ? { status: 404 } : { fails: 'unreachable' })
    await screen.clock.advance(10 * MINUTE_MS)
    const unknownAsked = screen.timesOf(7).length
    screen.world.answer = ({ node }) => (node === nodeId(7) ? { status: 404 } : {})
    const before = upTo(7).map((index) => screen.node(index).answered)
    await screen.clock.advance(2 * INTERVAL_MS + 2_000)
    before.forEach((answered, index) => {
      expect(screen.node(index).answered).toBeGreaterThan(answered)
      expect(screen.node(index).episode).toBeUndefined()
    })
    expect(screen.timesOf(7).length - unknownAsked).toBeLessThanOrEqual(1)
  })

  it('after one interval without an answer was not away: nobody is asked early', async () => {
    const screen = watch({ nodeCount: 2 })
    screen.world.answer = ({ node }): Answer => (node === nodeId(1) ? { fails: 'unreachable' } : {})
    await screen.clock.advance(5 * MINUTE_MS)
    const apart = screen.timesOf(1).map((atMs, place, all) => atMs - (all[place - 1] ?? atMs))
    expect(Math.max(...apart)).toBe(60_000)
  })
})

describe('a key that is refused', () => {
  const refusedScreen = async () => {
    const screen = watch({ nodeCount: 4 })
    await screen.clock.advance(INTERVAL_MS)
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(INTERVAL_MS + 1_000)
    expect(screen.service()?.hold).toMatchObject({ reason: 'refused' })
    return screen
  }

  it('shows on every node when the next one is tried, and on a node that is added meanwhile', async () => {
    const screen = await refusedScreen()
    const untilMs = screen.service()?.hold?.untilMs
    screen.monitor.configure({ ...screen.config, nodes: nodes(5) })
    await screen.clock.advance(500)
    for (const index of upTo(5)) {
      expect(screen.node(index).nextPollMs).toBe(untilMs)
      expect(screen.node(index).episode?.failure.kind).toBe('unauthorized')
    }
    expect(screen.timesOf(4)).toEqual([])
  })

  it('is believed when an answer is about another node, which only a known caller gets', async () => {
    const screen = await refusedScreen()
    screen.world.answer = ({ node }) => ({ body: `{"node_id":"0x00ff","asked":"${node}"}` })
    await screen.clock.advance(5 * MINUTE_MS)
    expect(screen.service()?.hold).toBeUndefined()
  })

  it('is tried by another node when the one that would is removed', async () => {
    const screen = await refusedScreen()
    const before = screen.seen.length
    await screen.clock.advance(5 * MINUTE_MS)
    const probe = screen.seen[before]?.node
    const rest = screen.config.nodes.filter(({ id }) => id !== probe)
    screen.monitor.configure({ ...screen.config, nodes: rest })
    const after = screen.seen.length
    await screen.clock.advance(6 * MINUTE_MS)
    expect(screen.seen.length).toBeGreaterThan(after)
    expect(screen.seen.slice(after).every(({ node }) => node !== probe)).toBe(true)
  })

  it('leaves a failure of a node’s own in place when another key comes', async () => {
    const screen = watch({ nodeCount: 3 })
    screen.world.answer = ({ node }) => (node === nodeId(2) ? { status: 404 } : {})
    await screen.clock.advance(INTERVAL_MS)
    screen.world.answer = ({ node }) => (node === nodeId(2) ? 'hang' : {})
    screen.monitor.keyChanged()
    await screen.clock.advance(50)
    expect(screen.node(2).episode?.failure.kind).toBe('node-unknown')
    expect(screen.node(0).episode).toBeUndefined()
  })
})

describe('without a key', () => {
  it('every node waits, and is asked in turn when one comes', async () => {
    let missing: SignFailure | undefined = 'no-key'
    const screen = watch({ nodeCount: 3 }, { sign: () => missing })
    await screen.clock.advance(MINUTE_MS)
    for (const index of upTo(3))
      expect(screen.node(index)).toMatchObject({
        nextPollMs: undefined,
        episode: { failure: { kind: 'no-key' }, misses: 0 },
      })
    missing = undefined
    screen.monitor.keyChanged()
    await screen.clock.advance(1_000)
    expect(screen.seen).toHaveLength(3)
    for (const index of upTo(3)) expect(screen.node(index).episode).toBeUndefined()
  })
})

describe('asking all nodes now', () => {
  it('follows their slots, a tenth of a second apart', async () => {
    const screen = watch({ nodeCount: 6 })
    await screen.clock.advance(2 * INTERVAL_MS + 500)
    const bySlot = upTo(6).toSorted(
      (a, b) => (screen.node(a).nextPollMs ?? 0) - (screen.node(b).nextPollMs ?? 0),
    )
    const before = screen.seen.length
    const startMs = screen.sinceStartMs()
    screen.monitor.pollNow()
    await screen.clock.advance(550)
    const asked = screen.seen.slice(before)
    expect(asked.map(({ node }) => node)).toEqual(bySlot.map(nodeId))
    expect(asked.map(({ atMs }) => atMs - startMs)).toEqual([0, 100, 200, 300, 400, 500])
  })
})

describe('what did not answer', () => {
  it.each([
    ['direct', 'service'],
    ['proxy', 'proxy'],
  ] as const)('%s: the %s', async (via, hop) => {
    const screen = watch({ services: [service({ via })] })
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(1_000)
    expect(screen.node(0).episode?.failure).toEqual({ kind: 'unreachable', hop })
  })
})

describe('updates', () => {
  it('are numbered, name an order and services only when those changed, and end with the subscription', async () => {
    const screen = watch({ nodeCount: 2 })
    const updates: FleetUpdate[] = []
    const end = screen.monitor.subscribe((update) => updates.push(update))
    expect(updates).toHaveLength(1)
    await screen.clock.advance(INTERVAL_MS)
    const later = updates.slice(1)
    expect(later.map(({ revision }) => revision)).toEqual(
      later.map((_, place) => (updates[0]?.revision ?? 0) + 1 + place),
    )
    expect(later.filter(({ order }) => order !== undefined)).toHaveLength(1)
    expect(later.some(({ services }) => services === undefined)).toBe(true)
    const removed = { ...screen.config, nodes: nodes(1) }
    screen.monitor.configure(removed)
    await screen.clock.advance(300)
    expect(updates.findLast(({ order }) => order !== undefined)?.order).toEqual([keyOf(0)])
    const heard = updates.length
    end()
    await screen.clock.advance(INTERVAL_MS)
    expect(updates.length).toBe(heard)
    expect(screen.monitor.snapshot().revision).toBeGreaterThan(updates.at(-1)?.revision ?? 0)
  })

  it('do not go out once the engine is disposed', async () => {
    const screen = watch()
    let heard = 0
    screen.monitor.subscribe(() => heard++)
    screen.monitor.dispose()
    const before = heard
    await screen.clock.advance(INTERVAL_MS)
    expect(heard).toBe(before)
  })
})

describe('a configuration', () => {
  it('of more services than there may be is cut, and a service that is left out is gone', async () => {
    const services = upTo(DEFAULTS.servicesMax + 1).map((index) =>
      service({ baseUrl: `https://s${index}.example` }),
    )
    const screen = watch({ services, nodes: [] })
    await screen.clock.advance(500)
    expect(screen.monitor.snapshot().services.size).toBe(DEFAULTS.servicesMax)
    screen.monitor.configure({ ...screen.config, services: services.slice(0, 2) })
    await screen.clock.advance(500)
    expect(Array.from(screen.monitor.snapshot().services.keys())).toEqual(
      services.slice(0, 2).map(({ baseUrl }) => serviceIdOf(baseUrl)),
    )
  })

  it.each([
    ['another key', { key: 'ab'.repeat(32) }, true],
    [
      'another profile',
      {
        profile: {
          v: 1 as const,
          message: { kind: 'template' as const, template: 'x' },
          headers: { A: '{sig.hex}' },
        },
      },
      true,
    ],
    ['another way', { via: 'proxy' as const }, true],
    ['another label', { label: 'Main' }, false],
    ['another deadline', { timeoutMs: 5_000 }, false],
  ])('with %s: asked at once: %s', async (_what, given, atOnce) => {
    const screen = watch({ nodeCount: 2 })
    await screen.clock.advance(2 * INTERVAL_MS + 1_000)
    const before = screen.seen.length
    screen.monitor.configure({ ...screen.config, services: [service(given)] })
    await screen.clock.advance(500)
    expect(screen.seen.length - before).toBe(atOnce ? 2 : 0)
  })

  it('of two services on one host shares its places, but not with one that has no nodes', async () => {
    const first = service({ baseUrl: `${BASE}/a` })
    const second = service({ baseUrl: `${BASE}/b` })
    const many = (base: string) => nodes(6, base)
    const both = watch({
      services: [first, second],
      nodes: [...many(first.baseUrl), ...many(second.baseUrl)],
    })
    both.world.answer = () => 'hang'
    await both.clock.advance(2_000)
    const flying = (base: string) => upTo(6).filter((index) => both.node(index, base).inFlight).length
    expect([flying(first.baseUrl), flying(second.baseUrl)]).toEqual([2, 2])
    const alone = watch({ services: [first, second], nodes: many(first.baseUrl) })
    alone.world.answer = () => 'hang'
    await alone.clock.advance(2_000)
    expect(alone.mostInFlight()).toBe(4)
  })

  it('with nodes of a service that it lacks leaves those out', async () => {
    const screen = watch({ nodes: [...nodes(1), ...nodes(1, OTHER)] })
    await screen.clock.advance(500)
    expect(Array.from(screen.monitor.snapshot().nodes.keys())).toEqual([keyOf(0)])
  })
})
