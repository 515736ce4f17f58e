import { describe, expect, it } from 'vitest'
import { createAlarmNews, createAnnouncements } from '#alarms/announcements.ts'
import type { AlarmView, AlarmsView } from '#alarms/alarm.ts'
import { createSoundPlan, needsSound } from '#alarms/sound-plan.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { alarm, view } from '#test/core/delivery/outgoing.ts'

const ids = (alarms: readonly AlarmView[]) => alarms.map(({ id }) => id)

describe('alarm news', () => {
  it('list alarms raised and cleared since the previous view, and none for the first view', () => {
    const news = createAlarmNews()
    expect(news(view([alarm('a')]))).toEqual({ raised: [], over: [] })
    expect(news(view([alarm('a')]))).toEqual({ raised: [], over: [] })
    const next = news(view([alarm('b'), alarm('c', { phase: 'recovering' })]))
    expect(ids(next.raised)).toEqual(['b', 'c'])
    expect(ids(next.over)).toEqual(['a'])
    expect(ids(news(view([alarm('d', { severity: 'info' })])).raised)).toEqual(['d'])
  })

  it('include an alarm that becomes critical, but no other change of severity', () => {
    const news = createAlarmNews()
    const at = (severity: AlarmView['severity']) => ids(news(view([alarm('a', { severity })])).raised)
    expect(at('info')).toEqual([])
    expect(at('warning')).toEqual([])
    expect(at('critical')).toEqual(['a'])
    expect(at('critical')).toEqual([])
    expect(at('warning')).toEqual([])
  })

  it.each([{ notified: false }, { phase: 'pending' }, { phase: 'cleared' }] as const)(
    'leave out an alarm with %j',
    (changed) => {
      const news = createAlarmNews()
      news(view([]))
      expect(news(view([alarm('a', changed)]))).toEqual({ raised: [], over: [] })
    },
  )

  const group = (id: string, changed: Partial<AlarmView> = {}) => alarm(id, { memberCount: 4, ...changed })
  const single = (id: string, changed: Partial<AlarmView> = {}) => alarm(id, changed)

  it('report rows that merge into a group as raised, not as cleared', () => {
    const news = createAlarmNews()
    news(view([single('a'), single('b'), single('c', { ruleId: 'rejected' })]))
    const next = news(view([group('all')]))
    expect(ids(next.raised)).toEqual(['all'])
    expect(ids(next.over)).toEqual(['c'])
  })

  it('ignore a group that splits or moves, except for an alarm that becomes critical', () => {
    const news = createAlarmNews()
    const rows = (...alarms: readonly AlarmView[]) => {
      const next = news(view(alarms))
      return [ids(next.raised), ids(next.over)]
    }
    rows(group('all', { severity: 'warning' }))
    expect(rows(group('explained', { severity: 'warning' }))).toEqual([[], []])
    expect(rows(single('a', { severity: 'warning' }), single('b'))).toEqual([['b'], []])
    expect(rows(single('b'))).toEqual([[], ['a']])
    rows(group('all'))
    expect(rows()).toEqual([[], ['all']])
  })
})

describe('sound', () => {
  const plan = () => {
    const { next } = createSoundPlan()
    return (alarms: readonly AlarmView[], nowMs: number, changed: Partial<AlarmsView> = {}) =>
      next({ ...view(alarms), ...changed }, 'warning', nowMs, TEST_START_MS + nowMs)
  }

  it('plays at once, then every 30 s until the alarm is acknowledged', () => {
    const at = plan()
    const on = [alarm('a')]
    expect(at(on, 0)).toBe('critical')
    expect(at(on, 29_999)).toBeUndefined()
    expect(at(on, 30_000)).toBe('critical')
    expect(at([alarm('a', { acknowledged: { wallMs: 1 } })], 60_000)).toBeUndefined()
    expect(at(on, 60_000)).toBe('critical')
  })

  it('is that of the highest severity, and none for info', () => {
    expect(plan()([alarm('a', { severity: 'warning' }), alarm('b')], 0)).toBe('critical')
    expect(plan()([alarm('a', { severity: 'warning' })], 0)).toBe('warning')
    expect(plan()([alarm('a', { severity: 'info' })], 0)).toBeUndefined()
  })

  it('plays once for all alarms raised within 10 s', () => {
    const at = plan()
    const storm = Array.from({ length: 1_000 }, (_, index) => alarm(`n${index}`))
    let sounds = 0
    for (let count = 1; count <= 1_000; count++)
      if (at(storm.slice(0, count), count * 9.99) !== undefined) sounds++
    expect(sounds).toBe(1)
    const other = alarm('one more', { ruleId: 'rejected' })
    expect(at([...storm, other], 10_008)).toBeUndefined()
    expect(at([...storm, other], 10_010)).toBe('critical')
    expect(at([...storm, other], 30_000)).toBeUndefined()
  })

  it('plays once for all alarms of one rule and service, however they are grouped', () => {
    const at = plan()
    expect(at([alarm('a')], 0)).toBe('critical')
    expect(at([alarm('a'), alarm('b')], 15_000)).toBeUndefined()
    expect(at([alarm('group x on', { memberCount: 4 })], 29_999)).toBeUndefined()
    expect(at([alarm('group x on', { memberCount: 4 })], 30_000)).toBe('critical')
  })

  it('plays once for a flapping alarm until it has settled', () => {
    const at = plan()
    const flapping = alarm('a', { flapping: true })
    expect(at([flapping], 0)).toBe('critical')
    expect(at([flapping], 40_000)).toBeUndefined()
    expect(at([alarm('a', { flapping: true, phase: 'cleared' })], 50_000)).toBeUndefined()
    expect(at([flapping], 80_000)).toBeUndefined()
    expect(at([flapping, alarm('b', { ruleId: 'rejected' })], 90_000)).toBe('critical')
    expect(at([alarm('a')], 130_000)).toBe('critical')
    expect(at([], 135_000)).toBeUndefined()
    expect(at([flapping], 145_000)).toBe('critical')
  })

  it('plays at once for an alarm that gets worse, and for a new one after an acknowledgement', () => {
    const at = plan()
    const warning = alarm('a', { severity: 'warning' })
    expect(at([warning], 0)).toBe('warning')
    expect(at([alarm('a')], 10_000)).toBe('critical')
    expect(at([alarm('a', { acknowledged: { wallMs: 1 } })], 15_000)).toBeUndefined()
    expect(at([alarm('a', { acknowledged: { wallMs: 1 } }), alarm('b')], 20_000)).toBe('critical')
  })

  it('is silent while muted, and plays at once when the mute ends', () => {
    const at = plan()
    const on = [alarm('a')]
    expect(at(on, 0)).toBe('critical')
    expect(at(on, 40_000, { mutedUntilWallMs: TEST_START_MS + 40_001 })).toBeUndefined()
    expect(at(on, 45_000, { mutedUntilWallMs: TEST_START_MS + 45_000 })).toBe('critical')
  })

  it.each([
    { phase: 'pending' },
    { phase: 'recovering' },
    { phase: 'cleared' },
    { acknowledged: { wallMs: 1 } },
    { shelved: { untilWallMs: 2, reason: '' } },
    { maintenance: true },
    { inhibitedBy: 'x' },
    { severity: 'warning' },
  ] as const)('does not play for an alarm with %j', (changed) => {
    expect(needsSound(alarm('a'), 'critical')).toBe(true)
    expect(needsSound(alarm('a', changed), 'critical')).toBe(false)
    expect(needsSound(alarm('a'), 'off')).toBe(false)
  })
})

describe('announcements to screen readers', () => {
  const raised = (...alarms: readonly AlarmView[]) => ({ raised: alarms, over: [] })
  const over = (...alarms: readonly AlarmView[]) => ({ raised: [], over: alarms })

  it('are immediate, assertive for a critical alarm and polite for others', () => {
    const one = createAnnouncements()
    expect(one.next(0)).toBeUndefined()
    one.add(raised(alarm('a')))
    expect(one.next(0)).toEqual({ urgency: 'assertive', critical: 1, others: 0, over: 0, only: alarm('a') })
    const other = createAnnouncements()
    const quiet = alarm('a', { severity: 'warning' })
    other.add(raised(quiet))
    expect(other.next(0)).toEqual({ urgency: 'polite', critical: 0, others: 1, over: 0, only: quiet })
  })

  it('come at most once in 30 s, with everything since the last one', () => {
    const said = createAnnouncements()
    said.add(raised(alarm('a')))
    said.next(1_000)
    said.add(raised(alarm('b'), alarm('c', { severity: 'info' })))
    said.add(over(alarm('a')))
    expect(said.next(30_999)).toBeUndefined()
    expect(said.next(31_000)).toEqual({
      urgency: 'assertive',
      critical: 1,
      others: 1,
      over: 1,
      only: undefined,
    })
    expect(said.next(100_000)).toBeUndefined()
  })

  it('leave out an alarm that clears unannounced, and report one that returns as raised', () => {
    const said = createAnnouncements()
    said.add(raised(alarm('a')))
    said.add(over(alarm('a')))
    expect(said.next(0)).toBeUndefined()
    said.add(over(alarm('b')))
    said.add(raised(alarm('b')))
    expect(said.next(0)).toMatchObject({ critical: 1, over: 0 })
  })
})
