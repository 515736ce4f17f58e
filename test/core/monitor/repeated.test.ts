import { describe, expect, it } from 'vitest'
import { isCurrentAt } from '#fleet/assessment.ts'
import { readingAgeMs } from '#fleet/live.ts'
import { record, service, watch, type Answer, type Asked } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const DATE = 'Mon, 01 Jun 2026 12:00:00 GMT'

describe('a cache in front of the service', () => {
  const quick = { services: [service({ pollIntervalMs: 5_000 })], nodeCount: 3 }
  const dated = (wallMs: number): string => new Date(wallMs).toUTCString()
  /** Keeps each node's answer for this long. */
  const cacheFor = (keepMs: number) => {
    const kept = new Map<string, { readonly atMs: number; readonly answer: Answer }>()
    return ({ node, atMs, wallMs }: Asked): Answer => {
      const known = kept.get(node)
      if (known !== undefined && atMs - known.atMs < keepMs) return known.answer
      const answer = { body: record(node), date: dated(wallMs) }
      kept.set(node, { atMs, answer })
      return answer
    }
  }

  it('of a dead service lets values become stale and is reported as the cause', async () => {
    const screen = watch(quick)
    screen.world.answer = cacheFor(Number.POSITIVE_INFINITY)
    await screen.clock.advance(30_000)
    const snapshot = screen.monitor.snapshot()
    expect(isCurrentAt(screen.node(0), snapshot.nowMs)).toBe(false)
    expect(screen.node(0)).toMatchObject({ answered: 1, reading: { startedMs: 0 } })
    expect(causesOf(snapshot, snapshot.nowMs)).toMatchObject([{ code: 'service/repeated' }])
    // The repeated Date is not the current time.
    expect(screen.service()?.offset?.highMs).toBeGreaterThan(-2_000)
    screen.world.answer = ({ node, wallMs }) => ({ body: record(node), date: dated(wallMs) })
    await screen.clock.advance(6_000)
    expect(screen.node(0).episode).toBeUndefined()
  })

  it('that keeps answers for 9 s does no harm', async () => {
    const screen = watch(quick)
    screen.world.answer = cacheFor(9_000)
    for (let seconds = 0; seconds < 120; seconds += 2) {
      await screen.clock.advance(2_000)
      const snapshot = screen.monitor.snapshot()
      expect(causesOf(snapshot, snapshot.nowMs)).toEqual([])
      expect(isCurrentAt(screen.node(0), snapshot.nowMs)).toBe(true)
    }
    expect(screen.node(0).reading?.startedMs).toBeGreaterThan(100_000)
  })

  it('is not suspected if the service’s clock stands still but answers differ', async () => {
    const screen = watch(quick)
    let beat = 0
    screen.world.answer = ({ node }) => ({
      body: record(node, { last_heartbeat: 1_780_315_190 + Math.floor(beat++ / 7) }),
      date: DATE,
    })
    await screen.clock.advance(120_000)
    expect(screen.node(0).episode).toBeUndefined()
    expect(screen.node(0).answered).toBeGreaterThan(18)
  })

  it('is detected though the Date stood still before', async () => {
    const screen = watch(quick)
    const live = ({ node, wallMs }: Asked, date = dated(wallMs)): Answer => ({
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) }),
      date,
    })
    screen.world.answer = (asked) => live(asked, DATE)
    await screen.clock.advance(60_000)
    screen.world.answer = (asked) => live(asked)
    await screen.clock.advance(60_000)
    const wallMs = screen.clock.wallMs()
    screen.world.answer = (asked) => live({ ...asked, wallMs })
    await screen.clock.advance(60_000)
    expect(screen.monitor.snapshot().causes).toMatchObject([{ code: 'service/repeated' }])
  })

  it('that delivers every answer late is not mistaken for a clock that was set back, and history stores no such answers', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
    const answer = ({ node, wallMs }: Asked): Answer => ({
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) }),
      date: dated(wallMs),
    })
    screen.world.answer = answer
    await screen.clock.advance(60_000)
    screen.world.answer = (asked) => answer({ ...asked, wallMs: asked.wallMs - 20_000 })
    await screen.clock.advance(60_000)
    const { nowMs, causes } = screen.monitor.snapshot()
    expect(nowMs - (screen.node(0).reading?.startedMs ?? nowMs)).toBeGreaterThan(18_000)
    expect(causes).toMatchObject([{ evidence: { kind: 'cached' } }])
    const last = screen.batches.flatMap(({ samples }) => samples).slice(-3)
    expect(last.map(({ outcome }) => outcome)).toEqual(['repeated', 'repeated', 'repeated'])
  })

  type Made = { readonly dateS: number; readonly beatS?: number; readonly isUndated?: true }
  const undated = (dateS: number): Made => ({ dateS, isUndated: true })
  /** Answers by when they were made, in seconds since the start of the test. */
  it.each<readonly [what: string, made: readonly Made[]]>([
    ['one', [{ dateS: 0 }]],
    ['two in turn', [{ dateS: -4 }, { dateS: 0 }]],
    ['two in turn, the newer first', [{ dateS: 0 }, { dateS: -60 }]],
    ['two of an hour ago', [{ dateS: -3_600 }, { dateS: -3_595 }]],
    ['three of an hour ago', [-3_605, -3_590, -3_560].map((dateS) => ({ dateS }))],
    ['two of the same second', [{ dateS: 0, beatS: -15 }, { dateS: 0 }]],
    ['three in turn, as far apart as polls', [{ dateS: -10 }, { dateS: -5 }, { dateS: 0 }]],
    ['five in turn', [-20, -7, -31, 0, -2].map((dateS) => ({ dateS }))],
    ['two in turn without a Date', [undated(-20), undated(0)]],
  ])('that has only old answers (%s) makes no value look younger than it is', async (_what, made) => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })], nodeCount: 2 })
    const startMs = screen.clock.wallMs()
    const answer = (node: string, { dateS, beatS = dateS, isUndated }: Made): Answer => ({
      body: record(node, {
        last_heartbeat: Math.floor(startMs / 1_000 + beatS),
        threat_responses_executed: Math.floor(5_000 + beatS),
      }),
      ...(isUndated !== true && { date: dated(startMs + dateS * 1_000) }),
    })
    let turn = 0
    // The other node's answers are current.
    screen.world.answer = ({ node, wallMs }) =>
      node === '0x0001'
        ? answer(node, made[turn++ % made.length] ?? { dateS: 0 })
        : answer(node, { ...made[0], dateS: (wallMs - startMs) / 1_000 })
    await screen.clock.advance(16_000)
    if (made.every(({ dateS }) => dateS < -60))
      expect(isCurrentAt(screen.node(0), screen.monitor.nowMs())).toBe(false)
    await screen.clock.advance(44_000)
    const snapshot = screen.monitor.snapshot()
    const { reading, counters } = screen.node(0)
    const age = reading?.ages['heartbeat']
    if (reading === undefined || age === undefined || !('ageMs' in age)) throw new Error('no heartbeat')
    expect(age.ageMs + readingAgeMs(reading, snapshot.nowMs)).toBeGreaterThan(54_000)
    expect(counters['threatResponses']?.restarts).toBe(0)
    expect(causesOf(snapshot, snapshot.nowMs).map(({ code }) => code)).not.toContain('data/clock')
    if (made[0]?.isUndated === true) return
    expect(isCurrentAt(screen.node(0), snapshot.nowMs)).toBe(false)
    expect(causesOf(snapshot, snapshot.nowMs)).toMatchObject([{ code: 'service/repeated' }])
  })

  it('of nine servers with one answer each is detected when the first one repeats', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
    const kept: Answer[] = []
    let turn = 0
    screen.world.answer = ({ node, wallMs }) =>
      (kept[turn++ % 9] ??= { body: record(node, { last_heartbeat: wallMs / 1_000 }), date: dated(wallMs) })
    await screen.clock.advance(65_000)
    const snapshot = screen.monitor.snapshot()
    expect(isCurrentAt(screen.node(0), snapshot.nowMs)).toBe(false)
    expect(causesOf(snapshot, snapshot.nowMs)).toMatchObject([{ code: 'service/repeated' }])
  })

  it.each([
    [1, 2, 300, 1],
    [1, 8, 300, 1],
    [5, 12, 300, 1],
    [1, 4, 7, 60],
  ])(
    'with %i of %i answers %i s behind, at a heartbeat every %i s, restarts no counter',
    async (...given) => {
      const [lags, turns, lagS, everyS] = given
      const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
      let turn = 0
      screen.world.answer = ({ node, wallMs }) => {
        const madeS = Math.floor(wallMs / 1_000) - (turn++ % turns >= turns - lags ? lagS : 0)
        const last_heartbeat = Math.floor(madeS / everyS) * everyS
        const fields = { last_heartbeat, threat_responses_executed: madeS - 1_780_000_000 }
        return { body: record(node, fields), date: dated(wallMs) }
      }
      await screen.clock.advance(11_000)
      for (let seconds = 0; seconds < 120; seconds += 5) {
        await screen.clock.advance(5_000)
        const { reading } = screen.node(0)
        expect(isCurrentAt(screen.node(0), screen.monitor.nowMs())).toBe(true)
        if (turns === 2) expect(reading?.ages['heartbeat']).toMatchObject({ ageMs: expect.closeTo(0, -4) })
      }
      const { increase, restarts } = screen.node(0).counters['threatResponses'] ?? {}
      expect([restarts, Math.abs((increase ?? 0) - 120) < 20]).toEqual([0, true])
      // No total falls, so history, rules and the collector count no restart either.
      const totals = screen
        .samples()
        .flatMap(({ threatResponses: total }) => (total === undefined ? [] : Number(total)))
      expect(totals).toEqual(totals.toSorted((a, b) => a - b))
    },
  )

  it('does not hide that a node was set back for good', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
    screen.world.answer = ({ node, atMs, wallMs }) => {
      const madeS = Math.floor(wallMs / 1_000) - (atMs > 30_000 ? 3_600 : 0)
      const given = { last_heartbeat: madeS, threat_responses_executed: madeS - 1_780_000_000 }
      return { body: record(node, given) }
    }
    await screen.clock.advance(75_000)
    expect(screen.node(0).counters['threatResponses']?.restarts).toBe(1)
    const { text } = screen.node(0).assessment.values['threatResponses'] ?? {}
    expect(Number(text)).toBeLessThan(312_000)
  })

  it.each([
    ['servers’ clocks differ by seconds', [-3, 0, 3, -1, 2, -2, 1]],
    ['one server of four is 10 s fast', [0, 0, 0, 10]],
    ['one server of three is a minute fast', [0, 0, 60]],
    ['one server of three is an hour slow', [0, 0, -3_600]],
    ['a single Date is a year ahead', [...Array.from({ length: 9 }, () => 0), 31_536_000, 0, 0, 0, 0, 0]],
  ])('is not suspected if %s', async (_what, aheadS) => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })], nodeCount: 2 })
    let turn = 0
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) }),
      date: dated(wallMs + (aheadS[turn++ % aheadS.length] ?? 0) * 1_000),
    })
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await screen.clock.advance(5_000)
      const { nowMs, wallMs } = screen.monitor.snapshot()
      expect(causesOf(screen.monitor.snapshot(), nowMs)).toEqual([])
      expect(wallMs - (screen.node(1).reading?.startedWallMs ?? 0)).toBeLessThanOrEqual(6_000)
      expect(screen.node(1).failed).toBe(0)
    }
  })

  it.each(
    [1, 50].flatMap((everyS) =>
      ['10', '001', '0011', '0000001'].flatMap((turns) =>
        [6, 14, 40, 90].map((slowS) => [everyS, turns, slowS] as const),
      ),
    ),
  )('is not suspected at a heartbeat every %i s, if of the servers %s one is %i s slow', async (...given) => {
    const [everyS, turns, slowS] = given
    const screen = watch({ services: [service({ pollIntervalMs: 30_000 })] })
    let turn = 0
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000 / everyS) * everyS }),
      date: dated(wallMs - (turns[turn++ % turns.length] === '1' ? slowS * 1_000 : 0)),
    })
    for (let polls = 0; polls < 20; polls++) {
      await screen.clock.advance(30_000)
      const { nowMs } = screen.monitor.snapshot()
      // The first answer may come from the slow server.
      if (polls > 1) expect(causesOf(screen.monitor.snapshot(), nowMs)).toEqual([])
      if (polls > 10 && turns !== '0011') expect(screen.node(0).reading?.clockSetBack).toBeUndefined()
      expect(isCurrentAt(screen.node(0), nowMs)).toBe(true)
    }
    expect(screen.node(0).failed).toBeLessThan(everyS === 1 ? 1 : 3)
    // Two answers in a row that are a few seconds behind may set the clock.
    expect(screen.service()?.offset?.highMs).toBeGreaterThan(slowS > 20 ? 0 : -20_000)
  })

  it('is not suspected if a clock that was fast is right again', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
    let fastMs = 120_000
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) }),
      date: dated(wallMs + fastMs),
    })
    await screen.clock.advance(60_000)
    fastMs = 0
    await screen.clock.advance(30_000)
    expect(screen.service()?.offset?.highMs).toBeLessThan(2_000)
  })

  it('does not hide a restart on a computer whose clock is slow', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
    let count = 22_000
    screen.world.answer = ({ node, wallMs }) => {
      const madeS = Math.floor(wallMs / 1_000) - (count < 22_000 ? 120 : 0)
      const given = { last_heartbeat: madeS, threat_responses_executed: count++ }
      return { body: record(node, given), date: dated(wallMs) }
    }
    await screen.clock.advance(60_000)
    count = 0
    await screen.clock.advance(12_000)
    expect(screen.node(0).counters['threatResponses']?.restarts).toBe(1)
  })

  it.each([60, 6])('is not suspected after two newer records that are %i s ahead', async (aheadS) => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
    let turn = 0
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) }),
      date: dated(wallMs + (turn++ % 6 >= 4 ? aheadS * 1_000 : 0)),
    })
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await screen.clock.advance(5_000)
      const { nowMs } = screen.monitor.snapshot()
      expect(nowMs - (screen.node(0).reading?.startedMs ?? 0)).toBeLessThanOrEqual(12_000)
      expect(screen.node(0).failed).toBe(0)
    }
  })

  it.each([
    ['last_heartbeat', 1],
    ['threat_responses_executed', 60],
  ])('is not suspected if one of two servers omits %s, at a heartbeat every %i s', async (name, everyS) => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
    let turn = 0
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, {
        last_heartbeat: Math.floor(wallMs / 1_000 / everyS) * everyS,
        ...(turn++ % 2 === 0 && { [name]: undefined }),
      }),
      date: dated(wallMs),
    })
    await screen.clock.advance(60_000)
    expect(screen.node(0).failed).toBe(0)
  })

  it('is not suspected if polls every second get equal answers', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 1_000 })] })
    screen.world.answer = ({ node, wallMs }) => ({ body: record(node), date: dated(wallMs) })
    await screen.clock.advance(60_000)
    expect(screen.node(0)).toMatchObject({ episode: undefined, failed: 0 })
  })
})

it.each([
  [3, true],
  [30, false],
  [99_999, false],
])('an answer with an Age header of %i s yields a reading that is that old', async (age, isCurrent) => {
  const screen = watch({ services: [service({ pollIntervalMs: 5_000 })] })
  screen.world.answer = ({ node, wallMs }) => ({
    body: record(node),
    date: new Date(wallMs - age * 1_000).toUTCString(),
    age: String(age),
  })
  await screen.clock.advance(21_000)
  const snapshot = screen.monitor.snapshot()
  const { reading } = screen.node(0)
  expect(reading && readingAgeMs(reading, snapshot.nowMs)).toBeGreaterThanOrEqual(age * 1_000)
  expect(isCurrentAt(screen.node(0), snapshot.nowMs)).toBe(isCurrent)
  expect(causesOf(snapshot, snapshot.nowMs)).toMatchObject([
    { code: 'data/cached', severity: isCurrent ? 'info' : 'warning' },
  ])
})

it.each([-3_600, -8])(
  'a service whose clock is set back by %i s is live again with its second answer',
  async (bySeconds) => {
    const screen = watch({ services: [service({ pollIntervalMs: 5_000 })], nodeCount: 2 })
    let byMs = 0
    screen.world.answer = ({ node, wallMs }) => ({
      body: record(node, { last_heartbeat: Math.floor((wallMs + byMs) / 1_000) - 1 }),
      date: new Date(wallMs + byMs).toUTCString(),
    })
    await screen.clock.advance(20_000)
    byMs = bySeconds * 1_000
    await screen.clock.advance(11_000)
    expect(screen.node(0).episode).toBeUndefined()
    expect(screen.service()?.offset?.highMs).toBeLessThanOrEqual(byMs + 1_500)
    expect(isCurrentAt(screen.node(0), screen.monitor.snapshot().nowMs)).toBe(true)
  },
)

it.each([45_000, -45_000, 3_600_000])(
  'a replica with a clock that is %i ms off is not taken for the service or a cache, even if it answers first',
  async (byMs) => {
    for (const nodeCount of [1, 6]) {
      let asked = 0
      const screen = watch({ nodeCount })
      screen.world.answer = ({ node, wallMs }) => ({
        date: new Date(wallMs + (asked++ % 3 === 0 ? byMs : 0)).toUTCString(),
        body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) }),
      })
      for (let second = 0; second < 60; second++) {
        await screen.clock.advance(1_000)
        expect(screen.monitor.snapshot().causes).toEqual([])
      }
    }
  },
)
