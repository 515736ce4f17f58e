import { describe, expect, it } from 'vitest'
import type { LogEntry } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { CHANGED, columnsOf, fingerprintAt, KNOWN } from '#history/series.ts'
import { compare } from '#history/store/last-values.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { createHistoryWriter } from '#history/store/stored-history.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept, quickPacker } from './kept-history.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

type Kept = ReturnType<typeof createKept>

const fieldsNoted = async ({ history }: Kept) =>
  (await history.log.read({ limit: 2_000, areas: ['record'] })).entries
    .filter(({ what }) => what === 'unknown-field')
    .map(({ nodeKey, facts }) => `${nodeKey} ${String(facts?.['name'])}`)
    .toReversed()

/** Another session over the same store. */
async function next(kept: Kept, metrics?: MetricRegistry): Promise<Kept> {
  await kept.history.saved()
  kept.history.dispose()
  return createKept(kept.storage, kept.clock, 'two', metrics)
}

describe('a field that the interface does not know', () => {
  const fields = (...unknownFields: readonly string[]): Partial<Sample> => ({ more: { unknownFields } })

  it('is noted once of a service, when it is first met', async () => {
    const kept = createKept()
    await kept.start()
    for (const node of ['sa!1', 'sa!2', 'sb!1', 'sa!1']) await kept.add(node, fields('rack', 'region'))
    expect(await fieldsNoted(kept)).toEqual(['sa!1 rack', 'sa!1 region', 'sb!1 rack', 'sb!1 region'])
    const [newest] = (await kept.history.log.read({ limit: 1 })).entries
    expect(newest).toMatchObject({
      wallMs: TEST_START_MS,
      area: 'record',
      what: 'unknown-field',
      nodeKey: 'sb!1',
      facts: { name: 'region' },
    })
    const other = await next(kept)
    await other.start()
    await other.add('sa!3', fields('rack', 'zone'))
    expect((await fieldsNoted(other)).slice(4)).toEqual(['sa!3 zone'])
  })

  it('is noted a thousand times at most', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('s!1', fields(...Array.from({ length: 1_001 }, (_, place) => `f${place}`)))
    expect(await fieldsNoted(kept)).toHaveLength(1_000)
  })

  it('is known only from what the log says of fields', async () => {
    const kept = createKept()
    await kept.start()
    const entry = (given: Partial<LogEntry>): LogEntry => ({
      wallMs: TEST_START_MS,
      area: 'record',
      what: 'unknown-field',
      nodeKey: 's!1',
      ...given,
    })
    await kept.history.log.append([
      entry({ what: 'another', facts: { name: 'rack', of: 'unknown-field' } }),
      entry({ area: 'operator', facts: { name: 'room' } }),
      entry({ facts: { name: 7 } }),
      entry({}),
      entry({ facts: { name: 'known' } }),
    ])
    const other = await next(kept)
    await other.start()
    const before = (await fieldsNoted(other)).length
    await other.add('s!1', fields('rack', 'room', '7', 'undefined', 'known'))
    expect((await fieldsNoted(other)).slice(before)).toEqual([
      's!1 rack',
      's!1 room',
      's!1 7',
      's!1 undefined',
    ])
  })
})

describe('samples that come before history was read back', () => {
  it('are compared once it was, and their rows say what only that tells', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('s!1', { threatResponses: 100, proof: 'aaaaaaaa' })
    await kept.clock.advance(2 * SECOND_MS)
    const other = await next(kept)
    for (const given of [
      { threatResponses: 104, threatResponsesIncrease: 0, proof: 'aaaaaaaa' },
      { threatResponses: 5, threatResponsesIncrease: 0, proof: 'bbbbbbbb' },
      { outcome: 'timeout' as const },
    ]) {
      await other.clock.advance(SECOND_MS)
      await other.add('s!1', given)
    }
    await other.start()
    const atMs = other.clock.wallMs()
    const rows = await other.history.store.readSamples({ node: 's!1', fromMs: 0, toMs: atMs + 1 })
    const [counter, proof] = ['threatResponses', 'proof'].map((id) => columnsOf(rows, id))
    if (counter === undefined || proof === undefined) throw new Error('there is no such metric')
    expect(Array.from(counter.increase.subarray(0, rows.length))).toEqual([0, 4, 5, 0])
    expect(Array.from(counter.flags.subarray(0, rows.length))).toEqual([0, 0, 1, 0])
    expect(Array.from(proof.flags.subarray(0, rows.length))).toEqual([KNOWN, KNOWN, KNOWN | CHANGED, 0])
    expect(fingerprintAt(proof, 2)).toBe('bbbbbbbb')
  })

  it('wait for it, the newest 20,000 of them', () => {
    const { state } = createHistoryWriter({
      clock: createFakeClock(),
      storage: createMemoryStorage(),
      packer: quickPacker,
      pause: async () => undefined,
      writer: 'one',
    })
    const sample = (atMs: number): Sample => ({ node: 'n', atMs, latencyMs: 1, outcome: 'answered' })
    for (let atMs = 1; atMs <= 25_000; atMs++) compare(state, sample(atMs))
    expect(state.lastValues.waiting).toHaveLength(25_000)
    const given = sample(25_001)
    expect(compare(state, given)).toBe(given)
    const { waiting } = state.lastValues
    expect([waiting.length, waiting[0]?.atMs, waiting.at(-1)]).toEqual([20_000, 5_002, given])
  })

  it('wait no more once they were compared', async () => {
    const kept = createKept()
    await kept.add('s!1', { status: 'ACTIVE' })
    await kept.clock.advance(MINUTE_MS)
    await kept.start()
    await kept.add('s!1', { status: 'IDLE' })
    // Read anew, as after a restore: what was compared before is not again.
    await kept.history.saved()
    await kept.history.store.reload()
    const changes = (await kept.history.log.read({ limit: 9 })).entries.map(({ what }) => what)
    expect(changes).toEqual(['status-changed'])
  })

  it('and whose node was forgotten meanwhile change no row', async () => {
    const kept = createKept()
    await kept.add('s!1', { status: 'ACTIVE' })
    await kept.history.forget(['s!1'])
    await kept.start()
    expect(kept.status()).toMatchObject({ state: 'kept', failure: undefined })
    expect((await kept.lanes('s!1', MINUTE_MS)).samples).toBe(0)
  })

  it('and were moved with the clock since then leave their rows as they are', async () => {
    const kept = createKept()
    await kept.add('s!1', { threatResponses: 100, threatResponsesIncrease: 0 })
    await kept.clock.advance(MINUTE_MS)
    await kept.add('s!1', { threatResponses: 103, threatResponsesIncrease: 3 })
    const fromMs = kept.clock.wallMs()
    kept.clock.stepWall(-30 * SECOND_MS)
    await kept.history.append({
      samples: [],
      gaps: [{ fromMs, toMs: kept.clock.wallMs(), reason: 'clock-step' }],
    })
    await kept.clock.advance(10 * SECOND_MS)
    await kept.add('s!1', { threatResponses: 104, threatResponsesIncrease: 1 })
    await kept.start()
    const rows = await kept.history.store.readSamples({
      node: 's!1',
      fromMs: 0,
      toMs: kept.clock.wallMs() + 1,
    })
    expect(Array.from(columnsOf(rows, 'threatResponses')?.increase.subarray(0, 3) ?? [])).toEqual([0, 3, 1])
  })
})

describe('a node of which memory knows failures only', () => {
  it('fails on in the next session, also where there is one row of it', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('s!1', { outcome: 'timeout' })
    const other = await next(kept)
    await other.start()
    await other.clock.advance(SECOND_MS)
    await other.add('s!1', { outcome: 'timeout' })
    const told = (await other.history.log.read({ limit: 9 })).entries.map(({ what }) => what)
    expect(told).toEqual(['failure-began'])
  })

  it('is looked up in records, where that can be, five hundred of them at most', async () => {
    const reads = async (nodes: number, failing = false): Promise<number> => {
      const kept = createKept(createMemoryStorage(), createFakeClock(), 'one', [])
      await kept.start()
      const samples = Array.from({ length: nodes }, (_, place): Sample => ({
        node: `s!${place}`,
        atMs: TEST_START_MS,
        latencyMs: 1,
        outcome: 'timeout',
      }))
      await kept.history.append({ samples, gaps: [] })
      const other = await next(kept, [])
      const before = kept.storage.counts.read
      let ofSamples = 0
      // What is read first are the segment, and what no record holds yet.
      kept.storage.fault = (operation, name) =>
        operation === 'read' && name.includes('samples') && ++ofSamples > 2 && failing ? 'full' : undefined
      await other.start()
      expect(other.status()).toMatchObject({ state: 'kept', failure: undefined })
      return kept.storage.counts.read - before
    }
    const ofTwo = await reads(2)
    expect([await reads(500), await reads(501)]).toEqual([ofTwo + 498, ofTwo + 498])
    expect(await reads(1, true)).toBeGreaterThan(2)
  })
})
