import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { alarmName } from '#texts/en-alarm-names.ts'
import { readStatusRecord } from '#metrics/status-record.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { AlarmSettingsSchema, type AlarmSettings } from '#settings/schema.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { PEERS, WITH_PEERS } from '#test/core/metrics/peers.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { fleet, live, node, NOW_MS, reading, WALL_MS } from '#test/core/monitor/fleet.ts'
import { withAssessment } from '#test/support/evaluated.ts'
import { valueOf } from '#test/support/value-of.ts'
import { evaluator } from './one-alarm.ts'

/** The alarms of a node with the given number of peers in each poll. */
function raisedBy(condition: object, peers: readonly number[]) {
  const notified: string[] = []
  const alarms = evaluator({ registry: WITH_PEERS })
  alarms.configure(
    v.parse(AlarmSettingsSchema, { rules: [{ id: 'mine', scope: { for: 'all' }, condition }] }),
  )
  for (const [place, count] of peers.entries()) {
    const nowMs = NOW_MS + place * 15_000
    const json = valueOf(parseJsonRecord(JSON.stringify({ ...RECORD, peers_connected: count })))
    const record = readStatusRecord(json, WITH_PEERS)
    const given = node(0, { answered: place + 1, reading: { ...reading({}, { startedMs: nowMs }), record } })
    const nodes = [withAssessment(given, live(), WITH_PEERS)]
    const snapshot = { ...fleet([]), nodes: new Map(nodes.map((one) => [one.key, one])) }
    alarms.evaluate(snapshot, {}, nowMs, WALL_MS + place * 15_000)
    for (const { ruleId, kind, phase, value } of alarms.view().alarms)
      if (phase === 'firing' && kind.startsWith(PEERS.id))
        notified.push([ruleId, kind, JSON.stringify(value)].join(' '))
  }
  return notified
}

const RECORD = { status: 'ACTIVE' }

it.each([
  [{ test: 'below', limit: 5 }, [4, 4], 'mine peersConnected-below {"unit":"count","value":4}'],
  [{ test: 'above', limit: 5 }, [6, 6], 'mine peersConnected-above {"unit":"count","value":6}'],
  [
    { test: 'p95-above', limit: 5 },
    [6, 6, 6, 6, 6, 6],
    'mine peersConnected-p95-above {"unit":"count","value":6}',
  ],
])('a rule can test a metric that only the registry defines: %j', (condition, peers, raised) => {
  expect(raisedBy({ metric: PEERS.id, ...condition }, peers)).toEqual([raised])
})

it('a metric that only the registry defines has a built-in rule for its own limits', () => {
  const below = { metric: PEERS.id, test: 'below', limit: 0 }
  expect(raisedBy(below, [1, 1])).toEqual([
    'peersConnected-below peersConnected-below {"unit":"count","value":1}',
  ])
})

it('a rule on an unknown metric raises nothing and is named by its ids', () => {
  expect(raisedBy({ metric: 'unknown', test: 'below', limit: 5 }, [4, 4])).toEqual([])
  expect(alarmName('unknown-below', WITH_PEERS)).toBe('unknown below')
})

it('a built-in rule that throws raises rule-failed until it works again; the other rules continue', () => {
  let isBroken = true
  const broken: MetricRegistry = METRICS.map((metric) =>
    metric.id === 'heartbeat' && metric.kind === 'timestamp'
      ? {
          ...metric,
          limits: (settings) => {
            if (isBroken) throw new TypeError('limits of nothing')
            return metric.limits?.(settings) ?? []
          },
        }
      : metric,
  )
  const alarms = evaluator({ registry: broken })
  const firing = (place: number): readonly string[] => {
    const nowMs = NOW_MS + place * 15_000
    const given = node(0, {
      answered: place + 1,
      reading: reading({ status: 'RETIRED' }, { startedMs: nowMs }),
    })
    alarms.evaluate(fleet([given]), {}, nowMs, WALL_MS + place * 15_000)
    return alarms
      .view()
      .alarms.filter(({ phase }) => phase === 'firing')
      .map(({ kind, value }) => `${kind} ${value?.unit === 'reason' ? value.text : ''}`.trim())
  }
  firing(0)
  expect(firing(1)).toEqual(['rule-failed heartbeat-old: limits of nothing', 'status-left'])
  isBroken = false
  for (let place = 2; place < 8; place++) firing(place)
  expect(firing(8)).toEqual(['status-left'])
})

describe('an error during evaluation', () => {
  const look = (place: number, change: (snapshot: FleetSnapshot) => FleetSnapshot) => {
    const nowMs = NOW_MS + place * 15_000
    const retired = reading({ status: 'RETIRED' }, { startedMs: nowMs })
    return change({
      ...fleet([node(0, { answered: place + 1, reading: retired })]),
      nowMs,
      wallMs: WALL_MS + place * 15_000,
    })
  }
  const broken = (): never => {
    throw new TypeError('nothing there')
  }
  const raised = (change: (snapshot: FleetSnapshot) => FleetSnapshot, settings?: AlarmSettings) => {
    const alarms = evaluator()
    if (settings !== undefined) alarms.configure(settings)
    for (const place of [0, 1]) {
      const snapshot = look(place, change)
      alarms.evaluate(snapshot, {}, snapshot.nowMs, snapshot.wallMs)
    }
    return alarms
      .view()
      .alarms.map(({ kind, value }) => `${kind} ${value?.unit === 'reason' ? value.text : ''}`.trim())
  }

  it('of one operator rule is reported with the rule’s id; the other rules continue', () => {
    const settings = v.parse(AlarmSettingsSchema, {
      rules: [
        { id: 'mine', scope: { for: 'all' }, condition: { metric: 'stake', test: 'below', limit: '5' } },
      ],
    })
    for (const { condition } of settings.rules) Object.defineProperty(condition, 'limit', { get: broken })
    expect(raised((now) => now, settings)).toEqual(['rule-failed mine: nothing there', 'status-left'])
  })

  it('of a node’s settings is reported for all rules', () => {
    const service = Object.defineProperty(live(), 'rules', { get: broken })
    expect(raised((now) => ({ ...now, services: new Map([[service.id, service]]) }))).toEqual([
      'rule-failed all: nothing there',
    ])
  })
})
