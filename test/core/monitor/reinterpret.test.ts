import { describe, expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import type { ClockOffset } from '#record/clock-offset.ts'
import { agesOf, heartbeatUnits, reinterpretHeartbeats } from '#monitor/reinterpret.ts'
import { resolveSettings } from '#settings/effective-settings.ts'
import type { SetRule } from '#settings/effective.ts'
import { NOW_MS, reading, WALL_MS } from './fleet.ts'
import { tracked } from './tracked.ts'
import { BASE, nodes, service } from './watch.ts'

const inUnit = (heartbeat: 's' | 'ms'): SetRule => ({
  for: 'service',
  service: BASE,
  by: 'browser',
  units: { heartbeat },
  limits: {},
})

/** A timestamp beside the heartbeat. */
const started = () =>
  METRICS.flatMap((metric) => (metric.kind === 'timestamp' ? [{ ...metric, id: 'started' }] : []))

describe('timestamps in another unit', () => {
  it('are read anew where they can be, and nodes of which nothing was heard have none', () => {
    const { fleet, configure, nodeAt, serviceAt } = tracked({ nodes: nodes(2), rules: [inUnit('s')] })
    const before = heartbeatUnits(fleet)
    nodeAt(0).live = { ...nodeAt(0).live, reading: reading({ last_heartbeat: WALL_MS - 15_000 }) }
    serviceAt(0).offset = { lowMs: -1_000, highMs: 1_000 }
    configure({ nodes: nodes(2), rules: [inUnit('ms')] })
    const byServiceClock = { kind: 'known', ageMs: 10_000, uncertaintyMs: 1_000 }
    expect(nodeAt(0).live.reading?.ages).toEqual({ heartbeat: byServiceClock })
    expect(nodeAt(1).live.reading).toBeUndefined()
    // All were read in that unit by then.
    const known = nodeAt(0).live.reading
    expect(reinterpretHeartbeats(fleet, heartbeatUnits(fleet), METRICS)).toEqual([])
    expect(reinterpretHeartbeats(fleet, new Map(), METRICS)).toEqual([])
    expect(nodeAt(0).live.reading).toBe(known)
    // A timestamp that an answer does not have is none in any unit.
    expect(reinterpretHeartbeats(fleet, before, [...METRICS, ...started()])).toEqual([])
    expect(nodeAt(0).live.reading?.ages).toEqual({ heartbeat: byServiceClock })
  })

  it('that could not be read in the one before have their nodes asked, but for a service that holds them back', () => {
    const askedAt = (isHeld: boolean) => {
      const { configure, nodeAt, serviceAt, schedule } = tracked({ rules: [inUnit('s')] })
      const laterMs = NOW_MS + 50_001
      schedule.planAt(nodeAt(0), laterMs)
      nodeAt(0).live = { ...nodeAt(0).live, reading: reading({ last_heartbeat: 'odd' }) }
      if (isHeld)
        serviceAt(0).hold = {
          reason: 'rate-limited',
          sinceMs: NOW_MS,
          untilMs: NOW_MS + 1_000,
          failure: { kind: 'rate-limited' },
        }
      configure({ services: [service()], rules: [inUnit('ms')] })
      return nodeAt(0).live.nextPollMs === laterMs
    }
    expect([askedAt(false), askedAt(true)]).toEqual([false, true])
  })
})

describe('ages of timestamps', () => {
  it('are of timestamps alone, and those that don’t come again have no beat that is late', () => {
    const { record } = reading({ last_heartbeat: WALL_MS / 1_000 + 60 })
    const seen = { startedWallMs: WALL_MS, latencyMs: 100 }
    const settings = resolveSettings([], {})
    const both = Object.assign({ started: record.heartbeat }, record)
    const agesBy = (date?: ClockOffset) =>
      agesOf(both, seen, { date, unchangedMs: 600_000 }, settings, [...METRICS, ...started()])
    expect(Object.keys(agesBy())).toEqual(['heartbeat', 'started'])
    expect(agesBy()['heartbeat']).toEqual({ kind: 'at-least', ageMs: 600_000 })
    for (const date of [undefined, { lowMs: -1_000, highMs: 1_000 }])
      expect(agesBy(date)['started']).toEqual(agesOf(record, seen, { date }, settings, METRICS)['heartbeat'])
  })
})
