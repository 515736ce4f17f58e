import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LOCK_BEATS, MESSAGE_BEATS, TAB_LIMITS } from '#tabs/limits.ts'
import { createTabWorld, randomFrom, type SimTab, type TabWorld, type WorldOptions } from './tab-world.ts'

type Act = 'open' | 'crash' | 'close' | 'freeze' | 'wake' | 'rest' | 'rouse' | 'take-over'
type Step = { readonly act: Act; readonly tab: number; readonly thenMs: number }

const ALL: readonly Act[] = ['open', 'crash', 'close', 'freeze', 'wake', 'rest', 'rouse', 'take-over']

const steps = (acts: readonly Act[]) =>
  fc.array(
    fc.record({
      act: fc.constantFrom(...acts),
      tab: fc.nat(4),
      thenMs: fc.oneof(fc.nat(300), fc.nat(2_500), fc.nat(12_000)),
    }),
    { minLength: 1, maxLength: 14 },
  )

const OPEN_MAX = 5

function perform(world: TabWorld, { act, tab: place }: Step): void {
  const alive = world.tabs.filter((tab) => !gone.has(tab))
  if (act === 'open') {
    if (alive.length < OPEN_MAX) world.open()
    return
  }
  const tab = alive[place % Math.max(1, alive.length)]
  if (tab === undefined) return
  if (act === 'freeze') tab.freeze()
  else if (act === 'wake') tab.wake()
  else if (act === 'crash') {
    gone.add(tab)
    tab.crash()
  } else if (tab.isRunning()) {
    if (act === 'rest') tab.election.rest()
    else if (act === 'rouse') tab.election.wake()
    else if (act === 'take-over') tab.election.takeOver()
    else {
      tab.election.rest()
      gone.add(tab)
      tab.crash()
    }
  }
}

const gone = new WeakSet<SimTab>()

/** Wakes everybody, lets time pass, and looks whether exactly one leads and all others know it. */
function settles(world: TabWorld): void {
  const alive = world.tabs.filter((tab) => !gone.has(tab))
  for (const tab of alive) {
    tab.wake()
    tab.election.wake()
  }
  world.run(20_000)
  if (alive.length === 0) return
  // Between two looks that take long it may have to make sure before it sends.
  const leaders = alive.filter((tab) => tab.election.role.get().role === 'leading')
  expect(leaders).toHaveLength(1)
  const [leader] = leaders
  for (const tab of alive)
    expect(tab.election.role.get()).toMatchObject({
      role: tab === leader ? 'leading' : 'following',
      leader: leader?.id,
      silent: false,
      term: world.leaderTerm(),
    })
}

/** Thrown and not expected: it is asked tens of thousands of times. */
function atMostOne(world: TabWorld): void {
  const count = world.senders().length
  if (count > 1) throw new Error(`${count} tabs may send at ${world.nowMs()} ms`)
}

/** Since when two tabs, by their names, may both send. */
const bothSinceMs = new WeakMap<TabWorld, Map<string, number>>()

/** Of three tabs the first may overlap with the second and that with the third: each pair has a time of its own. */
function watchPairs(world: TabWorld, forMaxMs: number): void {
  const before = bothSinceMs.get(world)
  const now = new Map<string, number>()
  const ids = world.senders().map(({ id }) => id)
  for (const [place, one] of ids.entries())
    for (const other of ids.slice(place + 1)) {
      const pair = `${one} ${other}`
      const sinceMs = before?.get(pair) ?? world.nowMs()
      now.set(pair, sinceMs)
      const forMs = world.nowMs() - sinceMs
      if (forMs > forMaxMs) throw new Error(`two tabs send for ${forMs} ms`)
    }
  bothSinceMs.set(world, now)
}

const worldOf = (seed: number, given: Partial<WorldOptions> & Pick<WorldOptions, 'locks'>): TabWorld =>
  createTabWorld({ messageMaxMs: 20, lockMaxMs: 10, random: randomFrom(seed), ...given })

describe('tabs with locks', () => {
  it('never both send, whatever freezes, wakes, crashes, is late or is asked for, and one is found again', () => {
    fc.assert(
      fc.property(fc.integer(), steps(ALL), fc.constantFrom(5, 100, 4_000), (seed, acts, messageMaxMs) => {
        const world = worldOf(seed, {
          locks: true,
          messageMaxMs,
          lockMaxMs: 100,
          onEvent: () => atMostOne(world),
        })
        world.open()
        for (const step of acts) {
          perform(world, step)
          world.run(step.thenMs)
        }
        if (messageMaxMs < 1_000) settles(world)
      }),
      { numRuns: 200 },
    )
  })

  it('have the only tab lead at once', () => {
    const world = worldOf(1, { locks: true })
    const tab = world.open()
    world.run(60)
    expect(world.senders()).toEqual([tab])
    expect(tab.election.role.get()).toMatchObject({ role: 'leading', leader: tab.id, by: 'locks' })
  })

  it.each(['crash', 'close'] as const)('have another lead within a beat of a %s', (how) => {
    const world = worldOf(2, { locks: true })
    const first = world.open()
    world.run(3_000)
    const second = world.open()
    world.run(3_000)
    expect(second.election.role.get()).toMatchObject({ role: 'following', leader: first.id })
    const termBefore = world.leaderTerm()
    if (how === 'close') first.election.rest()
    gone.add(first)
    first.crash()
    world.run(LOCK_BEATS.beatMs)
    expect(world.senders()).toEqual([second])
    expect(world.leaderTerm()).toBeGreaterThan(termBefore)
  })

  it.each(Array.from({ length: 20 }, (_, n) => [n * 7]))(
    'have another lead within a second of a freeze, whenever it comes, and the frozen one follows when it wakes (%d ms)',
    (laterMs) => {
      const world = worldOf(3 + laterMs, { locks: true })
      const first = world.open()
      world.run(1_000 + laterMs)
      const second = world.open()
      const third = world.open()
      world.run(3_000 - 3 * laterMs)
      first.freeze()
      world.run(1_000)
      expect(world.senders()).toHaveLength(1)
      const [leader] = world.senders()
      expect([second, third]).toContain(leader)
      world.run(9_001)
      first.wake()
      expect(first.election.maySend()).toBe(false)
      world.run(1_000)
      expect(first.election.role.get()).toMatchObject({
        role: 'following',
        leader: leader?.id,
        silent: false,
      })
      expect(world.senders()).toEqual([leader])
    },
  )

  it.each([
    ['once a second', 1_000],
    ['once a minute', 60_000],
  ])('do not take the place of a leader whose timers run %s: it answers when it is asked', (_, timersMs) => {
    const world = worldOf(12, { locks: true })
    const first = world.open()
    world.run(3_000)
    const others = [world.open(), world.open()]
    world.run(1_000)
    first.throttle(timersMs)
    for (let second = 0; second < 180; second++) {
      world.run(1_000)
      expect(others.map(({ election }) => election.role.get())).toMatchObject([
        { role: 'following', leader: first.id, silent: false },
        { role: 'following', leader: first.id, silent: false },
      ])
    }
    expect(others.flatMap(({ posted }) => posted).every(({ kind }) => kind === 'ask')).toBe(true)
  })

  it.each([1_000, 60_000])('do not take it while their own timers run every %d ms', (timersMs) => {
    const world = worldOf(13, { locks: true })
    const first = world.open()
    world.run(3_000)
    const second = world.open()
    world.run(1_000)
    second.throttle(timersMs)
    world.run(180_000)
    expect(world.senders()).toEqual([first])
    expect(second.posted.filter(({ kind }) => kind !== 'ask')).toEqual([])
  })

  it('change places less and less often where one after the other is held up for a moment', () => {
    const world = worldOf(14, { locks: true })
    world.open()
    world.run(3_000)
    world.open()
    world.run(3_000)
    const changes: number[] = []
    for (let moment = 0; moment < 40; moment++) {
      const [leader] = world.senders()
      leader?.freeze()
      world.run(1_500)
      leader?.wake()
      world.run(3_000)
      if (world.senders()[0] !== leader) changes.push(moment)
    }
    expect(changes.length).toBeLessThanOrEqual(4)
    expect(Math.max(...changes)).toBeLessThan(10)
  })

  it('do not take the place of a leader that only slept along with the whole computer', () => {
    const world = worldOf(4, { locks: true })
    const first = world.open()
    const second = world.open()
    world.run(5_000)
    const [leader] = world.senders()
    const term = world.leaderTerm()
    first.freeze()
    second.freeze()
    world.run(3_600_000)
    second.wake()
    first.wake()
    world.run(5_000)
    expect(world.senders()).toEqual([leader])
    expect(world.leaderTerm()).toBe(term)
  })

  it('hand over at once when a person asks', () => {
    const world = worldOf(5, { locks: true })
    const first = world.open()
    world.run(1_000)
    const others = [world.open(), world.open(), world.open()]
    world.run(3_000)
    const [, wanted] = others
    wanted?.election.takeOver()
    world.run(200)
    expect(world.senders()).toEqual([wanted])
    world.run(5_000)
    expect(world.senders()).toEqual([wanted])
    expect(first.election.role.get()).toMatchObject({ role: 'following', leader: wanted?.id })
  })

  it('ask a leader that may send no more to make sure, and then it may', async () => {
    const world = worldOf(6, { locks: true })
    const tab = world.open()
    world.run(1_000)
    tab.freeze()
    world.run(60_000)
    tab.wake()
    expect(tab.election.maySend()).toBe(false)
    const sure = tab.election.confirm()
    world.run(50)
    expect(await sure).toBe(true)
    expect(await tab.election.confirm()).toBe(true)
  })

  it('do not have a tab confirm what it has lost', async () => {
    const world = worldOf(7, { locks: true })
    const first = world.open()
    world.run(1_000)
    const second = world.open()
    world.run(1_000)
    expect(await second.election.confirm()).toBe(false)
    first.freeze()
    world.run(10_000)
    first.wake()
    const sure = first.election.confirm()
    world.run(100)
    expect(await sure).toBe(false)
  })
})

describe('tabs without locks', () => {
  const calm: readonly Act[] = ['open', 'crash', 'close', 'rest', 'rouse']

  it('never both send while none is held up and messages come within half a claim', () => {
    fc.assert(
      fc.property(fc.integer(), steps(calm), (seed, acts) => {
        const world = worldOf(seed, {
          locks: false,
          messageMaxMs: TAB_LIMITS.claimMs / 2 - 1,
          onEvent: () => atMostOne(world),
        })
        world.open()
        for (const step of acts) {
          perform(world, step)
          world.run(step.thenMs)
        }
        settles(world)
      }),
      { numRuns: 200 },
    )
  })

  it('both send for no longer than a beat and its way, whichever two they are and whatever happens', () => {
    fc.assert(
      fc.property(fc.integer(), steps(ALL), fc.constantFrom(200, 1_500), (seed, acts, messageMaxMs) => {
        const world = worldOf(seed, {
          locks: false,
          messageMaxMs,
          onEvent: () => watchPairs(world, messageMaxMs + MESSAGE_BEATS.beatMs),
        })
        world.open()
        for (const step of acts) {
          perform(world, step)
          world.run(step.thenMs)
        }
        if (messageMaxMs < 1_000) settles(world)
      }),
      { numRuns: 200 },
    )
  })

  it('may both send for a moment, which locks rule out: a claim does not wait for a leader that is held up', () => {
    let most = 0
    const world = worldOf(8, {
      locks: false,
      onEvent: () => {
        most = Math.max(most, world.senders().length)
      },
    })
    const first = world.open()
    world.run(2_000)
    first.freeze()
    world.open()
    world.run(700)
    expect(most).toBe(1)
    first.wake()
    world.run(100)
    expect(most).toBe(2)
    expect(world.senders()).toHaveLength(1)
  })

  it('have the only tab lead after one claim', () => {
    const world = worldOf(9, { locks: false })
    const tab = world.open()
    world.run(TAB_LIMITS.claimMs - 1)
    expect(world.senders()).toEqual([])
    world.run(2)
    expect(world.senders()).toEqual([tab])
    expect(tab.election.role.get().by).toBe('messages')
  })

  it('do not have a tab send that was frozen for longer than its lease', () => {
    const world = worldOf(10, { locks: false })
    const first = world.open()
    world.run(1_000)
    const second = world.open()
    world.run(1_000)
    expect(second.election.role.get().leader).toBe(first.id)
    first.freeze()
    world.run(8_000)
    expect(world.senders()).toEqual([second])
    first.wake()
    expect(first.election.maySend()).toBe(false)
    world.run(1_000)
    expect(world.senders()).toEqual([second])
  })

  it('hand over at once when a person asks, and take the lead from one that is frozen', () => {
    const world = worldOf(11, { locks: false })
    const first = world.open()
    world.run(1_000)
    const second = world.open()
    world.run(1_000)
    second.election.takeOver()
    world.run(100)
    expect(world.senders()).toEqual([second])
    second.freeze()
    first.election.takeOver()
    world.run(MESSAGE_BEATS.leaseMs + TAB_LIMITS.claimMs + 50)
    expect(world.senders()).toEqual([first])
  })
})
