import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Instance,
  type Observation,
  applyEvaluation,
  newInstance,
  type Timing,
} from '#alarms/instance.ts'
import { blindAfterMs } from '#evaluate/conditions.ts'
import { isAll } from '#test/fuzz/random.ts'
import { live } from '#test/core/monitor/fleet.ts'
import { service } from '#test/core/monitor/watch.ts'
import { type Outcome, fleetWorld } from './fleet-world.ts'
import type { AlarmNotification } from '#alarms/alarm.ts'

const NODES = 3
const outcome = fc.constantFrom<Outcome>(
  'good',
  'good',
  'old',
  'retired',
  'refused',
  'unknown-node',
  'hang',
  'down',
)
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('poll' as const), node: fc.nat(NODES - 1), outcome }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: fc.integer({ min: 1, max: 50_000_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('acknowledge', 'acknowledge-end', 'shelve', 'unshelve') }),
  },
)
const happenings = fc.array(happening, { maxLength: 40 })
const RUNS = { numRuns: isAll() ? 100 : 40 }
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never
type World = ReturnType<typeof fleetWorld>

function happen(world: World, one: Happening): void {
  if (one.do === 'poll') world.poll(one.node, one.outcome)
  else if (one.do === 'pass') world.pass(one.ms)
  else if (one.do === 'sleep') world.sleep(one.ms)
  else if (one.do === 'shelve')
    world.act({ act: 'shelve', ids: world.ids(), untilWallMs: world.wallMs() + 60_000, reason: 'test' })
  else if (one.do === 'acknowledge' || one.do === 'acknowledge-end' || one.do === 'unshelve')
    world.act({ act: one.do, ids: world.ids() })
}

/** The problems and recoveries of each alarm, in order. No group exceeds 20 alarms, so no list is cut. */
function wordsByAlarm(notices: readonly AlarmNotification[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>()
  for (const { kind, alarms } of notices)
    if (kind !== 'reminder') for (const { id } of alarms) words.set(id, [...(words.get(id) ?? []), kind])
  return words
}

const strictlyAlternates = (words: readonly string[]): boolean =>
  words.every((word, place) => word === (place % 2 === 0 ? 'problem' : 'recovery'))

const SCREEN = { id: 'x', ruleId: 'x', kind: 'throttled', subject: { kind: 'screen' } } as const

describe('alarm invariants', () => {
  it('1: a firing alarm of a node stops firing only on a poll of that node', () => {
    fc.assert(
      fc.property(happenings, (all) => {
        const world = fleetWorld(NODES)
        for (const one of all) {
          const firing = world.instances().filter(({ phase }) => phase === 'firing')
          happen(world, one)
          const after = new Map(world.instances().map((next) => [next.id, next]))
          for (const { id, subject } of firing) {
            if (subject.kind !== 'node' || after.get(id)?.phase === 'firing') continue
            const key = one.do === 'poll' ? world.keys()[one.node] : undefined
            if (subject.node !== key) throw new Error(`${id} stopped firing by ${JSON.stringify(one)}`)
          }
        }
      }),
      RUNS,
    )
  })

  it('2: further unknown evaluations leave an alarm and its timers unchanged', () => {
    const timing: Timing = {
      raiseAfter: { polls: 2, of: 3 },
      forMs: 60_000,
      clearAfter: 2,
      keepFiringForMs: 45_000,
    }
    const seen = fc.record({
      state: fc.constantFrom<Observation['state']>('bad', 'good', 'between', 'unknown'),
      severity: fc.constantFrom('critical' as const, 'warning' as const, 'info' as const),
      afterMs: fc.nat(60_000),
    })
    fc.assert(
      fc.property(fc.array(seen), fc.integer({ min: 1, max: 1e9 }), (all, silenceMs) => {
        let awakeMs = 0
        let one = newInstance(SCREEN, { awakeMs, wallMs: 0 })
        const look = (observation: Pick<Observation, 'state' | 'severity'>): Instance => {
          one = applyEvaluation(
            one,
            timing,
            { ...observation, freshForMs: 40_000 },
            { awakeMs, wallMs: awakeMs },
          ).next
          return one
        }
        for (const { afterMs, ...observation } of all) {
          awakeMs += afterMs
          look(observation)
          const before = look({ state: 'unknown', severity: 'critical' })
          awakeMs += silenceMs
          const { heldAwakeMs: _, ...after } = look({ state: 'unknown', severity: 'critical' })
          const { heldAwakeMs: __, ...same } = before
          expect(after).toEqual(same)
        }
      }),
      RUNS,
    )
  })

  it('3: a silent service raises one blind alarm, right after its limit and never a second one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 120_000 }),
        fc.integer({ min: 1, max: 5 }),
        (everyMs, count) => {
          const world = fleetWorld(count, [live({ service: service({ pollIntervalMs: everyMs }) })])
          for (let index = 0; index < count; index++) world.poll(index, 'good')
          const afterMs = blindAfterMs(everyMs)
          const blind = () => world.instances().filter(({ kind }) => kind === 'blind')
          world.pass(afterMs)
          expect(blind()).toEqual([])
          world.pass(1_000)
          expect(blind()).toMatchObject([{ phase: 'firing', value: { unit: 'nodes', value: count } }])
          world.pass(3 * afterMs)
          expect(
            world.steps.filter(
              ({ instance, transition }) => instance.kind === 'blind' && transition.name === 'raised',
            ),
          ).toHaveLength(1)
        },
      ),
      { numRuns: isAll() ? 20 : 8 },
    )
  })

  it('4: notifications of an alarm alternate between problem and recovery, even across a reload', () => {
    fc.assert(
      fc.property(happenings, fc.nat(40), (all, reloadAt) => {
        const world = fleetWorld(NODES)
        for (const [place, one] of all.entries()) {
          happen(world, one)
          if (place === reloadAt) world.reload()
        }
        world.pass(400_000)
        for (const [id, words] of wordsByAlarm(world.notices))
          if (!strictlyAlternates(words)) throw new Error(`${id}: ${words.join(' ')}`)
      }),
      RUNS,
    )
  })

  it('5: alarms after a reload equal those without a reload', () => {
    const essence = (world: World) =>
      world
        .instances()
        .filter(
          ({ subject, phase, awaitsAcknowledgement }) =>
            subject.kind === 'node' && (phase !== 'normal' || awaitsAcknowledgement),
        )
        .map(({ id, phase, severity, acknowledged, shelved, awaitsAcknowledgement }) => ({
          id,
          phase,
          severity,
          acknowledged,
          shelved: shelved?.untilWallMs,
          unseen: awaitsAcknowledgement,
        }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    fc.assert(
      fc.property(happenings, fc.nat(40), (all, reloadAt) => {
        const [straight, reloaded] = [fleetWorld(NODES), fleetWorld(NODES)]
        for (const [place, one] of all.entries()) {
          happen(straight, one)
          happen(reloaded, one)
          if (place === reloadAt) reloaded.reload()
        }
        expect(essence(reloaded)).toEqual(essence(straight))
      }),
      RUNS,
    )
  })

  it('6: every transition has a reason and a time, and the service’s time unless it is of the screen', () => {
    fc.assert(
      fc.property(happenings, (all) => {
        const world = fleetWorld(NODES)
        for (const one of all) happen(world, one)
        for (const { transition, at, instance } of world.steps) {
          if (transition.reason === '') throw new Error(`${transition.name} has no reason`)
          if (!Number.isFinite(at.wallMs)) throw new Error(`${transition.name} has no time`)
          if (instance.subject.kind !== 'screen' && at.serviceMs !== at.wallMs + 500)
            throw new Error(`${transition.name} has no service time`)
        }
      }),
      RUNS,
    )
  })

  it('7: removing all nodes removes their alarms and notifies a recovery for each notified one', () => {
    fc.assert(
      fc.property(happenings, (all) => {
        const world = fleetWorld(NODES)
        for (const one of all) happen(world, one)
        world.remove()
        expect(world.instances().filter(({ subject }) => subject.kind === 'node')).toEqual([])
        for (const [id, words] of wordsByAlarm(world.notices))
          if (id.includes('!') && words.at(-1) !== 'recovery') throw new Error(`${id} is still told`)
      }),
      RUNS,
    )
  })
})
