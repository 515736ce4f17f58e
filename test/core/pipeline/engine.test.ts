import { describe, expect, it } from 'vitest'
import { createAlarmStore } from '#alarms/alarm-store.ts'
import { ok } from '#base/result.ts'
import { createMemoryHistory } from '#history/memory-history.ts'
import { createEngine } from '#pipeline/engine.ts'
import { keyOf, nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

/** An engine without a browser, as a collector runs it. */
function engine(
  answer: () => { readonly status: number; readonly body: string },
  { clock, storage } = { clock: createFakeClock(), storage: createMemoryStorage() },
) {
  const history = createMemoryHistory()
  const notified: string[] = []
  let polls = 0
  const running = createEngine({
    clock,
    history,
    id: '0123456789abcdef',
    transport: async () => {
      polls++
      return ok(answer())
    },
    signer: { signStatusRequest: async () => ok({ headers: {}, query: 'node_id=0x0001' }) },
    alarmStore: createAlarmStore(storage),
    notify: ({ kind, alarms }) => notified.push(`${kind} ${alarms[0]?.kind ?? ''}`),
  })
  running.configure({ serverOrigin: '', services: [service()], nodes: nodes(1) })
  return { ...running, clock, storage, notified, polls: () => polls }
}

describe('the engine without a browser', () => {
  it('polls nothing before it is started, and nothing after it was stopped', async () => {
    const { clock, start, stop, polls } = engine(() => ({ status: 200, body: record('0x0001') }))
    await clock.advance(60_000)
    expect(polls()).toBe(0)
    start()
    await clock.advance(60_000)
    const made = polls()
    expect(made).toBeGreaterThan(2)
    stop('ended')
    await clock.advance(60_000)
    expect(polls()).toBe(made)
    expect(clock.pendingMs()).toEqual([])
  })

  it('records, evaluates, raises and notifies', async () => {
    const { clock, start, stop, fleet, alarms, history, notified } = engine(() => ({ status: 401, body: '' }))
    start()
    const fromMs = clock.wallMs()
    await clock.advance(120_000)
    expect(fleet.get().nodes.get(keyOf(0))?.assessment.stages[0]?.severity).toBe('no-data')
    expect(alarms.view.get()?.alarms[0]).toMatchObject({ kind: 'key-rejected', phase: 'firing' })
    expect(notified).toEqual(['problem key-rejected'])
    const lanes = await history.readSeriesData({
      node: keyOf(0),
      fromMs,
      toMs: clock.wallMs(),
      columns: 1,
      barMs: 120_000,
      maxGapMs: 60_000,
    })
    expect(lanes.samples - lanes.answered).toBeGreaterThan(1)
    stop('ended')
  })

  it('says that a problem is over, also if the engine that notified of it was killed in that moment', async () => {
    const failing = () => ({ status: 401, body: '' })
    const untilNotified = async (one: ReturnType<typeof engine>) => {
      while (one.notified.length === 0) await one.clock.advance(50)
    }
    const first = engine(failing)
    first.start()
    const beganMs = first.clock.wallMs()
    await untilNotified(first)
    const killed = engine(failing)
    killed.start()
    await killed.clock.advance(first.clock.wallMs() - beganMs - 400)
    // So something was stored a moment ago, and the usual second between two writes has just begun.
    killed.alarms.act({ act: 'unmute' })
    await untilNotified(killed)
    killed.stop('lost')
    const next = engine(() => ({ status: 200, body: record('0x0001') }), killed)
    next.start()
    await next.clock.advance(60_000)
    expect(next.notified[0]).toBe('recovery key-rejected')
    next.stop('ended')
  })
})
