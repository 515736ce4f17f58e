import { DAY_MS } from '#base/time.ts'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmId, AlarmNotification } from '#alarms/alarm.ts'
import type { AlarmTransition } from '#alarms/alarm-state.ts'
import type { NodeKey, NodeLive, ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { explained, fleet, live, node, NOW_MS, reading, WALL_MS } from '#test/core/monitor/fleet.ts'
import { evaluator } from './one-alarm.ts'
import { readBack } from './read-back.ts'

export type Outcome = 'good' | 'cached' | 'old' | 'retired' | 'refused' | 'unknown-node' | 'hang' | 'down'

const FAILURES_OF: Readonly<Partial<Record<Outcome, PollFailure>>> = {
  refused: { kind: 'unauthorized' },
  'unknown-node': { kind: 'node-unknown' },
  hang: { kind: 'timeout', afterMs: 10_000, hop: 'service' },
  down: { kind: 'unreachable', hop: 'service' },
}

/** A fleet polled by the test: snapshots without an engine, cheap enough for thousands of them. */
export function fleetWorld(
  count: number,
  services: readonly ServiceLive[] = [live({ offset: { lowMs: 0, highMs: 1_000 } })],
) {
  const [first] = services
  const baseUrl = first?.service.baseUrl
  let nodes: readonly NodeLive[] = Array.from({ length: count }, (_, index) =>
    node(index, { reading: undefined }, baseUrl),
  )
  let nowMs = NOW_MS
  let wallMs = WALL_MS
  const steps: AlarmTransition[] = []
  const notices: AlarmNotification[] = []
  const make = () =>
    evaluator({ onTransition: (step) => steps.push(step), onNotification: (one) => notices.push(one) })
  let alarms = make()
  const snapshot = (): FleetSnapshot => ({ ...fleet(nodes, services), nowMs, wallMs })
  let last = snapshot()

  const look = (): void => {
    const next = snapshot()
    // Like the engine, publishes the same map while no node has changed.
    const isSame = nodes === Array.from(last.nodes.values()) || sameNodes(last, nodes)
    last = isSame ? { ...next, nodes: last.nodes, services: last.services } : next
    alarms.evaluate(explained(last), {}, nowMs, wallMs)
  }
  const polled = (before: NodeLive, outcome: Outcome): NodeLive => {
    const failure = FAILURES_OF[outcome]
    if (failure !== undefined) {
      const { episode } = before
      const since = episode ?? { sinceMs: nowMs, sinceWallMs: wallMs, misses: 0 }
      return {
        ...before,
        failed: before.failed + 1,
        episode: { ...since, failure, misses: since.misses + 1 },
      }
    }
    return {
      ...before,
      answered: before.answered + 1,
      episode: undefined,
      reading: reading(outcome === 'retired' ? { status: 'RETIRED' } : {}, {
        startedMs: outcome === 'cached' ? nowMs - DAY_MS : nowMs,
        startedWallMs: wallMs,
        ages: {
          heartbeat: { kind: 'known', ageMs: outcome === 'old' ? 400_000 : 3_000, uncertaintyMs: 500 },
        },
      }),
    }
  }

  return {
    steps,
    notices,
    alarms: () => alarms,
    instances: () => alarms.stored().instances,
    wallMs: () => wallMs,
    keys: (): readonly NodeKey[] => nodes.map(({ key }) => key),
    /** Lets time pass, with an evaluation every 5 s. */
    pass: (ms: number): void => {
      for (let left = ms; left > 0; left -= 5_000) {
        nowMs += Math.min(left, 5_000)
        wallMs += Math.min(left, 5_000)
        look()
      }
    },
    /** Lets time pass without an evaluation. */
    sleep: (ms: number): void => {
      nowMs += ms
      wallMs += ms
    },
    poll: (index: number, outcome: Outcome): void => {
      nodes = nodes.map((one, at) => (at === index % nodes.length ? polled(one, outcome) : one))
      look()
    },
    act: (act: AlarmAct): void => alarms.act(act, wallMs),
    remove: (): void => {
      nodes = []
      look()
    },
    /** Starts another session from the stored alarms, `afterMs` later. */
    reload: (afterMs = 0): void => {
      const kept = readBack(alarms.stored())
      alarms = make()
      wallMs += afterMs
      nowMs += afterMs
      alarms.restore(kept, wallMs)
    },
    ids: (): readonly AlarmId[] => alarms.stored().instances.map(({ id }) => id),
  }
}

const sameNodes = ({ nodes: before }: FleetSnapshot, nodes: readonly NodeLive[]): boolean =>
  before.size === nodes.length && nodes.every((one) => before.get(one.key) === one)
