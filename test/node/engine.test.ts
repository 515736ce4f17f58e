import { aloneHere } from '#test/support/alone-here.ts'
import { onTestFinished, describe, expect, it } from 'vitest'
import { createEngineHost } from '#engine/engine-host.ts'
import { createMemoryHistory } from '#test/support/memory-history.ts'
import { createSigner } from '#keys/create-signer.ts'
import { generateWebCryptoKey } from '#keys/signing-key.ts'
import { bytesToHex } from '#base/bytes.ts'
import type { TestStep } from '#monitor/connection-test.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { applyUpdate, EMPTY_SNAPSHOT, type FleetSnapshot } from '#fleet/snapshot.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import { systemClock } from '#platform/system-clock.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import { runReference, type Running } from './reference/running.ts'

/** A busy machine answers within seconds. */
const PATIENT_MS = 10_000

const serviceAt = (baseUrl: string): Service => {
  const parsed = parseSettings({
    version: 1,
    services: [{ baseUrl, via: 'direct', pollIntervalMs: 1_000, timeoutMs: PATIENT_MS }],
  })
  if (!parsed.ok || parsed.value.services[0] === undefined) throw new Error('not a service')
  return parsed.value.services[0]
}

/** The whole engine as the Worker has it, in Node: real key, real requests, real time. */
async function start(running: Running) {
  const service = serviceAt(running.baseUrl)
  const key = await generateWebCryptoKey()
  running.service.keys.register(bytesToHex(key.publicKey))
  const configured = (id: ServiceId) => (id === serviceIdOf(service.baseUrl) ? service : undefined)
  const signer = createSigner({
    service: configured,
    draft: (draftId, id) => (draftId === 5 ? configured(id) : undefined),
    key: async () => ({ ...key, family: 'plain', accepts: () => true }),
    wallMs: systemClock.wallMs,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  })
  const { open, stop } = createEngineHost({
    ...aloneHere(),
    clock: systemClock,
    transport: createFetchTransport(systemClock, undefined),
    history: createMemoryHistory(),
    openSigner: () => signer,
  })
  onTestFinished(() => stop('ended'))
  const engine = open()
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port2.close())
  let snapshot: FleetSnapshot = EMPTY_SNAPSHOT
  const waiting = new Set<() => void>()
  await engine.subscribe((update) => {
    snapshot = applyUpdate(snapshot, update)
    for (const look of Array.from(waiting)) look()
  })
  await engine.connectSigner(port1)

  const until = (what: (fleet: FleetSnapshot) => boolean): Promise<FleetSnapshot> =>
    new Promise((done) => {
      const look = (): void => {
        if (!what(snapshot)) return
        waiting.delete(look)
        done(snapshot)
      }
      waiting.add(look)
      look()
    })
  const config = (count: number) => ({
    serverUrl: running.baseUrl,
    services: [service],
    nodes: Array.from({ length: count }, (_, index) => ({ id: running.id(index), tags: [] })),
  })
  const nodeKey = (index: number) => nodeKeyOf(serviceIdOf(service.baseUrl), running.id(index))
  return { engine, config, nodeKey, until, service }
}

describe('the engine in Node, against the reference service', () => {
  it('signs, asks, reads, keeps and tells', async () => {
    const running = await runReference({ nodes: 5 })
    const { engine, config, nodeKey, until, service } = await start(running)
    await engine.configure(config(5))
    const fleet = await until(
      ({ nodes }) => nodes.size === 5 && Array.from(nodes.values()).every((node) => node.answered >= 2),
    )
    for (const node of fleet.nodes.values()) {
      expect(node).toMatchObject({ failed: 0, episode: undefined })
      expect(node.reading?.record.nodeId).toEqual({ ok: true, value: node.nodeId })
      expect(node.reading?.ages['heartbeat']?.kind).toBe('known')
    }
    const offset = fleet.services.get(serviceIdOf(service.baseUrl))?.offset
    expect(offset?.lowMs).toBeLessThanOrEqual(0)
    expect(offset?.highMs).toBeGreaterThanOrEqual(0)
    const nowMs = systemClock.wallMs()
    const lanes = await engine.readSeriesData({
      node: nodeKey(0),
      fromMs: nowMs - 60_000,
      toMs: nowMs,
      columns: 600,
      barMs: 10_000,
      maxGapMs: 2_500,
    })
    expect(lanes.answered).toBeGreaterThanOrEqual(2)
    expect(lanes.samples).toBe(lanes.answered)
    const exchange = await engine.lastExchange(nodeKey(0))
    expect(exchange?.status).toBe(200)
    expect(Object.keys(exchange?.requestHeaders ?? {})).toContain('Authorization')
  })

  it('runs the connection test of a service that is well', async () => {
    const running = await runReference({ nodes: 3 })
    const { engine, service } = await start(running)
    const steps: TestStep[] = []
    const nodes = [0, 1, 2].map((index) => ({ id: running.id(index), tags: [] }))
    await engine.runConnectionTest(
      { serverUrl: running.baseUrl, service, nodes, sign: true, draftId: 5 },
      (step) => steps.push(step),
    )
    const ended = steps.filter(({ state }) => state !== 'running')
    expect(ended.map(({ name, state }) => [name, state])).toEqual([
      ['reached', 'ok'],
      ['readable', 'ok'],
      ['clocks', 'ok'],
      ['key', 'ok'],
      ['signature', 'ok'],
      ['nodes', 'ok'],
      ['record', 'ok'],
    ])
  })
})
