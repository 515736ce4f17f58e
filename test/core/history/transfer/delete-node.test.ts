import { describe, expect, it } from 'vitest'
import { columnsOf } from '#history/series.ts'
import { segmentAt, segmentName } from '#history/tiers.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const SAMPLES = segmentName(segmentAt('samples', TEST_START_MS))
const MINUTE = segmentName(segmentAt('minute', TEST_START_MS))
const COARSE = segmentName(segmentAt('coarse', TEST_START_MS))

type Kept = ReturnType<typeof createKept>

/** Two nodes and a third, each of which came so often, of which nothing is in records yet. */
async function inMemory(): Promise<Kept> {
  const kept = createKept()
  await kept.start()
  for (const nodes of [['a', 'b'], ['b', 'a', 'c'], ['c']]) {
    for (const node of nodes) await kept.add(node)
    await kept.clock.advance(2 * SECOND_MS)
  }
  return kept
}

/** The same after an hour, so that some of it is in records. */
async function inRecords(): Promise<Kept> {
  const kept = await inMemory()
  await kept.clock.advance(HOUR_MS + 3 * MINUTE_MS)
  await kept.history.maintain()
  await kept.add('b')
  await kept.add('a')
  await kept.clock.advance(2 * SECOND_MS)
  return kept
}

async function deleted(kept: Kept, node: string, stopAt = Number.POSITIVE_INFINITY) {
  const shares: number[] = []
  const end = await kept.history.transfer({ what: 'delete', node }, async (_text, share) => {
    shares.push(share)
    return shares.length < stopAt
  })
  return { end, shares }
}

const answered = async (kept: Kept, rangeMs = 2 * HOUR_MS) =>
  Promise.all(['a', 'b', 'c'].map(async (node) => (await kept.lanes(node, rangeMs)).answered))

/** The next session over the same store. */
async function reopened({ storage, clock, history }: Kept): Promise<Kept> {
  await history.saved()
  history.dispose()
  const next = createKept(storage, clock, 'two')
  await next.start()
  return next
}

const sizeIn = (kept: Kept, name: string) =>
  kept.rows(name, 'rows').reduce((sum, { value }) => sum + (value as Uint8Array).length, 0)

describe('a node that is deleted', () => {
  it('is gone from what no record holds yet, and the others are there', async () => {
    const kept = await inMemory()
    expect(await answered(kept)).toEqual([2, 2, 2])
    // Two write-ahead records held it.
    expect(await deleted(kept, 'a')).toEqual({ end: { kind: 'done', rows: 2, skipped: 0 }, shares: [1] })
    expect(await answered(kept)).toEqual([0, 2, 2])
    expect(kept.rows(SAMPLES, 'wal')).toHaveLength(3)
    const next = await reopened(kept)
    expect(await answered(next)).toEqual([0, 2, 2])
    expect(next.status()).toMatchObject({ damaged: 0, lost: undefined })
  })

  it('is gone from records of every resolution, and what they took is given back', async () => {
    const kept = await inRecords()
    expect(await answered(kept)).toEqual([3, 3, 2])
    const names = [SAMPLES, MINUTE, COARSE]
    const before = names.map((name) => kept.rows(name, 'rows').length)
    expect(before).toEqual([3, 3, 6])
    // One record of samples, of minutes, of quarters and of hours; and the two of what comes after.
    const { end } = await deleted(kept, 'a')
    expect(end).toEqual({ kind: 'done', rows: 6, skipped: 0 })
    expect(names.map((name) => kept.rows(name, 'rows').length)).toEqual([2, 2, 4])
    for (const name of names) expect(kept.meta(name)['bytes']).toBe(sizeIn(kept, name))
    expect(kept.status().bytes).toBe(names.reduce((sum, name) => sum + sizeIn(kept, name), 0))
    const next = await reopened(kept)
    for (const rangeMs of [2 * HOUR_MS, 40 * HOUR_MS, 240 * HOUR_MS])
      expect(await answered(next, rangeMs)).toEqual([0, 3, 2])
  })

  it('leaves what is carried of the others as it is: nothing of theirs is there twice', async () => {
    const kept = await inRecords()
    await deleted(kept, 'b')
    const next = await reopened(kept)
    await next.clock.advance(2 * HOUR_MS)
    await next.history.maintain()
    expect(await answered(next, 40 * HOUR_MS)).toEqual([3, 0, 2])
    expect(await answered(next, 5 * HOUR_MS)).toEqual([3, 0, 2])
  })

  it('leaves rows of the others with whom they are of, settled or not', async () => {
    const kept = createKept()
    await kept.start()
    const words = async (nodes: readonly string[], word: string) => {
      for (const node of nodes) await kept.add(node, { status: `${word} ${node}` })
      await kept.history.saved()
    }
    await words(['a', 'b', 'c', 'd'], 'first')
    kept.clock.sleep(HOUR_MS + 3 * MINUTE_MS)
    await words(['b', 'a', 'd', 'c', 'e'], 'then')
    await kept.history.maintain()
    await deleted(kept, 'a')
    const next = await reopened(kept)
    const statesOf = async (of: Kept, node: string) => {
      const range = { node, fromMs: 0, toMs: of.clock.wallMs() + 1 }
      const series = await of.history.store.readSamples(range)
      const places = Array.from(columnsOf(series, 'status')?.text.subarray(0, series.length) ?? [])
      return places.map((place) => series.texts.list[place])
    }
    for (let round = 0; round < 2; round++) {
      for (const node of ['b', 'c', 'd'])
        expect(await statesOf(next, node)).toEqual([`first ${node}`, `then ${node}`])
      expect(await statesOf(next, 'e')).toEqual(['then e'])
      await next.clock.advance(2 * HOUR_MS)
      await next.history.maintain()
    }
    // An hour of four nodes, and another of five without the one that is gone.
    expect(next.rows(SAMPLES, 'rows')).toHaveLength(3 + 4)
  })

  it('leaves what is in no record to go into one, also where it lies next to what is settled', async () => {
    const kept = createKept()
    await kept.start()
    for (const node of ['a', 'b']) await kept.add(node)
    kept.clock.sleep(HOUR_MS + 3 * MINUTE_MS)
    await kept.add('c')
    await kept.history.maintain()
    await deleted(kept, 'a')
    const next = await reopened(kept)
    await next.clock.advance(2 * HOUR_MS)
    await next.history.maintain()
    expect(next.rows(SAMPLES, 'rows')).toHaveLength(2)
    expect(await answered(next, 40 * HOUR_MS)).toEqual([0, 1, 1])
  })

  it('leaves what was settled settled: it is no news to the next session', async () => {
    const kept = createKept()
    await kept.start()
    for (const node of ['a', 'b']) await kept.add(node)
    await kept.clock.advance(HOUR_MS + 3 * MINUTE_MS)
    await kept.history.maintain()
    await deleted(kept, 'a')
    const next = await reopened(kept)
    const written: string[] = []
    next.storage.fault = (operation, name) => {
      if (operation === 'write') written.push(name)
      return undefined
    }
    await next.clock.advance(HOUR_MS)
    await next.history.maintain()
    expect(written).not.toContain(MINUTE)
  })

  it('takes rows with it that are of nobody, and gives nobody a number for them', async () => {
    const kept = await inMemory()
    kept.storage.databases.get(SAMPLES)?.get('nodes')?.delete('["c"]')
    kept.history.store.segments.close()
    await deleted(kept, 'a')
    expect(kept.rows(SAMPLES, 'nodes').map(({ key }) => key)).toEqual([['a'], ['b']])
    const next = await reopened(kept)
    expect((await answered(next)).slice(0, 2)).toEqual([0, 2])
  })

  it('leaves set-backs of the clock in what no record holds', async () => {
    const kept = await inMemory()
    const beforeMs = kept.clock.wallMs()
    kept.clock.stepWall(-MINUTE_MS)
    await kept.history.append({
      samples: [],
      gaps: [{ fromMs: beforeMs, toMs: beforeMs - MINUTE_MS, reason: 'clock-step' }],
    })
    await kept.add('a')
    await kept.add('b')
    await kept.history.saved()
    const timesOf = async (of: Kept) => Array.from((await of.lanes('b', 2 * HOUR_MS)).answerTime.atMs)
    const times = await timesOf(kept)
    expect(times[0]).toBe(TEST_START_MS - MINUTE_MS)
    await deleted(kept, 'a')
    const next = await reopened(kept)
    expect((await timesOf(next)).slice(0, times.length)).toEqual(times)
  })

  it('is told of in the log, with how many records there were', async () => {
    const kept = await inMemory()
    await deleted(kept, 'a')
    const { entries } = await kept.history.log.read({ areas: ['operator'], limit: 9 })
    expect(entries).toMatchObject([
      { what: 'history-deleted', wallMs: kept.clock.wallMs(), nodeKey: 'a', facts: { records: 2 } },
    ])
  })

  it('may be one that there never was: nothing is written', async () => {
    const kept = await inRecords()
    const { write } = kept.storage.counts
    const { end, shares } = await deleted(kept, 'nobody')
    expect([end, shares]).toEqual([{ kind: 'done', rows: 0, skipped: 0 }, [1 / 3, 2 / 3, 1]])
    // But for the sign of life.
    expect(kept.storage.counts.write).toBe(write + 1)
  })

  it('is not compared with when it comes again', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a', { status: 'ACTIVE' })
    await kept.clock.advance(2 * SECOND_MS)
    await deleted(kept, 'a')
    await kept.add('a', { status: 'IDLE' })
    const { entries } = await kept.history.log.read({ areas: ['record'], limit: 9 })
    expect(entries).toEqual([])
  })

  it('is not looked for in what is damaged, which stays', async () => {
    const kept = await inMemory()
    const wal = kept.storage.databases.get(SAMPLES)?.get('wal')
    const [name, row] = Array.from(wal ?? [])[0] ?? []
    const value = new Uint8Array(9)
    if (name === undefined || row === undefined) throw new Error('nothing was kept')
    wal?.set(name, { key: row.key, value })
    kept.storage.databases.get(SAMPLES)?.get('rows')?.clear()
    expect((await deleted(kept, 'a')).end).toMatchObject({ kind: 'done', rows: 1 })
    expect(kept.rows(SAMPLES, 'wal')[0]?.value).toEqual(value)
  })

  it('takes no more room back than there was, of records that say nothing', async () => {
    const kept = await inRecords()
    const meta = kept.storage.databases.get(SAMPLES)?.get('rows')
    const rows = Array.from(meta ?? [])
    for (const [name, { key }] of rows) meta?.set(name, { key, value: 'text' })
    await deleted(kept, 'a')
    const before = kept.meta(SAMPLES)['bytes']
    await deleted(kept, 'b')
    expect(kept.meta(SAMPLES)['bytes']).toBe(before)
    for (const [name, { key }] of Array.from(meta ?? []))
      meta?.set(name, { key, value: new Uint8Array(99_999) })
    await deleted(kept, 'c')
    expect(kept.meta(SAMPLES)['bytes']).toBe(0)
  })
})

describe('a deletion that does not come to its end', () => {
  it('ends where it is told to', async () => {
    const kept = await inRecords()
    expect(await deleted(kept, 'a', 1)).toEqual({ end: { kind: 'cancelled' }, shares: [1 / 3] })
    expect((await kept.history.log.read({ areas: ['operator'], limit: 9 })).entries).toEqual([])
  })

  it.each(['read', 'write'] as const)('says so where the store does not answer: %s', async (operation) => {
    const kept = await reopened(await inRecords())
    kept.storage.fault = (asked) => (asked === operation ? 'no-answer' : undefined)
    expect((await deleted(kept, 'a')).end).toEqual({ kind: 'failed', failure: 'no-answer' })
    expect((await kept.history.log.read({ areas: ['operator'], limit: 9 })).entries).toEqual([])
  })
})
