import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createAlarmStore } from '#alarms/alarm-store.ts'
import type { OutgoingMessage } from '#delivery/delivery-queue.ts'
import { bytesToHex } from '#base/bytes.ts'
import { ok } from '#base/result.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { Sentinel } from '#history/history-status.ts'
import { createMemoryHistory } from '#test/support/memory-history.ts'
import { publicKeyOf } from '#keys/signing-key.ts'
import type { Metric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { EnginePorts } from '#pipeline/engine.ts'
import { createReadingStore } from '#pipeline/reading-keeper.ts'
import { AlarmSettingsSchema } from '#settings/schema.ts'
import { NO_DETAILS, outboxMemory, receiver } from '#test/core/delivery/outgoing.ts'
import { keyOf, nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { anEngine } from './an-engine.ts'

/** An engine, its history and its notifications. */
function engine(
  answer: () => { readonly status: number; readonly body: string },
  { clock, storage } = { clock: createFakeClock(), storage: createMemoryStorage() },
  more: Partial<EnginePorts> = {},
) {
  const history = createMemoryHistory()
  const notified: string[] = []
  let polls = 0
  const running = anEngine({
    clock,
    history,
    transport: async () => {
      polls++
      return ok(answer())
    },
    alarmStore: createAlarmStore(storage),
    notify: ({ kind, alarms }) => notified.push(`${kind} ${alarms[0]?.kind ?? ''}`),
    ...more,
  })
  running.configure({ serverUrl: '', services: [service()], nodes: nodes(1) })
  return { ...running, history, clock, storage, notified, polls: () => polls }
}

describe('the engine without a browser', () => {
  it('polls nothing before its start and after its stop', async () => {
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

  it('records samples, evaluates nodes, raises alarms and notifies', async () => {
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

  it('notifies of a recovery even if the engine that notified of the problem was killed at that moment', async () => {
    const failing = () => ({ status: 401, body: '' })
    const untilNotified = async (one: ReturnType<typeof engine>) => {
      for (let step = 0; step < 12_000 && one.notified.length === 0; step++) await one.clock.advance(50)
      expect(one.notified).not.toEqual([])
    }
    const first = engine(failing)
    first.start()
    const beganMs = first.clock.wallMs()
    await untilNotified(first)
    const killed = engine(failing)
    killed.start()
    await killed.clock.advance(first.clock.wallMs() - beganMs - 400)
    // This write starts the usual second between two writes shortly before the notification.
    killed.alarms.act({ act: 'unmute' })
    await untilNotified(killed)
    killed.stop('lost')
    const next = engine(() => ({ status: 200, body: record('0x0001') }), killed)
    next.start()
    await next.clock.advance(61_000)
    expect(next.notified[0]).toBe('recovery key-rejected')
    next.stop('ended')
  })
})

it('a critical alarm is notified again every hour, however often the engine is restarted', async () => {
  const begun = { clock: createFakeClock(), storage: createMemoryStorage() }
  const notified: string[] = []
  for (let session = 0; session < 5; session++) {
    const one = engine(rejected, begun)
    one.start()
    await begun.clock.advance(30 * 60_000)
    one.stop('ended')
    await settle(6)
    notified.push(...one.notified)
  }
  const again = 'reminder key-rejected'
  expect(notified).toEqual(['problem key-rejected', again, again])
})

it('a shorter interval raises no alarm about the silence before it, but one about silence since', async () => {
  const world = { answer: () => ({ status: 200, body: record('0x0001') }) }
  const { clock, start, configure, alarms } = engine(() => world.answer())
  const blind = () => alarms.view.get()?.alarms.some(({ kind }) => kind === 'blind')
  const every = (pollIntervalMs: number) =>
    configure({ serverUrl: '', services: [service({ pollIntervalMs })], nodes: nodes(1) })
  every(3_600_000)
  start()
  await clock.advance(50 * 60_000)
  world.answer = () => ({ status: 503, body: '' })
  every(15_000)
  for (let second = 0; second < 119; second++) {
    await clock.advance(1_000)
    expect(blind()).toBe(false)
  }
  await clock.advance(5_000)
  expect(blind()).toBe(true)
})

const good = () => ({ status: 200, body: record('0x0001') })
const rejected = () => ({ status: 401, body: '' })
const engineWith = (more: Partial<EnginePorts>, answer: Parameters<typeof engine>[0] = good) =>
  engine(answer, undefined, more)

it.each<['stops' | 'runs', number, boolean]>([
  ['stops', 1, false],
  ['runs', 1, false],
  // Timers of a browser that gives the engine little time fire once a minute.
  ['runs', 3, true],
])(
  'with a clock that %s while nothing rings, after %d minutes throttled: %s',
  async (monotonic, minutes, isThrottled) => {
    const { clock, start, stop, notified } = engine(good)
    start()
    await clock.advance(62_000)
    for (let minute = 0; minute < minutes; minute++) {
      clock.sleep(59_500, monotonic)
      await clock.advance(500)
    }
    await clock.advance(5_000)
    expect(notified.includes('problem throttled')).toBe(isThrottled)
    stop('ended')
  },
)

describe('a started engine', () => {
  it('starts once, and never after a stop', async () => {
    const once = engine(good)
    once.start()
    const twice = engine(good)
    twice.start()
    twice.start()
    for (const each of [once, twice]) await each.clock.advance(60_000)
    expect(twice.polls()).toBe(once.polls())
    expect(twice.clock.pendingMs()).toHaveLength(once.clock.pendingMs().length)

    const stopped = engine(good)
    stopped.stop('ended')
    stopped.start()
    await stopped.clock.advance(60_000)
    expect(stopped.polls()).toBe(0)
    expect(stopped.clock.pendingMs()).toEqual([])
  })

  it('watches its latest configuration, from before or after its start', async () => {
    const { clock, start, configure, fleet } = engine(good)
    const watched = (count: number) => ({ serverUrl: '', services: [service()], nodes: nodes(count) })
    configure(watched(3))
    expect(fleet.get().nodes.size).toBe(0)
    start()
    await clock.advance(1_000)
    expect(fleet.get().nodes.size).toBe(3)
    configure(watched(2))
    await clock.advance(1_000)
    expect(fleet.get().nodes.size).toBe(2)
  })

  it('raises alarms by the operator’s own rules', async () => {
    const { clock, start, configure, alarms } = engine(good)
    configure({
      serverUrl: '',
      services: [service()],
      nodes: nodes(1),
      alarms: v.parse(AlarmSettingsSchema, {
        rules: [
          {
            id: 'own-rule',
            scope: { for: 'all' },
            condition: { metric: 'participation', test: 'below', limit: '0.99' },
          },
        ],
      }),
    })
    start()
    await clock.advance(60_000)
    expect(alarms.view.get()?.alarms.map(({ ruleId }) => ruleId)).toContain('own-rule')
  })
})

describe('an engine that ends', () => {
  const kept = async (storage: ReturnType<typeof createMemoryStorage>) =>
    (await createReadingStore(storage).load())?.readings.length

  it.each([
    ['ended', 1],
    ['lost', undefined],
  ] as const)(
    'with the reason “%s” stores its last readings only if no other engine runs',
    async (why, count) => {
      const storage = createMemoryStorage()
      const { clock, start, stop } = engineWith({ readingStore: createReadingStore(storage) })
      start()
      await clock.advance(1_500)
      expect(await kept(storage)).toBeUndefined()
      stop(why)
      await clock.advance(1)
      expect(await kept(storage)).toBe(count)
    },
  )

  it('stores its alarms only if no other engine runs', async () => {
    const stored = async (why: 'ended' | 'lost') => {
      const { clock, storage, start, stop, alarms } = engine(good)
      start()
      await clock.advance(20_000)
      alarms.act({ act: 'mute', untilWallMs: clock.wallMs() + 60_000 })
      // During that write.
      alarms.act({ act: 'unmute' })
      stop(why)
      await clock.advance(1)
      return (await createAlarmStore(storage).load())?.mutedUntilWallMs
    }
    expect(await stored('ended')).toBeUndefined()
    expect(await stored('lost')).toBeDefined()
  })
})

describe('the history of an engine', () => {
  const KNOWN: Sentinel = { version: 2, lastMs: 1 }
  const recording = () => {
    const begun: (Sentinel | undefined)[] = []
    const history = { ...createMemoryHistory(), start: async (known?: Sentinel) => void begun.push(known) }
    return { begun, ...engineWith({ history }) }
  }

  it('starts with the engine and with the sentinel that a page remembers', () => {
    const { begun, start, keepHistory } = recording()
    keepHistory(KNOWN)
    keepHistory(undefined)
    expect(begun).toEqual([])
    start()
    expect(begun).toEqual([KNOWN])
  })

  it('starts once, with the first sentinel, if a page reports it later', async () => {
    const { begun, clock, start, keepHistory } = recording()
    start()
    expect(begun).toEqual([])
    keepHistory(undefined)
    keepHistory(KNOWN)
    await clock.advance(1_000)
    keepHistory(KNOWN)
    expect(begun).toEqual([undefined])
    const later = recording()
    later.start()
    await later.clock.advance(5_000)
    later.keepHistory(KNOWN)
    expect(later.begun).toEqual([KNOWN])
  })
})

describe('the deliveries of an engine', () => {
  const HOOK = receiver({ id: 'hook', postUrl: '/relay/hook', from: 'info' })
  const PING = receiver({ id: 'ping', kind: 'ping', postUrl: 'https://ping.example', everyMs: 60_000 })
  const PAGER = receiver({ id: 'pager', kind: 'alertmanager' })
  const delivering = (
    answer: () => { readonly status: number; readonly body: string },
    kept?: Parameters<typeof engine>[1],
    storage = outboxMemory(),
  ) => {
    const sent: OutgoingMessage[] = []
    const delivery: EnginePorts['delivery'] = {
      post: async (message) => {
        sent.push(message)
        return ok({ status: 200, answer: '' })
      },
      storage,
      texts: (fleet) => ({
        describe: () => ({ title: 'A title', text: '', link: '' }),
        details: () => NO_DETAILS,
        summary: () => `${fleet().nodes.size} nodes`,
        test: { text: 'A test', link: '' },
      }),
    }
    const running = engine(answer, kept, { delivery })
    running.outbox.configure([HOOK, PING])
    return { ...running, sent, sentTo: (url: string) => sent.filter((each) => each.url === url) }
  }

  it('do not resolve an Alertmanager alert while the nodes are not listed yet after a restart', async () => {
    const kept = { clock: createFakeClock(), storage: createMemoryStorage() }
    const storage = outboxMemory()
    const first = delivering(rejected, kept, storage)
    first.outbox.configure([PAGER])
    first.start()
    await first.clock.advance(120_000)
    first.stop('ended')
    await settle(6)
    const next = delivering(rejected, kept, storage)
    next.outbox.configure([PAGER])
    next.configure({ serverUrl: '', services: [], nodes: [] })
    next.start()
    await next.clock.advance(120_000)
    next.configure({ serverUrl: '', services: [service()], nodes: nodes(1) })
    await next.clock.advance(120_000)
    next.stop('ended')
    const alerts = next.sent.flatMap(({ body }): readonly { endsAt: string; labels: object }[] =>
      JSON.parse(body),
    )
    expect(alerts.map(({ labels }) => Reflect.get(labels, 'alertname'))).toContain('ImmuneNodeKeyRejected')
    expect(alerts.filter(({ endsAt }) => Date.parse(endsAt) <= next.clock.wallMs())).toEqual([])
  })

  it('include each notification with its texts', async () => {
    const { clock, start, stop, sentTo, notified } = delivering(rejected)
    start()
    await clock.advance(120_000)
    expect(notified).toEqual(['problem key-rejected'])
    const [message] = sentTo('/relay/hook')
    expect(JSON.parse(message?.body ?? '{}')).toMatchObject({ kind: 'problem', text: '1 nodes' })
    stop('ended')
    expect(clock.pendingMs()).toEqual([])
  })

  it('include pings only between its start and its stop', async () => {
    const { clock, start, stop, sentTo } = delivering(good)
    await clock.advance(300_000)
    expect(sentTo(PING.postUrl)).toEqual([])
    start()
    await clock.advance(300_000)
    const sent = sentTo(PING.postUrl).length
    expect(sent).toBeGreaterThan(2)
    stop('ended')
    await clock.advance(300_000)
    expect(sentTo(PING.postUrl)).toHaveLength(sent)
  })
})

/** A history whose log collects its entries. */
function aLog() {
  const entries: LogEntry[] = []
  const log = {
    append: async (more: readonly LogEntry[]) => void entries.push(...more),
    read: async () => ({ entries: [], before: undefined }),
    watch: () => () => undefined,
  }
  return { entries, history: { ...createMemoryHistory(), log } }
}

it('the log of an engine contains the events of its monitor', async () => {
  const { entries, history } = aLog()
  const { clock, start } = engineWith({ history }, rejected)
  start()
  await clock.advance(31_000)
  expect(entries.map(({ what }) => what)).toContain('asking-slowed')
})

it('an internal error of the engine is logged once until another one occurs', async () => {
  const { entries, history } = aLog()
  const world: { thrown: unknown } = { thrown: new Error('one') }
  const metrics = METRICS.map((metric): Metric => {
    const evaluate = () => {
      throw world.thrown
    }
    return metric.id === 'status' ? { ...metric, evaluate } : metric
  })
  const { clock, start } = engineWith({ metrics, history })
  const errors = () => entries.filter(({ what }) => what === 'internal-error')
  start()
  await clock.advance(60_000)
  expect(errors()).toMatchObject([{ area: 'watching', facts: { message: 'one' } }])
  expect(errors()[0]?.wallMs).toBeLessThan(clock.wallMs())
  world.thrown = 'two'
  await clock.advance(60_000)
  world.thrown = new Error('one')
  await clock.advance(60_000)
  expect(errors().map(({ facts }) => facts?.['message'])).toEqual(['one', 'two', 'one'])
})

it.each([
  [true, { kind: 'verified' }],
  [false, { kind: 'wrong', reason: 'mismatch' }],
])('a proof is checked by the engine’s verifier: %s', async (fits, proof) => {
  // A node id that is a public key, and a proof as long as a signature.
  const id = `0x${bytesToHex(publicKeyOf(new Uint8Array(32)))}`
  const body = record(id, { cryptographic_proof: `${id}${'00'.repeat(32)}` })
  const { clock, start, configure, fleet } = engineWith({ verify: async () => fits }, () => ({
    status: 200,
    body,
  }))
  configure({ serverUrl: '', services: [service({ proof: 'record-v1' })], nodes: [{ id, tags: [] }] })
  start()
  await clock.advance(10_000)
  const [node] = fleet.get().nodes.values()
  expect(node?.reading?.proof).toEqual(proof)
})
