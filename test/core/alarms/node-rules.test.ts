import { describe, expect, it } from 'vitest'
import { evaluateLasting, evaluateRefused } from '#alarms/node-rules.ts'
import type { NodeLive } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { aged, episode, fleet, live, node, NOW_MS, reading, unreachable } from '#test/core/monitor/fleet.ts'
import { alarm, firing, nodeSubject, SERVICE } from './one-alarm.ts'

const OTHER = 'https://other.example'
const HOUR_MS = 3_600_000

describe('a node that stays unreachable', () => {
  const silent = (lastedMs: number, misses = 9) =>
    fleet([node(0, { reading: aged(lastedMs), episode: episode(unreachable, misses, lastedMs) })])
  const WARNED = firing({ kind: 'unreachable', severity: 'warning' })

  it('gets critical with time, though nothing new is heard', () => {
    expect(evaluateLasting([WARNED], silent(HOUR_MS))).toMatchObject([
      {
        ruleId: 'unreachable',
        kind: 'unreachable',
        subject: nodeSubject(),
        evaluation: { state: 'bad', severity: 'critical' },
      },
    ])
  })

  it.each([
    ['is not worse than it was said to be', WARNED, silent(1_000, 1)],
    ['is critical already', { ...WARNED, severity: 'critical' as const }, silent(HOUR_MS)],
    ['answers again', WARNED, fleet([node(0)])],
    ['is not raised yet', { ...WARNED, phase: 'pending' as const }, silent(HOUR_MS)],
    ['has another alarm only', firing({ kind: 'heartbeat-old' }), silent(HOUR_MS)],
    [
      'is not alone: the whole service is',
      { ...WARNED, subject: { kind: 'service', serviceId: SERVICE } as const },
      silent(HOUR_MS),
    ],
    ['is not watched any more', WARNED, fleet([])],
    ['is of a service that is not watched any more', WARNED, { ...silent(HOUR_MS), services: new Map() }],
  ])('is not evaluated again where it %s', (_, one, now) => {
    expect(evaluateLasting([one], now)).toEqual([])
  })
})

describe('a node whose key is refused', () => {
  const since = NOW_MS - 5_000
  const refused = node(0, { episode: episode({ kind: 'unauthorized' }) })
  const answered = (startedMs: number, more: Partial<NodeLive> = {}) =>
    node(1, { reading: reading({}, { startedMs }), ...more })
  const PENDING = alarm({ kind: 'key-rejected', phase: 'pending' })

  it('has an alarm of its own at once when another of its service is answered: the key is good', () => {
    expect(evaluateRefused([PENDING], fleet([refused, answered(since + 1)]))).toMatchObject([
      {
        ruleId: 'key-rejected',
        kind: 'key-rejected',
        subject: nodeSubject(),
        timing: { raiseAfter: { polls: 1, of: 1 } },
        evaluation: { state: 'bad' },
      },
    ])
  })

  const other = live({}, OTHER)
  it.each<[string, ReturnType<typeof alarm>, ReturnType<typeof fleet>]>([
    ['was answered before only', PENDING, fleet([refused, answered(since)])],
    ['never answered', PENDING, fleet([refused, answered(0, { reading: undefined })])],
    ['fails too', PENDING, fleet([refused, answered(since + 1, { episode: episode(unreachable) })])],
    [
      'is of another service',
      PENDING,
      fleet([refused, node(1, { reading: reading({}, { startedMs: since + 1 }) }, OTHER)], [live(), other]),
    ],
  ])('waits where the other node %s', (_, one, now) => {
    expect(evaluateRefused([one], now)).toEqual([])
  })

  const both = fleet([refused, answered(since + 1)])
  it.each([
    ['is raised already', { ...PENDING, phase: 'firing' as const }, both],
    ['has another alarm that waits', alarm({ kind: 'unreachable', phase: 'pending' }), both],
    [
      'is not alone: the whole service refuses',
      { ...PENDING, subject: { kind: 'service', serviceId: serviceIdOf(OTHER) } as const },
      both,
    ],
    ['answers again', PENDING, fleet([node(0), answered(since + 1)])],
    ['is not watched any more', PENDING, fleet([answered(since + 1)])],
    ['is of a service that is not watched any more', PENDING, { ...both, services: new Map() }],
  ])('is not evaluated again where it %s', (_, one, now) => {
    expect(evaluateRefused([one], now)).toEqual([])
  })
})
