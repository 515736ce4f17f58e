import { describe, expect, it } from 'vitest'
import { afterAnswer, afterFailure, heldBack, setBack } from '#monitor/node-state.ts'
import { METRICS } from '#metrics/metrics.ts'
import { NO_LAST_VALUES } from '#monitor/tracked.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { episode, node, NOW_MS, reading, timeout, unreachable, WALL_MS } from './fleet.ts'

const fresh = node(0, { reading: undefined })
const BEGAN = { sinceMs: NOW_MS - 5_000, sinceWallMs: WALL_MS - 5_000, unseenMs: 0 }

describe('a node that answered', () => {
  it('for the first time has everything since then, and nothing that changed', () => {
    const answer = reading()
    const { live, lastValues, steps } = afterAnswer(fresh, NO_LAST_VALUES, answer)
    expect(live).toMatchObject({
      reading: answer,
      answered: 1,
      failed: 0,
      since: { status: BEGAN, stake: BEGAN, participation: BEGAN, proof: BEGAN },
      counters: { threatResponses: { increase: 0, restarts: 0, lastRestartWallMs: undefined } },
    })
    expect(Object.keys(live.since)).toHaveLength(4)
    expect(lastValues).toMatchObject({
      status: 'ACTIVE',
      stake: '1250000',
      proof: '0xabcd',
      threatResponses: '7',
    })
    expect(steps).toEqual({ threatResponses: { increase: 0, restarted: false } })
  })

  it('again keeps what is unchanged and dates what is new', () => {
    const first = afterAnswer(fresh, NO_LAST_VALUES, reading({}, { startedMs: 1, startedWallMs: 10 }))
    const later = { startedMs: 2, startedWallMs: 20 }
    const same = afterAnswer(first.live, first.lastValues, reading({}, later))
    const then = { sinceMs: 1, sinceWallMs: 10, unseenMs: 0 }
    expect(same.live.since).toEqual({ status: then, stake: then, participation: then, proof: then })
    expect(same.live.counters).toBe(first.live.counters)
    const changed = afterAnswer(
      first.live,
      first.lastValues,
      reading(
        { status: 'X', stake_deployed: 1, cryptographic_proof: '0x1', threat_responses_executed: 9 },
        later,
      ),
    )
    const now = { sinceMs: 2, sinceWallMs: 20, unseenMs: 0 }
    expect(changed.live.since).toEqual({ status: now, stake: now, participation: then, proof: now })
    expect(changed.live.counters).toEqual({
      threatResponses: { increase: 2, restarts: 0, lastRestartWallMs: undefined },
    })
  })

  it('without a field remembers what that was', () => {
    const first = afterAnswer(fresh, NO_LAST_VALUES, reading({}, { startedMs: 1, startedWallMs: 10 }))
    const bare = reading({
      status: 5,
      stake_deployed: null,
      cryptographic_proof: 'zz',
      threat_responses_executed: null,
    })
    const second = afterAnswer(first.live, first.lastValues, bare)
    expect(second.lastValues).toEqual(first.lastValues)
    expect(second.steps).toEqual({})
    // What is shown then is that it can't be used, and that began now.
    const { startedMs, startedWallMs } = bare
    const now = { sinceMs: startedMs, sinceWallMs: startedWallMs, unseenMs: 0 }
    expect(second.live.since).toMatchObject({ status: now, stake: now, proof: now })
    expect(second.live.counters).toBe(first.live.counters)
  })

  it('after a time of which nothing is known says how much of it that was', () => {
    const at = (startedMs: number, given = {}) => reading(given, { startedMs, startedWallMs: startedMs })
    const answer = (state: ReturnType<typeof afterAnswer>, next: ReturnType<typeof reading>) =>
      afterAnswer(state.live, state.lastValues, next, METRICS, 37_500)
    const unseen = ({ live }: ReturnType<typeof afterAnswer>) =>
      Object.fromEntries(Object.entries(live.since).map(([id, since]) => [id, since?.unseenMs]))
    const first = afterAnswer(fresh, NO_LAST_VALUES, at(0))
    const onTime = answer(first, at(37_500))
    expect(unseen(onTime)).toEqual({ status: 0, stake: 0, participation: 0, proof: 0 })
    const late = answer(onTime, at(337_500))
    expect(late.live.since['status']).toEqual({ sinceMs: 0, sinceWallMs: 0, unseenMs: 300_000 })
    expect(unseen(late)).toMatchObject({ stake: 300_000, proof: 300_000 })
    const twice = answer(late, at(437_500, { stake_deployed: 9 }))
    expect(unseen(twice)).toMatchObject({ status: 400_000, stake: 0, proof: 400_000 })
  })

  it('counts restarts, keeps when the last one was, and counts one that begins at nothing', () => {
    const totals = [10, 4, 4, 9, 0]
    let state = afterAnswer(fresh, NO_LAST_VALUES, reading({ threat_responses_executed: 7 }))
    const tracks = totals.map((total, place) => {
      const next = reading({ threat_responses_executed: total }, { startedWallMs: 1_000 + place })
      state = afterAnswer(state.live, state.lastValues, next)
      return state.live.counters['threatResponses']
    })
    expect(tracks).toEqual([
      { increase: 3, restarts: 0, lastRestartWallMs: undefined },
      { increase: 7, restarts: 1, lastRestartWallMs: 1_001 },
      { increase: 7, restarts: 1, lastRestartWallMs: 1_001 },
      { increase: 12, restarts: 1, lastRestartWallMs: 1_001 },
      { increase: 12, restarts: 2, lastRestartWallMs: 1_004 },
    ])
  })
})

describe('a node that failed', () => {
  it('has an episode that begins with the first miss and names the last', () => {
    const first = afterFailure(fresh, unreachable, 50, 500, true)
    expect(first).toMatchObject({
      episode: { failure: unreachable, sinceMs: 50, sinceWallMs: 500, misses: 1 },
      failed: 1,
    })
    const second = afterFailure(first, timeout, 60, 600, true)
    expect(second).toMatchObject({
      episode: { failure: timeout, sinceMs: 50, sinceWallMs: 500, misses: 2 },
      failed: 2,
    })
    expect(afterFailure(second, timeout, 70, 700, false)).toMatchObject({
      episode: { misses: 3 },
      failed: 2,
    })
  })
})

describe('a node of a service that is held back', () => {
  const noKey: PollFailure = { kind: 'no-key' }
  const refused: PollFailure = { kind: 'unauthorized' }
  const own = node(0, { episode: episode(timeout, 3) })
  const since = { sinceMs: 5, sinceWallMs: 50, misses: 0 }

  it.each([
    ['without a failure of its own carries the service’s', node(0), refused, { failure: refused, ...since }],
    ['keeps its own, which says more', own, refused, own.episode],
    ['loses its own where nothing can be asked at all', own, noKey, { failure: noKey, ...since }],
  ])('%s', (_what, live, failure, expected) => {
    expect(heldBack(live, failure, 5, 50).episode).toEqual(expected)
  })

  it('stays as it is while the reason does', () => {
    const waiting = heldBack(node(0), noKey, 5, 50)
    expect(heldBack(waiting, noKey, 9, 90)).toBe(waiting)
  })
})

describe('a clock that was set back', () => {
  it('moves every wall time that was noted, and no other', () => {
    const live = node(0, {
      episode: episode(timeout, 2),
      since: { status: { sinceMs: 3_000, sinceWallMs: 1_000, unseenMs: 5 } },
      counters: { threatResponses: { increase: 1, restarts: 1, lastRestartWallMs: 4_000 } },
    })
    const moved = setBack(live, 600)
    expect(moved).toMatchObject({
      since: { status: { sinceMs: 3_000, sinceWallMs: 400, unseenMs: 5 } },
      counters: { threatResponses: { increase: 1, restarts: 1, lastRestartWallMs: 3_400 } },
      reading: { startedMs: NOW_MS - 5_000, startedWallMs: WALL_MS - 5_600 },
      episode: { sinceMs: NOW_MS - 5_000, sinceWallMs: WALL_MS - 5_600, misses: 2 },
    })
  })

  it('leaves alone what is not known', () => {
    expect(setBack(fresh, 600)).toEqual(fresh)
  })
})

describe('what a node said last', () => {
  it('is kept of each member that is compared, and of none that is measured or is about now', () => {
    const { lastValues } = afterAnswer(fresh, NO_LAST_VALUES, reading())
    expect(lastValues).toEqual({
      status: 'ACTIVE',
      stake: '1250000',
      participation: '0.98',
      proof: '0xabcd',
      threatResponses: '7',
    })
  })

  it('does not say since when it holds where no reading is there any more', () => {
    const { live } = afterAnswer(fresh, { status: 'ACTIVE' }, reading())
    expect(live.since['status']).toEqual(BEGAN)
  })

  it('of a counter that never began anew has no time that could be moved', () => {
    const live = node(0, {
      counters: { threatResponses: { increase: 1, restarts: 0, lastRestartWallMs: undefined } },
    })
    expect(setBack(live, 600).counters).toEqual(live.counters)
  })
})
