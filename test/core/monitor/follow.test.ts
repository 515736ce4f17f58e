import { describe, expect, it } from 'vitest'
import { NOTHING_DETECTED } from '#record/detect.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { FleetUpdate, NodeLive, ServiceLive, WatchGap } from '#fleet/live.ts'
import { unwatchedAfterMs } from '#monitor/time-watch.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { live, node, reading } from './fleet.ts'
import { BASE, keyOf, nodeId, nodes, record, service, watch } from './watch.ts'

const INTERVAL_MS = service().pollIntervalMs
const NOTHING_HEARD = {
  startedWallMs: TEST_START_MS,
  gaps: [],
  behindMs: 0,
  answered: 0,
  failed: 0,
  offline: false,
}

type Engine = ReturnType<typeof watch>

/** An engine that was told to follow at its 61st second, with everything answered until then. */
async function following(options: Parameters<typeof watch>[0] = {}, more: Parameters<typeof watch>[1] = {}) {
  const engine = watch(options, more)
  await engine.clock.advance(61_000)
  engine.monitor.follow()
  await engine.clock.advance(250)
  return engine
}

/** Tells it what another engine says; times are on its own clock. */
function tell(
  { monitor, clock }: Engine,
  given: Partial<Pick<FleetUpdate, 'changed' | 'services' | 'screen'>>,
  gridMs = 0,
): void {
  const update = {
    revision: 1,
    nowMs: monitor.nowMs(),
    wallMs: clock.wallMs(),
    changed: [],
    screen: NOTHING_HEARD,
    ...given,
  }
  monitor.hear(update, gridMs)
}

/** A node as the other engine tells of it. */
const heard = (engine: Engine, index: number, given: Partial<NodeLive> = {}): NodeLive =>
  node(index, {
    reading: reading(
      {},
      { startedMs: engine.monitor.nowMs() - 1_000, startedWallMs: engine.clock.wallMs() - 1_000 },
    ),
    nextPollMs: engine.monitor.nowMs() + 3_000,
    ...given,
  })

const heardService = (given: Partial<ServiceLive> = {}): ServiceLive => live(given)

/** What is asked from now on, as "node at ms from now". */
async function askedWithin({ clock, seen, sinceStartMs }: Engine, forMs: number): Promise<readonly string[]> {
  const fromMs = sinceStartMs()
  const before = seen.length
  await clock.advance(forMs)
  return seen.slice(before).map((one) => `${one.node} at ${Math.round(one.atMs - fromMs)}`)
}

describe('an engine that begins to follow', () => {
  it('asks nothing any more, keeps what it knows, and ends what is under way without a word', async () => {
    const engine = watch({ nodeCount: 2 })
    await engine.clock.advance(60_000)
    const { answered } = engine.node(0)
    engine.world.answer = () => 'hang'
    while (!engine.node(0).inFlight) await engine.clock.advance(100)
    engine.monitor.follow()
    expect(await askedWithin(engine, 10 * INTERVAL_MS)).toEqual([])
    expect(engine.inFlight()).toBe(0)
    expect(engine.node(0)).toMatchObject({ answered, failed: 0, episode: undefined, inFlight: false })
    expect(engine.node(0).reading).toBeDefined()
  })

  it('does not ask what waited for its turn, not even when it leads again later', async () => {
    const engine = watch({ nodeCount: 12 }, { answer: () => 'hang' })
    await engine.clock.advance(2_000)
    expect(engine.seen).toHaveLength(DEFAULTS.inFlightPerHostMax)
    expect(engine.monitor.snapshot().screen.behindMs).toBeGreaterThan(0)
    engine.monitor.follow()
    engine.world.answer = ({ node: id }) => ({ body: record(id) })
    expect(await askedWithin(engine, 10 * INTERVAL_MS)).toEqual([])
    engine.monitor.lead()
    await engine.clock.advance(2_000)
    expect(engine.monitor.snapshot().screen.behindMs).toBe(0)
  })

  it('is not behind itself, and says so', async () => {
    const engine = await following()
    tell(engine, { screen: { ...NOTHING_HEARD, behindMs: 700 } })
    await engine.clock.advance(250)
    expect(engine.monitor.snapshot().screen.behindMs).toBe(700)
    engine.monitor.lead()
    engine.monitor.follow()
    await engine.clock.advance(250)
    expect(engine.monitor.snapshot().screen.behindMs).toBe(0)
  })

  it('no longer waits for a key of its own: a node that is added is held back by nothing', async () => {
    const engine = await following({}, { sign: () => 'no-key' })
    expect(engine.node(0).episode?.failure.kind).toBe('no-key')
    engine.monitor.configure({ ...engine.config, nodes: nodes(2) })
    await engine.clock.advance(250)
    expect(engine.node(1).episode).toBeUndefined()
  })

  it('still may not reach a service by mixed content, also when it leads again', async () => {
    const far = service({ baseUrl: 'http://far.example' })
    const engine = await following({
      serverOrigin: 'https://page.example',
      services: [far],
      nodes: nodes(1, far.baseUrl),
    })
    expect(engine.node(0, far.baseUrl).episode?.failure.kind).toBe('mixed-content')
    engine.monitor.configure({ ...engine.config, nodes: nodes(2, far.baseUrl) })
    await engine.clock.advance(250)
    expect(engine.node(1, far.baseUrl).episode?.failure.kind).toBe('mixed-content')
    engine.monitor.lead()
    expect(await askedWithin(engine, 2 * INTERVAL_MS)).toEqual([])
  })
})

describe('what is heard of nodes', () => {
  it('is shown as it was told, but for the name, tags and rules of this tab', async () => {
    const own = { ...(nodes(1)[0] ?? never()), name: 'mine', tags: ['here'] }
    const engine = await following({ nodes: [own] })
    const told = heard(engine, 0, { name: 'theirs', tags: ['there'], answered: 77, failed: 3 })
    tell(engine, { changed: [told, heard(engine, 5)] })
    await engine.clock.advance(250)
    expect(engine.node(0)).toEqual({ ...told, name: 'mine', tags: ['here'] })
    expect(engine.monitor.snapshot().nodes.has(keyOf(5))).toBe(false)
  })

  it('is published', async () => {
    const engine = await following()
    const updates: FleetUpdate[] = []
    engine.monitor.subscribe((update) => updates.push(update))
    updates.length = 0
    tell(engine, { changed: [heard(engine, 0, { answered: 77 })] })
    await engine.clock.advance(250)
    expect(updates.flatMap(({ changed }) => changed).map(({ answered }) => answered)).toEqual([77])
    expect(updates.some((update) => 'services' in update)).toBe(false)
    tell(engine, { services: [heardService()] })
    await engine.clock.advance(250)
    expect(updates.at(-1)?.services).toHaveLength(1)
  })

  it('is not listened to while this engine asks itself', async () => {
    const engine = watch()
    await engine.clock.advance(60_000)
    const before = engine.node(0)
    tell(engine, { changed: [heard(engine, 0, { answered: 77 })] }, 123)
    expect(engine.node(0)).toBe(before)
    expect(engine.monitor.gridMs()).toBe(0)
  })

  it('is what the first own reading is compared with, field by field', async () => {
    const engine = await following(
      {},
      { answer: ({ node: id }) => ({ body: record(id, { status: 'OLD' }) }) },
    )
    const sinceWallMs = TEST_START_MS - 5_000_000
    const at = { startedMs: engine.monitor.nowMs() - 1_000, startedWallMs: engine.clock.wallMs() - 1_000 }
    const since = { statusSinceWallMs: sinceWallMs, stakeSinceWallMs: sinceWallMs, proofSinceMs: 17 }
    // The last reading lacks stake and proof, which were seen in the one before.
    const first = reading(
      { status: 'NEW', stake_deployed: 5, cryptographic_proof: '0x11', threat_responses_executed: 90 },
      at,
    )
    const lacking = reading(
      {
        status: 'NEWER',
        stake_deployed: null,
        cryptographic_proof: null,
        threat_responses_executed: null,
      },
      { ...at, startedMs: at.startedMs + 500, startedWallMs: at.startedWallMs + 500 },
    )
    for (const told of [first, lacking])
      tell(engine, { changed: [heard(engine, 0, { ...since, reading: told })] })
    const next = (given: object) => {
      engine.world.answer = ({ node: id }) => ({
        body: record(id, {
          status: 'NEWER',
          stake_deployed: 5,
          cryptographic_proof: '0x11',
          threat_responses_executed: 93,
          ...given,
        }),
      })
    }
    next({})
    engine.monitor.lead()
    await engine.clock.advance(4_000)
    expect(engine.node(0)).toMatchObject(since)
    expect(engine.node(0).counter).toEqual({ increase: 3, restarts: 0, lastRestartWallMs: undefined })
    next({ status: 'NEW', stake_deployed: 6, cryptographic_proof: '0x12' })
    await engine.clock.advance(INTERVAL_MS)
    const { startedMs, startedWallMs } = engine.node(0).reading ?? never()
    expect(engine.node(0)).toMatchObject({
      statusSinceWallMs: startedWallMs,
      stakeSinceWallMs: startedWallMs,
      proofSinceMs: startedMs,
    })
  })

  it('keeps what was seen where no reading is told', async () => {
    const engine = await following()
    const { statusSinceWallMs } = engine.node(0)
    tell(engine, { changed: [heard(engine, 0, { reading: undefined, statusSinceWallMs })] })
    engine.monitor.lead()
    await engine.clock.advance(4_000)
    expect(engine.node(0).statusSinceWallMs).toBe(statusSinceWallMs)
  })

  it('leaves no own sample at or before the last one that the other took', async () => {
    const engine = await following()
    const startedWallMs = engine.clock.wallMs() + 60_000
    const told = reading({}, { startedMs: engine.monitor.nowMs() - 1_000, startedWallMs })
    tell(engine, { changed: [heard(engine, 0, { reading: told })] })
    // An older one, and none, move nothing back.
    tell(engine, { changed: [heard(engine, 0)] })
    tell(engine, { changed: [heard(engine, 0, { reading: undefined })] })
    engine.batches.length = 0
    engine.monitor.lead()
    await engine.clock.advance(5_000)
    expect(engine.samples().map(({ atMs }) => atMs)).toEqual([startedWallMs + 1])
  })

  it('teaches what the interface leaves open, each reading once', async () => {
    const engine = await following({}, { answer: () => ({ status: 503 }) })
    const percent = (startedWallMs: number) =>
      reading({ network_participation: 98 }, { startedMs: engine.monitor.nowMs(), startedWallMs })
    for (let times = 0; times < 4; times++)
      tell(engine, { changed: [heard(engine, 0, { reading: percent(TEST_START_MS) })] })
    tell(engine, { changed: [heard(engine, 0, { reading: undefined })] })
    await engine.clock.advance(250)
    // What is shown is what the other engine found.
    expect(engine.service()?.rules.detected).toEqual(NOTHING_DETECTED)
    engine.world.answer = ({ node: id }) => ({ body: record(id, { network_participation: 97 }) })
    engine.monitor.lead()
    await engine.clock.advance(3_500)
    // One that was told and one of its own.
    expect(engine.service()?.rules.detected.participation).toEqual({ unit: 'percent', readings: 2 })
  })
})

describe('what is heard of services and the screen', () => {
  it('is shown as it was told; rules stay those of this tab', async () => {
    const engine = await following({}, { answer: () => ({ status: 503 }) })
    const detected = { participation: { unit: 'percent', readings: 9 } } as const
    const told = heardService({
      offset: { lowMs: 1_000, highMs: 1_500 },
      correction: { ms: 1_250, state: 'used' },
      diagnosed: { code: 'unreachable' } as unknown as ServiceLive['diagnosed'],
      rules: { service: [{ limits: 'theirs' } as never], tags: [], detected },
    })
    const before = engine.service()
    tell(engine, { services: [told] }, 1_234)
    await engine.clock.advance(250)
    expect(engine.service()).toEqual({
      ...told,
      service: before?.service,
      rules: { ...before?.rules, detected },
    })
    expect(engine.monitor.gridMs()).toBe(1_234)
    tell(engine, { services: [heardService()] })
    await engine.clock.advance(250)
    expect(engine.service()).toMatchObject({ offset: undefined, diagnosed: undefined })
    const heartbeatOffset = { lowMs: -9, highMs: 9 }
    tell(engine, { services: [heardService({ heartbeatOffset })] })
    await engine.clock.advance(250)
    expect(engine.service()?.heartbeatOffset).toEqual(heartbeatOffset)
  })

  it('is left out where the service is not watched here, or has no node that could have been looked into', async () => {
    const other = 'https://other.example'
    const engine = await following({ services: [service(), service({ baseUrl: other })] })
    const diagnosed = { code: 'unreachable' } as unknown as ServiceLive['diagnosed']
    tell(engine, {
      services: [live({ diagnosed }, 'https://unknown.example'), live({ diagnosed }, other)],
    })
    await engine.clock.advance(250)
    expect(engine.service('https://unknown.example')).toBeUndefined()
    expect(engine.service(other)?.diagnosed).toBeUndefined()
  })

  it('holds a service back only for what one of its nodes was told', async () => {
    const engine = await following({ nodeCount: 2 })
    const hold = { reason: 'refused', untilMs: engine.monitor.nowMs() + 50_000 } as const
    tell(engine, { services: [heardService({ hold })] })
    await engine.clock.advance(250)
    expect(engine.service()?.hold).toBeUndefined()
    const episode = { failure: { kind: 'rejected' }, sinceMs: 1, sinceWallMs: 1, misses: 3 } as never
    tell(engine, { changed: [heard(engine, 1, { episode })], services: [heardService({ hold })] })
    await engine.clock.advance(250)
    expect(engine.service()?.hold).toEqual(hold)
    tell(engine, { services: [heardService()] })
    await engine.clock.advance(250)
    expect(engine.service()?.hold).toBeUndefined()
  })

  it('counts what the other screen counted, from when that began', async () => {
    const engine = await following()
    const gap: WatchGap = { fromWallMs: 1, toWallMs: 2, reason: 'asleep' }
    const screen = { startedWallMs: 12, gaps: [gap], behindMs: 34, answered: 56, failed: 78 }
    tell(engine, { screen: { ...screen, offline: true } })
    await engine.clock.advance(250)
    // Whether there is a network this browser tells itself.
    expect(engine.monitor.snapshot().screen).toEqual({ ...screen, offline: false })
  })
})

describe('an engine that takes the lead', () => {
  it('asks what was planned when it was planned, and what was missed or begun at once, spread', async () => {
    const engine = await following({ nodeCount: 4 })
    const nowMs = engine.monitor.nowMs()
    tell(engine, {
      changed: [
        heard(engine, 0, { nextPollMs: nowMs + 3_000 }),
        heard(engine, 1, { nextPollMs: nowMs - 1 }),
        heard(engine, 2, { nextPollMs: nowMs, inFlight: true }),
        heard(engine, 3, { nextPollMs: nowMs + 1, inFlight: true }),
      ],
    })
    engine.monitor.lead()
    const asked = await askedWithin(engine, 3_001)
    expect(asked.filter((one) => one.startsWith(nodeId(0)))).toEqual([`${nodeId(0)} at 3000`])
    expect(asked.filter((one) => one.startsWith(nodeId(3)))).toEqual([`${nodeId(3)} at 1`])
    const missed = asked.filter((one) => /^0x000[23]/.test(one)).map((one) => one.slice(nodeId(0).length))
    expect(missed).toEqual([' at 0', ' at 100'])
  })

  it('shows that nothing is under way', async () => {
    const engine = await following({ nodeCount: 2 })
    const nextPollMs = engine.monitor.nowMs() + 9_000
    tell(engine, {
      changed: [0, 1].map((index) => heard(engine, index, { nextPollMs, inFlight: index === 0 })),
    })
    await engine.clock.advance(250)
    const quiet = engine.node(1)
    expect(engine.node(0).inFlight).toBe(true)
    engine.monitor.lead()
    await engine.clock.advance(250)
    expect(engine.node(0).inFlight).toBe(false)
    expect(engine.node(1)).toBe(quiet)
  })

  it('asks all at once where nothing was planned, and no longer says that they were held back', async () => {
    const engine = await following({ nodeCount: 2 })
    const episode = { failure: { kind: 'key-locked' }, sinceMs: 1, sinceWallMs: 1, misses: 0 } as const
    tell(engine, {
      changed: [0, 1].map((index) => heard(engine, index, { nextPollMs: undefined, episode })),
    })
    await engine.clock.advance(250)
    expect(engine.node(1).episode).toEqual(episode)
    engine.world.answer = () => 'hang'
    engine.monitor.lead()
    expect((await askedWithin(engine, 250)).map((one) => one.slice(7))).toEqual(['at 0', 'at 100'])
    expect(engine.node(1).episode).toBeUndefined()
  })

  it('asks those of which nothing was planned one after the other, and the others at their time', async () => {
    const engine = await following({ nodeCount: 3 })
    const nextPollMs = engine.monitor.nowMs() + 2_000
    tell(engine, {
      changed: [0, 1, 2].map((index) =>
        heard(engine, index, { nextPollMs: index === 0 ? nextPollMs : undefined }),
      ),
    })
    engine.monitor.lead()
    const asked = await askedWithin(engine, 2_001)
    expect(asked.map((one) => one.slice(7))).toEqual(['at 0', 'at 100', 'at 2000'])
    expect(asked.at(-1)).toMatch(new RegExp(`^${nodeId(0)}`))
  })

  it('goes on with one node that asks for all while the key is refused', async () => {
    const engine = await following({ nodeCount: 3 })
    const nowMs = engine.monitor.nowMs()
    const failure = { kind: 'rejected' } as never
    const episode = { failure, sinceMs: 1, sinceWallMs: 1, misses: 3 }
    const untilMs = nowMs + 40_000
    tell(engine, {
      changed: [0, 1, 2].map((index) => heard(engine, index, { nextPollMs: untilMs, episode })),
      services: [heardService({ hold: { reason: 'refused', untilMs } })],
    })
    engine.world.answer = () => ({ status: 401 })
    engine.monitor.lead()
    expect(await askedWithin(engine, 40_001)).toEqual([`${nodeId(0)} at 40000`])
  })

  it('keeps to a pause that the service asked for, also with nodes that were missed', async () => {
    const engine = await following({ nodeCount: 2 })
    const nowMs = engine.monitor.nowMs()
    const failure = { kind: 'rate-limited', afterMs: 30_000 } as never
    const episode = { failure, sinceMs: 1, sinceWallMs: 1, misses: 3 }
    tell(engine, {
      changed: [
        heard(engine, 0, { nextPollMs: nowMs + 31_000, episode }),
        // It was being asked when the other stopped.
        heard(engine, 1, { nextPollMs: nowMs - 50, episode, inFlight: true }),
      ],
      services: [heardService({ hold: { reason: 'rate-limited', untilMs: nowMs + 30_000 } })],
    })
    engine.monitor.lead()
    expect(await askedWithin(engine, 29_999)).toEqual([])
    const asked = await askedWithin(engine, 1 + INTERVAL_MS)
    expect(asked).toContain(`${nodeId(0)} at 1001`)
    expect(asked.filter((one) => one.startsWith(nodeId(1)))).toHaveLength(1)
  })

  it('asks again after a pause that ended while nobody asked', async () => {
    const engine = await following({ nodeCount: 2 })
    const nowMs = engine.monitor.nowMs()
    const failure = { kind: 'rate-limited', afterMs: 30_000 } as never
    const episode = { failure, sinceMs: 1, sinceWallMs: 1, misses: 3 }
    tell(engine, {
      changed: [
        heard(engine, 0, { nextPollMs: nowMs - 900, episode }),
        heard(engine, 1, { nextPollMs: nowMs + 900, episode }),
      ],
      services: [heardService({ hold: { reason: 'rate-limited', untilMs: nowMs - 1_000 } })],
    })
    engine.monitor.lead()
    const asked = await askedWithin(engine, INTERVAL_MS)
    expect(asked.map((one) => one.slice(0, 6)).toSorted()).toEqual([nodeId(0), nodeId(1)])
  })

  const limitMs = unwatchedAfterMs(INTERVAL_MS)
  it.each([
    [limitMs, []],
    [limitMs + 1, [{ fromWallMs: -limitMs - 1, toWallMs: 0, reason: 'asleep' }]],
    [undefined, []],
  ])('after %s ms in which nobody asked has gaps %j', async (unwatchedMs, gaps) => {
    const engine = await following()
    tell(engine, {})
    const heardMs = unwatchedMs === undefined ? undefined : engine.monitor.nowMs() - unwatchedMs
    engine.monitor.lead(heardMs)
    await engine.clock.advance(250)
    const wallMs = engine.clock.wallMs() - 250
    expect(engine.monitor.snapshot().screen.gaps).toEqual(
      gaps.map((gap) => ({ ...gap, fromWallMs: wallMs + gap.fromWallMs, toWallMs: wallMs + gap.toWallMs })),
    )
  })

  it('takes no clock that was set while it followed for a gap of its own', async () => {
    const engine = await following()
    tell(engine, {})
    engine.clock.stepWall(-3_600_000)
    engine.monitor.lead()
    await engine.clock.advance(250)
    expect(engine.monitor.snapshot().screen.gaps).toEqual([])
  })

  it('says that it is not behind, though the other was', async () => {
    const engine = await following()
    tell(engine, { screen: { ...NOTHING_HEARD, behindMs: 900 } })
    await engine.clock.advance(250)
    engine.monitor.lead()
    await engine.clock.advance(250)
    expect(engine.monitor.snapshot().screen.behindMs).toBe(0)
  })
})

function never(): never {
  throw new Error(`nothing of ${BASE}`)
}
