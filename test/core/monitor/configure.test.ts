import { describe, expect, it } from 'vitest'
import type { NodeLive } from '#fleet/live.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { ok } from '#base/result.ts'
import type { Sample } from '#history/history.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createPolling, BASE, keyOf, nodeId, nodes, record, service, watch } from './watch.ts'
const INTERVAL_MS = DEFAULTS.pollIntervalMs
const OTHER = 'https://other.example'

describe('a configuration change', () => {
  it('leaves unchanged nodes their reading, their counts and their schedule', async () => {
    const screen = watch({ nodeCount: 10 })
    await screen.clock.advance(2 * INTERVAL_MS + 5_000)
    await screen.clock.advance(300)
    const { nowMs } = screen.monitor.snapshot()
    const isQuiet = (live: NodeLive) => (live.nextPollMs ?? 0) > nowMs + 1_000 && !live.inFlight
    const before = Array.from({ length: 10 }, (_, index) => screen.node(index)).filter(isQuiet)
    expect(before.length).toBeGreaterThan(5)
    screen.monitor.configure({ ...screen.config, nodes: nodes(14) })
    await screen.clock.advance(250)
    for (const live of before) {
      const now = screen.monitor.snapshot().nodes.get(live.key)
      expect(now?.reading).toBe(live.reading)
      expect(now?.nextPollMs).toBe(live.nextPollMs)
      expect(now?.answered).toBe(live.answered)
    }
    expect(Array.from(screen.monitor.snapshot().nodes.keys())).toEqual(
      Array.from({ length: 14 }, (_, i) => keyOf(i)),
    )
  })

  it('forgets removed nodes, their requests and their history', async () => {
    const screen = watch({ nodeCount: 4 })
    await screen.clock.advance(1_000)
    screen.world.answer = () => 'hang'
    screen.monitor.pollNow()
    await screen.clock.advance(500)
    expect(screen.inFlight()).toBe(4)
    screen.monitor.configure({ ...screen.config, nodes: nodes(2) })
    await screen.clock.advance(300)
    expect(screen.inFlight()).toBe(2)
    expect(Array.from(screen.monitor.snapshot().nodes.keys())).toEqual([keyOf(0), keyOf(1)])
    expect(screen.forgotten).toEqual([keyOf(2), keyOf(3)])
    expect(screen.monitor.lastExchange(keyOf(3))).toBeUndefined()
    screen.world.answer = () => ({})
    const before = screen.seen.length
    await screen.clock.advance(4 * INTERVAL_MS)
    expect(screen.seen.slice(before).every(({ node }) => node === '0x0001' || node === '0x0002')).toBe(true)
  })

  it('drops pending samples of a removed node', async () => {
    const screen = watch({ nodeCount: 2 })
    await screen.clock.advance(130) // Both have answered, and the next batch has not been published.
    screen.monitor.configure({ ...screen.config, nodes: nodes(1) })
    await screen.clock.advance(1_000)
    expect(screen.forgotten).toEqual([keyOf(1)])
    expect(screen.samples().map(({ node }) => node)).toEqual([keyOf(0)])
  })

  it('puts every node on the grid of a new interval', async () => {
    const screen = watch({ nodeCount: 10 })
    await screen.clock.advance(2 * INTERVAL_MS)
    screen.monitor.configure({ ...screen.config, services: [service({ pollIntervalMs: 2_000 })] })
    await screen.clock.advance(2_000)
    const before = screen.seen.length
    await screen.clock.advance(10_000)
    expect(screen.seen.length - before).toBe(50)
  })

  it('applies a removed pace to polls that already wait', async () => {
    const screen = watch({ nodeCount: 10, services: [service({ pace: 0.2 })] })
    await screen.clock.advance(4 * INTERVAL_MS)
    screen.monitor.configure({ ...screen.config, services: [service()] })
    const before = screen.seen.length
    await screen.clock.advance(INTERVAL_MS)
    expect(screen.seen.length - before).toBeGreaterThanOrEqual(9)
  })

  it('polls a node that replaces the only one of a service that refuses the key', async () => {
    const screen = watch()
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(120_000)
    screen.monitor.configure({ ...screen.config, nodes: nodes(8).slice(7) })
    await screen.clock.advance(500)
    expect(screen.timesOf(7)).toHaveLength(1)
  })

  it('renames nodes without polling them', async () => {
    const screen = watch({ nodeCount: 2 })
    await screen.clock.advance(1_000)
    const { reading } = screen.node(0)
    const before = screen.seen.length
    screen.monitor.configure({
      ...screen.config,
      nodes: nodes(2).map((node, i) => ({ ...node, name: `vela-${i}` })),
    })
    await screen.clock.advance(300)
    expect(screen.node(0)).toMatchObject({ name: 'vela-0', reading })
    expect(screen.seen.length).toBe(before)
  })

  it('polls at once when the route to a service changes', async () => {
    const screen = watch({ nodeCount: 3 })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(60_000)
    expect(screen.service()?.hold).toBeDefined()
    screen.world.answer = () => ({})
    const before = screen.seen.length
    screen.monitor.configure({ ...screen.config, services: [service({ via: 'proxy' })] })
    await screen.clock.advance(1_000)
    expect(screen.seen.slice(before).map(({ host }) => host)).toEqual(Array(3).fill('127.0.0.1:7420'))
    expect(screen.service()?.hold).toBeUndefined()
  })

  it('ignores nodes of unknown services, invalid ids and duplicates', async () => {
    const screen = watch({
      services: [service(), service({ baseUrl: OTHER })],
      nodes: [
        { id: '0x0001', tags: [] },
        { id: '0X0001', service: BASE, tags: [] },
        { id: '0x0001', service: OTHER, tags: [] },
        { id: '0x0001', service: 'https://nobody.example', tags: [] },
        { id: 'node one', tags: [] },
        { tags: [] },
      ],
    })
    await screen.clock.advance(1_000)
    expect(
      Array.from(screen.monitor.snapshot().nodes.values(), (one) => [one.serviceId, one.nodeId]),
    ).toEqual([
      ['https~3A~2F~2Fapi.example', '0X0001'],
      ['https~3A~2F~2Fother.example', '0x0001'],
      ['https~3A~2F~2Fapi.example', undefined],
    ])
  })

  it('sends no extra requests while a service refuses the key', async () => {
    const screen = watch({ nodeCount: 3 })
    screen.world.answer = () => ({ status: 401 })
    await screen.clock.advance(60_000)
    const askedIn10s = async (): Promise<number> => {
      const before = screen.seen.length
      await screen.clock.advance(10_000)
      return screen.seen.length - before
    }
    const quick = nodes(3).map((node) => ({ ...node, pollIntervalMs: 2_000 }))
    screen.monitor.configure({ ...screen.config, nodes: quick })
    expect(await askedIn10s()).toBeLessThanOrEqual(2)
    screen.monitor.configure({ ...screen.config, nodes: nodes(5) })
    expect(await askedIn10s()).toBeLessThanOrEqual(2)
  })

  it('never polls a node twice at once when its interval changes during a poll', async () => {
    const screen = watch({ nodeCount: 1 })
    await screen.clock.advance(1_000)
    screen.world.answer = () => 'hang'
    screen.monitor.pollNow()
    await screen.clock.advance(500)
    screen.monitor.configure({
      ...screen.config,
      nodes: nodes(1).map((node) => ({ ...node, pollIntervalMs: 1_000 })),
    })
    for (let second = 0; second < 8; second++) {
      await screen.clock.advance(1_000)
      expect(screen.inFlight()).toBe(1)
    }
  })

  it('gives added nodes their own slots in the interval', async () => {
    const screen = watch({ nodeCount: 4 })
    await screen.clock.advance(INTERVAL_MS)
    screen.monitor.configure({ ...screen.config, nodes: nodes(6, BASE, 2) })
    await screen.clock.advance(2 * INTERVAL_MS)
    const before = screen.seen.length
    await screen.clock.advance(INTERVAL_MS)
    const times = screen.seen.slice(before).map(({ atMs }) => atMs)
    expect(times).toHaveLength(6)
    expect(new Set(times).size).toBe(6)
  })

  it('keeps the clock correction of a service', async () => {
    const screen = watch()
    const signedMs: number[] = []
    screen.world.answer = ({ correctionMs, wallMs }) => {
      signedMs.push(correctionMs)
      const date = new Date(wallMs + 300_000).toUTCString()
      return Math.abs(correctionMs - 300_000) < 60_000 ? { date } : { status: 401, date }
    }
    await screen.clock.advance(INTERVAL_MS)
    const before = signedMs.length
    screen.monitor.configure({ ...screen.config, nodes: [{ ...nodes(1)[0], name: 'vela', tags: [] }] })
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(signedMs.length).toBeGreaterThan(before)
    expect(signedMs.slice(before).every((ms) => ms > 0)).toBe(true)
  })

  it('that removes all nodes leaves no timer', async () => {
    const screen = watch({ nodeCount: 3 })
    await screen.clock.advance(1_000)
    screen.monitor.configure({ ...screen.config, nodes: [] })
    await screen.clock.advance(1_000)
    expect(screen.clock.pendingMs()).toEqual([])
    expect(screen.monitor.snapshot().nodes.size).toBe(0)
  })
})

describe('a faulty transport', () => {
  it('that never settles is given up, and its late answers are ignored', async () => {
    const clock = createFakeClock()
    const late: (() => void)[] = []
    const samples: Sample[] = []
    const monitor = createPolling({
      clock,
      transport: ({ headers }) =>
        new Promise((resolve) => {
          if (headers['Signed'] !== 'yes') return // Probes are not signed.
          late.push(() => resolve(ok({ status: 200, body: record(nodeId(0)) })))
        }),
      signer: { signStatusRequest: async () => ok({ headers: { Signed: 'yes' }, query: '' }) },
      history: {
        append: async (batch) => void samples.push(...batch.samples),
        forget: async () => undefined,
      },
    })
    monitor.configure({ serverUrl: 'http://127.0.0.1', services: [service()], nodes: nodes(1) })
    await clock.advance(120_000)
    expect(late.length).toBeGreaterThanOrEqual(3)
    const sent = late.length
    late.slice(0, 2).forEach((answer) => answer())
    await clock.advance(20_000)
    expect(late).toHaveLength(sent)
    expect(monitor.snapshot().nodes.get(keyOf(0))).toMatchObject({
      answered: 0,
      episode: { failure: { kind: 'timeout' } },
    })
    expect(new Set(samples.map(({ outcome }) => outcome))).toEqual(new Set(['timeout']))
    monitor.dispose()
  })

  it('or signer that rejects is a failure like any other', async () => {
    const clock = createFakeClock()
    let signs = true
    const monitor = createPolling({
      clock,
      transport: () => Promise.reject(new Error('bug')),
      signer: {
        signStatusRequest: () =>
          signs ? Promise.resolve(ok({ headers: {}, query: '' })) : Promise.reject(new Error('dead port')),
      },
      history: {
        append: async () => undefined,
        forget: async () => undefined,
      },
    })
    monitor.configure({ serverUrl: 'http://127.0.0.1', services: [service()], nodes: nodes(1) })
    const kind = () => monitor.snapshot().nodes.get(keyOf(0))?.episode?.failure.kind
    await clock.advance(1_000)
    expect(kind()).toBe('unreachable')
    signs = false
    await clock.advance(60_000)
    expect(kind()).toBe('signer-failed')
    monitor.dispose()
  })
})
