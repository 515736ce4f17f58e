import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { stageAt } from '#fleet/assessment.ts'
import type { LogEntry } from '#history/event-log.ts'
import { isAll } from '#test/fuzz/random.ts'
import { keyOf, record, service, watch } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const HOUR_MS = 3_600_000

describe('a computer that slept for 8 hours', () => {
  it('drops its pending request and polls again at the slot', async () => {
    const screen = watch({}, { answer: () => ({ afterMs: 9_000 }) })
    await screen.clock.advance(INTERVAL_MS + 5_000)
    const before = screen.seen.at(-1)?.atMs ?? 0
    const count = screen.seen.length
    screen.clock.sleep(8 * HOUR_MS + 6_000, 'runs')
    await screen.clock.advance(INTERVAL_MS)
    expect(screen.seen.slice(count).map(({ atMs }) => (atMs - before) % INTERVAL_MS)).toEqual([0])
  })

  it.each(['stops', 'runs'] as const)(
    'records one gap and sends no burst if its monotonic clock %s',
    async (monotonic) => {
      const screen = watch({ nodeCount: 100 })
      await screen.clock.advance(3 * INTERVAL_MS + 5_000)
      const wallMs = screen.clock.wallMs()
      const before = screen.seen.length
      screen.clock.sleep(8 * HOUR_MS, monotonic)
      await screen.clock.advance(INTERVAL_MS + 1_000)
      const { gaps } = screen.monitor.snapshot().screen
      expect(gaps).toHaveLength(1)
      expect(gaps[0]?.reason).toBe('asleep')
      // If only the wall clock moved, it may have been set instead, which only a Date can decide.
      expect(gaps[0]?.set).toBe(monotonic === 'stops' ? 'maybe' : undefined)
      expect(Math.abs((gaps[0]?.fromWallMs ?? 0) - wallMs)).toBeLessThan(1_000)
      expect(Math.abs((gaps[0]?.toWallMs ?? 0) - wallMs - 8 * HOUR_MS)).toBeLessThan(1_000)
      expect(screen.batches.flatMap((batch) => batch.gaps)).toEqual([
        { fromMs: gaps[0]?.fromWallMs, toMs: gaps[0]?.toWallMs, reason: 'asleep' },
      ])
      const after = screen.seen.slice(before)
      expect(after.length).toBeGreaterThanOrEqual(95)
      expect(after.length).toBeLessThanOrEqual(110)
      const first = after[0]?.atMs ?? 0
      expect(after.filter(({ atMs }) => atMs < first + 1_000).length).toBeLessThanOrEqual(9)
    },
  )

  it.each(['asleep', 'set-ahead'] as const)('is recognized as %s by the service’s Date', async (reason) => {
    const entries: LogEntry[] = []
    const screen = watch({}, { log: (entry) => entries.push(entry) })
    let aheadMs = 0
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node),
      date: new Date(wallMs - aheadMs).toUTCString(),
    })
    await screen.clock.advance(3 * INTERVAL_MS)
    screen.clock.sleep(8 * HOUR_MS, 'stops')
    if (reason === 'set-ahead') aheadMs = 8 * HOUR_MS
    await screen.clock.advance(2 * INTERVAL_MS)
    const snapshot = screen.monitor.snapshot()
    expect(snapshot.screen.gaps[0]?.set).toBe(reason === 'asleep' ? undefined : 'ahead')
    expect(causesOf(snapshot, snapshot.nowMs)).toContainEqual(
      expect.objectContaining({ code: reason === 'asleep' ? 'watch/asleep' : 'watch/clock-step' }),
    )
    expect(entries.map(({ facts }) => facts?.['reason'])).toEqual(['asleep-or-set', reason])
  })

  it('F 78: wakes to stale readings before any poll, and to no failure', async () => {
    const screen = watch({ nodeCount: 3 })
    screen.world.answer = () => ({})
    await screen.clock.advance(INTERVAL_MS)
    screen.clock.sleep(8 * HOUR_MS)
    screen.world.answer = () => 'hang'
    await screen.clock.advance(300)
    screen.monitor.setOffline(false)
    await screen.clock.advance(300)
    const snapshot = screen.monitor.snapshot()
    expect(stageAt(screen.node(0).assessment, snapshot.nowMs).link).toBe('stale')
    expect(screen.node(0).episode).toBeUndefined()
    expect(causesOf(snapshot, snapshot.nowMs)).toMatchObject([
      { code: 'watch/overdue', severity: 'info', nodes: [keyOf(0), keyOf(1), keyOf(2)] },
      { code: 'watch/asleep', severity: 'none' },
    ])
  })
})

const DAYS = isAll() ? 60 : 8

describe(`${DAYS} days of polling`, () => {
  it('F 82: poll each slot once, keep every number exact and accumulate nothing', async () => {
    const intervalMs = 600_000
    const screen = watch({ services: [service({ pollIntervalMs: intervalMs })] })
    const startWallMs = screen.clock.wallMs()
    // The service restarts each week, and its answers take from 20 ms to over 5 s: neither moves the next slot.
    const restartsAt = (polls: number): boolean => polls > 0 && polls % 1_008 === 0
    let polls = 0
    let executed = 0
    let grew = 0
    let restarts = 0
    screen.world.answer = ({ node, wallMs }) => {
      const gain = restartsAt(polls) ? 3 : polls % 4
      if (restartsAt(polls)) {
        executed = 0
        restarts++
      }
      executed += gain
      if (polls > 0) grew += gain
      const afterMs = 20 + ((polls++ * 977) % 5_003)
      return {
        afterMs,
        body: record(node, {
          threat_responses_executed: executed,
          last_heartbeat: Math.floor(wallMs / 1_000) - 5,
        }),
      }
    }
    // Ends between two slots, when every request is answered.
    await screen.clock.advance(HOUR_MS + 10_000)
    const timers = screen.clock.pendingMs().length
    const before = screen.seen.length
    const sizes: number[] = []
    for (let day = 0; day < DAYS; day++) {
      await screen.clock.advance(24 * HOUR_MS)
      const snapshot = screen.monitor.snapshot()
      const { reading, assessment, since } = screen.node(0)
      expect(stageAt(assessment, snapshot.nowMs).link).toBe('live')
      expect(snapshot.wallMs - (reading?.startedWallMs ?? 0)).toBeLessThan(intervalMs + 6_000)
      expect(since['status']?.sinceWallMs).toBe(screen.samples()[0]?.atMs)
      sizes.push(
        JSON.stringify([Array.from(snapshot.nodes), Array.from(snapshot.services), snapshot.screen]).length,
      )
    }
    expect(screen.clock.wallMs() - startWallMs).toBe(HOUR_MS + 10_000 + DAYS * 24 * HOUR_MS)
    expect(screen.seen.length - before).toBe((DAYS * 24 * HOUR_MS) / intervalMs)
    const places = new Set(screen.seen.slice(before).map(({ atMs }) => Math.round(atMs % intervalMs)))
    expect(places.size).toBe(1)
    // Every answer is counted and kept once, with the time of its request.
    expect(screen.node(0)).toMatchObject({ answered: polls, failed: 0, episode: undefined })
    expect(screen.monitor.snapshot().screen).toMatchObject({
      answered: polls,
      failed: 0,
      gaps: [],
      behindMs: 0,
    })
    const times = screen.samples().map(({ atMs }) => atMs)
    expect(times).toEqual(screen.seen.map(({ atMs }) => startWallMs + atMs))
    expect(screen.node(0).counters['threatResponses']).toMatchObject({ increase: grew, restarts })
    expect(restarts).toBe(Math.floor((polls - 1) / 1_008))
    expect(screen.monitor.snapshot().causes).toEqual([])
    // After the first day the snapshot for the page grows only by digits of its counts.
    expect(screen.clock.pendingMs().length).toBeLessThanOrEqual(timers + 1)
    expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) + 100)
  })
})

describe('a clock that is set', () => {
  it('2 hours back keeps polling and dates readings by the new time', async () => {
    const screen = watch({ nodeCount: 5 })
    await screen.clock.advance(4 * INTERVAL_MS)
    screen.clock.stepWall(-2 * HOUR_MS)
    const before = screen.seen.length
    await screen.clock.advance(4 * INTERVAL_MS)
    const wallMs = screen.clock.wallMs()
    expect(screen.seen.length - before).toBeGreaterThanOrEqual(19)
    expect(screen.seen.length - before).toBeLessThanOrEqual(21)
    const { reading } = screen.node(0)
    expect(reading?.startedWallMs).toBeLessThanOrEqual(wallMs)
    expect(reading?.startedWallMs).toBeGreaterThan(wallMs - 2 * INTERVAL_MS)
    expect(stageAt(screen.node(0).assessment, screen.monitor.snapshot().nowMs).link).toBe('live')
    const ofNode = screen.samples().filter((sample) => sample.node === screen.node(0).key)
    expect(ofNode.at(-1)?.atMs).toBe(reading?.startedWallMs)
    // Samples come in order, except where the gap marks that the clock was set.
    const at = screen.batches.map((batch) => ({
      moved: batch.gaps.length > 0,
      times: batch.samples.filter(({ node }) => node === screen.node(0).key).map(({ atMs }) => atMs),
    }))
    let last = 0
    for (const { moved, times } of at) {
      if (moved) last = 0
      for (const time of times) {
        expect(time).toBeGreaterThan(last)
        last = time
      }
    }
  })

  it('a year ahead makes readings stale at once, polls every node once and is live again within one interval', async () => {
    const screen = watch({ nodeCount: 20 })
    await screen.clock.advance(2 * INTERVAL_MS)
    screen.clock.stepWall(365 * 24 * HOUR_MS)
    const before = screen.seen.length
    // Any event makes the monitor detect the step before the next answer.
    screen.monitor.setOffline(false)
    await screen.clock.advance(10)
    const atOnce = screen.monitor.snapshot()
    for (let index = 0; index < 20; index++)
      expect(stageAt(screen.node(index).assessment, atOnce.nowMs).link).toBe('stale')
    await screen.clock.advance(INTERVAL_MS + 1_000)
    expect(new Set(screen.seen.slice(before).map(({ node }) => node)).size).toBe(20)
    expect(screen.seen.length - before).toBeLessThanOrEqual(24)
    const { nowMs } = screen.monitor.snapshot()
    for (let index = 0; index < 20; index++)
      expect(stageAt(screen.node(index).assessment, nowMs).link).toBe('live')
  })

  it('drops the offset of each service, which is measured again', async () => {
    const screen = watch()
    const trueMs = () => screen.clock.wallMs() + trueOffsetMs
    let trueOffsetMs = 73_000
    screen.world.answer = () => ({ date: new Date(trueMs()).toUTCString() })
    await screen.clock.advance(20 * INTERVAL_MS)
    const offset = screen.service()?.offset
    expect(offset?.lowMs).toBeLessThanOrEqual(73_000)
    expect(offset?.highMs).toBeGreaterThanOrEqual(73_000)
    expect((offset?.highMs ?? 0) - (offset?.lowMs ?? 0)).toBeLessThan(1_100)
    screen.clock.stepWall(73_000)
    trueOffsetMs = 0
    screen.monitor.keyChanged() // Any event lets the monitor detect the step before the next answer.
    await screen.clock.advance(250)
    expect(screen.service()?.offset).toBeUndefined()
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.service()?.offset?.highMs).toBeLessThan(2_000)
    expect(screen.service()?.offset?.lowMs).toBeGreaterThan(-2_000)
  })

  it.each([
    ['of a service that is set is the service’s', 0, 0, 300_000, 'service'],
    ['of this computer that is set ahead is this computer’s', 0, 300_000, 0, 'computer'],
    ['of this computer that is set back is this computer’s', 0, -300_000, 0, 'computer'],
    ['is unknown if both are set', 0, -300_000, 300_000, undefined],
    ['is unknown if the clocks disagreed before', 300_000, 0, 60_000, undefined],
  ] as const)('and is wrong, %s', async (_whose, beforeMs, ownMs, serviceMs, clockSet) => {
    const screen = watch()
    let aheadMs: number = beforeMs
    screen.world.answer = ({ wallMs }) => ({ date: new Date(wallMs + aheadMs).toUTCString() })
    await screen.clock.advance(3 * INTERVAL_MS)
    expect(screen.service()?.clockSet).toBeUndefined()
    screen.clock.stepWall(ownMs)
    aheadMs += serviceMs - ownMs
    await screen.clock.advance(3 * INTERVAL_MS)
    expect(screen.service()?.clockSet).toBe(clockSet)
    expect(Math.abs(screen.service()?.offset?.lowMs ?? 0)).toBeGreaterThan(290_000)
    aheadMs = 0
    await screen.clock.advance(5 * INTERVAL_MS)
    expect(screen.service()?.clockSet).toBeUndefined()
  })

  it('is unknown once a few answers have carried no Date', async () => {
    const screen = watch()
    screen.world.answer = ({ wallMs }) => ({ date: new Date(wallMs - 90_000).toUTCString() })
    await screen.clock.advance(3 * INTERVAL_MS)
    expect(screen.service()?.offset?.highMs).toBeLessThan(-88_000)
    screen.world.answer = () => ({ date: '' })
    await screen.clock.advance(6 * INTERVAL_MS)
    expect(screen.service()?.offset).toBeUndefined()
  })

  it('during a request leaves its reading with the right time', async () => {
    const screen = watch()
    screen.world.answer = () => ({ afterMs: 500 })
    await screen.clock.advance(100)
    screen.clock.stepWall(-HOUR_MS)
    await screen.clock.advance(1_000)
    const { reading } = screen.node(0)
    expect(reading?.latencyMs).toBe(500)
    expect(screen.clock.wallMs() - (reading?.startedWallMs ?? 0)).toBe(1_100)
  })
})

describe('the age of a heartbeat', () => {
  it('is corrected for a clock that is 10 minutes off', async () => {
    const screen = watch()
    const serviceMs = () => screen.clock.wallMs() + 600_000
    screen.world.answer = ({ node }) => ({
      afterMs: 1,
      date: new Date(serviceMs()).toUTCString(),
      body: record(node, { last_heartbeat: Math.floor(serviceMs() / 1_000) - 5 }),
    })
    await screen.clock.advance(20 * INTERVAL_MS)
    const heartbeat = screen.node(0).reading?.ages['heartbeat']
    expect(heartbeat?.kind).toBe('known')
    if (heartbeat?.kind === 'known') expect(Math.abs(heartbeat.ageMs - 5_000)).toBeLessThanOrEqual(1_000)
  })

  it('is not corrected by the Date of a cached answer or of the proxy itself', async () => {
    const screen = watch()
    const old = new Date(screen.clock.wallMs() - HOUR_MS).toUTCString()
    screen.world.answer = () => ({ date: old, age: '3600' })
    await screen.clock.advance(1_000)
    expect(screen.service()?.offset).toBeUndefined()
    screen.world.answer = () => ({ status: 502, date: old, proxyFailure: 'refused' })
    await screen.clock.advance(2 * INTERVAL_MS)
    expect(screen.service()?.offset).toBeUndefined()
    expect(screen.node(0).episode?.failure).toEqual({
      kind: 'unreachable',
      hop: 'service',
      detail: 'refused',
    })
  })
})
