import { describe, expect, it } from 'vitest'
import type { AlarmsView } from '#alarms/alarm.ts'
import { createStore } from '#base/store.ts'
import type { Announcement, PageFacts } from '#engine/bridge.ts'
import { createSpeaker } from '#engine/speaker.ts'
import { alarm, notice, view } from '#test/core/delivery/outgoing.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'

const problem = (id: string) => notice(id, 'problem', [alarm(id)])
const FIRING = view([alarm('a', { phase: 'firing', severity: 'critical', acknowledged: undefined })])

function setUp() {
  const clock = createFakeClock()
  const alarms = createStore<AlarmsView | undefined>(undefined)
  const speaker = createSpeaker({ clock, nowMs: clock.monotonicMs, view: alarms })
  speaker.setLevel('critical')
  const open = (id: string, given: Partial<PageFacts> = {}) => {
    const heard: Announcement[] = []
    const page = {
      facts: { isVisible: true, sound: 'ready', isSoundMissed: false, ...given } as PageFacts,
      isFrozen: false,
    }
    const waiting: Announcement[] = []
    speaker.add(id, {
      facts: () => page.facts,
      announce: (announcement) => {
        if (page.isFrozen) {
          waiting.push(announcement)
          return new Promise<never>(() => undefined)
        }
        heard.push(announcement)
        return Promise.resolve()
      },
    })
    return {
      page,
      waiting,
      sounds: () => heard.filter(({ kind }) => kind === 'sound').length,
      notified: () => heard.flatMap((one) => (one.kind === 'notification' ? [one.notification.id] : [])),
    }
  }
  return { clock, alarms, speaker, open }
}

describe('announcements', () => {
  it('go to one page: preferably one that can sound, then a visible one, then the previous one', async () => {
    const { speaker, open } = setUp()
    const blocked = open('blocked', { sound: 'blocked' })
    const hidden = open('hidden', { isVisible: false })
    speaker.notify(problem('1'))
    await settle()
    expect([blocked.notified(), hidden.notified()]).toEqual([[], ['1']])
    const seen = open('seen')
    const other = open('other')
    speaker.notify(problem('2'))
    await settle()
    expect([hidden.notified(), seen.notified(), other.notified()]).toEqual([['1'], ['2'], []])
    // An equally good page must not take over, even if it opened earlier.
    hidden.page.facts = { ...hidden.page.facts, isVisible: true }
    speaker.notify(problem('3'))
    await settle()
    expect(seen.notified()).toEqual(['2', '3'])
  })

  it('move to another page when theirs closes, without repeating a sound', async () => {
    const { clock, alarms, speaker, open } = setUp()
    const first = open('first')
    const second = open('second')
    speaker.start()
    alarms.publish(FIRING)
    await settle()
    expect([first.sounds(), second.sounds()]).toEqual([1, 0])
    await clock.advance(5_000)
    speaker.remove('first')
    await clock.advance(20_000)
    expect(second.sounds()).toBe(0)
    // After 30 s without an acknowledgement the sound is due again, as on the first page.
    await clock.advance(6_000)
    expect([first.sounds(), second.sounds()]).toEqual([1, 1])
    speaker.stop()
    expect(clock.pendingMs()).toEqual([])
  })

  it('move to another page within two seconds when theirs freezes, and return once it answers', async () => {
    const { clock, speaker, open } = setUp()
    const first = open('first')
    const second = open('second', { isVisible: false })
    first.page.isFrozen = true
    for (const id of ['1', '2']) speaker.notify(problem(id))
    await clock.advance(1_900)
    expect(second.notified()).toEqual([])
    await clock.advance(200)
    expect(second.notified()).toEqual(['1', '2'])
    // Only one announcement may be pending on a frozen page.
    expect(first.waiting).toHaveLength(1)
    first.page.isFrozen = false
    speaker.heard('first')
    speaker.notify(problem('3'))
    await settle()
    expect([first.notified(), second.notified()]).toEqual([['3'], ['1', '2']])
  })

  it('wait in order while every page is frozen, with the newest 50 kept', async () => {
    const { clock, speaker, open } = setUp()
    const only = open('only')
    only.page.isFrozen = true
    for (let count = 0; count < 60; count++) speaker.notify(problem(String(count)))
    await clock.advance(60_000)
    expect(only.waiting).toHaveLength(1)
    only.page.isFrozen = false
    speaker.heard('only')
    await settle(200)
    expect(only.notified()).toEqual(Array.from({ length: 50 }, (_, place) => String(place + 10)))
  })

  it('wait for a first page, and sounds for a page that can play them', async () => {
    const { clock, alarms, speaker, open } = setUp()
    speaker.start()
    speaker.notify(problem('1'))
    alarms.publish(FIRING)
    await clock.advance(10_000)
    const page = open('page', { sound: 'blocked' })
    await clock.advance(2_000)
    expect([page.notified(), page.sounds()]).toEqual([['1'], 0])
    page.page.facts = { ...page.page.facts, sound: 'ready' }
    await clock.advance(1_000)
    expect(page.sounds()).toBe(1)
  })

  it('of a recovery go to every page', async () => {
    const { speaker, open } = setUp()
    const first = open('first')
    speaker.notify(problem('1'))
    await settle()
    const second = open('second', { isVisible: true })
    first.page.facts = { ...first.page.facts, isVisible: false }
    speaker.notify(notice('2', 'recovery', [alarm('1')]))
    await settle(8)
    expect([first.notified(), second.notified()]).toEqual([['1', '2'], ['2']])
  })
})
