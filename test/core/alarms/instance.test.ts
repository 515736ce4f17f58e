import { describe, expect, it } from 'vitest'
import type { AlarmSeverity } from '#alarms/alarm.ts'
import { changePercent, isFlapping, NO_TRAIL, withState, actOn, endShelf } from '#alarms/instance.ts'
import { applyEvaluation, type Instance, type Observation, type Timing } from '#alarms/instance.ts'
import { alarm, firing } from './one-alarm.ts'

const TWO: Timing = { raiseAfter: { polls: 2, of: 2 }, forMs: 0, clearAfter: 2, keepFiringForMs: 0 }
const ONE: Timing = { raiseAfter: { polls: 1, of: 1 }, forMs: 0, clearAfter: 1, keepFiringForMs: 0 }

/** An alarm that is evaluated every second by default. */
function looked(timing: Timing, before: Instance = alarm()) {
  let one = before
  let awakeMs = 0
  const names: string[] = []
  const look = (
    state: Observation['state'],
    severity: AlarmSeverity = 'warning',
    afterMs = 1_000,
    freshForMs = 60_000,
  ) => {
    awakeMs += afterMs
    const stepped = applyEvaluation(
      one,
      timing,
      { state, severity, freshForMs },
      { awakeMs, wallMs: 10_000 + awakeMs },
    )
    one = stepped.next
    names.push(...stepped.transitions.map(({ name, reason }) => `${name} ${reason}`))
    return one
  }
  return { look, names: () => names.splice(0) }
}

describe('an alarm', () => {
  it('is pending after the first bad evaluation, and raised by the second in a row', () => {
    const { look, names } = looked(TWO)
    expect(look('bad')).toMatchObject({
      phase: 'pending',
      sinceWallMs: 11_000,
      severity: 'warning',
      raisedWallMs: undefined,
    })
    expect(names()).toEqual(['pending bad-evidence'])
    expect(look('bad')).toMatchObject({
      phase: 'firing',
      sinceWallMs: 11_000,
      raisedWallMs: 12_000,
      raises: [12_000],
      awaitsAcknowledgement: false,
      watchedMs: 0,
    })
    expect(names()).toEqual(['raised bad-evidence'])
  })

  it('is reset by a good evaluation while it is pending', () => {
    const { look, names } = looked(TWO)
    look('bad')
    expect(look('good').phase).toBe('normal')
    expect(names()).toEqual(['pending bad-evidence', 'reset good-evidence'])
    expect(look('good').phase).toBe('normal')
    expect(names()).toEqual([])
  })

  it('that needs 2 bad of 3 polls stays pending while they can still come', () => {
    const { look, names } = looked({ ...TWO, raiseAfter: { polls: 2, of: 3 } })
    look('bad')
    expect(look('good').phase).toBe('pending')
    expect(look('bad').phase).toBe('firing')
    const over = looked({ ...TWO, raiseAfter: { polls: 2, of: 3 } })
    over.look('bad')
    over.look('good')
    over.look('good')
    expect(over.look('good').phase).toBe('normal')
    expect(names()).toEqual(['pending bad-evidence', 'raised bad-evidence'])
  })

  it('that is bad at every second poll is raised once it flaps, and once only', () => {
    const { look, names } = looked(TWO)
    for (let round = 0; round < 12; round++) {
      look('good')
      look('bad')
    }
    expect(names().filter((name) => /^(flapping|raised)/.test(name))).toEqual([
      'flapping share-of-changes',
      'raised bad-evidence',
    ])
  })

  it('that must be bad for 3 s is raised at exactly 3 s, with that reason', () => {
    const { look, names } = looked({ ...ONE, forMs: 3_000 })
    look('bad')
    look('bad')
    expect(look('bad', 'warning', 1_999).phase).toBe('pending')
    expect(look('bad', 'warning', 1)).toMatchObject({ phase: 'firing', sinceWallMs: 11_000 })
    expect(names()).toEqual(['pending bad-evidence', 'raised held-long-enough'])
  })

  it('counts only time with fresh evidence, and none while the state is unknown', () => {
    const { look } = looked({ ...ONE, forMs: 10_000 })
    look('bad', 'warning', 1_000, 2_000)
    expect(look('bad', 'warning', 60_000).watchedMs).toBe(2_000)
    expect(look('unknown', 'warning', 3_000)).toMatchObject({ watchedMs: 5_000, heldAwakeMs: 64_000 })
    expect(look('unknown', 'warning', 9_000).heldAwakeMs).toBe(64_000)
    expect(look('bad', 'warning', 9_000)).toMatchObject({
      phase: 'pending',
      watchedMs: 5_000,
      heldAwakeMs: undefined,
    })
    expect(look('bad', 'warning', 5_000).phase).toBe('firing')
  })

  it('clears after two good evaluations in a row, as of the first of them', () => {
    const { look, names } = looked(TWO)
    look('bad')
    look('bad')
    names()
    expect(look('good')).toMatchObject({ phase: 'recovering', goodSinceWallMs: 13_000 })
    expect(look('good')).toMatchObject({
      phase: 'normal',
      clearedWallMs: 13_000,
      awaitsAcknowledgement: true,
      acknowledged: undefined,
    })
    expect(names()).toEqual(['recovering good-evidence', 'cleared good-evidence'])
  })

  it('that must be good for 3 s clears at exactly 3 s', () => {
    const { look } = looked({ ...ONE, keepFiringForMs: 3_000 })
    look('bad')
    look('good')
    expect(look('good', 'warning', 2_999).phase).toBe('recovering')
    expect(look('good', 'warning', 1).phase).toBe('normal')
  })

  it('fires again if it turns bad while recovering, and keeps the time of its raise', () => {
    const { look, names } = looked(TWO)
    look('bad')
    look('bad')
    look('good')
    names()
    expect(look('bad')).toMatchObject({
      phase: 'firing',
      goodSinceWallMs: undefined,
      raisedWallMs: 12_000,
      watchedMs: 0,
    })
    expect(names()).toEqual(['relapsed bad-evidence'])
  })

  it('that gets worse loses its acknowledgement and shelf; one that gets better keeps its severity', () => {
    const { look, names } = looked(
      ONE,
      firing({
        side: 'bad',
        acknowledged: { wallMs: 1 },
        shelved: { untilWallMs: 9e9, untilAwakeMs: 9e9, reason: '' },
      }),
    )
    expect(look('bad', 'info')).toMatchObject({ severity: 'warning', acknowledged: { wallMs: 1 } })
    expect(names()).toEqual([])
    expect(look('bad', 'critical')).toMatchObject({
      severity: 'critical',
      acknowledged: undefined,
      shelved: undefined,
    })
    expect(names()).toEqual(['worse critical'])
    expect(look('bad', 'warning').severity).toBe('critical')
  })

  it('that was acknowledged clears without awaiting acknowledgement, and can be raised again', () => {
    const { look } = looked(ONE, firing({ side: 'bad', acknowledged: { wallMs: 1 } }))
    expect(look('good')).toMatchObject({
      phase: 'normal',
      awaitsAcknowledgement: false,
      acknowledged: undefined,
    })
    expect(look('bad')).toMatchObject({ phase: 'firing', sinceWallMs: 12_000, raisedWallMs: 12_000 })
  })

  it('remembers its last 50 raise times', () => {
    const { look } = looked(ONE)
    for (let round = 0; round < 60; round++) {
      look('bad')
      look('good')
    }
    const { raises } = look('good')
    expect(raises).toHaveLength(50)
    expect(raises.at(-1)).toBe(10_000 + 119_000)
  })

  it('reports once that it flaps, and once that it has settled', () => {
    const { look, names } = looked(ONE)
    for (let round = 0; round < 12; round++) {
      look('bad')
      look('good')
    }
    for (let round = 0; round < 30; round++) look('good')
    const said = names().filter((name) => name.includes('share-of-changes'))
    expect(said).toEqual(['flapping share-of-changes', 'settled share-of-changes'])
  })
})

describe('a trail of states', () => {
  const trailOf = (states: string) =>
    Array.from(states).reduce((trail, state) => withState(trail, state === 'b'), NO_TRAIL)

  it('weighs its changes as Nagios does: 1.25 for the newest of twenty, 0.75 for the oldest', () => {
    expect(changePercent(trailOf('g'))).toBe(0)
    expect(changePercent(trailOf('gb'))).toBeCloseTo(1.25 * 5, 9)
    expect(changePercent(trailOf(`b${'g'.repeat(20)}`))).toBeCloseTo(0.75 * 5, 9)
    expect(changePercent(trailOf('gb'.repeat(11)))).toBeCloseTo(100, 9)
    expect(changePercent(trailOf(`b${'g'.repeat(21)}`))).toBe(0)
  })

  it('starts to flap at 20 % and stops at 5 %', () => {
    const few = trailOf(`bgbg${'g'.repeat(2)}`)
    expect(changePercent(few)).toBeLessThan(20)
    expect([isFlapping(few, false), isFlapping(few, true)]).toEqual([false, true])
    expect(isFlapping(trailOf('bgbgb'), false)).toBe(true)
    const one = trailOf(`b${'g'.repeat(15)}`)
    expect(changePercent(one)).toBeLessThan(5)
    expect(isFlapping(one, true)).toBe(false)
  })
})

describe('operator actions', () => {
  const now = { awakeMs: 50, wallMs: 1_000 }

  it('acknowledge an active alarm, with a note of at most 2,000 characters', () => {
    const { next, transitions } = actOn(
      firing(),
      { act: 'acknowledge', ids: [], note: '  seen  ', by: 'Ada' },
      now,
    )
    expect(next.acknowledged).toEqual({ wallMs: 1_000, note: 'seen', by: 'Ada' })
    expect(transitions).toEqual([{ name: 'acknowledged', reason: 'by-person', note: 'seen', by: 'Ada' }])
    expect(actOn(firing({ phase: 'recovering' }), { act: 'acknowledge-all' }, now)).toMatchObject({
      next: { acknowledged: { wallMs: 1_000 } },
      transitions: [{ name: 'acknowledged', reason: 'by-person' }],
    })
    expect(
      actOn(firing(), { act: 'acknowledge', ids: [], note: 'a'.repeat(3_000) }, now).next.acknowledged?.note,
    ).toHaveLength(2_000)
    expect(
      'note' in (actOn(firing(), { act: 'acknowledge', ids: [], note: ' ' }, now).next.acknowledged ?? {}),
    ).toBe(false)
  })

  it('acknowledge no inactive alarm, and none twice except with another note', () => {
    for (const phase of ['normal', 'pending'] as const)
      expect(actOn(alarm({ phase }), { act: 'acknowledge', ids: [] }, now).transitions).toEqual([])
    const known = firing({ acknowledged: { wallMs: 1, note: 'a' } })
    expect(actOn(known, { act: 'acknowledge', ids: [] }, now)).toEqual({ next: known, transitions: [] })
    expect(actOn(known, { act: 'acknowledge', ids: [], note: 'b' }, now).next.acknowledged).toEqual({
      wallMs: 1_000,
      note: 'b',
    })
  })

  it('withdraw an acknowledgement, and acknowledge a cleared alarm', () => {
    expect(
      actOn(firing({ acknowledged: { wallMs: 1 } }), { act: 'unacknowledge', ids: [] }, now),
    ).toMatchObject({
      next: { acknowledged: undefined },
      transitions: [{ name: 'unacknowledged', reason: 'by-person' }],
    })
    expect(actOn(firing(), { act: 'unacknowledge', ids: [] }, now).transitions).toEqual([])
    for (const act of [
      { act: 'acknowledge-end', ids: [] },
      { act: 'acknowledge', ids: [] },
    ] as const)
      expect(actOn(alarm({ awaitsAcknowledgement: true }), act, now)).toMatchObject({
        next: { awaitsAcknowledgement: false, acknowledged: undefined },
        transitions: [{ name: 'end-acknowledged', reason: 'by-person' }],
      })
    expect(actOn(firing(), { act: 'acknowledge-end', ids: [] }, now).transitions).toEqual([])
  })

  it('shelve for at most 24 h, and ignore a past or invalid end', () => {
    const shelve = (untilWallMs: number) =>
      actOn(firing(), { act: 'shelve', ids: [], untilWallMs, reason: ' noise ' }, now)
    expect(shelve(1_500)).toMatchObject({
      next: { shelved: { untilWallMs: 1_500, untilAwakeMs: 550, reason: 'noise' } },
      transitions: [{ name: 'shelved', reason: 'by-person', note: 'noise' }],
    })
    expect(shelve(9e15).next.shelved).toMatchObject({
      untilWallMs: 1_000 + 86_400_000,
      untilAwakeMs: 50 + 86_400_000,
    })
    for (const until of [1_000, 999, Number.NaN]) expect(shelve(until).transitions).toEqual([])
  })

  it('unshelve an alarm, whose shelf otherwise ends by either clock', () => {
    const shelved = firing({ shelved: { untilWallMs: 2_000, untilAwakeMs: 500, reason: 'x' } })
    expect(actOn(shelved, { act: 'unshelve', ids: [] }, now)).toMatchObject({
      next: { shelved: undefined },
      transitions: [{ name: 'unshelved', reason: 'by-person' }],
    })
    expect(actOn(firing(), { act: 'unshelve', ids: [] }, now).transitions).toEqual([])
    const endsAt = (wallMs: number, awakeMs: number) => endShelf(shelved, { wallMs, awakeMs }).transitions
    expect(endsAt(1_999, 499)).toEqual([])
    expect(endsAt(2_000, 0)).toEqual([{ name: 'unshelved', reason: 'shelf-ended' }])
    expect(endsAt(0, 500)).toEqual([{ name: 'unshelved', reason: 'shelf-ended' }])
    expect(endShelf(firing(), { wallMs: 9e9, awakeMs: 9e9 }).transitions).toEqual([])
  })
})
