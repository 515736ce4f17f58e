import { beforeEach, describe, expect, it } from 'vitest'
import {
  ageAtReading,
  nodeKeyFromText,
  nodeKeyOf,
  readingAgeMs,
  valueNow,
  type AssessedNode,
  type ServiceLive,
} from '#fleet/live.ts'
import {
  applyUpdate,
  EMPTY_SNAPSHOT,
  wholeFleet,
  type FleetSnapshot,
  type FleetUpdate,
} from '#fleet/snapshot.ts'
import { serviceIdOf } from '#record/service.ts'
import { aServiceLive } from '#test/support/fleet-fixture.ts'
import { episode, explained, fleet, node, NOW_MS, reading, unreachable } from '#test/core/monitor/fleet.ts'

const SERVICE = serviceIdOf('https://node.example')

describe('the key of a node', () => {
  it('is the same however its id is written', () =>
    expect(nodeKeyOf(SERVICE, 'ABcd')).toBe(nodeKeyOf(SERVICE, '0xabcd')))

  it('differs by service, and ends in own for the default node', () => {
    expect(nodeKeyOf(serviceIdOf('https://other.example'), '0xabcd')).not.toBe(nodeKeyOf(SERVICE, '0xabcd'))
    expect(nodeKeyOf(SERVICE, undefined)).toBe(`${SERVICE}!own`)
  })

  it('survives a round trip through text', () =>
    expect(nodeKeyFromText(String(nodeKeyOf(SERVICE, '0xabcd')))).toBe(nodeKeyOf(SERVICE, '0xabcd')))
})

describe('the age of a reading', () => {
  it('counts from the start of its request', () =>
    expect(readingAgeMs(reading({}, { startedMs: 1_000 }), 4_500)).toBe(3_500))

  it('is never below zero', () => expect(readingAgeMs(reading({}, { startedMs: 1_000 }), 400)).toBe(0))

  it('of a timestamp is its age at the reading, and unknown if it is ahead or absent', () => {
    const ages = {
      heartbeat: { kind: 'known', ageMs: 4_000, uncertaintyMs: 500 },
      ahead: { kind: 'unknown', aheadMs: 9_000 },
    } as const
    expect(ageAtReading(reading({}, { ages }), 'heartbeat')).toBe(4_000)
    expect(ageAtReading(reading({}, { ages }), 'ahead')).toBeUndefined()
    expect(ageAtReading(reading({}, { ages }), 'stake')).toBeUndefined()
  })
})

const timestamp = { id: 'heartbeat', kind: 'timestamp' } as const
const shown = (values: Readonly<Record<string, { text: string; value?: number }>>, heard = true) => {
  const one = node(
    0,
    heard ? { reading: reading({}, { startedMs: NOW_MS - 5_000 }) } : { reading: undefined },
  )
  return { ...one, assessment: { ...one.assessment, values } }
}

it('a displayed value of a timestamp is its age, which keeps growing', () =>
  expect(valueNow(shown({ heartbeat: { text: '4000', value: 4_000 } }), timestamp, NOW_MS + 1_000)).toEqual({
    text: '10000',
    value: 10_000,
  }))

describe('an update of the fleet', () => {
  let first: AssessedNode
  let second: AssessedNode
  let third: AssessedNode
  let before: FleetSnapshot
  beforeEach(() => {
    ;[first, second, third] = [node(0), node(1), node(2)]
    before = applyUpdate(EMPTY_SNAPSHOT, wholeFleet(fleet([first, second])))
  })
  const update = (more: Partial<FleetUpdate> = {}): FleetUpdate => ({
    revision: 7,
    nowMs: 2_000,
    wallMs: 3_000,
    changed: [],
    screen: { ...before.screen, answered: 5 },
    ...more,
  })
  const keys = ({ nodes }: FleetSnapshot) => Array.from(nodes.keys())

  it('starts from an empty snapshot', () =>
    expect(EMPTY_SNAPSHOT).toEqual({
      revision: 0,
      nowMs: 0,
      wallMs: 0,
      nodes: new Map(),
      services: new Map(),
      screen: { startedWallMs: 0, gaps: [], behindMs: 0, answered: 0, failed: 0, offline: false },
      causes: [],
    }))

  it('replaces its nodes, and keeps the others as the same objects in order', () => {
    const changed = { ...first, answered: 99 }
    const after = applyUpdate(before, update({ changed: [changed] }))
    expect(keys(after)).toEqual([first.key, second.key])
    expect(after.nodes.get(first.key)).toBe(changed)
    expect(after.nodes.get(second.key)).toBe(before.nodes.get(second.key))
  })

  it('with an order adds, removes and sorts nodes, even if none changed', () => {
    const grown = applyUpdate(before, update({ changed: [third], order: [third.key, first.key] }))
    expect(keys(grown)).toEqual([third.key, first.key])
    expect(keys(applyUpdate(before, update({ order: [second.key, first.key] })))).toEqual([
      second.key,
      first.key,
    ])
  })

  it('keeps unchanged settings and rules of a service as the same objects', () => {
    const known = Array.from(before.services.values())[0] ?? aServiceLive()
    const after = (now: ServiceLive) => applyUpdate(before, update({ services: [now] })).services.get(now.id)
    const copy = structuredClone({ ...known, offset: undefined })
    expect(after(copy)?.service).toBe(known.service)
    expect(after(copy)?.rules).toBe(known.rules)
    const rules = { ...copy.rules, detected: { heartbeat: { unit: 's', readings: 1 } } } as const
    expect(after({ ...copy, rules })?.rules).toBe(rules)
  })

  it('of the whole fleet replaces any snapshot', () => {
    const whole = explained(fleet([first, second, node(2, { episode: episode(unreachable, 3) })]))
    expect(whole.causes).toHaveLength(1)
    expect(applyUpdate(before, wholeFleet(whole))).toEqual(whole)
    expect(applyUpdate(EMPTY_SNAPSHOT, wholeFleet(before))).toEqual(before)
  })
})
