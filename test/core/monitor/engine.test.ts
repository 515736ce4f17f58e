import { describe, expect, it } from 'vitest'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { serviceIdOf } from '#record/service.ts'
import { BASE, keyOf, nodeId, nodes, service, watch } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

it('the counts of the screen add up those of all nodes since the start', async () => {
  const screen = watch({ nodeCount: 3 })
  screen.world.answer = ({ node }) => (node === nodeId(1) ? { status: 500 } : {})
  await screen.clock.advance(1_000)
  expect(screen.monitor.snapshot().screen).toMatchObject({ answered: 2, failed: 1 })
  await screen.clock.advance(2 * INTERVAL_MS)
  const { answered, failed } = screen.monitor.snapshot().screen
  expect(answered).toBe(screen.node(0).answered + screen.node(2).answered)
  expect(failed).toBe(screen.node(1).failed)
})

it('samples of a node stay in order when the clock is nudged back a little', async () => {
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

describe('“Try now”', () => {
  it('polls only the named node', async () => {
    const screen = watch({ nodeCount: 20 })
    await screen.clock.advance(INTERVAL_MS + 8_500)
    const before = screen.timesOf(8)
    screen.monitor.pollNow(keyOf(7))
    await screen.clock.advance(50)
    expect([screen.timesOf(7).at(-1), screen.timesOf(8)]).toEqual([INTERVAL_MS + 8_500, before])
  })

  it('polls all nodes in the order of their slots, 100 ms apart', async () => {
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

it('updates are numbered, contain order and services only when changed, and end with the subscription', async () => {
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

describe('a configuration', () => {
  it('is cut to the maximum number of services, and drops services that it omits', async () => {
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
    ['another route', { via: 'proxy' as const }, true],
    ['another label', { label: 'Main' }, false],
    ['another timeout', { timeoutMs: 5_000 }, false],
  ])('with %s polls at once: %s', async (_what, given, atOnce) => {
    const screen = watch({ nodeCount: 2 })
    await screen.clock.advance(2 * INTERVAL_MS + 1_000)
    const before = screen.seen.length
    screen.monitor.configure({ ...screen.config, services: [service(given)] })
    await screen.clock.advance(500)
    expect(screen.seen.length - before).toBe(atOnce ? 2 : 0)
  })

  it('shares a host’s 4 requests between two services, but not with one without nodes', async () => {
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
})
