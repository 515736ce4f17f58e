import { describe, expect, it } from 'vitest'
import type { AlarmId, AlarmView } from '#alarms/alarm.ts'
import { sentAlerts, type OpenAlert } from '#delivery/alertmanager.ts'
import { familyOf } from '#alarms/announcements.ts'
import { alarm, facts } from './outgoing.ts'

const MINUTE_MS = 60_000
const SEEN = { wallMs: 1, note: 'seen' }
const one = alarm('aa')
const AT_MS = one.raisedWallMs ?? 0
const FAMILY = `group ${familyOf(one)}`

type MembersOf = Parameters<typeof sentAlerts>[3]
const noMembers: MembersOf = () => []

/** The alerts that have to be open. */
const sent = (on: readonly AlarmView[], open: readonly OpenAlert[] = [], membersOf = noMembers) =>
  sentAlerts(on, open, facts, membersOf)
const idsOf = (found: ReturnType<typeof sent>) => found.map(({ alert }) => alert.labels['alarm'])
const openOf = (
  id: AlarmId,
  severity: string,
  startsAt = new Date(AT_MS - 9 * MINUTE_MS).toISOString(),
): OpenAlert => ({
  labels: { alertname: 'X', severity, alarm: id },
  annotations: {},
  startsAt,
  generatorURL: '',
})
const group = (count: number, more: Partial<AlarmView> = {}) => alarm('gg', { memberCount: count, ...more })

describe('alerts of single alarms', () => {
  it('are one per alarm, acknowledged or not', () => {
    const found = sent([one, alarm('bb', { acknowledged: SEEN })])
    expect(idsOf(found)).toEqual(['aa', 'bb'])
    expect(found.map(({ acknowledged, phase }) => [acknowledged, phase])).toEqual([
      [undefined, 'firing'],
      [SEEN, 'firing'],
    ])
    expect(sent([])).toEqual([])
  })

  it('stay open in their own state after their alarm joins a group', () => {
    const members: MembersOf = (id) =>
      id === 'gg' ? [{ id: 'aa', acknowledged: SEEN, phase: 'recovering' }] : []
    const open = openOf('aa', 'critical')
    const found = sent([group(3)], [open, openOf('zz', 'critical')], members)
    expect(idsOf(found)).toEqual([FAMILY, 'aa'])
    expect(found[1]).toMatchObject({ alert: open, acknowledged: SEEN, phase: 'recovering' })
  })

  it('stay open after their alarm is sent as part of a family', () => {
    const open = [openOf(FAMILY, 'critical'), openOf('aa', 'critical')]
    expect(idsOf(sent([one], open))).toEqual([FAMILY, 'aa'])
  })
})

it('a cleared alarm is not sent, but its alert stays open if it was sent before', () => {
  const over = alarm('aa', { phase: 'cleared' })
  expect(idsOf(sent([over, alarm('bb', { phase: 'recovering' })]))).toEqual(['bb'])
  expect(idsOf(sent([{ ...over, phase: 'pending' }]))).toEqual([])
  expect(idsOf(sent([group(3, { phase: 'cleared' })]))).toEqual([])
  expect(idsOf(sent([over], [openOf('aa', 'critical')]))).toEqual(['aa'])
  expect(idsOf(sent([over], [openOf(FAMILY, 'critical')]))).toEqual([FAMILY])
})

describe('an alert of a family', () => {
  it('covers a group and all other firing alarms of the family', () => {
    const found = sent([group(3, { severity: 'warning' }), one, alarm('bb')])
    expect(idsOf(found)).toEqual([FAMILY])
    expect(found).toMatchObject([{ memberCount: 5, alert: { labels: { severity: 'critical' } } }])
  })

  it('stays one alert when its group splits, at no lower severity', () => {
    const rows = [alarm('aa', { severity: 'info' }), alarm('bb', { severity: 'warning' })]
    const severityAfter = (before: string) =>
      sent(rows, [openOf(FAMILY, before)]).map(({ alert }) => alert.labels['severity'])
    expect(severityAfter('critical')).toEqual(['critical'])
    expect(severityAfter('info')).toEqual(['warning'])
  })

  it('starts when it was first sent, otherwise with its earliest alarm', () => {
    const rows = [group(2), alarm('aa', { raisedWallMs: AT_MS - 5 * MINUTE_MS })]
    const began = (on: readonly AlarmView[], open: readonly OpenAlert[] = []) =>
      Date.parse(sent(on, open)[0]?.alert.startsAt ?? '') - AT_MS
    expect(began(rows)).toBe(-5 * MINUTE_MS)
    expect(began(rows, [openOf(FAMILY, 'critical')])).toBe(-9 * MINUTE_MS)
    expect(began(rows, [openOf(FAMILY, 'critical', 'no time')])).toBe(-5 * MINUTE_MS)
    const pending = alarm('bb', { raisedWallMs: undefined, sinceWallMs: AT_MS - 7 * MINUTE_MS })
    expect(began([...rows, pending])).toBe(-7 * MINUTE_MS)
  })

  it('is acknowledged once all its alarms are', () => {
    const taken = (...acknowledged: readonly AlarmView['acknowledged'][]) =>
      sent(acknowledged.map((by, place) => alarm(`a${place}`, { acknowledged: by, memberCount: 2 })))[0]
        ?.acknowledged
    expect(taken(SEEN, SEEN, SEEN)).toEqual(SEEN)
    expect(taken(SEEN, SEEN, undefined)).toBeUndefined()
    expect(taken(SEEN, undefined, SEEN)).toBeUndefined()
    expect(taken(undefined, SEEN, SEEN)).toBeUndefined()
  })

  it('describes its most severe row, a group before a single alarm of the same severity', () => {
    const told = (...rows: readonly AlarmView[]) =>
      sent(rows, [openOf(FAMILY, 'info')])[0]?.alert.annotations['todo']
    const single = alarm('aa', { todo: 'single' })
    const many = group(2, { todo: 'many' })
    expect(told(single, many)).toBe('many')
    expect(told(many, single)).toBe('many')
    expect(told({ ...many, severity: 'warning' }, single)).toBe('single')
    expect(told({ ...single, severity: 'info' }, { ...single, id: 'bb', todo: 'other' })).toBe('other')
  })
})

it('alerts of alarms whose nodes are not listed yet stay open as they are, and no others', () => {
  const open = ['aa', FAMILY, 'zz'].map((id) => openOf(id, 'critical'))
  const found = sentAlerts([], open, facts, noMembers, [alarm('aa', { acknowledged: SEEN })])
  expect(found.map(({ alert, acknowledged }) => [alert, acknowledged])).toEqual(
    open.slice(0, 2).map((alert) => [alert, SEEN]),
  )
})

it('an alert that is already open is sent once, with its current annotations', () => {
  const before = openOf('aa', 'critical')
  const found = sent([one], [before])
  expect(found.map(({ alert }) => alert.annotations['summary'])).toEqual([facts(one).title])
})
