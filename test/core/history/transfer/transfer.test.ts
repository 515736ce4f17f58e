import { describe, expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import { sampleColumns } from '#history/transfer/export-columns.ts'
import type { Sample } from '#history/history.ts'
import { LINE_MAX, type ExportQuery, type LineSource, type TransferTask } from '#history/transfer/transfer.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

type Kept = ReturnType<typeof createKept>

const linesOf = (text: string): LineSource =>
  async function* () {
    yield* text.split('\n')
  }

/** Three hours of two nodes: changes, failures, exact amounts and a word that looks like a formula. */
async function watched(storage = createMemoryStorage()): Promise<Kept> {
  const kept = createKept(storage, createFakeClock(TEST_START_MS), 'one')
  await kept.start()
  for (let minute = 0; minute < 180; minute++) {
    const good: Partial<Sample> = {
      status: minute < 90 ? 'ACTIVE' : '=cmd()',
      stake: 2 ** 53,
      stakeExact: '9007199254740993',
      participation: 0.5 + minute / 1_000,
      threatResponses: minute,
      threatResponsesIncrease: minute === 0 ? 0 : 1,
      heartbeatAgeMs: -5,
      proof: '00ff00ff',
    }
    await kept.add('s!1', minute % 10 === 9 ? { outcome: 'timeout' } : good)
    await kept.add('s!2', { status: 'IDLE' })
    await kept.clock.advance(MINUTE_MS)
  }
  await kept.history.maintain()
  return kept
}

const run = async (kept: Kept, task: TransferTask<LineSource>, stopAt = Number.POSITIVE_INFINITY) => {
  const shares: number[] = []
  let text = ''
  const end = await kept.history.transfer(task, async (part, share) => {
    text += part
    shares.push(share)
    return shares.length < stopAt
  })
  return { end, text, shares }
}

const exporting = (kept: Kept, given: Partial<ExportQuery> = {}) =>
  run(kept, {
    what: 'export',
    query: { node: 's!1', fromMs: 0, toMs: TEST_START_MS + DAY_MS, tier: 'samples', form: 'json', ...given },
  })

/** The same computer a day later with nothing kept. */
async function another(): Promise<Kept> {
  const kept = createKept(createMemoryStorage(), createFakeClock(TEST_START_MS + DAY_MS), 'two')
  await kept.start()
  return kept
}

const lanesOf = ({ history }: Kept, rangeMs: number) =>
  history.readLanes({
    node: 's!1',
    fromMs: TEST_START_MS + 3 * HOUR_MS - rangeMs,
    toMs: TEST_START_MS + 3 * HOUR_MS,
    columns: 50,
    barMs: HOUR_MS,
    maxGapMs: 2.5 * MINUTE_MS,
  })

describe('an export', () => {
  it('is valid JSON with units, and every poll of the range in order', async () => {
    const kept = await watched()
    const { end, text, shares } = await exporting(kept)
    expect(end).toEqual({ kind: 'done', rows: 180, skipped: 0 })
    const file = JSON.parse(text) as { columns: string[]; units: Record<string, string>; rows: unknown[][] }
    expect(file.columns).toEqual(sampleColumns(METRICS).map(({ name }) => name))
    expect(file.units['answer_time']).toBe('ms')
    expect(file.rows[0]).toEqual([
      '2026-06-01T12:00:00.000Z',
      TEST_START_MS,
      'answered',
      60_000,
      null,
      'ACTIVE',
      '9007199254740993',
      0.5,
      0,
      0,
      false,
      -5,
      '00ff00ff',
      false,
      20,
    ])
    expect(file.rows.map((row) => row[1])).toEqual(
      Array.from({ length: 180 }, (_, minute) => TEST_START_MS + minute * MINUTE_MS),
    )
    expect(shares.at(-1)).toBe(1)
    const part = await exporting(kept, {
      fromMs: TEST_START_MS + HOUR_MS,
      toMs: TEST_START_MS + HOUR_MS + 5 * MINUTE_MS,
    })
    expect(part.end).toMatchObject({ rows: 5 })
    kept.history.dispose()
  })

  it('is CSV with units in its first line, and no formula in it', async () => {
    const kept = await watched()
    const { text } = await exporting(kept, { form: 'csv' })
    const lines = text.split('\r\n')
    expect(lines).toHaveLength(182)
    expect(lines[0]).toContain('"time (UTC, ISO 8601)",time_ms (ms since 1970)')
    expect(lines[92]).toContain(",'=cmd(),9007199254740993,")
    expect(lines[92]).toContain(',-5,')
    kept.history.dispose()
  })

  it.each([
    ['minute', 180],
    ['quarter', 12],
    ['hour', 3],
  ] as const)('of rollups of a %s: its steps, with time by outcome and status', async (tier, rows) => {
    const kept = await watched()
    const { end, text } = await exporting(kept, { tier, toMs: TEST_START_MS + 3 * HOUR_MS })
    expect(end).toMatchObject({ kind: 'done', rows })
    const file = JSON.parse(text) as { columns: string[]; rows: number[][] }
    const column = (name: string) => file.rows.map((row) => row[file.columns.indexOf(name)] ?? 0)
    const sum = (name: string) => column(name).reduce((all, one) => all + one, 0)
    expect(sum('answer_time_count')).toBe(162)
    expect(sum('time_timeout')).toBe(18 * MINUTE_MS)
    expect(sum('time_answered')).toBe(162 * MINUTE_MS)
    expect(sum('threat_responses_increase')).toBe(178)
    expect(sum('time_status_ACTIVE') + sum('time_status_=cmd()')).toBe(162 * MINUTE_MS)
    kept.history.dispose()
  })

  it('ends where it is told to', async () => {
    const kept = await watched()
    const query: ExportQuery = { node: 's!1', fromMs: 0, toMs: 1e14, tier: 'samples', form: 'csv' }
    expect((await run(kept, { what: 'export', query }, 1)).end).toEqual({ kind: 'cancelled' })
    expect((await run(kept, { what: 'backup', settings: {} }, 2)).end).toEqual({ kind: 'cancelled' })
    kept.history.dispose()
  })
})

describe('an own export', () => {
  it('of polls that lie far apart leaves no hole in the rollups where an hour begins', async () => {
    const kept = createKept(createMemoryStorage(), createFakeClock(TEST_START_MS + 90_000), 'one')
    await kept.start()
    await kept.watch(['s!1'], 40, 5 * MINUTE_MS)
    const { text } = await exporting(kept)
    const other = await another()
    await run(other, { what: 'import', file: linesOf(text) })
    // So many seconds that it is drawn from rollups of a minute.
    const lanes = await other.lanes('s!1', DAY_MS, 1_000)
    expect([lanes.stepMs, lanes.answered, lanes.spans.map(({ kind }) => kind)]).toEqual([
      MINUTE_MS,
      40,
      ['not-watched', 'answered', 'not-watched'],
    ])
  })

  it('is read back into another browser: samples and rollups are the same', async () => {
    const kept = await watched()
    const { text } = await exporting(kept)
    const other = await another()
    const { end } = await run(other, { what: 'import', file: linesOf(text) })
    expect(end).toEqual({ kind: 'done', rows: 180, skipped: 0 })
    for (const rangeMs of [3 * HOUR_MS, 30 * HOUR_MS, 5 * DAY_MS]) {
      const there = await lanesOf(other, rangeMs)
      const here = await lanesOf(kept, rangeMs)
      expect(there.answered).toBe(162)
      expect({ ...there, spans: [], notWatchedMs: 0 }).toEqual({ ...here, spans: [], notWatchedMs: 0 })
      // The last hour has no poll behind it that says how long its last one held.
      expect(Math.abs(there.notWatchedMs - here.notWatchedMs)).toBeLessThanOrEqual(2 * MINUTE_MS)
    }
    expect((await exporting(other)).text.split('\n').slice(1).join('')).toBe(
      text.split('\n').slice(1).join(''),
    )
    // A second time adds nothing.
    const again = await run(other, { what: 'import', file: linesOf(text) })
    expect(again.end).toEqual({ kind: 'done', rows: 0, skipped: 180 })
    expect((await lanesOf(other, 5 * DAY_MS)).answered).toBe(162)
    kept.history.dispose()
    other.history.dispose()
  })

  it('adds nothing to what is here', async () => {
    const kept = await watched()
    const { text } = await exporting(kept)
    await kept.clock.advance(3 * HOUR_MS)
    const { end } = await run(kept, { what: 'import', file: linesOf(text) })
    expect(end).toEqual({ kind: 'done', rows: 0, skipped: 180 })
    expect((await lanesOf(kept, 3 * HOUR_MS)).answered).toBe(162)
    kept.history.dispose()
  })

  it.each<[string, (good: string) => string, object]>([
    ['nothing', () => '', { kind: 'not-ours' }],
    ['another JSON', () => '{"a":1}', { kind: 'not-ours' }],
    ['CSV', () => 'time (UTC, ISO 8601),x\r\n', { kind: 'csv' }],
    ['a newer version', (good) => good.replace('"version":1', '"version":2'), { kind: 'newer' }],
    ['rollups', (good) => good.replace('"resolution":"samples"', '"resolution":"hour"'), { kind: 'rollups' }],
    ['other columns', (good) => good.replace('"time_ms"', '"when"'), { kind: 'not-ours' }],
    ['one that is cut off', (good) => good.split('\n').slice(0, 9).join('\n'), { kind: 'cut-off', line: 9 }],
    [
      'a line that is none',
      (good) => good.replace('"answered",60000', '"answered,60000'),
      { kind: 'broken-line', line: 2 },
    ],
    ['an unknown outcome', (good) => good.replace('"timeout"', '"slept"'), { kind: 'broken-line', line: 11 }],
    [
      'times that go back',
      (good) => good.replace(String(TEST_START_MS + MINUTE_MS), '5'),
      { kind: 'broken-line', line: 3 },
    ],
    ['something after the end', (good) => `${good}x`, { kind: 'broken-line', line: 183 }],
    ['an endless line', () => 'x'.repeat(LINE_MAX + 1), { kind: 'too-long-line', line: 1 }],
  ])('is refused with its reason: %s', async (_what, change, problem) => {
    const kept = await watched()
    const { text } = await exporting(kept)
    const other = await another()
    const { end } = await run(other, { what: 'import', file: linesOf(change(text)) })
    expect(end).toMatchObject({ kind: 'refused', problem })
    expect(other.names().filter((name) => other.rows(name, 'rows').length > 0)).toEqual([])
    kept.history.dispose()
    other.history.dispose()
  })
})

describe('deleting a node', () => {
  it('leaves nothing of it, also after a reload, and all of the others', async () => {
    const storage = createMemoryStorage()
    const kept = await watched(storage)
    const before = kept.status().bytes
    expect((await run(kept, { what: 'delete', node: 's!1' })).end.kind).toBe('done')
    expect(kept.status().bytes).toBeLessThan(before)
    for (const open of [kept, createKept(storage, kept.clock, 'two')]) {
      if (open !== kept) await open.start()
      expect((await open.lanes('s!1', DAY_MS)).samples).toBe(0)
      expect((await open.lanes('s!1', 5 * DAY_MS)).answered).toBe(0)
      expect((await open.lanes('s!2', DAY_MS)).answered).toBe(180)
      expect((await open.lanes('s!2', 5 * DAY_MS)).answered).toBe(180)
      expect((await open.history.log.read({ areas: ['operator'], limit: 9 })).entries).toMatchObject([
        { what: 'history-deleted', nodeKey: 's!1' },
      ])
      await open.history.saved()
      open.history.dispose()
    }
  })
})

describe('a backup', () => {
  it('is restored into another browser: every sample, rollup and entry, and the settings', async () => {
    const kept = await watched()
    await kept.history.log.append([
      { wallMs: TEST_START_MS, area: 'operator', what: 'note', facts: { note: 'x' } },
    ])
    const settings = { version: 3, display: { theme: 'dark' } }
    const { text, end } = await run(kept, { what: 'backup', settings })
    expect(end.kind).toBe('done')
    expect(text).not.toContain('writer')
    const other = await another()
    await other.add('s!1', { status: 'ACTIVE' })
    const restored = await run(other, { what: 'restore', file: linesOf(text) })
    expect(restored.end).toMatchObject({ kind: 'done', settings })
    expect(other.status()).toMatchObject({ state: 'kept', lost: undefined, damaged: 0 })
    for (const rangeMs of [3 * HOUR_MS, 30 * HOUR_MS, 5 * DAY_MS])
      expect(await lanesOf(other, rangeMs)).toEqual(await lanesOf(kept, rangeMs))
    const entries = await other.history.log.read({ limit: 1_000 })
    expect(entries.entries.filter(({ what }) => what === 'note')).toHaveLength(1)
    // What was seen here since stays.
    await other.clock.advance(1)
    expect((await other.lanes('s!1', HOUR_MS)).answered).toBe(1)
    kept.history.dispose()
    other.history.dispose()
  })

  it.each<[string, (good: string) => string, object]>([
    ['nothing', () => '', { kind: 'not-ours' }],
    ['a newer one', (good) => good.replace('"version":1', '"version":9'), { kind: 'newer' }],
    ['a newer schema', (good) => good.replace('"schema":1', '"schema":2'), { kind: 'newer' }],
    ['one that is cut off', (good) => good.split('\n').slice(0, -3).join('\n'), { kind: 'cut-off' }],
    [
      'a foreign database',
      (good) => good.replace('"immune-history-', '"immune-signer-'),
      { kind: 'broken-line', line: 2 },
    ],
    ['an unknown table', (good) => good.replace('["meta"', '["keys"'), { kind: 'broken-line', line: 3 }],
    [
      'the same part twice',
      (good) => good.replace('{"end":true,"databases":3}', (end) => `${good.split('\n')[1] ?? ''}\n${end}`),
      { kind: 'broken-line' },
    ],
    ['bytes that are none', (good) => good.replace('{"base64":"', '{"base64":"?'), { kind: 'broken-line' }],
    ['an endless line', () => 'x'.repeat(LINE_MAX + 1), { kind: 'too-long-line' }],
  ])('that is no good changes nothing: %s', async (_what, change, problem) => {
    const kept = await watched()
    const { text } = await run(kept, { what: 'backup', settings: {} })
    const { end } = await run(kept, { what: 'restore', file: linesOf(change(text)) })
    expect(end).toMatchObject({ kind: 'refused', problem })
    expect((await lanesOf(kept, 3 * HOUR_MS)).answered).toBe(162)
    kept.history.dispose()
  })
})

describe('a restore that does not come to its end', () => {
  /** A browser of its own with the same three hours a week later, and a backup of the first. */
  async function twoBrowsers() {
    const kept = await watched()
    const { text } = await run(kept, { what: 'backup', settings: {} })
    kept.history.dispose()
    const storage = createMemoryStorage()
    const other = createKept(storage, createFakeClock(TEST_START_MS), 'two')
    await other.start()
    await other.watch(['s!9'], 30, MINUTE_MS)
    await other.history.maintain()
    const parts = text.split('\n').flatMap((line) => /^\{"database":"(.*)"\}$/.exec(line)?.[1] ?? [])
    return { text, storage, other, parts }
  }
  /** Nodes that a database knows. */
  const nodesIn = (other: Kept, name: string) =>
    JSON.stringify(other.rows(name, 'nodes'))
      .match(/s![0-9]/g)
      ?.toSorted() ?? []

  it('leaves each part whole when it is stopped: those that are done, and those of before', async () => {
    const { text, other, parts } = await twoBrowsers()
    expect(parts).toHaveLength(3)
    const before = parts.map((name) => nodesIn(other, name))
    const { end, shares } = await run(other, { what: 'restore', file: linesOf(text) }, 3)
    expect(end).toEqual({ kind: 'cancelled', parts: { restored: 1, of: 3 } })
    expect(shares).toEqual([0, 0, 1 / 3])
    expect(parts.map((name) => nodesIn(other, name))).toEqual([['s!1', 's!2'], before[1], before[2]])
    expect(other.status()).toMatchObject({ state: 'kept', damaged: 0 })
    // And it can be gone on with.
    expect((await run(other, { what: 'restore', file: linesOf(text) })).end.kind).toBe('done')
    await other.clock.advance(3 * HOUR_MS)
    expect((await other.lanes('s!1', DAY_MS)).answered).toBe(162)
    other.history.dispose()
  })

  it.each([1, 2])('changes nothing when it is stopped before the first part (%i)', async (stopAt) => {
    const { text, other } = await twoBrowsers()
    const { end } = await run(other, { what: 'restore', file: linesOf(text) }, stopAt)
    expect(end).toEqual({ kind: 'cancelled' })
    expect((await other.lanes('s!9', DAY_MS)).answered).toBe(30)
    other.history.dispose()
  })

  it('leaves no half part when the store fails', async () => {
    const { text, storage, other, parts } = await twoBrowsers()
    const second = parts[1] ?? ''
    const third = nodesIn(other, parts[2] ?? '')
    storage.fault = (operation, name) => (operation === 'write' && name === second ? 'full' : undefined)
    const { end } = await run(other, { what: 'restore', file: linesOf(text) })
    expect(end).toEqual({ kind: 'failed', failure: 'full', parts: { restored: 1, of: 3 } })
    storage.fault = () => undefined
    expect(nodesIn(other, parts[0] ?? '')).toEqual(['s!1', 's!2'])
    expect(nodesIn(other, second).filter((node) => node !== 's!9')).toEqual([])
    expect(nodesIn(other, parts[2] ?? '')).toEqual(third)
    other.history.dispose()
  })
})
