import { describe, expect, it } from 'vitest'
import { MESSAGE_BEATS, TAB_LIMITS } from '#tabs/limits.ts'
import type { TabMessage } from '#tabs/tab-message.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { HIGHER, LOWER, ME, tabByMessage } from './one-tab.ts'

const { beatMs, leaseMs } = MESSAGE_BEATS
const { claimMs, graceMs } = TAB_LIMITS
const beat = (from: string, term: number): TabMessage => ({
  kind: 'beat',
  from,
  term,
  holdMs: 0,
  wallMs: TEST_START_MS,
})
const FIRST_TERM = TEST_START_MS + claimMs

async function leading() {
  const tab = tabByMessage()
  await tab.clock.advance(claimMs)
  tab.said()
  tab.roles()
  return tab
}

/** A tab that follows `LOWER`, in term 7. */
function following() {
  const tab = tabByMessage()
  tab.hear(beat(LOWER, 7))
  tab.said()
  tab.roles()
  return tab
}

describe('a tab that claims', () => {
  it('leads when nobody objects within half a second', async () => {
    const tab = tabByMessage()
    expect(tab.said()).toEqual([{ kind: 'claim', from: ME, term: 0 }])
    expect(tab.role()).toEqual({
      role: 'following',
      term: 0,
      leader: undefined,
      silent: false,
      by: 'messages',
    })
    await tab.clock.advance(claimMs - 1)
    expect([tab.election.maySend(), await tab.election.confirm(), tab.said()]).toEqual([false, false, []])
    await tab.clock.advance(1)
    expect(tab.roles()).toEqual([
      { role: 'leading', term: FIRST_TERM, leader: ME, silent: false, by: 'messages' },
    ])
    expect(tab.said()[0]).toEqual({ ...beat(ME, FIRST_TERM), wallMs: FIRST_TERM })
    expect([tab.election.maySend(), await tab.election.confirm()]).toEqual([true, true])
  })

  it('gives way to a beat, of whatever term, and to a claim of a lower name', async () => {
    for (const message of [beat(LOWER, 0), { kind: 'claim', from: LOWER, term: 0 }] as const) {
      const tab = tabByMessage()
      tab.said()
      tab.hear(message)
      await tab.clock.advance(claimMs)
      expect([tab.role().role, tab.said()]).toEqual(['following', []])
    }
  })

  it('says so again to a higher name that claims, and goes on', async () => {
    const tab = tabByMessage()
    tab.said()
    tab.hear({ kind: 'claim', from: HIGHER, term: 0 })
    expect(tab.said()).toEqual([{ kind: 'claim', from: ME, term: 0 }])
    await tab.clock.advance(claimMs)
    expect(tab.role().role).toBe('leading')
  })

  it('takes no notice of what is not for it', async () => {
    const tab = tabByMessage()
    tab.said()
    for (const message of [
      { kind: 'ask', from: LOWER },
      { kind: 'take-over', from: LOWER },
      { kind: 'yield', from: LOWER, to: ME, term: 9 },
      { kind: 'bye', from: LOWER, term: 9 },
      { kind: 'freeze', from: LOWER, term: 9 },
    ] as const)
      tab.hear(message)
    tab.election.takeOver()
    tab.election.wake()
    expect([tab.said(), tab.roles()]).toEqual([[], []])
    await tab.clock.advance(claimMs)
    expect(tab.role().role).toBe('leading')
  })

  it('that was held up reads first what came meanwhile', async () => {
    const late = tabByMessage()
    late.said()
    late.clock.sleep(claimMs + graceMs + 1, 'runs')
    await late.clock.advance(0)
    expect(late.role().role).toBe('following')
    await late.clock.advance(graceMs)
    expect(late.role().role).toBe('leading')
    const onTime = tabByMessage()
    onTime.clock.sleep(claimMs + graceMs, 'runs')
    await onTime.clock.advance(0)
    expect(onTime.role().role).toBe('leading')
  })
})

describe('a tab that leads without locks', () => {
  it('beats, and answers who asks or claims', async () => {
    const tab = await leading()
    await tab.clock.advance(beatMs)
    expect(tab.kinds()).toEqual(['beat'])
    tab.hear({ kind: 'ask', from: HIGHER })
    tab.hear({ kind: 'claim', from: LOWER, term: 0 })
    expect(tab.kinds()).toEqual(['beat', 'beat'])
    await tab.clock.advance(20 * beatMs)
    expect([tab.kinds().length, tab.election.maySend(), tab.roles()]).toEqual([20, true, []])
  })

  it('may send for a lease after a beat, and claims anew when it was frozen for longer', async () => {
    const tab = await leading()
    tab.clock.sleep(leaseMs)
    expect([tab.election.maySend(), await tab.election.confirm()]).toEqual([true, true])
    tab.clock.sleep(1)
    expect([tab.election.maySend(), await tab.election.confirm()]).toEqual([false, false])
    tab.hear({ kind: 'ask', from: HIGHER })
    tab.hear({ kind: 'claim', from: HIGHER, term: 0 })
    tab.hear(beat(HIGHER, 1))
    expect(tab.said()).toEqual([])
    await tab.clock.advance(beatMs)
    expect(tab.kinds()).toEqual(['claim'])
    expect([tab.role().role, tab.role().leader]).toEqual(['following', undefined])
    await tab.clock.advance(claimMs)
    expect(tab.role().role).toBe('leading')
  })

  it('gives way to a beat of a higher term, and of the same term by a higher name', async () => {
    const higher = await leading()
    higher.hear(beat(LOWER, FIRST_TERM + 1))
    expect(higher.roles().at(-1)).toEqual({
      role: 'following',
      term: FIRST_TERM + 1,
      leader: LOWER,
      silent: false,
      by: 'messages',
    })
    const same = await leading()
    same.hear(beat(HIGHER, FIRST_TERM))
    expect([same.role().role, same.role().leader]).toEqual(['following', HIGHER])
  })

  it('tells a tab of a lower term, or of the same term by a lower name, that it leads', async () => {
    for (const other of [beat(HIGHER, FIRST_TERM - 1), beat(LOWER, FIRST_TERM)]) {
      const tab = await leading()
      tab.hear(other)
      expect([tab.kinds(), tab.role().leader, tab.role().role]).toEqual([['beat'], ME, 'leading'])
    }
  })

  it('yields to who wants to take over, and says nothing to others', async () => {
    const tab = await leading()
    tab.hear({ kind: 'bye', from: LOWER, term: 9 })
    tab.hear({ kind: 'freeze', from: LOWER, term: 9 })
    tab.hear({ kind: 'yield', from: LOWER, to: ME, term: 9 })
    tab.election.takeOver()
    expect([tab.said(), tab.roles()]).toEqual([[], []])
    tab.hear({ kind: 'take-over', from: HIGHER })
    expect(tab.said()).toEqual([{ kind: 'yield', from: ME, to: HIGHER, term: FIRST_TERM }])
    expect(tab.roles()).toEqual([
      { role: 'following', term: FIRST_TERM, leader: undefined, silent: false, by: 'messages' },
    ])
    tab.hear({ kind: 'take-over', from: HIGHER })
    expect(tab.said()).toEqual([])
  })
})

describe('a tab that follows without locks', () => {
  it('asks after four beats that stay out, says that it is silent, and claims after six', async () => {
    const tab = following()
    await tab.clock.advance(3 * beatMs)
    expect([tab.said(), tab.roles()]).toEqual([[], []])
    await tab.clock.advance(beatMs)
    expect([tab.kinds(), tab.role()]).toMatchObject([['ask'], { silent: true, leader: LOWER }])
    await tab.clock.advance(beatMs)
    expect(tab.kinds()).toEqual(['ask'])
    tab.hear(beat(LOWER, 7))
    expect(tab.role().silent).toBe(false)
    await tab.clock.advance(5 * beatMs)
    expect(tab.kinds()).toEqual(['ask', 'ask'])
    await tab.clock.advance(beatMs)
    expect(tab.kinds()).toEqual(['claim'])
    await tab.clock.advance(claimMs)
    expect(tab.role()).toMatchObject({ role: 'leading', silent: false })
  })

  it('hears only a newer term, or the same one of a name that is not lower', () => {
    const tab = following()
    tab.hear(beat(HIGHER, 6))
    expect(tab.role().leader).toBe(LOWER)
    tab.hear(beat(HIGHER, 7))
    expect(tab.role().leader).toBe(HIGHER)
    tab.hear(beat(LOWER, 7))
    expect(tab.role().leader).toBe(HIGHER)
    tab.hear(beat(LOWER, 8))
    expect([tab.role().leader, tab.role().term, tab.said()]).toEqual([LOWER, 8, []])
  })

  it('claims at once when its leader says good-bye, and not when another one does', () => {
    const tab = following()
    tab.hear({ kind: 'bye', from: HIGHER, term: 7 })
    tab.hear({ kind: 'ask', from: HIGHER })
    tab.hear({ kind: 'claim', from: HIGHER, term: 7 })
    tab.hear({ kind: 'freeze', from: LOWER, term: 7 })
    tab.hear({ kind: 'take-over', from: HIGHER })
    expect(tab.said()).toEqual([])
    tab.hear({ kind: 'bye', from: LOWER, term: 7 })
    expect(tab.said()).toEqual([{ kind: 'claim', from: ME, term: 7 }])
  })

  it('leads at once when it asked and the leader yields to it, but not to an answer that comes too late', () => {
    const tab = following()
    tab.hear({ kind: 'yield', from: LOWER, to: ME, term: 7 })
    expect(tab.role().role).toBe('following')
    tab.election.takeOver()
    expect(tab.said()).toEqual([{ kind: 'take-over', from: ME }])
    tab.hear({ kind: 'yield', from: LOWER, to: HIGHER, term: 7 })
    expect(tab.role().role).toBe('following')
    tab.clock.sleep(leaseMs)
    tab.hear({ kind: 'yield', from: LOWER, to: ME, term: 7 })
    expect(tab.role().role).toBe('leading')
    const late = following()
    late.election.takeOver()
    late.clock.sleep(leaseMs + 1)
    late.hear({ kind: 'yield', from: LOWER, to: ME, term: 7 })
    expect(late.role().role).toBe('following')
  })

  it('claims when the leader does not answer within its lease', async () => {
    const tab = following()
    tab.election.takeOver()
    tab.said()
    await tab.clock.advance(leaseMs - 1)
    expect(tab.said()).toEqual([])
    await tab.clock.advance(1)
    expect(tab.kinds()).toEqual(['claim'])
  })

  it('has a term beyond the one that it heard when it leads', async () => {
    const tab = following()
    tab.hear(beat(LOWER, TEST_START_MS + 1e6))
    tab.hear({ kind: 'bye', from: LOWER, term: TEST_START_MS + 1e6 })
    await tab.clock.advance(claimMs)
    expect(tab.role()).toMatchObject({ role: 'leading', term: TEST_START_MS + 1e6 + 1 })
  })
})

describe('a tab that rests without locks', () => {
  it('says good-bye if it led, hears nothing, and claims when it wakes', async () => {
    const tab = await leading()
    tab.election.rest()
    expect(tab.said()).toEqual([{ kind: 'bye', from: ME, term: FIRST_TERM }])
    expect(tab.role()).toMatchObject({ role: 'following', leader: undefined })
    tab.election.rest()
    tab.hear(beat(LOWER, FIRST_TERM + 5))
    await tab.clock.advance(20 * beatMs)
    expect([tab.said(), tab.role().leader]).toEqual([[], undefined])
    tab.election.wake()
    expect(tab.kinds()).toEqual(['claim'])
  })

  it('says nothing where it only followed', () => {
    const tab = following()
    tab.election.rest()
    expect([tab.said(), tab.role().leader]).toEqual([[], LOWER])
  })

  it('for good has no timer left', async () => {
    const tab = await leading()
    tab.election.end()
    expect([tab.kinds(), tab.clock.pendingMs()]).toEqual([['bye'], []])
  })
})
