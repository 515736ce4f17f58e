import { AlarmEvaluator } from '#alarms/alarm-evaluator.ts'
import type { RowContext } from '#alarms/alarm-rows.ts'
import { newInstance, type Instance, alarmIdOf } from '#alarms/instance.ts'
import type { AlarmSubject } from '#alarms/alarm.ts'
import { METRICS } from '#metrics/metrics.ts'
import { BASE, keyOf } from '#test/core/monitor/watch.ts'
import { serviceIdOf } from '#record/service.ts'

export const SERVICE = serviceIdOf(BASE)
export const nodeSubject = (index = 0): AlarmSubject => ({
  kind: 'node',
  node: keyOf(index),
  serviceId: SERVICE,
})

export const SHELVED = { untilWallMs: 1, untilAwakeMs: 1, reason: '' }

/** An evaluator whose callbacks do nothing unless given. */
export const evaluator = (given: Partial<ConstructorParameters<typeof AlarmEvaluator>[0]> = {}) =>
  new AlarmEvaluator({
    registry: METRICS,
    writer: 'test',
    onTransition: () => undefined,
    onNotification: () => undefined,
    ...given,
  })

/** A new alarm with the given fields. */
export function alarm(given: Partial<Instance> = {}): Instance {
  const { subject = nodeSubject(), kind = 'heartbeat-old' } = given
  const ruleId = given.ruleId ?? kind
  return {
    ...newInstance({ id: alarmIdOf(ruleId, subject), ruleId, kind, subject }, { awakeMs: 0, wallMs: 0 }),
    ...given,
  }
}
export const firing = (given: Partial<Instance> = {}): Instance =>
  alarm({ phase: 'firing', severity: 'warning', raisedWallMs: 0, ...given })

export const around = (given: Partial<RowContext> = {}): RowContext => ({
  awakeMs: 0,
  wallMs: 0,
  inhibitedBy: new Map(),
  inMaintenance: () => false,
  reach: new Map(),
  twins: new Map(),
  todo: () => undefined,
  ...given,
})

export const onNode = (index: number, given: Partial<Instance> = {}) =>
  firing({ subject: nodeSubject(index), ...given })
