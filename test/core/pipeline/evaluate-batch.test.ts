import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import type { NodeLive } from '#fleet/live.ts'
import type { Batch } from '#monitor/monitor.ts'
import { scopedRule } from '#settings/effective.ts'
import { evaluateBatch } from '#pipeline/evaluate-batch.ts'
import { fleet, live, node } from '#test/core/monitor/fleet.ts'
const SERVICE = live()
const KNOWN = fleet([node(0), node(1)], [SERVICE])
const batch = (changed: readonly NodeLive[], given: Partial<Batch> = {}): Batch => ({
  nowMs: KNOWN.nowMs,
  wallMs: KNOWN.wallMs,
  screen: KNOWN.screen,
  changed,
  ...given,
})
const never = (error: unknown) => {
  throw error
}
const keysOf = (evaluated: ReturnType<typeof evaluateBatch>) => evaluated.changed.map(({ key }) => key)

describe('the evaluation of a batch', () => {
  it('includes unchanged nodes if new rules change their evaluation, and no others', () => {
    const limits = { heartbeatWarningMs: 1_000, heartbeatCriticalMs: 2_000 }
    const rule = scopedRule({ for: 'service', service: SERVICE.id, by: 'browser', units: {}, limits })
    const stricter = { ...SERVICE, rules: { ...SERVICE.rules, service: [rule] } }
    expect(keysOf(evaluateBatch(KNOWN, batch([], { services: [stricter] }), never, METRICS))).toEqual([
      node(0).key,
      node(1).key,
    ])
    const alike = { ...SERVICE, rules: { ...SERVICE.rules } }
    expect(keysOf(evaluateBatch(KNOWN, batch([], { services: [alike] }), never, METRICS))).toEqual([])
  })

  it('leaves out a node that cannot be evaluated, and reports the error', () => {
    const bug = new Error('bug')
    const broken: NodeLive = {
      ...node(0),
      get reading(): never {
        throw bug
      },
    }
    const errors: unknown[] = []
    expect(
      keysOf(evaluateBatch(KNOWN, batch([broken, node(1)]), (error) => errors.push(error), METRICS)),
    ).toEqual([node(1).key])
    expect(errors).toEqual([bug])
  })
})
