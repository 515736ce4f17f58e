import { describe, expect, it } from 'vitest'
import { LOCK_BEATS, TAB_LIMITS } from '#tabs/limits.ts'
import type { TabMessage } from '#tabs/tab-message.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { HIGHER, LOWER, ME, tabByLock } from './one-tab.ts'

const { beatMs, leaseMs } = LOCK_BEATS
const { yieldMs, slowMs } = TAB_LIMITS
const beat = (from: string, term: number, holdMs = 0): TabMessage => ({
  kind: 'beat',
  from,
  term,
  holdMs,
  wallMs: TEST_START_MS,
})

/** A tab that leads: it was alone, so at once. */
function leading() {
  const tab = tabByLock()
  tab.grant()
  tab.see(true)
  tab.said()
  tab.roles()
  return tab
}

/** A tab that follows `LOWER`, in term 7. */
function following() {
  const tab = tabByLock()
  tab.hear(beat(LOWER, 7))
  tab.said()
  tab.roles()
  return tab
}

describe('a tab that waits for the lock', () => {
  it('asks who leads, and leads nothing', async () => {
    const tab = tabByLock()
    expect(tab.said()).toEqual([{ kind: 'ask', from: ME }])
    expect(tab.requests.map(({ how }) => how)).toEqual(['wait'])
    expect(tab.role()).toEqual({ role: 'following', term: 0, leader: undefined, silent: false, by: 'locks' })
    expect([tab.election.maySend(), await tab.election.confirm(), tab.see(true)]).toEqual([false, false, 0])
  })

  it('knows whom it heard, and publishes only what is new', () => {
    const tab = tabByLock()
    tab.hear(beat(LOWER, 7))
    tab.hear(beat(LOWER, 7))
    expect(tab.roles()).toEqual([{ role: 'following', term: 7, leader: LOWER, silent: false, by: 'locks' }])
    tab.hear(beat(LOWER, 8))
    tab.hear(beat(HIGHER, 8))
    expect(tab.roles().map(({ term, leader }) => [term, leader])).toEqual([
      [8, LOWER],
      [8, HIGHER],
    ])
    tab.hear(beat(LOWER, 7))
    expect([tab.roles(), tab.role().leader]).toEqual([[], HIGHER])
  })

  it('asks after two beats that stay out, takes the lock after four, and says that it is silent', async () => {
    const tab = following()
    await tab.clock.advance(beatMs)
    expect(tab.said()).toEqual([])
    await tab.clock.advance(beatMs)
    expect([tab.kinds(), tab.role().silent]).toEqual([['ask'], false])
    await tab.clock.advance(beatMs)
    expect([tab.kinds(), tab.roles(), tab.requests.length]).toEqual([['ask'], [], 1])
    await tab.clock.advance(beatMs)
    expect(tab.role().silent).toBe(true)
    expect(tab.requests.map(({ how, isOver }) => [how, isOver])).toEqual([
      ['wait', true],
      ['steal', false],
    ])
    tab.hear(beat(LOWER, 7))
    expect(tab.role().silent).toBe(false)
  })

  it('that hesitates says after ten beats that its leader is silent, and takes the lock after 32', async () => {
    const tab = tabByLock({ hesitates: true })
    tab.hear(beat(LOWER, 7))
    await tab.clock.advance(9 * beatMs)
    expect(tab.role().silent).toBe(false)
    await tab.clock.advance(beatMs)
    expect(tab.role().silent).toBe(true)
    await tab.clock.advance(21 * beatMs)
    expect(tab.requests).toHaveLength(1)
    await tab.clock.advance(beatMs)
    expect(tab.requests.map(({ how }) => how)).toEqual(['wait', 'steal'])
  })

  it('steals for a person only when the leader, which beats on, does not yield within a second', async () => {
    const tab = following()
    tab.election.takeOver()
    expect(tab.said()).toEqual([{ kind: 'take-over', from: ME }])
    for (let beats = 0; beats < 6; beats++) {
      await tab.clock.advance(beatMs)
      tab.hear(beat(LOWER, 7))
    }
    await tab.clock.advance(yieldMs - 1 - 6 * beatMs)
    expect(tab.requests).toHaveLength(1)
    await tab.clock.advance(1)
    expect(tab.requests.map(({ how }) => how)).toEqual(['wait', 'steal'])
  })

  it.each([
    ['its leader yields to it', { kind: 'yield', from: LOWER, to: ME, term: 7 }, true],
    ['its leader yields to another', { kind: 'yield', from: LOWER, to: HIGHER, term: 7 }, false],
    ['somebody else yields to it', { kind: 'yield', from: HIGHER, to: ME, term: 7 }, false],
    ['its leader is about to freeze', { kind: 'freeze', from: LOWER, term: 7 }, true],
    ['somebody else is about to freeze', { kind: 'freeze', from: HIGHER, term: 7 }, false],
    ['somebody claims as pages without locks do', { kind: 'claim', from: LOWER, term: 9 }, false],
    ['somebody asks', { kind: 'ask', from: HIGHER }, false],
    ['somebody wants to take over', { kind: 'take-over', from: HIGHER }, false],
  ] as const)('when %s, steals the lock: %#', (_, message, steals) => {
    const tab = following()
    tab.hear(message)
    expect(tab.requests.some(({ how }) => how === 'steal')).toBe(steals)
    expect(tab.said()).toEqual([])
  })
})

describe('a tab that was given the lock', () => {
  it('leads at once where no other tab is', () => {
    const tab = tabByLock()
    tab.grant()
    expect([tab.role().role, tab.election.maySend()]).toEqual(['following', false])
    expect(tab.see(true)).toBe(1)
    expect(tab.roles()).toEqual([
      { role: 'leading', term: TEST_START_MS, leader: ME, silent: false, by: 'locks' },
    ])
    expect(tab.said().at(-1)).toEqual(beat(ME, TEST_START_MS))
    expect(tab.election.maySend()).toBe(true)
  })

  it('waits out a lease where another tab is and nobody was heard, and says so', async () => {
    const tab = tabByLock()
    tab.said()
    tab.grant()
    tab.see(true, [LOWER])
    expect(tab.said()).toEqual([beat(ME, TEST_START_MS, leaseMs)])
    expect(tab.election.maySend()).toBe(false)
    await tab.clock.advance(leaseMs - 1)
    tab.see(true, [LOWER])
    expect(tab.role().role).toBe('following')
    await tab.clock.advance(1)
    expect(tab.see(true, [LOWER])).toBeGreaterThan(0)
    expect([tab.role().role, tab.election.maySend()]).toEqual(['leading', true])
  })

  it('leads at once where the leader that it heard is gone, and not where it is still there', () => {
    const gone = following()
    gone.grant()
    gone.see(true, [HIGHER])
    expect([gone.role().role, gone.role().leader]).toEqual(['leading', ME])
    const there = following()
    there.grant()
    there.see(true, [LOWER])
    expect([there.role().role, there.role().leader]).toEqual(['following', LOWER])
  })

  it.each([
    ['said that it has stopped', { kind: 'bye', from: LOWER, term: 7 }, 'leading'],
    ['said so in a later term', { kind: 'bye', from: LOWER, term: 8 }, 'leading'],
    ['said so in an earlier term', { kind: 'bye', from: LOWER, term: 6 }, 'following'],
    ['said nothing, while another tab did', { kind: 'bye', from: HIGHER, term: 7 }, 'following'],
  ] as const)('where the leader %s, is then %#', (_, message, role) => {
    const tab = following()
    tab.hear(message)
    tab.grant()
    tab.see(true, [LOWER, HIGHER])
    expect(tab.role().role).toBe(role)
  })

  it('does not take for stopped a leader that beats again', () => {
    const tab = following()
    tab.hear({ kind: 'bye', from: LOWER, term: 7 })
    tab.hear(beat(LOWER, 8))
    tab.grant()
    tab.see(true, [LOWER])
    expect(tab.role().role).toBe('following')
  })

  it('does not lead before a leader that it heard says that its hold is over', async () => {
    const tab = tabByLock()
    tab.hear(beat(LOWER, 7, 200))
    tab.hear({ kind: 'bye', from: LOWER, term: 7 })
    tab.grant()
    await tab.clock.advance(199)
    tab.see(true)
    expect(tab.role().role).toBe('following')
    await tab.clock.advance(101)
    tab.see(true)
    expect(tab.role().role).toBe('leading')
  })

  it('sends at once when the leader yielded, and a lease later when it may be frozen', async () => {
    const yielded = following()
    yielded.hear({ kind: 'yield', from: LOWER, to: ME, term: 7 })
    yielded.grant()
    yielded.see(true, [LOWER])
    expect(yielded.election.maySend()).toBe(true)
    const frozen = following()
    frozen.hear({ kind: 'freeze', from: LOWER, term: 7 })
    frozen.hear({ kind: 'bye', from: LOWER, term: 7 })
    frozen.grant()
    frozen.see(true)
    expect(frozen.election.maySend()).toBe(false)
    await frozen.clock.advance(leaseMs)
    frozen.see(true)
    expect(frozen.election.maySend()).toBe(true)
  })

  it('beats on while it waits, and leads with the beat at which it may', async () => {
    const tab = following()
    tab.grant()
    tab.see(true, [LOWER])
    tab.said()
    await tab.clock.advance(beatMs)
    expect(tab.see(true, [LOWER])).toBe(1)
    expect(tab.said()).toEqual(
      [beat(ME, TEST_START_MS, leaseMs)].map((one) => ({ ...one, wallMs: tab.clock.wallMs() })),
    )
    tab.hear({ kind: 'ask', from: HIGHER })
    tab.see(true, [])
    expect([tab.role().role, tab.election.maySend()]).toEqual(['leading', true])
  })

  it('takes its term with whichever look is answered first', async () => {
    const tab = tabByLock()
    tab.grant()
    await tab.clock.advance(beatMs)
    tab.seeNewest()
    expect(tab.role()).toMatchObject({ role: 'leading', term: TEST_START_MS + beatMs })
    await tab.clock.advance(1)
    tab.see(true)
    expect(tab.role().term).toBe(TEST_START_MS + beatMs)
  })

  it('queues up again where it has lost the lock before it was sure', () => {
    const tab = tabByLock()
    tab.grant()
    tab.see(false)
    expect(tab.requests.map(({ how, isOver }) => [how, isOver])).toEqual([
      ['wait', true],
      ['wait', false],
    ])
    expect(tab.role().role).toBe('following')
  })

  it('takes no notice of a look whose answer came too late', () => {
    const tab = tabByLock()
    tab.grant()
    tab.lose()
    tab.said()
    expect(tab.see(true)).toBe(1)
    expect([tab.role().role, tab.said()]).toEqual(['following', []])
    tab.grant()
    tab.see(true)
    expect(tab.role().role).toBe('leading')
  })
})

describe('a tab that leads', () => {
  it('says so with every beat, once it is sure', async () => {
    const tab = leading()
    await tab.clock.advance(beatMs)
    expect(tab.said()).toEqual([])
    tab.see(true)
    expect(tab.said()).toEqual([{ ...beat(ME, TEST_START_MS), wallMs: TEST_START_MS + beatMs }])
    tab.hear({ kind: 'ask', from: HIGHER })
    expect(tab.see(true)).toBe(1)
    expect(tab.kinds()).toEqual(['beat'])
    expect(tab.roles()).toEqual([])
  })

  it('may send for a lease after it last looked, counted from before the look', async () => {
    const tab = leading()
    await tab.clock.advance(beatMs)
    // The look is under way; what it tells holds from when it began.
    tab.clock.advanceSync(100)
    tab.see(true)
    tab.clock.advanceSync(leaseMs - 100 - 200)
    tab.clock.stepWall(200)
    expect(tab.election.maySend()).toBe(true)
    tab.clock.stepWall(1)
    expect(tab.election.maySend()).toBe(false)
  })

  it('makes sure where that was too long ago, and says no where it lost the lock', async () => {
    const tab = leading()
    expect(await tab.election.confirm()).toBe(true)
    expect(tab.see(true)).toBe(0)
    tab.clock.stepWall(leaseMs + 1)
    const sure = tab.election.confirm()
    tab.see(true)
    expect(await sure).toBe(true)
    tab.clock.stepWall(leaseMs + 1)
    const lost = tab.election.confirm()
    tab.see(false)
    expect(await lost).toBe(false)
    expect([tab.role().role, tab.role().leader]).toEqual(['following', undefined])
  })

  it('looks three times at most where each look takes longer than the lease', async () => {
    const tab = leading()
    tab.clock.stepWall(leaseMs + 1)
    const sure = tab.election.confirm()
    for (let looks = 0; looks < 3; looks++) {
      tab.clock.stepWall(leaseMs + 1)
      expect(tab.see(true)).toBe(1)
      await Promise.resolve()
      await Promise.resolve()
    }
    expect([await sure, tab.see(true)]).toEqual([false, 0])
    const next = tab.election.confirm()
    tab.clock.stepWall(leaseMs + 1)
    tab.see(true)
    await Promise.resolve()
    tab.see(true)
    expect(await next).toBe(true)
  })

  it('says no where it stopped leading while it looked', async () => {
    const tab = leading()
    tab.clock.stepWall(leaseMs + 1)
    const sure = tab.election.confirm()
    tab.election.rest()
    tab.see(true)
    expect(await sure).toBe(false)
  })

  it('follows, in the queue, when the lock is stolen', () => {
    const tab = leading()
    tab.lose()
    expect(tab.roles()).toEqual([
      { role: 'following', term: TEST_START_MS, leader: undefined, silent: false, by: 'locks' },
    ])
    expect(tab.requests.map(({ how, isOver }) => [how, isOver])).toEqual([
      ['wait', true],
      ['wait', false],
    ])
    expect([tab.election.maySend(), tab.said()]).toEqual([false, []])
  })

  it.each([
    ['soon was back', slowMs, 8],
    ['was away for longer, as frozen ones are', slowMs + 1, 4],
  ])('that lost the lock and %s takes the next one’s after %3$d beats', async (_, awayMs, beats) => {
    const tab = leading()
    tab.clock.stepWall(awayMs)
    tab.lose()
    tab.hear(beat(HIGHER, TEST_START_MS + 1))
    await tab.clock.advance((beats - 1) * beatMs)
    expect(tab.requests.map(({ how }) => how)).toEqual(['wait', 'wait'])
    await tab.clock.advance(beatMs)
    expect(tab.requests.map(({ how }) => how)).toEqual(['wait', 'wait', 'steal'])
  })

  it('stops at once when another tab is to take over, and goes on when that never does', async () => {
    const tab = leading()
    tab.hear({ kind: 'take-over', from: HIGHER })
    expect(tab.said()).toEqual([{ kind: 'yield', from: ME, to: HIGHER, term: TEST_START_MS }])
    expect([tab.role().role, tab.election.maySend()]).toEqual(['following', false])
    tab.hear({ kind: 'take-over', from: LOWER })
    tab.hear({ kind: 'ask', from: LOWER })
    expect(tab.said()).toEqual([])
    // It still has the lock, so it beats no more and looks only whether that is so.
    await tab.clock.advance(beatMs)
    tab.see(true)
    expect([tab.said(), tab.requests[0]?.isOver]).toEqual([[], false])
    await tab.clock.advance(2 * yieldMs - beatMs - 1)
    tab.see(true)
    expect(tab.role().role).toBe('following')
    await tab.clock.advance(1)
    tab.see(true)
    expect([tab.role().role, tab.election.maySend()]).toEqual(['leading', true])
  })

  it('takes a term beyond that of another that believes it leads, where the lock is its own', () => {
    const tab = leading()
    const term = TEST_START_MS + 40
    tab.hear(beat(HIGHER, term))
    expect(tab.role().term).toBe(TEST_START_MS)
    tab.see(true)
    expect(tab.roles()).toEqual([{ role: 'leading', term: term + 1, leader: ME, silent: false, by: 'locks' }])
    tab.hear(beat(HIGHER, 3))
    expect(tab.see(true)).toBe(0)
    tab.hear(beat(HIGHER, term + 1))
    tab.see(false)
    expect(tab.role().role).toBe('following')
  })

  it('hears no messages that are for others', () => {
    const tab = leading()
    for (const message of [
      { kind: 'yield', from: LOWER, to: ME, term: 9 },
      { kind: 'freeze', from: LOWER, term: 9 },
      { kind: 'bye', from: LOWER, term: 9 },
      { kind: 'claim', from: LOWER, term: 9 },
    ] as const)
      tab.hear(message)
    expect([tab.said(), tab.roles(), tab.requests.length, tab.election.maySend()]).toEqual([[], [], 1, true])
    tab.election.takeOver()
    tab.election.wake()
    expect([tab.said(), tab.requests.length]).toEqual([[], 1])
  })
})

describe('a tab that rests', () => {
  it('gives the lock back, says good-bye if it led, and takes part again when it wakes', () => {
    const tab = leading()
    tab.election.rest()
    expect(tab.said()).toEqual([{ kind: 'bye', from: ME, term: TEST_START_MS }])
    expect([tab.requests[0]?.isOver, tab.role().role, tab.role().leader]).toEqual([
      true,
      'following',
      undefined,
    ])
    tab.election.rest()
    tab.hear(beat(LOWER, TEST_START_MS + 5))
    expect([tab.said(), tab.role().leader]).toEqual([[], undefined])
    tab.election.wake()
    expect(tab.said()).toEqual([{ kind: 'ask', from: ME }])
    expect(tab.requests.map(({ how }) => how)).toEqual(['wait', 'wait'])
    tab.hear(beat(LOWER, TEST_START_MS + 5))
    expect(tab.role().leader).toBe(LOWER)
  })

  it('says nothing where it only followed, and keeps in mind whom', async () => {
    const tab = following()
    tab.election.rest()
    await tab.clock.advance(20 * beatMs)
    expect([tab.said(), tab.role().leader, tab.requests.length]).toEqual([[], LOWER, 1])
  })

  it('for good has no timer left', async () => {
    const tab = leading()
    tab.election.end()
    expect(tab.kinds()).toEqual(['bye'])
    expect(tab.clock.pendingMs()).toEqual([])
  })
})
