import { expect, it } from 'vitest'
import { createAlarmState, type Change, type RuleEvaluation } from '#alarms/alarm-state.ts'
import { bad, good, type Evaluation } from '#alarms/instance.ts'
import { keyOf } from '#test/core/monitor/watch.ts'
import { alarm, firing, nodeSubject, SERVICE } from './one-alarm.ts'

const AT_ONCE = { raiseAfter: { polls: 1, of: 1 }, forMs: 0, clearAfter: 1, keepFiringForMs: 0 }

function state() {
  const changes: Change[] = []
  const steps: string[] = []
  let awakeMs = 0
  const alarms = createAlarmState({
    momentOf: () => ({ awakeMs, wallMs: awakeMs }),
    onTransition: ({ instance, transition, inhibitedBy }) => {
      const by = inhibitedBy === undefined ? '' : ` by ${inhibitedBy}`
      steps.push(`${instance.kind} ${transition.name} ${transition.reason}${by}`)
    },
    changed: (change) => changes.push(change),
  })
  const taken = <T>(list: T[]): readonly T[] => list.splice(0)
  return {
    alarms,
    changes: () => taken(changes),
    steps: () => taken(steps),
    evaluate: (evaluation: Evaluation, more: Partial<RuleEvaluation> = {}): void => {
      awakeMs += 1_000
      const kind = 'heartbeat-old'
      const rule = {
        ruleId: kind,
        kind,
        subject: nodeSubject(),
        timing: AT_ONCE,
        freshForMs: 60_000,
      } as const
      alarms.evaluate({ ...rule, evaluation, ...more })
    },
  }
}

it('an alarm is kept from its first bad evidence until there is nothing left to be said of it', () => {
  const { alarms, changes, evaluate } = state()
  evaluate(good())
  expect([alarms.all(), changes()]).toEqual([[], []])
  evaluate(bad('warning'))
  expect(alarms.all()).toHaveLength(1)
  expect(changes()).toEqual(['much'])
  evaluate(bad('warning'))
  expect(changes()).toEqual(['little'])
  const [one] = alarms.all()
  if (one === undefined) throw new Error('no alarm')
  alarms.reach.set(one.id, new Set([keyOf(0)]))
  alarms.setNotified(one.id, 'warning')
  expect(changes()).toEqual(['much'])
  alarms.setNotified(one.id, 'warning')
  alarms.setNotified('no such alarm', 'warning')
  expect(changes()).toEqual(['little'])
  alarms.apply({ next: one, transitions: [] })
  alarms.apply({ next: one, transitions: [] })
  // Back to what it was, and then the very same.
  expect(changes()).toEqual(['much'])
  alarms.apply({ next: { ...alarm(), id: one.id }, transitions: [] })
  expect([alarms.all(), alarms.reach.size]).toEqual([[], 0])
})

it('of more than 40,000 alarms the newest are not taken up, and those that are there go on', () => {
  const { alarms } = state()
  const named = (place: number) => ({ ...firing(), id: `rule ${place}` })
  for (let place = 0; place < 40_001; place++) alarms.apply({ next: named(place), transitions: [] })
  expect(alarms.all()).toHaveLength(40_000)
  expect(alarms.get('rule 40000')).toBeUndefined()
  alarms.apply({ next: { ...named(0), severity: 'critical' }, transitions: [] })
  expect(alarms.get('rule 0')?.severity).toBe('critical')
})

it('what explains an alarm is told once, and that it does no more, of alarms that are on', () => {
  const { alarms, changes, steps } = state()
  const service = { kind: 'service', serviceId: SERVICE } as const
  const whole = firing({ kind: 'unreachable', subject: service })
  const key = firing({ kind: 'key-rejected', subject: { kind: 'key', serviceId: SERVICE } })
  const one = firing({ kind: 'unreachable' })
  const waits = alarm({ kind: 'rejected', phase: 'pending', subject: nodeSubject(1) })
  for (const each of [one, waits, whole]) alarms.restore(each)
  alarms.inhibit()
  expect(steps()).toEqual([`unreachable inhibited ${whole.id}`])
  expect(changes()).toEqual(['view', 'view'])
  alarms.inhibit()
  expect([steps(), changes()]).toEqual([[], []])
  // Another one explains it now: only how it is shown changes.
  alarms.restore(key)
  alarms.inhibit()
  expect(alarms.inhibitedBy().get(one.id)).toBe(key.id)
  expect(steps()).toEqual([`unreachable inhibited ${key.id}`])
  alarms.apply({
    next: { ...one, severity: 'critical' },
    transitions: [{ name: 'raised', reason: 'severity' }],
  })
  expect(steps()).toEqual([`unreachable raised severity by ${key.id}`])
  alarms.close([whole, key], 'node-removed')
  expect(steps()).toEqual(['unreachable closed node-removed', 'key-rejected closed node-removed'])
  alarms.inhibit()
  expect(steps()).toEqual([`unreachable released ${key.id}`])
  alarms.close([], 'rule-removed')
  expect(steps()).toEqual([])
})
