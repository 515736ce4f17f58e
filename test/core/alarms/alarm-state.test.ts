import { expect, it } from 'vitest'
import { createAlarmState, type Change, type RuleEvaluation } from '#alarms/alarm-state.ts'
import { type Evaluation } from '#alarms/instance.ts'
import { firing, nodeSubject } from './one-alarm.ts'

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

it('of more than 40,000 alarms the newest are not taken up, and those that are there go on', () => {
  const { alarms } = state()
  const named = (place: number) => ({ ...firing(), id: `rule ${place}` })
  for (let place = 0; place < 40_001; place++) alarms.apply({ next: named(place), transitions: [] })
  expect(alarms.all()).toHaveLength(40_000)
  expect(alarms.get('rule 40000')).toBeUndefined()
  alarms.apply({ next: { ...named(0), severity: 'critical' }, transitions: [] })
  expect(alarms.get('rule 0')?.severity).toBe('critical')
})
