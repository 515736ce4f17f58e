import { describe, expect, it } from 'vitest'
import { causesOf } from '#evaluate/causes.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import { repetition, type DatedAnswer } from '#monitor/reply-clock.ts'
import { record, service, watch, type Answer, type Asked } from './watch.ts'

const DATE = 'Mon, 01 Jun 2026 12:00:00 GMT'
const LATER = 'Mon, 01 Jun 2026 12:00:05 GMT'

describe('what a Date says of an answer', () => {
  const answer = (date: string | undefined, body = 'a', startedMs = 0) => ({
    reply: { status: 200, body, ...(date !== undefined && { date }) },
    startedMs,
    latencyMs: 100,
  })
  const first = repetition(undefined, answer(DATE)) as DatedAnswer

  it.each([
    ['the same a moment later: Dates are whole seconds', answer(DATE, 'a', 2_099), 'new'],
    ['the same two seconds later', answer(DATE, 'a', 2_100), 'repeated'],
    ['the same an hour later', answer(DATE, 'a', 3_600_000), 'repeated'],
    ['another body later: the service answered, and its clock stands', answer(DATE, 'b', 2_100), 'no-clock'],
    ['no Date', answer(undefined, 'a', 60_000), 'new'],
    ['a Date that can’t be read', answer('yesterday', 'a', 60_000), 'new'],
    [
      'the proxy’s own word',
      { ...answer(DATE, 'a', 60_000), reply: { ...answer(DATE).reply, proxyFailure: 'timeout' } },
      'new',
    ],
  ])('%s', (_what, next, expected) => {
    expect(repetition(first, next)).toBe(expected)
  })

  it.each([
    ['another Date', answer(LATER, 'a', 5_000)],
    ['an earlier Date: a clock was set back', answer('Mon, 01 Jun 2026 11:00:00 GMT', 'a', 5_000)],
    ['another body within the second', answer(DATE, 'b', 500)],
  ])('%s is new', (_what, next) => {
    expect(repetition(first, next)).toMatchObject({ endedMs: next.startedMs + 100 })
  })
})

describe('a cache in front of the service', () => {
  const quick = { services: [service({ pollIntervalMs: 5_000 })], nodeCount: 3 }
  const dated = (wallMs: number): string => new Date(wallMs).toUTCString()
  /** Keeps each node's answer for so long. */
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

  it('of a service that is dead: old values get old, and it is said why', async () => {
    const screen = watch(quick)
    screen.world.answer = cacheFor(Number.POSITIVE_INFINITY)
    await screen.clock.advance(30_000)
    const snapshot = screen.monitor.snapshot()
    expect(isCurrentAt(screen.node(0), snapshot.nowMs)).toBe(false)
    expect(screen.node(0)).toMatchObject({ answered: 1, reading: { startedMs: 0 } })
    expect(causesOf(snapshot, snapshot.nowMs)).toMatchObject([{ code: 'service/repeated' }])
    // Its Date is not the time of now.
    expect(screen.service()?.offset?.highMs).toBeGreaterThan(-2_000)
    screen.world.answer = ({ node, wallMs }) => ({ body: record(node), date: dated(wallMs) })
    await screen.clock.advance(6_000)
    expect(screen.node(0).episode).toBeUndefined()
  })

  it('that keeps answers for a moment only harms nobody', async () => {
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

  it('is not seen in a service whose clock stands still, once one answer differs', async () => {
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

  it('can’t be told where the service names no time', async () => {
    const screen = watch(quick)
    await screen.clock.advance(60_000)
    expect(screen.node(0)).toMatchObject({ episode: undefined, failed: 0 })
  })

  it('is not what a quick poll gets twice within a second', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 1_000 })] })
    screen.world.answer = ({ node, wallMs }) => ({ body: record(node), date: dated(wallMs) })
    await screen.clock.advance(60_000)
    expect(screen.node(0)).toMatchObject({ episode: undefined, failed: 0 })
  })
})
