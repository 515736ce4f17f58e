import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { segmentAt, segmentName, type SegmentKind } from '#history/tiers.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createKept } from './kept-history.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const EVERY_MS = 10 * MINUTE_MS

type Kept = ReturnType<typeof createKept>

/** Polls of the last hours up to now, of these nodes, all at once. */
async function add(kept: Kept, hours: number, given: Partial<Sample> = {}, nodes = ['a']): Promise<void> {
  const count = (hours * HOUR_MS) / EVERY_MS
  const samples = nodes.flatMap((node) =>
    Array.from({ length: count }, (_, place): Sample => ({
      node,
      atMs: kept.clock.wallMs() - (count - place) * EVERY_MS,
      everyMs: EVERY_MS,
      latencyMs: 20,
      outcome: 'answered',
      participation: 0.25,
      threatResponsesIncrease: 1,
      ...given,
    })),
  )
  await kept.history.append({ samples, gaps: [] })
}

/** So many hours of these nodes in memory; `pass` lets time go by in which they are polled. */
async function watched(nodes?: string[], before = 30) {
  const kept = createKept()
  await add(kept, before, {}, nodes)
  const read = (node = 'a', barMs = HOUR_MS) =>
    kept.history.readUsual?.({ node, toMs: kept.clock.wallMs(), barMs })
  const pass = async (hours: number, given?: Partial<Sample>): Promise<void> => {
    kept.clock.sleep(hours * HOUR_MS)
    await add(kept, hours, given)
  }
  return { ...kept, read, pass }
}
const USUAL = { participation: [0.25, 0.25], threatResponses: [6, 6], answerTime: [20, 20] }

describe('what is usual of a node', () => {
  it('is read of it alone, in bars of the width that is asked for', async () => {
    const kept = await watched()
    expect(await kept.read()).toEqual(USUAL)
    expect((await kept.read('a', 2 * HOUR_MS))?.['threatResponses']).toEqual([12, 12])
    expect(await kept.read('b')).toEqual({})
  })

  it('is read once for a moment, and from then on only what follows the hours that are over', async () => {
    const kept = await watched(['a'], 25)
    await kept.pass(1.5, { participation: 0.75 })
    const usual = await kept.read()
    expect(usual?.['participation']).toEqual([0.25, 0.75])
    kept.history.store.forget('a')
    expect(await kept.read()).toEqual(usual)
    expect((await kept.read('a', 2 * HOUR_MS))?.['threatResponses']).toEqual([12, 12])
    kept.clock.sleep(EVERY_MS)
    // The hour under way and the one before it are read anew, and are not there any more.
    expect((await kept.read())?.['participation']).toEqual([0.25, 0.25])
    kept.clock.sleep(3 * 24 * HOUR_MS)
    expect((await kept.read())?.['participation']).toEqual([0.25, 0.25])
  })

  it('takes in what comes later', async () => {
    const kept = await watched()
    await kept.read()
    for (let hour = 0; hour < 4; hour++) {
      await kept.pass(1, { participation: 0.75, threatResponsesIncrease: 2 })
      await kept.read()
    }
    expect(await kept.read()).toEqual({ ...USUAL, participation: [0.25, 0.75], threatResponses: [6, 12] })
  })

  it('takes in what comes within the hour, and of the hour before it', async () => {
    const kept = await watched()
    await kept.pass(0.5)
    await kept.read()
    await kept.pass(0.5, { threatResponsesIncrease: 100 })
    await kept.read()
    await kept.pass(1, { threatResponsesIncrease: 100 })
    await kept.read()
    await kept.pass(1, { threatResponsesIncrease: 100 })
    // Two whole hours of 33: more than one in twenty.
    expect((await kept.read())?.['threatResponses']).toEqual([6, 600])
  })

  it('is held on to where the clock goes back a little, and read anew where it goes back by hours', async () => {
    const kept = await watched()
    await kept.read()
    await kept.pass(0.5)
    await kept.read()
    kept.history.store.forget('a')
    kept.clock.stepWall(-1_000)
    expect(await kept.read()).toEqual(USUAL)
    kept.clock.stepWall(-3 * HOUR_MS)
    expect(await kept.read()).toEqual({})
  })

  it('is held on to where the clock goes back to a moment at which it was read', async () => {
    const kept = await watched()
    await kept.read()
    kept.clock.sleep(EVERY_MS)
    await kept.read()
    kept.history.store.forget('a')
    kept.clock.stepWall(-EVERY_MS)
    expect(await kept.read()).toEqual(USUAL)
  })

  it('is read anew where what was read goes on after the moment that is asked for', async () => {
    const kept = await watched()
    await kept.read()
    await kept.pass(6)
    await kept.read()
    kept.history.store.forget('a')
    kept.clock.stepWall(-3 * HOUR_MS)
    expect(await kept.read()).toEqual({})
  })

  it('is read anew where all that was read is too old, or begins too late', async () => {
    const kept = await watched()
    await kept.read()
    await kept.pass(9 * 24, { participation: 0.75 })
    expect((await kept.read())?.['participation']).toEqual([0.75, 0.75])
    kept.history.store.forget('a')
    kept.clock.stepWall(-1_000)
    expect(await kept.read()).toEqual({})
  })

  it('is held on to of the four nodes that were looked at last', async () => {
    const nodes = ['a', 'b', 'c', 'd', 'e']
    const kept = await watched(nodes)
    for (const node of ['a', 'b', 'c', 'd', 'a', 'e']) await kept.read(node)
    for (const node of nodes) kept.history.store.forget(node)
    const held: string[] = []
    for (const node of ['a', 'c', 'd', 'e', 'b'])
      if (Object.keys((await kept.read(node)) ?? {}).length > 0) held.push(node)
    expect(held).toEqual(['a', 'c', 'd', 'e'])
  })

  it('is forgotten where what is kept becomes another, also while it is read', async () => {
    const kept = await watched()
    await kept.read()
    kept.history.store.forget('a')
    kept.history.store.changed()
    expect(await kept.read()).toEqual({})
    const other = await watched()
    const reading = other.read()
    other.history.store.changed()
    expect(await reading).toEqual(USUAL)
    other.history.store.forget('a')
    expect(await other.read()).toEqual({})
  })

  it('is not held on to where records could not be read', async () => {
    const kept = await watched()
    const name = segmentName(segmentAt('minute', kept.clock.wallMs()))
    kept.storage.databases.set(name, new Map([['nodes', new Map([['["a"]', { key: ['a'], value: 1 }]])]]))
    await kept.start()
    kept.storage.fault = (operation, of) => (operation === 'read' && of === name ? 'full' : undefined)
    expect(await kept.read()).toEqual(USUAL)
    kept.storage.fault = () => undefined
    kept.history.store.forget('a')
    expect(await kept.read()).toEqual({})
  })
})

describe('a chart', () => {
  const DAY_MS = 24 * HOUR_MS

  it.each([
    [12 * HOUR_MS, 0, 72],
    [2 * DAY_MS, MINUTE_MS, 180],
    [7 * DAY_MS, 15 * MINUTE_MS, 180],
    [28 * DAY_MS, HOUR_MS, 180],
  ])('of %d ms is drawn in steps of %d ms, with its band', async (rangeMs, stepMs, answered) => {
    const kept = await watched()
    const { answerTime, ...lanes } = await kept.lanes('a', rangeMs, EVERY_MS)
    expect(lanes).toMatchObject({ stepMs, answered, samples: answered })
    expect(new Set(answerTime.band.p50)).toContain(20)
    // A minute holds too few for a band: it is of quarters then.
    if (stepMs > 0) expect(answerTime.band.stepMs).toBe(Math.max(stepMs, 15 * MINUTE_MS))
    expect((await kept.lanes('b', rangeMs, EVERY_MS)).samples).toBe(0)
  })

  it('of a time of which there are no samples any more is drawn from what goes back so far', async () => {
    const kept = createKept()
    const lay = (kind: SegmentKind, weeks: number, said: object): void => {
      const name = segmentName(segmentAt(kind, TEST_START_MS - weeks * 7 * DAY_MS))
      const meta = new Map([['["meta"]', { key: ['meta'], value: { bytes: 1, samples: 1, ...said } }]])
      kept.storage.databases.set(name, new Map([['meta', meta]]))
    }
    lay('samples', 1, {})
    lay('minute', 4, {})
    lay('coarse', 20, {})
    await kept.start()
    await kept.history.maintain()
    const stepAt = async (weeks: number) => {
      const fromMs = TEST_START_MS - weeks * 7 * DAY_MS
      const query = { node: 'a', columns: 1_000, barMs: HOUR_MS, maxGapMs: 25 * MINUTE_MS }
      return (await kept.history.readSeriesData({ ...query, fromMs, toMs: fromMs + HOUR_MS })).stepMs
    }
    expect([await stepAt(0.5), await stepAt(3), await stepAt(12)]).toEqual([0, MINUTE_MS, 15 * MINUTE_MS])
  })

  it('begins with what held before its range, an answer and a failure', async () => {
    const midnightMs = Math.ceil(TEST_START_MS / DAY_MS) * DAY_MS
    const kept = createKept(undefined, createFakeClock(midnightMs + 3 * HOUR_MS + 5 * MINUTE_MS))
    const at = (minutes: number, node: string, outcome: Sample['outcome'] = 'answered'): Sample => ({
      node,
      atMs: midnightMs + minutes * MINUTE_MS,
      everyMs: EVERY_MS,
      latencyMs: 20,
      outcome,
    })
    await kept.history.append({
      samples: [
        at(-10, 'a'),
        at(-5, 'b', 'timeout'),
        ...[60, 90, 120].flatMap((m) => [at(m, 'a'), at(m, 'b')]),
      ],
      gaps: [],
    })
    await kept.start()
    await kept.history.maintain()
    const spans = async (node: string, fromMinute: number, maxGapMs: number) => {
      const query = { node, columns: 100, barMs: HOUR_MS, maxGapMs }
      const range = { fromMs: midnightMs + fromMinute * MINUTE_MS, toMs: midnightMs + 30 * MINUTE_MS }
      const data = await kept.history.readSeriesData({ ...query, ...range })
      return data.spans.map(({ kind, toMs }) => [kind, (toMs - midnightMs) / MINUTE_MS])
    }
    expect(await spans('a', 12, 25 * MINUTE_MS)).toEqual([
      ['answered', 15],
      ['not-watched', 30],
    ])
    expect(await spans('b', 2, MINUTE_MS)).toEqual([
      ['no-answer', 20],
      ['not-watched', 30],
    ])
  })
})
