import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createMonitor } from '#monitor/monitor.ts'
import type { PollOutcome } from '#monitor/poll.ts'
import { createRounds } from '#monitor/rounds.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { NOW_MS } from './fleet.ts'
import { tracked } from './tracked.ts'
import { nodes, record, service } from './watch.ts'

describe('a poll whose outcome can’t be taken', () => {
  it('is made again at each slot, and the error is reported', async () => {
    const clock = createFakeClock()
    const bug = new Error('bug')
    const errors: unknown[] = []
    let polls = 0
    const monitor = createMonitor({
      clock,
      metrics: METRICS,
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
      serverUrl: 'http://127.0.0.1',
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
    const { clock, fleet, schedule, parts } = engine
    const outcomes: PollOutcome[] = []
    let answer = (): void => undefined
    const { tick } = createRounds({
      ports: {
        clock,
        metrics: METRICS,
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
      asker: parts.asker,
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

  it('is given up once, 15 s after its timeout, whatever comes then', async () => {
    const { clock, tick, outcomes, answerAfter } = asked()
    tick()
    await clock.advance(17_000)
    tick()
    expect(outcomes).toEqual([])
    await clock.advance(1)
    tick()
    const failure = { kind: 'timeout', afterMs: 17_001, hop: 'service' }
    // Sent, so that a sample is kept and it is counted.
    const givenUp = {
      kind: 'sent',
      result: { ok: false, error: failure },
      startedMs: NOW_MS,
      latencyMs: 17_001,
    }
    expect(outcomes).toMatchObject([givenUp])
    await answerAfter(1_000)
    expect(outcomes).toHaveLength(1)
  })
})
