import * as Comlink from 'comlink'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ok } from '#base/result.ts'
import { createEngineHost } from '#engine/engine-host.ts'
import { createRelay, relayUpdates } from '#engine/page-relay.ts'
import { createPortSigner } from '#engine/port-signer.ts'
import { createMemoryHistory, storeInMemory } from '#test/support/memory-history.ts'
import { applyUpdate, EMPTY_SNAPSHOT, type FleetUpdate } from '#fleet/snapshot.ts'
import { serviceIdOf } from '#record/service.ts'
import { aloneHere } from '#test/support/alone-here.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'
import { BASE, keyOf, nodeId, nodes, record, service, watch } from '#test/core/monitor/watch.ts'
import { valueOf } from '#test/support/value-of.ts'

describe('page updates', () => {
  it('arrive one at a time, and combine what a busy page missed', async () => {
    const screen = watch({ nodeCount: 30 })
    await screen.clock.advance(15_000)
    const updates: FleetUpdate[] = []
    let taken = (): void => undefined
    const end = relayUpdates(screen.monitor.subscribe, (update) => {
      updates.push(update)
      return new Promise<void>((done) => (taken = done))
    })
    screen.world.answer = ({ node }) => (node === nodeId(0) ? { status: 500 } : { body: record(node) })
    await screen.clock.advance(60_000)
    expect(updates).toHaveLength(1)
    screen.monitor.configure({ ...screen.config, nodes: nodes(31) })
    await screen.clock.advance(1_000)
    taken()
    await settle()
    expect(updates).toHaveLength(2)
    const [first, second] = updates
    if (first === undefined || second === undefined) throw new Error('no updates')
    const page = applyUpdate(applyUpdate(EMPTY_SNAPSHOT, first), second)
    const engine = screen.monitor.snapshot()
    expect(page.revision).toBe(engine.revision)
    expect(Array.from(page.nodes)).toEqual(Array.from(engine.nodes))
    expect(Array.from(page.services)).toEqual(Array.from(engine.services))
    expect(page.causes).toEqual(engine.causes)
    expect(page.causes.map(({ code }) => code)).toEqual(['service/500'])
    taken()
    await screen.clock.advance(1_000)
    expect(updates).toHaveLength(3)
    expect(updates[2]?.changed.length).toBeLessThan(31)
    expect(updates[2]?.order).toBeUndefined()
    // A new cause is sent even if nothing about its service changed.
    screen.world.answer = ({ node }) => ({ body: record(node, { status: 'LOST' }) })
    await screen.clock.advance(10_000)
    taken()
    await settle()
    expect(updates[3]?.causes?.map(({ code }) => code)).toEqual(['service/500', 'data/status'])
    expect(updates[3]?.services).toBeUndefined()
    end()
    taken()
    await screen.clock.advance(30_000)
    expect(updates).toHaveLength(4)
  })

  it('skip to the newest value once a busy page is free', async () => {
    const received: number[] = []
    let free = (): void => undefined
    const relay = createRelay<number>((value) => {
      received.push(value)
      return new Promise<void>((done) => (free = done))
    })
    for (const value of [1, 2, 3]) relay.send(value)
    await settle()
    free()
    await settle()
    expect(received).toEqual([1, 3])
  })

  it('continue after a listener throws', async () => {
    const screen = watch()
    let calls = 0
    relayUpdates(screen.monitor.subscribe, () => {
      calls++
      throw new Error('the page has a bug')
    })
    await screen.clock.advance(60_000)
    expect(calls).toBeGreaterThan(3)
  })
})

describe('the engine API', () => {
  it('waits for a signer, and replaces the old listener with a new one', async () => {
    const clock = createFakeClock()
    const { open, stop } = createEngineHost({ ...aloneHere(), clock })
    const engine = open()
    const first: FleetUpdate[] = []
    const second: FleetUpdate[] = []
    await engine.subscribe((update) => first.push(update))
    await engine.configure({ serverUrl: 'http://127.0.0.1', services: [service()], nodes: nodes(1) })
    await clock.advance(1_000)
    expect(first.at(-1)?.changed[0]?.episode?.failure).toEqual({ kind: 'signer-failed', reason: 'no-answer' })
    await engine.subscribe((update) => second.push(update))
    const seen = first.length
    const { port1, port2 } = new MessageChannel()
    onTestFinished(() => port2.close())
    await engine.connectSigner(port1)
    await clock.advance(1_000)
    expect(first).toHaveLength(seen)
    expect(second[0]?.order).toEqual([keyOf(0)])
    expect(second.at(-1)?.changed[0]).toMatchObject({ answered: 1, episode: undefined })
    const nowMs = clock.wallMs()
    const lanes = await engine.readSeriesData({
      node: keyOf(0),
      fromMs: nowMs - 60_000,
      toMs: nowMs,
      columns: 10,
      barMs: 1_000,
      maxGapMs: 40_000,
    })
    expect(lanes.answered).toBe(1)
    expect((await engine.lastExchange(keyOf(0)))?.status).toBe(200)
    await engine.setOffline(true)
    await engine.keyChanged()
    await engine.pollNow()
    await clock.advance(1_000)
    expect(second.at(-1)?.screen.offline).toBe(true)
    stop('ended')
    expect(clock.pendingMs()).toEqual([])
  })

  it('announces journal entries within 500 ms, all entries of that time at once', async () => {
    const clock = createFakeClock()
    const history = storeInMemory(clock)
    const { open, stop } = createEngineHost({ ...aloneHere(), clock, history })
    const engine = open()
    let announced = 0
    await engine.watchEvents(() => announced++)
    for (const total of [1, 2]) {
      const note = {
        wallMs: clock.wallMs(),
        area: 'operator',
        what: 'note',
        facts: { note: 'disk' },
      } as const
      await engine.appendEvents([note])
      await engine.appendEvents([note])
      await clock.advance(500)
      expect(announced).toBe(total)
    }
    stop('ended')
  })
})

it('an engine sends no request if it has lost its lock without knowing', async () => {
  const clock = createFakeClock()
  let sent = 0
  const { lock, ...alone } = aloneHere()
  const { open, stop } = createEngineHost({
    ...alone,
    lock: { ...lock, confirm: () => new Promise((done) => clock.after(1, () => done(false))) },
    clock,
    transport: async () => {
      sent++
      return ok({ status: 200, body: record('0x0001') })
    },
  })
  const engine = open()
  await engine.configure({ serverUrl: 'http://127.0.0.1', services: [service()], nodes: nodes(1) })
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port2.close())
  await engine.connectSigner(port1)
  await clock.advance(60_000)
  expect(sent).toBe(0)
  stop('ended')
})

describe('a transfer to a page', () => {
  it('sends part by part, and is cancelled when the page freezes or closes', async () => {
    const clock = createFakeClock()
    let leave = (): void => undefined
    const { open, stop } = createEngineHost({
      ...aloneHere(),
      clock,
      whenGone: (_, gone) => {
        leave = gone
        return () => undefined
      },
      linesOf: () => () => {
        throw new Error('no file is read')
      },
      transfer: async (_, sink) => {
        let rows = 0
        while (rows < 5 && (await sink(`part ${rows}`, rows / 5))) rows++
        return rows === 5 ? { kind: 'done', rows, skipped: 0 } : { kind: 'cancelled' }
      },
    })
    onTestFinished(() => stop('ended'))
    const page = open()
    await page.join({ life: 'page', steals: false }, () => undefined)
    const parts: string[] = []
    const task = { what: 'delete', node: 'any' } as const
    const taken = async (text: string): Promise<boolean> => parts.push(text) > 0
    expect(await page.transfer(task, taken)).toMatchObject({ kind: 'done', rows: 5 })
    expect(parts).toHaveLength(5)
    const never = () => new Promise<never>(() => undefined)
    const frozen = page.transfer(task, never)
    await clock.advance(61_000)
    expect(await frozen).toEqual({ kind: 'cancelled' })
    const closed = page.transfer(task, never)
    leave()
    expect(await closed).toEqual({ kind: 'cancelled' })
  })
})

describe('a page without a lock', () => {
  it('counts as gone after three minutes of silence, so that the engine saves its history', async () => {
    const clock = createFakeClock()
    let saved = 0
    const { open, stop } = createEngineHost({
      ...aloneHere(),
      clock,
      history: {
        ...createMemoryHistory(),
        saved: async () => {
          saved++
        },
      },
    })
    const engine = open()
    await engine.join({ life: undefined, steals: false }, () => undefined)
    await clock.advance(170_000)
    expect(await engine.ping()).toBe(true)
    await clock.advance(170_000)
    expect([await engine.ping(), saved]).toEqual([true, 0])
    await clock.advance(181_000)
    // No page is left, so the engine saves its history.
    expect([await engine.ping(), saved]).toEqual([false, 1])
    stop('ended')
    expect(clock.pendingMs()).toEqual([])
  })
})

describe('a signer behind a port', () => {
  const connect = (api: object | undefined) => {
    const clock = createFakeClock()
    const { port1, port2 } = new MessageChannel()
    onTestFinished(() => port1.close())
    if (api !== undefined) Comlink.expose(api, port2)
    return { clock, signer: createPortSigner(port1, clock) }
  }
  const id = serviceIdOf(BASE)

  it('signs', async () => {
    const signed = ok({ headers: { Authorization: 'Bearer 1' }, query: 'node_id=0x01' })
    const { signer, clock } = connect({ signStatusRequests: async () => [signed] })
    expect(await signer.signStatusRequest(id, '0x01')).toEqual(signed)
    expect(clock.pendingMs()).toEqual([])
  })

  it('signs the requests of one turn in one call', async () => {
    const calls: unknown[] = []
    const { signer } = connect({
      signStatusRequests: async (requests: readonly unknown[]) => {
        calls.push(requests)
        return requests.map((_, at) => ok({ headers: {}, query: `${calls.length}.${at}` }))
      },
    })
    const sign = async (node: string) => valueOf(await signer.signStatusRequest(id, node)).query
    expect(await Promise.all([sign('0x01'), sign('0x02')])).toEqual(['1.0', '1.1'])
    expect(await sign('0x03')).toBe('2.0')
    expect(calls).toEqual([
      [
        [id, '0x01'],
        [id, '0x02'],
      ],
      [[id, '0x03']],
    ])
  })

  it('turns an exception into a failure', async () => {
    const { signer, clock } = connect({
      signStatusRequests: () => {
        throw new Error('not a text')
      },
    })
    expect(await signer.signStatusRequest(id, '0x01')).toEqual({ ok: false, error: 'error' })
    expect(clock.pendingMs()).toEqual([])
  })

  it('fails after 5 s without an answer', async () => {
    const { signer, clock } = connect(undefined)
    const result = signer.signStatusRequest(id, '0x01')
    await settle()
    expect(clock.pendingMs()).toEqual([5_000])
    await clock.advance(5_000)
    expect(await result).toEqual({ ok: false, error: 'no-answer' })
  })
})
