import { describe, expect, it } from 'vitest'
import type { AlarmSeverity } from '#alarms/alarm.ts'
import type { Instance } from '#alarms/instance.ts'
import { rowsOf, viewOf } from '#alarms/alarm-rows.ts'
import { createNotifier, groupTimingOf } from '#alarms/notification-groups.ts'
import { keyOf } from '#test/core/monitor/watch.ts'
import { alarm, around, nodeSubject, onNode, SERVICE, SHELVED } from './one-alarm.ts'

const WAIT_MS = 10_000
const AGAIN_MS = 60_000
const DAY_MS = 86_400_000

/** A notifier stepped by the test; its alarms remember the severity that was notified. */
function told(...first: readonly Instance[]) {
  const notifier = createNotifier(() => ({ groupWaitMs: WAIT_MS, groupIntervalMs: AGAIN_MS }))
  let instances: readonly Instance[] = first
  let awakeMs = 0
  return {
    notifier,
    set: (index: number, given: Partial<Instance>) => {
      instances = instances.map((one, at) => (at === index ? { ...one, ...given } : one))
    },
    add: (one: Instance) => (instances = [...instances, one]),
    after: (ms: number, given: Parameters<typeof around>[0] = {}) => {
      awakeMs += ms
      const step = notifier.step(instances, around({ awakeMs, wallMs: 1_000 + awakeMs, ...given }))
      instances = instances.map((one) =>
        step.notified.has(one.id) ? { ...one, notifiedSeverity: step.notified.get(one.id) } : one,
      )
      return step.notifications.map(
        ({ kind, reason, count, severity }) => `${kind} ${reason} ${count} ${severity}`,
      )
    },
    told: () => instances.map((one) => one.notifiedSeverity),
  }
}

/** The same, after the first notification. */
function toldOf(...first: readonly Instance[]) {
  const alarms = told(...first)
  alarms.after(0)
  alarms.after(WAIT_MS)
  return alarms
}

describe('an alarm', () => {
  it('is notified once, together with its group, after the group wait', () => {
    const { after, add, told: as } = told(onNode(0))
    expect(after(0)).toEqual([])
    add(onNode(1, { severity: 'critical' }))
    expect(after(WAIT_MS - 1)).toEqual([])
    expect(after(1)).toEqual(['problem raised 2 critical'])
    expect(as()).toEqual(['warning', 'critical'])
    expect(after(WAIT_MS)).toEqual([])
  })

  it('is listed worst first within its group, in the order of the screen', () => {
    const value = (ms: number) => ({ unit: 'ms', value: ms }) as const
    const members = [
      onNode(0, { value: value(1) }),
      onNode(1, { value: value(3) }),
      onNode(2, { severity: 'critical', value: value(2) }),
      onNode(3, { value: value(2) }),
    ]
    const { notifier } = told()
    notifier.step(members, around())
    const { notifications } = notifier.step(members, around({ awakeMs: WAIT_MS }))
    const context = around()
    const [[id, row = []] = ['', []]] = rowsOf(members, context)
    expect(notifications[0]?.alarms.map((each) => each.subject)).toEqual(
      [2, 1, 3, 0].map((index) => nodeSubject(index)),
    )
    expect(viewOf(id, row, context)?.members.map(({ node }) => node)).toEqual(
      [2, 1, 3, 0].map((index) => keyOf(index)),
    )
  })

  it('that joins a notified group waits for the group interval', () => {
    const { after, add } = toldOf(onNode(0))
    add(onNode(1))
    expect(after(WAIT_MS)).toEqual([])
    expect(after(AGAIN_MS - WAIT_MS - 1)).toEqual([])
    expect(after(1)).toEqual(['problem raised 1 warning'])
  })

  it('raised after its group has cleared waits only for the group wait, even before that recovery is notified', () => {
    const { after, set, add } = toldOf(onNode(0))
    set(0, { phase: 'normal' })
    after(1)
    add(onNode(1))
    after(1)
    expect(after(WAIT_MS)).toEqual(['problem raised 1 warning', 'recovery cleared 1 warning'])
  })

  it('that clears within the group wait is not notified, and waits in full when it returns', () => {
    const { after, set } = told(onNode(0))
    after(0)
    set(0, { phase: 'normal' })
    expect(after(WAIT_MS)).toEqual([])
    set(0, { phase: 'firing' })
    expect(after(0)).toEqual([])
    expect(after(WAIT_MS - 1)).toEqual([])
    expect(after(1)).toHaveLength(1)
  })

  it('has its recovery notified once, together with its group, after the group wait', () => {
    const { after, set, told: as } = toldOf(onNode(0), onNode(1))
    set(0, { phase: 'recovering' })
    expect(after(WAIT_MS)).toEqual([])
    set(0, { phase: 'normal' })
    expect(after(0)).toEqual([])
    set(1, { phase: 'normal' })
    expect(after(WAIT_MS - 1)).toEqual([])
    expect(after(1)).toEqual(['recovery cleared 2 warning'])
    expect(as()).toEqual([undefined, undefined])
    expect(after(AGAIN_MS)).toEqual([])
  })

  it.each<[string, Partial<Instance>, Parameters<typeof around>[0]]>([
    ['shelved', { shelved: SHELVED }, {}],
    ['acknowledged', { acknowledged: { wallMs: 1 } }, {}],
    ['inhibited', {}, { inhibitedBy: new Map([[onNode(0).id, 'x']]) }],
    ['in maintenance', {}, { inMaintenance: () => true }],
    ['pending', { phase: 'pending' }, {}],
    ['recovering before it was notified', { phase: 'recovering' }, {}],
  ])('that is %s is not notified', (_, given, where) => {
    const { after } = told(onNode(0, given))
    after(0, where)
    expect(after(2 * AGAIN_MS, where)).toEqual([])
  })

  it('that was notified has its recovery notified even if it was shelved and acknowledged since', () => {
    const { after, set } = toldOf(onNode(0))
    set(0, { phase: 'normal', shelved: SHELVED, acknowledged: { wallMs: 1 } })
    after(0)
    expect(after(WAIT_MS)).toEqual(['recovery cleared 1 warning'])
  })

  it('that flaps is notified only while on; its wait goes on while it is normal, unless it is shelved or seen', () => {
    const gone = { phase: 'normal', flapping: true, awaitsAcknowledgement: true } as const
    const wait = (given: Partial<Instance> = {}) => {
      const { after, set } = told(onNode(0, { ...gone, ...given }))
      expect([after(0), after(AGAIN_MS)]).toEqual([[], []])
      set(0, { phase: 'recovering', shelved: undefined })
      return after(0)
    }
    expect(wait()).toEqual(['problem flapping 1 warning'])
    expect([wait({ shelved: SHELVED }), wait({ awaitsAcknowledgement: false })]).toEqual([[], []])
  })

  it('that flaps is notified once, and its recovery once it has settled', () => {
    const { after, set } = told(onNode(0, { flapping: true }))
    after(0)
    expect(after(WAIT_MS)).toEqual(['problem flapping 1 warning'])
    set(0, { phase: 'normal' })
    after(0)
    expect(after(AGAIN_MS)).toEqual([])
    set(0, { flapping: false, phase: 'pending' })
    after(0)
    expect(after(WAIT_MS)).toEqual([])
    set(0, { phase: 'normal' })
    after(0)
    expect(after(WAIT_MS)).toEqual(['recovery cleared 1 warning'])
    const mixed = told(onNode(0, { flapping: true }), onNode(1))
    mixed.after(0)
    expect(mixed.after(WAIT_MS)).toEqual(['problem raised 2 warning'])
  })

  it('that gets worse is notified at once, but not while it recovers', () => {
    const { after, set, told: as } = toldOf(onNode(0))
    set(0, { severity: 'critical', phase: 'recovering' })
    expect(after(WAIT_MS)).toEqual([])
    set(0, { phase: 'firing' })
    expect(after(1)).toEqual(['reminder worse 1 critical'])
    expect([as(), after(1)]).toEqual([['critical'], []])
  })

  it('that gets worse shortly after others of its group is notified with all that do so within the group wait', () => {
    const { after, set } = toldOf(onNode(0), onNode(1), onNode(2), onNode(3))
    set(0, { severity: 'critical' })
    expect(after(1)).toEqual(['reminder worse 1 critical'])
    for (const index of [1, 2]) {
      set(index, { severity: 'critical' })
      expect(after(WAIT_MS / 2 - 1)).toEqual([])
    }
    expect(after(2)).toEqual(['reminder worse 2 critical'])
    set(3, { severity: 'critical' })
    expect(after(WAIT_MS)).toEqual(['reminder worse 1 critical'])
  })

  it('that is critical and unacknowledged is notified again every hour', () => {
    const { after, set } = toldOf(onNode(0, { severity: 'critical' }), onNode(1, { kind: 'stake-below' }))
    expect(after(3_600_000 - 1)).toEqual([])
    expect(after(1)).toEqual(['reminder again 1 critical'])
    expect(after(3_600_000)).toEqual(['reminder again 1 critical'])
    set(0, { acknowledged: { wallMs: 1 } })
    expect(after(3_600_000)).toEqual([])
  })
})

describe('a notification', () => {
  it('names its group, counts all its alarms and lists the worst 20', () => {
    const notifier = createNotifier(() => ({ groupWaitMs: 0, groupIntervalMs: 0 }))
    const many = Array.from({ length: 25 }, (_, index) =>
      onNode(index, { severity: index === 24 ? 'critical' : 'warning' }),
    )
    const [notice] = notifier.step(many, around({ wallMs: 77 })).notifications
    expect(notice).toMatchObject({
      id: '77 1',
      kind: 'problem',
      group: `heartbeat-old ${SERVICE}`,
      count: 25,
      wallMs: 77,
    })
    expect(notice?.alarms).toHaveLength(20)
    expect(notice?.alarms[0]?.severity).toBe('critical')
  })

  it('about alarms of a removed node is sent at once, for the notified ones only', () => {
    const { notifier } = told()
    const gone = [
      onNode(0, { notifiedSeverity: 'critical', severity: 'critical' }),
      onNode(1, { notifiedSeverity: 'warning' }),
      onNode(2),
      onNode(3, { notifiedSeverity: 'warning', kind: 'stake-below' }),
    ]
    const notices = notifier.closed(gone, 'node-removed', around({ wallMs: 5 }))
    expect(
      notices.map(({ kind, reason, count, severity, id }) => [id, kind, reason, count, severity]),
    ).toEqual([
      ['5 1', 'recovery', 'node-removed', 2, 'critical'],
      ['5 2', 'recovery', 'node-removed', 1, 'warning'],
    ])
  })
})

it.each<[Partial<Instance>, number, number, number]>([
  [{}, 1_000, 2_000, 20_000],
  [{}, 15_000, 30_000, 300_000],
  [{}, 16_000, 30_000, 300_000],
  [{ subject: { kind: 'screen' }, kind: 'throttled' }, 1_000, 0, 20_000],
])('%j polled every %d ms: group wait %d ms, group interval %d ms', (given, everyMs, waitMs, againMs) => {
  expect(groupTimingOf(alarm(given), everyMs)).toEqual({ groupWaitMs: waitMs, groupIntervalMs: againMs })
})

describe('alarms notified in an earlier session', () => {
  const known = (index: number, severity: AlarmSeverity) =>
    onNode(index, { severity, notifiedSeverity: severity })

  it('do not delay the next one beyond the group wait', () => {
    const { after } = told(known(0, 'warning'), onNode(1))
    expect(after(0)).toEqual([])
    expect(after(WAIT_MS)).toEqual(['problem raised 1 warning'])
  })

  it('are notified again only if critical', () => {
    const { after } = told(known(0, 'critical'), known(1, 'warning'))
    expect(after(0)).toEqual([])
    expect(after(DAY_MS)).toEqual(['reminder again 1 critical'])
  })
})
