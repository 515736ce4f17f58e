import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createStore } from '#base/store.ts'
import type { RaisedAlarms } from '#alarms/alarm-rows.ts'
import { stageAt } from '#fleet/assessment.ts'
import { EMPTY_SNAPSHOT, type FleetUpdate } from '#fleet/snapshot.ts'
import type { HistoryBatch } from '#history/history.ts'
import { createPipeline, type AlarmStage } from '#pipeline/pipeline.ts'
import { keyOf, nodes, record, service } from '#test/core/monitor/watch.ts'
import { KEEPS_NO_READINGS, MONITOR_PARTS, RAISES_NOTHING } from '#test/support/engine-parts.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

type Options = {
  readonly count?: number
  readonly append?: (batch: HistoryBatch) => Promise<void>
  readonly alarms?: Partial<AlarmStage>
  /** Statuses of the answers; the last one repeats. */
  readonly statuses?: readonly number[]
  /** Index of the request that is never answered. */
  readonly hangsFrom?: number
}

const NOTHING_RAISED: RaisedAlarms = new Map()

/** A pipeline over a service that answers at once. */
function run({
  count = 1,
  append = async () => undefined,
  alarms = {},
  statuses = [200],
  hangsFrom,
}: Options = {}) {
  const clock = createFakeClock()
  const startMs = clock.monotonicMs()
  const batches: HistoryBatch[] = []
  const errors: unknown[] = []
  const updates: { readonly atMs: number; readonly update: FleetUpdate }[] = []
  const fleet = createStore(EMPTY_SNAPSHOT)
  let polls = 0
  const pipeline = createPipeline({
    ...MONITOR_PARTS,
    readingStore: KEEPS_NO_READINGS,
    clock,
    fleet,
    transport: async () => {
      const status = statuses[Math.min(polls, statuses.length - 1)] ?? 200
      if (polls++ === hangsFrom) return new Promise(() => undefined)
      return ok({ status, body: status === 200 ? record('0x0001') : '' })
    },
    signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
    history: {
      append: (batch) => {
        batches.push(batch)
        return append(batch)
      },
      forget: () => append({ samples: [], gaps: [] }),
    },
    alarms: { ...RAISES_NOTHING, ...alarms },
    onError: (error) => errors.push(error),
  })
  const { subscribe, monitor } = pipeline
  subscribe((update) => updates.push({ atMs: clock.monotonicMs() - startMs, update }))
  monitor.configure({
    serverUrl: 'http://127.0.0.1',
    services: [service({ pollIntervalMs: 10_000 })],
    nodes: nodes(count),
  })
  return { ...pipeline, clock, fleet, batches, errors, updates, polls: () => polls }
}

const timesOf = ({ updates }: ReturnType<typeof run>) => updates.map(({ atMs }) => atMs)

describe('the results of polls', () => {
  it('form one batch for all nodes that answered within a second', async () => {
    const { clock, batches } = run({ count: 40 })
    await clock.advance(11_000)
    const samples = batches.map((batch) => batch.samples.length)
    expect(samples.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(40)
    expect(Math.max(...samples)).toBeGreaterThan(1)
  })

  it.each([
    [100, 250],
    [600, 600],
    [3_000, 1_000],
  ])(
    'of %i nodes are published every %i ms after a person acted, then every second',
    async (count, everyMs) => {
      const { clock, updates } = run({ count })
      const gapsFor = async (ms: number): Promise<readonly number[]> => {
        const from = updates.length
        await clock.advance(ms)
        const times = updates.slice(from).map(({ atMs }) => atMs)
        return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0))
      }
      // Alarms are also evaluated by time alone, each second.
      const prompt = await gapsFor(3_000)
      expect(prompt.filter((gapMs) => gapMs < everyMs).length).toBeLessThanOrEqual(5)
      if (everyMs < 1_000) expect(prompt.length).toBeGreaterThan(3)
      const steady = await gapsFor(6_000)
      expect(steady.length).toBeGreaterThan(3)
      expect(steady.length).toBeLessThanOrEqual(12)
    },
  )

  it('are recorded even if the pipeline ends right after them', async () => {
    const { clock, batches, monitor, dispose } = run()
    await clock.advance(1_000)
    for (let poll = 0; poll < 2; poll++) {
      monitor.pollNow()
      await clock.advance(1)
    }
    dispose()
    await clock.advance(1)
    expect(batches.flatMap(({ samples }) => samples)).toHaveLength(3)
    expect(clock.pendingMs()).toEqual([])
  })
})

describe('an alarm of a node', () => {
  const WARNING = new Map([[keyOf(0), [{ check: 'participation', severity: 'warning' as const }]]])
  const severityIn = (update: FleetUpdate | undefined) =>
    update?.changed.map(({ assessment }) => stageAt(assessment, update.nowMs).severity)

  it('is published with the same batch, but is not fed back to the alarms', async () => {
    const seen: unknown[] = []
    const { clock, updates, subscribe } = run({
      alarms: {
        evaluate: (snapshot) => seen.push(snapshot.nodes.get(keyOf(0))?.assessment.stages[0]?.severity),
        raised: () => WARNING,
      },
    })
    await clock.advance(10_300)
    expect(severityIn(updates.at(-1)?.update)).toEqual(['warning'])
    expect(seen).toContain('ok')
    expect(seen).not.toContain('warning')
    // A later subscriber gets the same.
    subscribe((update) => updates.push({ atMs: 0, update }))
    expect(severityIn(updates.at(-1)?.update)).toEqual(['warning'])
  })

  it('is published even if only time raised or ended it', async () => {
    let raised: RaisedAlarms = NOTHING_RAISED
    const { clock, monitor, start, updates } = run({ alarms: { raised: () => raised } })
    start()
    await clock.advance(500)
    expect(severityIn(updates.at(-1)?.update)).toEqual(['ok'])
    raised = WARNING
    await clock.advance(2_000)
    expect(severityIn(updates.at(-1)?.update)).toEqual(['warning'])
    // It was raised before the first of the two ticks.
    const agoMs = 1_500
    expect(updates.at(-1)?.update).toMatchObject({
      nowMs: monitor.nowMs() - agoMs,
      wallMs: clock.wallMs() - agoMs,
      screen: monitor.screen(),
    })
    raised = NOTHING_RAISED
    await clock.advance(2_000)
    expect(severityIn(updates.at(-1)?.update)).toEqual(['ok'])
    const revisions = updates.map(({ update }) => update.revision)
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
    expect(new Set(revisions).size).toBe(revisions.length)
  })
})

describe('a cause', () => {
  const codesIn = ({ updates }: ReturnType<typeof run>) =>
    updates.flatMap(({ update }) =>
      update.causes === undefined ? [] : [update.causes.map(({ code }) => code)],
    )

  it('is published when it begins, changes and ends, but not while it stays the same', async () => {
    const screen = run({ statuses: [200, 200, 500, 500, 500, 500, 200] })
    screen.start()
    await screen.clock.advance(95_000)
    expect(codesIn(screen)).toEqual([[], ['service/500'], ['service/500'], ['service/500'], []])
    expect(screen.fleet.get().causes).toEqual([])
  })

  it('is published even if only time brought it', async () => {
    const screen = run({ hangsFrom: 1 })
    screen.start()
    await screen.clock.advance(9_000)
    expect(codesIn(screen).at(-1)).toEqual([])
    await screen.clock.advance(18_000)
    expect(codesIn(screen).at(-1)).toEqual(['watch/overdue'])
  })

  it('reaches the alarms in the same step, and later subscribers', async () => {
    const seen: string[] = []
    const screen = run({
      statuses: [401],
      alarms: { evaluate: ({ causes }) => seen.push(causes.map(({ code }) => code).join()) },
    })
    await screen.clock.advance(300)
    expect(seen.at(-1)).toBe('auth/401')
    screen.subscribe((update) => screen.updates.push({ atMs: 0, update }))
    expect(codesIn(screen).at(-1)).toEqual(['auth/401'])
  })
})

describe('a stage that fails', () => {
  it.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(new Error('full'))],
    ['never answers', () => new Promise<void>(() => undefined)],
    [
      'throws',
      () => {
        throw new Error('closed')
      },
    ],
  ])('delays nothing if it is a store that %s', async (_what, append) => {
    const broken = run({ count: 5, append })
    const good = run({ count: 5 })
    for (const one of [broken, good]) await one.clock.advance(120_000)
    expect(timesOf(broken)).toEqual(timesOf(good))
    expect(broken.polls()).toBe(good.polls())
    expect(broken.errors).toEqual([])
    broken.monitor.configure({ serverUrl: 'http://127.0.0.1', services: [service()], nodes: [] })
    await broken.clock.advance(10_000)
    expect(broken.fleet.get().nodes.size).toBe(0)
  })

  it('stops neither polls nor updates if it evaluates alarms, and is reported', async () => {
    const bug = new Error('bug')
    const broken = run({
      alarms: {
        evaluate: () => {
          throw bug
        },
      },
    })
    const good = run()
    for (const one of [broken, good]) await one.clock.advance(60_000)
    expect(timesOf(broken)).toEqual(timesOf(good))
    expect(broken.polls()).toBe(good.polls())
    expect(new Set(broken.errors)).toEqual(new Set([bug]))
  })

  it('withholds nothing from other subscribers if it is one', async () => {
    const { clock, subscribe, updates, errors } = run()
    let calls = 0
    subscribe(() => {
      if (++calls > 1) throw new Error('the page has a bug')
    })
    await clock.advance(60_000)
    expect(errors.length).toBeGreaterThan(3)
    expect(updates.length).toBe(errors.length + 1)
  })
})

it('alarms are evaluated every second, even without polls, with the delay of the last two ticks', async () => {
  const lates: number[] = []
  const { clock, monitor, start, updates, dispose } = run({
    alarms: { evaluate: (_fleet, _nowMs, lateMs) => lates.push(lateMs) },
  })
  monitor.configure({ serverUrl: 'http://127.0.0.1', services: [], nodes: [] })
  await clock.advance(1_000)
  start()
  lates.length = 0
  const before = updates.length
  await clock.advance(3_000)
  expect(lates).toEqual([0, 0, 0])
  for (let late = 0; late < 2; late++) {
    clock.sleep(7_000, 'runs')
    await clock.advance(500)
  }
  expect(lates.slice(3)).toEqual([0, 6_000])
  expect(updates).toHaveLength(before)
  dispose()
  expect(clock.pendingMs()).toEqual([])
})

it('alarms are evaluated once a second if batches come, and not again by a timer', async () => {
  const evaluatedMs: number[] = []
  const { clock, start } = run({
    count: 100,
    alarms: { evaluate: (_fleet, nowMs) => evaluatedMs.push(nowMs) },
  })
  start()
  await clock.advance(15_000)
  evaluatedMs.length = 0
  await clock.advance(20_000)
  expect(evaluatedMs.length).toBeLessThan(23)
  const gapsMs = evaluatedMs.slice(1).map((atMs, place) => atMs - (evaluatedMs[place] ?? 0))
  expect(Math.max(...gapsMs)).toBeLessThanOrEqual(1_250)
})

it('a subscriber gets the whole fleet at once and then changes, until it unsubscribes', async () => {
  const { clock, subscribe, fleet } = run({ count: 2 })
  await clock.advance(1_000)
  const told: FleetUpdate[] = []
  const end = subscribe((update) => told.push(update))
  expect(told).toHaveLength(1)
  expect(told[0]).toMatchObject({
    revision: fleet.get().revision,
    changed: { length: 2 },
    order: [keyOf(0), keyOf(1)],
  })
  await clock.advance(11_000)
  const count = told.length
  expect(count).toBeGreaterThan(1)
  end()
  await clock.advance(11_000)
  expect(told).toHaveLength(count)
})
