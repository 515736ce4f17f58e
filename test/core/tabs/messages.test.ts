import { describe, expect, it } from 'vitest'
import { createCalls } from '#tabs/calls.ts'
import { channelOf } from '#tabs/channel.ts'
import { LOCK_BEATS, MESSAGE_BEATS } from '#tabs/limits.ts'
import { startPulse } from '#tabs/pulse.ts'
import { isToFollower, isToTabs, otherBuildIn, type TabCall } from '#tabs/share-message.ts'
import { createSilence, type Silence } from '#tabs/silence.ts'
import { fieldOf, readTabMessage, tabNameOf } from '#tabs/tab-message.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { HIGHER, ME } from './one-tab.ts'

describe('the name of a tab', () => {
  it.each([
    [ME, true],
    [ME.slice(1), false],
    [`${ME}0`, false],
    ['A'.repeat(16), false],
    ['g'.repeat(16), false],
    [5_555_555_555_555_555, false],
    [undefined, false],
    [[ME], false],
  ])('%j is one: %s', (value, is) => {
    expect(tabNameOf(value)).toBe(is ? value : undefined)
  })

  it('names its channel', () => {
    expect(channelOf(ME)).toBe(`immune-tabs-${ME}`)
  })
})

it.each([
  [{ a: 1 }, 1],
  [Object.create({ a: 1 }), undefined],
  [null, undefined],
  [undefined, undefined],
  ['text', undefined],
  [5, undefined],
  [{ b: 1 }, undefined],
])('of %j the own field a is %s', (value, field) => {
  expect(fieldOf(value, 'a')).toBe(field)
})

it('of a text no field is one of its own', () => {
  expect(fieldOf('text', 'length')).toBeUndefined()
})

describe('a message about who leads', () => {
  it.each([
    { kind: 'ask', from: ME },
    { kind: 'take-over', from: ME },
    { kind: 'claim', from: ME, term: 0 },
    { kind: 'bye', from: ME, term: 3 },
    { kind: 'freeze', from: ME, term: 3 },
    { kind: 'yield', from: ME, to: HIGHER, term: 3 },
    { kind: 'beat', from: ME, term: 3, holdMs: 0, wallMs: 0 },
  ])('is read as it was written, without what is not part of it: $kind', (message) => {
    expect(readTabMessage({ ...message, surplus: 1 })).toEqual(message)
  })

  it.each([
    ['nothing', undefined],
    ['a text', 'ask'],
    ['no name', { kind: 'ask' }],
    ['another name', { kind: 'ask', from: 'x' }],
    ['no kind', { from: ME, term: 1 }],
    ['another kind', { kind: 'batch', from: ME, to: HIGHER, term: 1, holdMs: 0, wallMs: 0 }],
    ['no term', { kind: 'claim', from: ME }],
    ['a term below 0', { kind: 'bye', from: ME, term: -1 }],
    ['an endless term', { kind: 'freeze', from: ME, term: Number.POSITIVE_INFINITY }],
    ['a term that is a text', { kind: 'claim', from: ME, term: '1' }],
    ['a term that is a big integer', { kind: 'claim', from: ME, term: 1n }],
    ['no hold', { kind: 'beat', from: ME, term: 1, wallMs: 0 }],
    ['no time', { kind: 'beat', from: ME, term: 1, holdMs: 0 }],
    ['nobody to yield to', { kind: 'yield', from: ME, term: 1 }],
    ['no tab to yield to', { kind: 'yield', from: ME, to: 'x', term: 1 }],
  ])('is none with %s', (_, data) => {
    expect(readTabMessage(data)).toBeUndefined()
  })
})

describe('a message with what is shown', () => {
  const toTabs = { kind: 'here', from: ME, build: 'a', seq: 1 }
  const toFollower = { kind: 'batch', from: ME, build: 'a' }

  it('is understood by the same version only', () => {
    expect([isToTabs(toTabs, 'a'), isToTabs(toTabs, 'b'), isToTabs(toFollower, 'a')]).toEqual([
      true,
      false,
      false,
    ])
    expect([isToFollower(toFollower, 'a'), isToFollower(toFollower, 'b'), isToFollower(toTabs, 'a')]).toEqual(
      [true, false, false],
    )
    expect([isToTabs({ ...toTabs, from: 'x' }, 'a'), isToFollower({ ...toFollower, from: 1 }, 'a')]).toEqual([
      false,
      false,
    ])
  })

  it('names the tab of another version that sent it', () => {
    expect(otherBuildIn(toTabs, 'a')).toBeUndefined()
    expect(otherBuildIn(toTabs, 'b')).toBe(ME)
    expect(otherBuildIn(toFollower, 'b')).toBe(ME)
    expect(otherBuildIn({ ...toTabs, from: 'x' }, 'b')).toBeUndefined()
    expect(otherBuildIn({ ...toTabs, kind: 'ask' }, 'b')).toBeUndefined()
  })
})

describe('beats that stay out', () => {
  const pulses = (random: number, count: number, lateMs = 0) => {
    const silence = createSilence(MESSAGE_BEATS, () => random)
    return Array.from({ length: count }, () => silence.pulse(lateMs)).join(' ')
  }

  it('have a tab ask and say so from the fourth on, and take over with the sixth', () => {
    expect(pulses(0, 7)).toBe('wait wait wait say say take wait')
  })

  it('have another one wait for up to two more', () => {
    expect(pulses(0.999, 8)).toBe('wait wait wait say say say say take')
    expect(pulses(0.5, 7)).toBe('wait wait wait say say say take')
  })

  it('say nothing where the timer was held up itself for more than two seconds', () => {
    expect(pulses(0, 6, 2_000)).toBe('wait wait wait say say take')
    expect(pulses(0, 8, 2_001)).toBe('wait wait wait wait wait wait wait wait')
  })

  it('are counted anew from the last that was heard', () => {
    const silence = createSilence(MESSAGE_BEATS, () => 0)
    for (let beat = 0; beat < 5; beat++) silence.pulse(0)
    silence.heard()
    expect(Array.from({ length: 4 }, () => silence.pulse(0))).toEqual(['wait', 'wait', 'wait', 'say'])
  })

  describe('where there are locks', () => {
    /** The pulse with which a tab takes over, and those from which on it asks and says so. */
    const placesIn = (silence: Silence) => {
      const acts: string[] = []
      do acts.push(silence.pulse(0))
      while (acts.at(-1) !== 'take')
      return [acts.indexOf('ask') + 1, acts.indexOf('say') + 1, acts.length]
    }

    it('have a tab ask with the second and take over with the fourth, whoever it is', () => {
      for (const random of [0, 0.999])
        expect(placesIn(createSilence(LOCK_BEATS, () => random))).toEqual([2, 0, 4])
    })

    it('are twice as many each time that it was not right to take over, and eight times as many at most', () => {
      const silence = createSilence(LOCK_BEATS, () => 0)
      silence.pulse(0)
      const places = [8, 16, 32, 32].map(() => {
        silence.bePatient()
        return placesIn(silence)
      })
      expect(places).toEqual([
        [2, 0, 8],
        [2, 10, 16],
        [2, 10, 32],
        [2, 10, 32],
      ])
    })

    it('are as many from the start for a tab that hesitates', () => {
      expect(placesIn(createSilence(LOCK_BEATS, () => 0, true))).toEqual([2, 10, 32])
    })
  })
})

it('a pulse says how late it is, never comes in a burst, and ends', async () => {
  const clock = createFakeClock()
  const late: number[] = []
  const end = startPulse(clock, 500, (lateMs) => late.push(lateMs))
  await clock.advance(2 * 500)
  expect(late).toEqual([0, 0])
  clock.sleep(10 * 500, 'runs')
  await clock.advance(0)
  expect(late).toEqual([0, 0, 9 * 500])
  end()
  expect(clock.pendingMs()).toEqual([])
})

describe('questions to the tab that asks', () => {
  const call: TabCall = { what: 'exchange', node: 'k' as never }
  const made = () => {
    const clock = createFakeClock()
    const sent: number[] = []
    return { clock, sent, calls: createCalls(clock, (id) => sent.push(id)) }
  }

  it('have a number each, and get the answer to their own', async () => {
    const { clock, sent, calls } = made()
    const first = calls.ask(call)
    const second = calls.ask(call)
    expect(sent).toEqual([1, 2])
    calls.answered(2, 'b')
    calls.answered(1, 'a')
    expect(await Promise.all([first, second])).toEqual(['a', 'b'])
    expect(clock.pendingMs()).toEqual([])
    expect(() => calls.answered(1, 'late')).not.toThrow()
    expect(() => calls.answered(99, 'nobody asked')).not.toThrow()
  })

  it('end without an answer after two seconds', async () => {
    const { clock, calls } = made()
    let answer: unknown = 'none yet'
    void calls.ask(call).then((value) => (answer = value))
    await clock.advance(1_999)
    expect(answer).toBe('none yet')
    await clock.advance(1)
    expect(answer).toBeUndefined()
  })

  it('are at most 64 at a time', async () => {
    const { sent, calls } = made()
    const all = Array.from({ length: 65 }, () => calls.ask(call))
    expect(sent).toHaveLength(64)
    expect(await all[64]).toBeUndefined()
    calls.answered(1, 'a')
    await all[0]
    void calls.ask(call)
    expect(sent).toHaveLength(65)
  })
})
