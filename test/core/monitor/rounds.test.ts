import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createMonitor } from '#monitor/monitor.ts'
import type { PollOutcome } from '#monitor/poll.ts'
import { createRounds } from '#monitor/rounds.ts'
import { createRoundTimes, roundsOf, type ServiceLoad } from '#monitor/round-time.ts'
import { newNodeLive } from '#monitor/tracked.ts'
import { serviceIdOf } from '#record/service.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { episode, NOW_MS, timeout } from './fleet.ts'
import { tracked } from './tracked.ts'
import { BASE, keyOf, nodes, record, service, watch } from './watch.ts'

describe('a poll whose outcome can’t be taken', () => {
  it('is made again at each slot, and the error is reported', async () => {
    const clock = createFakeClock()
    const bug = new Error('bug')
    const errors: unknown[] = []
    let polls = 0
    const monitor = createMonitor({
      clock,
      transport: async () => {
        polls++
        return ok({ status: 200, body: record('0x0001') })
      },
      signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
      records: {
        sample: () => {
          throw bug
        },
        gap: () => undefined,
        forget: () => undefined,
      },
      onChange: () => undefined,
      onError: (error) => errors.push(error),
    })
    monitor.configure({
      serverOrigin: 'http://127.0.0.1',
      services: [service({ pollIntervalMs: 10_000 })],
      nodes: nodes(1),
    })
    await clock.advance(50_000)
    expect(polls).toBe(6)
    expect(errors).toEqual([bug, bug, bug, bug, bug, bug])
    monitor.dispose()
  })
})

describe('a poll under way', () => {
  /** One node, whose service answers when it is told to. */
  const asked = () => {
    const engine = tracked({ services: [service({ timeoutMs: 2_000 })] })
    const { clock, fleet, schedule } = engine
    const outcomes: PollOutcome[] = []
    let answer = (): void => undefined
    const { tick } = createRounds({
      ports: {
        clock,
        transport: () =>
          new Promise((resolve) => {
            answer = () => resolve(ok({ status: 200, body: record('0x0001') }))
          }),
        signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
        onError: (error) => {
          throw error
        },
      },
      steady: { nowMs: clock.monotonicMs, takeSteps: () => [] },
      fleet,
      schedule,
      mindTime: () => undefined,
      landed: (_node, outcome) => outcomes.push(outcome),
    })
    const answerAfter = async (ms: number) => {
      await clock.advance(ms)
      answer()
      await clock.advance(0)
    }
    return { ...engine, tick, outcomes, answerAfter }
  }

  it.each([
    ['is measured', false, false, { meanMs: 300, count: 1 }],
    ['is not measured where its node hung the last time', true, false, undefined],
    ['is not measured where it is ended', false, true, undefined],
  ])('%s', async (_what, hung, isEnded, answerTime) => {
    const { nodeAt, serviceAt, clock, tick, outcomes, answerAfter } = asked()
    nodeAt(0).suspect = hung
    tick()
    await clock.advance(100)
    if (isEnded) nodeAt(0).flight?.abort.abort()
    await answerAfter(200)
    expect(outcomes).toMatchObject([isEnded ? { kind: 'aborted', asksAgain: false } : { kind: 'sent' }])
    expect(serviceAt(0).answerTime).toEqual(answerTime)
  })

  it('is given up once, 15 s after its timeout, whatever comes then', async () => {
    const { clock, tick, outcomes, answerAfter } = asked()
    tick()
    await clock.advance(17_000)
    tick()
    expect(outcomes).toEqual([])
    await clock.advance(1)
    tick()
    const failure = { kind: 'timeout', afterMs: 17_001, hop: 'service' }
    const givenUp = { kind: 'not-sent', failure, startedMs: NOW_MS }
    expect(outcomes).toEqual([givenUp])
    await answerAfter(1_000)
    expect(outcomes).toEqual([givenUp])
  })
})

describe('the word of the network', () => {
  it('has those that failed asked where there is one again, and not when it goes or nothing changes', async () => {
    const screen = watch()
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(2_000)
    const asked = async (isOffline: boolean) => {
      const before = screen.seen.length
      screen.monitor.setOffline(isOffline)
      await screen.clock.advance(1_500)
      return [screen.seen.length - before, screen.monitor.screen().offline]
    }
    expect(screen.monitor.screen().offline).toBe(false)
    expect(await asked(false)).toEqual([0, false])
    expect(await asked(true)).toEqual([0, true])
    expect(await asked(false)).toEqual([1, false])
  })
})

describe('a node that can’t be asked without a key', () => {
  it('has no proof that could be checked', async () => {
    const screen = watch(
      { services: [service({ proof: 'record-v1' })] },
      { sign: () => 'no-key', verify: async () => true },
    )
    await screen.clock.advance(500)
    expect(screen.node(0).episode?.failure).toEqual({ kind: 'no-key' })
    expect(screen.seen).toEqual([])
  })
})

describe('what has changed', () => {
  it('is nothing of a node that is not watched any more', () => {
    const { monitor, config } = watch({ nodeCount: 2 })
    monitor.takeBatch()
    monitor.pollNow(keyOf(1))
    monitor.configure({ ...config, nodes: nodes(1) })
    expect(monitor.takeBatch().changed.map(({ key }) => key)).not.toContain(undefined)
  })

  it('is nothing where a node stays what it is', () => {
    const { fleet, nodeAt, take } = tracked()
    fleet.setLive(nodeAt(0), nodeAt(0).live)
    expect(take().nodes.size).toBe(0)
    fleet.setLive(nodeAt(0), { ...nodeAt(0).live })
    expect(take().nodes.size).toBe(1)
  })

  it('of a node of which nothing is known yet is neither a tag nor an interval', () => {
    const live = newNodeLive(keyOf(0), serviceIdOf(BASE), '0x0001')
    expect(live.tags).toEqual([])
    expect(live).not.toHaveProperty('pollIntervalMs')
  })
})

describe('a computer that slept for 45 s', () => {
  it('did not watch what is asked every 15 s', async () => {
    const screen = watch()
    await screen.clock.advance(1_000)
    screen.clock.sleep(45_000)
    await screen.clock.advance(15_000)
    expect(screen.monitor.screen().gaps).toHaveLength(1)
  })
})

describe('a screen that watches nothing yet', () => {
  it('sees by the wall clock that it slept, whatever was said before', async () => {
    const screen = watch({ nodes: [] })
    await screen.clock.advance(1_000)
    screen.monitor.setOffline(true)
    screen.clock.sleep(90_000)
    screen.monitor.setOffline(false)
    expect(screen.monitor.screen().gaps).toHaveLength(1)
  })
})

describe('how long a round takes', () => {
  it('is published where it does not fit, and not where it does', async () => {
    const roundOf = async (afterMs: number) => {
      const screen = watch({
        nodeCount: 24,
        services: [service({ pollIntervalMs: 1_000, timeoutMs: 2_000 })],
      })
      screen.world.answer = ({ node }) => ({ body: record(node), afterMs })
      await screen.clock.advance(6_000)
      return screen.service()
    }
    expect((await roundOf(400))?.round).toMatchObject({ nodes: 24, limit: 'in-flight' })
    expect(await roundOf(20)).not.toHaveProperty('round')
  })

  it('is published where the pace of a service does not allow what is asked for', async () => {
    const roundOf = async (pace: number) => {
      const screen = watch({ services: [service({ pollIntervalMs: 1_000, pace })] })
      await screen.clock.advance(3_000)
      return screen.service()
    }
    expect((await roundOf(0.5))?.round).toMatchObject({ nodes: 1, takesMs: 2_000, limit: 'pace' })
    expect(await roundOf(2)).not.toHaveProperty('round')
  })

  const load = (given: Partial<ServiceLoad>): ServiceLoad => ({
    host: 'a.example',
    nodes: 100,
    requests: 100,
    hung: 0,
    intervalMs: 10_000,
    timeoutMs: 10_000,
    answerMs: 1_000,
    pace: undefined,
    ...given,
  })
  const places = (loads: Readonly<Record<string, ServiceLoad>>) =>
    Object.fromEntries(
      Array.from(
        roundsOf(new Map(Object.entries(loads)), () => 8),
        ([id, { inFlight }]) => [id, inFlight],
      ),
    )

  it('depends on what is left to a service by those that need less, in whatever order they stand', () => {
    const busy = load({})
    const paced = load({ pace: 0.5 })
    const quiet = load({ requests: 10, answerMs: 100 })
    for (const loads of [
      { busy, paced, quiet, other: busy },
      { quiet, paced, other: busy, busy },
      { other: busy, busy, paced, quiet },
    ]) {
      const found = places(loads)
      // A tenth of a place and a half, and of the rest each of the two has half.
      expect(found['busy']).toBeCloseTo(3.7)
      expect(found['other']).toBeCloseTo(3.7)
    }
  })

  const slow = () => {
    const engine = tracked({ nodes: nodes(100) })
    engine.serviceAt(0).answerTime = { meanMs: 9_000, count: 100 }
    const measure = createRoundTimes(engine.fleet)
    return { ...engine, service: engine.serviceAt(0), measure }
  }

  it('is longer where nodes that hang keep some of the places', () => {
    const healthy = slow()
    healthy.measure(NOW_MS)
    expect(healthy.service.round).toMatchObject({ nodes: 100, inFlight: 4 })
    const hung = slow()
    for (let index = 0; index < 50; index++) hung.nodeAt(index).suspect = true
    hung.measure(NOW_MS)
    expect(hung.service.round?.nodes).toBe(50)
    expect(hung.service.round?.inFlight).toBeLessThan(4)
  })

  it('is not told of a service of which each node fails', () => {
    const { service: failing, fleet, measure } = slow()
    failing.answerTime = { meanMs: 60_000, count: 100 }
    for (const node of fleet.nodes.values()) node.live = { ...node.live, episode: episode(timeout) }
    measure(NOW_MS)
    expect(failing.round).toBeUndefined()
  })

  it('is waited for by the pace of a service, also where another node is due much later', () => {
    const { schedule, nodeAt } = tracked({ services: [service({ pace: 1 })], nodes: nodes(3) })
    schedule.planAt(nodeAt(0), NOW_MS)
    schedule.planAt(nodeAt(1), NOW_MS)
    schedule.planAt(nodeAt(2), NOW_MS + 50_000)
    schedule.queueDue(NOW_MS)
    expect(schedule.take(NOW_MS)).toBeDefined()
    expect(schedule.take(NOW_MS)).toBeUndefined()
    expect(schedule.soonestMs(NOW_MS)).toBeLessThanOrEqual(NOW_MS + 1_000)
  })
})
