import { describe, expect, it } from 'vitest'
import { ageAtReading } from '#fleet/live.ts'
import type { LogEntry } from '#history/event-log.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { BASE, busiestSecond, keyOf, nodeId, nodes, record, service, watch } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs

describe('the round', () => {
  it('polls the first node at once and then keeps to its grid', async () => {
    const screen = watch()
    await screen.clock.advance(4 * INTERVAL_MS)
    expect(screen.timesOf(0)).toEqual([0, 1, 2, 3, 4].map((round) => round * INTERVAL_MS))
    expect(screen.node(0)).toMatchObject({ answered: 4, failed: 0, episode: undefined })
  })

  it('keeps the grid when answers are slower than the interval, one request at a time', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 1_000 })] })
    screen.world.answer = () => ({ afterMs: 2_000 })
    await screen.clock.advance(10_000)
    expect(screen.timesOf(0)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000])
    expect(screen.mostInFlight()).toBe(1)
  })

  it('spreads 300 nodes evenly over the interval', async () => {
    const screen = watch({ nodeCount: 300 })
    await screen.clock.advance(2 * INTERVAL_MS)
    const round = screen.seen.filter(({ atMs }) => atMs >= INTERVAL_MS && atMs < 2 * INTERVAL_MS)
    expect(round).toHaveLength(300)
    const perTenth = Array.from(
      { length: 10 },
      (_, tenth) =>
        round.filter(({ atMs }) => Math.floor((10 * (atMs - INTERVAL_MS)) / INTERVAL_MS) === tenth).length,
    )
    for (const count of perTenth) expect(Math.abs(count - 30)).toBeLessThanOrEqual(2)
  })

  it('polls a few new nodes 100 ms apart, and many within one interval', async () => {
    const few = watch({ nodeCount: 5 })
    await few.clock.advance(1_000)
    expect(few.seen.map(({ atMs }) => atMs)).toEqual([0, 100, 200, 300, 400])
    const many = watch({ nodeCount: 450 })
    await many.clock.advance(INTERVAL_MS - 10)
    expect(new Set(many.seen.map(({ node }) => node)).size).toBe(450)
    expect(busiestSecond(many.seen)).toBeLessThanOrEqual(34)
  })

  it('starts no poll early that a rate limit delays', async () => {
    const intervalMs = 10_400
    const screen = watch({ nodeCount: 60, services: [service({ pollIntervalMs: intervalMs })] })
    await screen.clock.advance(3 * intervalMs)
    const slotMs = screen.node(7).nextPollMs ?? 0
    // The limit ends shortly before the slot after the next, to which an earlier poll of another node comes close.
    await screen.clock.advance(slotMs + 300 - screen.monitor.nowMs())
    screen.world.answer = ({ node }) => (node === nodeId(7) ? { status: 429, retryAfter: '10' } : {})
    const before = screen.timesOf(7).length
    screen.monitor.pollNow(keyOf(7))
    await screen.clock.advance(2 * intervalMs)
    const [limitedMs = 0, nextMs = 0] = screen.timesOf(7).slice(before)
    expect(nextMs - limitedMs).toBe(10_100)
  })

  it('starts polls that are due soon together, at most four, and each node once per interval', async () => {
    const screen = watch({ nodeCount: 60 })
    await screen.clock.advance(3 * INTERVAL_MS)
    const before = screen.seen.length
    await screen.clock.advance(4 * INTERVAL_MS)
    const round = screen.seen.slice(before).map(({ atMs }) => atMs)
    const starts = Array.from(new Set(round), (atMs) => round.filter((one) => one === atMs).length)
    expect(Math.max(...starts)).toBe(4)
    expect(starts.length).toBeLessThan(round.length / 3)
    const steps = screen.timesOf(7).slice(3)
    expect(steps.map((atMs, at) => atMs - (steps[at - 1] ?? atMs - INTERVAL_MS))).toEqual(
      steps.map(() => INTERVAL_MS),
    )
  })

  it('has at most 4 requests in flight at a host, and never two of one node', async () => {
    const screen = watch({ nodeCount: 40 })
    const flying = new Set<string>()
    screen.world.answer = ({ node }) => {
      expect(flying.has(node)).toBe(false)
      flying.add(node)
      screen.clock.after(3_000, () => flying.delete(node))
      return { afterMs: 3_000 }
    }
    await screen.clock.advance(60_000)
    expect(screen.mostInFlight()).toBe(4)
    expect(screen.monitor.snapshot().screen.behindMs).toBeGreaterThan(0)
    expect(screen.samples().every(({ outcome }) => outcome === 'answered')).toBe(true)
  })

  it('makes hung nodes wait for each other, and never healthy ones', async () => {
    const screen = watch({ nodeCount: 30 })
    screen.world.answer = ({ node }) => (Number.parseInt(node, 16) <= 10 ? 'hang' : {})
    await screen.clock.advance(10 * INTERVAL_MS)
    for (let index = 10; index < 30; index++) {
      expect(screen.node(index).failed).toBe(0)
      expect(screen.node(index).answered).toBeGreaterThanOrEqual(7)
    }
    expect(screen.node(0).episode).toMatchObject({ failure: { kind: 'timeout', afterMs: 10_000 } })
  })

  it('publishes at most every second, and only what changed', async () => {
    const screen = watch({ nodeCount: 200 })
    const at: number[] = []
    screen.monitor.subscribe((update) => {
      at.push(screen.sinceStartMs())
      expect(update.changed.length).toBeLessThanOrEqual(200)
    })
    await screen.clock.advance(INTERVAL_MS)
    const steady = at.filter((ms) => ms > DEFAULTS.promptForMs)
    const gaps = steady.slice(1).map((ms, index) => ms - (steady[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(DEFAULTS.publishEveryMs)
    const before = screen.monitor.snapshot()
    await screen.clock.advance(1_000)
    const after = screen.monitor.snapshot()
    const same = Array.from(after.nodes).filter(([key, node]) => before.nodes.get(key) === node)
    expect(same.length).toBeGreaterThan(180)
    expect(same.length).toBeLessThan(200)
  })
})

describe('a poll', () => {
  it('yields a reading as old as the answer that a collector had', async () => {
    const screen = watch()
    const wallMs = screen.clock.wallMs()
    screen.world.answer = ({ node }) => ({
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) - 50 }),
      date: new Date(wallMs).toUTCString(),
      collectedAge: '40',
    })
    await screen.clock.advance(1_000)
    const { reading } = screen.node(0)
    expect(reading).toMatchObject({ startedMs: -40_000, startedWallMs: wallMs - 40_000 })
    expect(reading && ageAtReading(reading, 'heartbeat')).toBeCloseTo(10_000, -3)
  })

  it('yields a reading, a sample and an exchange', async () => {
    const screen = watch()
    const wallMs = screen.clock.wallMs()
    screen.world.answer = ({ node }) => ({
      afterMs: 120,
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) - 7 }),
      date: new Date(wallMs).toUTCString(),
      contentType: 'application/json',
      age: '3',
    })
    await screen.clock.advance(1_000)
    const { reading, since } = screen.node(0)
    const madeMs = wallMs - 3_000
    expect(reading).toMatchObject({ startedMs: -3_000, startedWallMs: madeMs, latencyMs: 120, cachedForS: 3 })
    expect(since['status']?.sinceWallMs).toBe(madeMs)
    expect(screen.samples()).toEqual([
      {
        node: keyOf(0),
        atMs: wallMs,
        latencyMs: 120,
        everyMs: INTERVAL_MS,
        outcome: 'answered',
        status: 'ACTIVE',
        stake: 1_250_000,
        participation: 0.98,
        threatResponses: 7,
        threatResponsesIncrease: 0,
        threatResponsesRestarted: false,
        heartbeatAgeMs: 7_000,
        proof: expect.stringMatching(/^[\da-f]{8}$/),
        proofChanged: false,
      },
    ])
    expect(screen.monitor.lastExchange(keyOf(0))).toMatchObject({
      startedWallMs: wallMs,
      url: `${BASE}/node/status?node_id=${nodeId(0)}`,
      requestHeaders: { Authorization: 'Bearer test' },
      status: 200,
      contentType: 'application/json',
      bodyCut: false,
    })
  })

  it('keeps the last reading if it fails, and counts failures', async () => {
    const screen = watch()
    await screen.clock.advance(1_000)
    const { reading } = screen.node(0)
    screen.world.answer = () => ({ status: 503 })
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.node(0).reading).toBe(reading)
    expect(screen.node(0).episode).toMatchObject({
      failure: { kind: 'server-error', status: 503 },
      sinceMs: INTERVAL_MS,
      misses: 2,
    })
    expect(screen.samples().map(({ outcome }) => outcome)).toEqual([
      'answered',
      'server-error',
      'server-error',
    ])
    screen.world.answer = () => ({})
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.node(0)).toMatchObject({ episode: undefined, answered: 3, failed: 2 })
  })

  it('yields no reading if the answer is about another node', async () => {
    const screen = watch({ nodeCount: 2 })
    screen.world.answer = () => ({ body: record(nodeId(1)) })
    await screen.clock.advance(1_000)
    expect(screen.node(0)).toMatchObject({ reading: undefined, episode: { failure: { kind: 'wrong-node' } } })
    expect(screen.samples().map(({ node, outcome, stake }) => [node, outcome, stake])).toEqual([
      [keyOf(0), 'wrong-node', undefined],
      [keyOf(1), 'answered', 1_250_000],
    ])
  })

  it('reports mixed units of participation in the log and on screen, and converts no value', async () => {
    const entries: LogEntry[] = []
    const screen = watch({ nodeCount: 3 }, { log: (entry) => void entries.push(entry) })
    const shown = (index: number) => screen.node(index).assessment.values['participation']?.value
    const codes = () => causesOf(screen.monitor.snapshot(), screen.monitor.nowMs()).map(({ code }) => code)
    let odd = 97
    screen.world.answer = ({ node }) => ({
      body: record(node, { network_participation: node === '0x0001' ? odd : 0.97 }),
    })
    await screen.clock.advance(500)
    expect([shown(0), shown(1), codes()]).toEqual([undefined, 0.97, ['data/unit']])
    expect(entries.filter(({ what }) => what === 'unit-detected')).toMatchObject([
      { area: 'service', facts: { from: 'percent', to: 'ratio' } },
    ])
    odd = 0.97
    await screen.clock.advance(INTERVAL_MS + 1_000)
    expect([shown(0), shown(1), codes()]).toEqual([0.97, 0.97, []])
    odd = 97
    await screen.clock.advance(50 * INTERVAL_MS)
    expect([shown(0), shown(1), codes()]).toEqual([undefined, 0.97, ['data/unit']])
  })

  it('counts no restart if a counter falls because the service’s clock was set back', async () => {
    const screen = watch()
    let setBackMs = 0
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, { threat_responses_executed: setBackMs > 0 ? 400 : 500 }),
      date: new Date(wallMs - setBackMs).toUTCString(),
    })
    await screen.clock.advance(2 * INTERVAL_MS + 500)
    setBackMs = 3_600_000
    await screen.clock.advance(2 * INTERVAL_MS + 1_000)
    expect(screen.node(0).counters['threatResponses']).toMatchObject({ increase: 0, restarts: 0 })
    expect(screen.samples().map(({ threatResponsesRestarted: restarted }) => restarted)).not.toContain(true)
    expect(screen.samples().filter(({ more }) => more?.clockSetBack === true)).toHaveLength(1)
  })

  it('counts threat responses across a restart and across a reading without them', async () => {
    const screen = watch()
    const totals: unknown[] = [100, 130, 'none', 140, 5, 6]
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, { threat_responses_executed: totals.shift(), last_heartbeat: wallMs / 1_000 }),
    })
    await screen.clock.advance(6 * INTERVAL_MS - 1)
    expect(screen.samples().map(({ threatResponsesIncrease }) => threatResponsesIncrease)).toEqual([
      0,
      30,
      undefined,
      10,
      5,
      1,
    ])
    expect(screen.node(0).counters['threatResponses']).toMatchObject({ increase: 46, restarts: 1 })
  })

  it.each([
    [
      'not through failed polls',
      async (screen: ReturnType<typeof watch>) => screen.clock.advance(9 * INTERVAL_MS),
      37,
      0,
    ],
    ['during a sleep', async (screen: ReturnType<typeof watch>) => screen.clock.sleep(600_000), 0, 37],
  ])('counts an increase in unwatched time separately: %s', async (_what, pass, increase, unwatched) => {
    const screen = watch()
    let total = 100
    let isDown = false
    screen.world.answer = ({ node }) =>
      isDown ? { status: 503 } : { body: record(node, { threat_responses_executed: total }) }
    await screen.clock.advance(2 * INTERVAL_MS)
    isDown = true
    await screen.clock.advance(INTERVAL_MS)
    await pass(screen)
    total += 37
    isDown = false
    await screen.clock.advance(20 * INTERVAL_MS)
    expect(screen.node(0).counters['threatResponses']).toMatchObject({ increase, unwatched })
    total++
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.node(0).counters['threatResponses']).toMatchObject({ increase: increase + 1, unwatched })
  })

  it('records since when status, stake and proof are unchanged', async () => {
    const screen = watch()
    const wallMs = screen.clock.wallMs()
    const proofs = ['0xaa', '0xaa', '0xbb', '0xbb']
    const words = ['ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAINING']
    screen.world.answer = ({ node }) => ({
      body: record(node, { cryptographic_proof: proofs.shift(), status: words.shift() }),
    })
    await screen.clock.advance(4 * INTERVAL_MS - 1)
    expect(screen.node(0).since).toMatchObject({
      status: { sinceWallMs: wallMs + 3 * INTERVAL_MS },
      stake: { sinceWallMs: wallMs },
      proof: { sinceMs: 2 * INTERVAL_MS },
    })
    expect(screen.samples().map(({ proofChanged }) => proofChanged)).toEqual([false, false, true, false])
  })
})

it('disposing leaves no timer and no request', async () => {
  const screen = watch({ nodeCount: 8 })
  screen.world.answer = () => 'hang'
  await screen.clock.advance(700)
  expect(screen.inFlight()).toBe(4)
  screen.monitor.dispose()
  await screen.clock.advance(0)
  expect(screen.inFlight()).toBe(0)
  expect(screen.clock.pendingMs()).toEqual([])
  const asked = screen.seen.length
  screen.monitor.pollNow()
  screen.monitor.keyChanged()
  screen.monitor.configure({ ...screen.config, nodes: nodes(20) })
  await screen.clock.advance(10 * INTERVAL_MS)
  expect(screen.seen.length).toBe(asked)
  expect(screen.clock.pendingMs()).toEqual([])
})
