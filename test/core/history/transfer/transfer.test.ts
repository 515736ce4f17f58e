import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { METRICS } from '#metrics/metrics.ts'
import { sampleColumns } from '#history/transfer/export-columns.ts'
import type { Sample } from '#history/history.ts'
import { checksum, INFLATED_MAX } from '#history/store/envelope.ts'
import {
  EXPORT_FORMAT,
  type ExportQuery,
  type FileProblem,
  type LineSource,
  type TransferTask,
} from '#history/transfer/transfer.ts'
import { anyCharacter } from '#test/support/any-character.ts'
import { isAll } from '#test/fuzz/random.ts'
import { backupOf } from '#test/support/backup-file.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage, type MemoryStorage } from '#test/support/memory-storage.ts'
import { drawn } from '#test/core/history/samples.ts'
import { createKept, linesOf } from '#test/core/history/store/kept-history.ts'

type Kept = ReturnType<typeof createKept>

const opened: Kept[] = []
afterEach(() => opened.splice(0).forEach(({ history }) => history.dispose()))

/** A browser that opens its history. It closes at the end of the test. */
async function browser(writer: string, atMs = TEST_START_MS, storage = createMemoryStorage()): Promise<Kept> {
  const kept = createKept(storage, createFakeClock(atMs), writer)
  opened.push(kept)
  await kept.start()
  return kept
}

/** Three hours of two nodes: changes, failures, exact amounts and a word that looks like a formula. */
async function watched(storage = createMemoryStorage()): Promise<Kept> {
  const kept = await browser('one', TEST_START_MS, storage)
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

/** An export and a backup of three hours. */
const whole = await watched()
const EXPORT = (await exporting(whole)).text
/** Any line number. */
const ANY: number = expect.any(Number)
const BACKUP = (await run(whole, { what: 'backup', settings: {} })).text

/** The same computer a day later, with an empty store. */
const another = () => browser('two', TEST_START_MS + DAY_MS)

const seriesDataOf = ({ history }: Kept, rangeMs: number) =>
  history.readSeriesData({
    node: 's!1',
    fromMs: TEST_START_MS + 3 * HOUR_MS - rangeMs,
    toMs: TEST_START_MS + 3 * HOUR_MS,
    columns: 50,
    barMs: HOUR_MS,
    maxGapMs: 2.5 * MINUTE_MS,
  })

describe('an export', () => {
  it('fails as a whole if a part cannot be read, at any resolution', async () => {
    const storage = createMemoryStorage()
    const kept = await watched(storage)
    for (const tier of ['samples', 'minute', 'hour'] as const) {
      storage.fault = (operation) => (operation === 'read' ? 'broken' : undefined)
      expect((await exporting(kept, { tier })).end, tier).toEqual({ kind: 'failed', failure: 'broken' })
      storage.fault = () => undefined
      expect((await exporting(kept, { tier })).end, tier).toMatchObject({ kind: 'done' })
    }
  })

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
      null,
      false,
      -5,
      null,
      false,
      20,
    ])
    // Only the last fingerprint is stored.
    expect(file.rows.map((row) => row[13]).filter((print) => print !== null)).toEqual(['00ff00ff'])
    expect(file.rows.map((row) => row[1])).toEqual(
      Array.from({ length: 180 }, (_, minute) => TEST_START_MS + minute * MINUTE_MS),
    )
    expect(shares.at(-1)).toBe(1)
    const part = await exporting(kept, {
      fromMs: TEST_START_MS + HOUR_MS,
      toMs: TEST_START_MS + HOUR_MS + 5 * MINUTE_MS,
    })
    expect(part.end).toMatchObject({ rows: 5 })
  })

  it('is CSV with units in its first line and without formulas', async () => {
    const kept = await watched()
    const { text } = await exporting(kept, { form: 'csv' })
    const lines = text.split('\r\n')
    expect(lines).toHaveLength(182)
    expect(lines[0]).toContain('"time (UTC, ISO 8601)",time_ms (ms since 1970)')
    expect(lines[92]).toContain(",'=cmd(),9007199254740993,")
    expect(lines[92]).toContain(',-5,')
  })

  it('of rollups has their steps, with the time by outcome and status', async () => {
    const kept = await watched()
    for (const [tier, rows] of [
      ['minute', 180],
      ['quarter', 12],
      ['hour', 3],
    ] as const) {
      const { end, text } = await exporting(kept, { tier, toMs: TEST_START_MS + 3 * HOUR_MS })
      expect(end).toMatchObject({ kind: 'done', rows })
      const file = JSON.parse(text) as { columns: string[]; rows: number[][] }
      const column = (name: string) => file.rows.map((row) => row[file.columns.indexOf(name)] ?? 0)
      const sum = (name: string) => column(name).reduce((all, one) => all + one, 0)
      expect(sum('answer_time_count'), tier).toBe(162)
      expect(sum('time_timeout'), tier).toBe(18 * MINUTE_MS)
      expect(sum('time_answered'), tier).toBe(162 * MINUTE_MS)
      expect(sum('threat_responses_increase'), tier).toBe(178)
      expect(sum('time_status_ACTIVE') + sum('time_status_=cmd()'), tier).toBe(162 * MINUTE_MS)
    }
  })

  it('can be cancelled, like a backup', async () => {
    const kept = await watched()
    const query: ExportQuery = { node: 's!1', fromMs: 0, toMs: 1e14, tier: 'samples', form: 'csv' }
    expect((await run(kept, { what: 'export', query }, 1)).end).toEqual({ kind: 'cancelled' })
    expect((await run(kept, { what: 'backup', settings: {} }, 2)).end).toEqual({ kind: 'cancelled' })
  })
})

describe('an import', () => {
  it('of infrequent polls leaves no gap in the rollups at the start of an hour', async () => {
    const kept = await browser('one', TEST_START_MS + 90_000)
    await kept.watch(['s!1'], 40, 5 * MINUTE_MS)
    const { text } = await exporting(kept)
    const other = await another()
    await run(other, { what: 'import', file: linesOf(text) })
    // The interval of 1 s makes the chart use 1-minute rollups.
    const lanes = await other.lanes('s!1', DAY_MS, 1_000)
    expect([lanes.stepMs, lanes.answered, lanes.spans.map(({ kind }) => kind)]).toEqual([
      MINUTE_MS,
      40,
      ['not-watched', 'answered', 'not-watched'],
    ])
  })

  it('into another browser gives the same samples and rollups, and adds nothing a second time', async () => {
    const kept = await watched()
    const { text } = await exporting(kept)
    const other = await another()
    const { end } = await run(other, { what: 'import', file: linesOf(text) })
    expect(end).toEqual({ kind: 'done', rows: 180, skipped: 0 })
    for (const rangeMs of [3 * HOUR_MS, 30 * HOUR_MS, 5 * DAY_MS]) {
      const there = await seriesDataOf(other, rangeMs)
      const here = await seriesDataOf(kept, rangeMs)
      expect(there.answered).toBe(162)
      expect({ ...there, spans: [], notWatchedMs: 0 }).toEqual({ ...here, spans: [], notWatchedMs: 0 })
      // No later poll ends the time that the last poll of the last hour covers.
      expect(Math.abs(there.notWatchedMs - here.notWatchedMs)).toBeLessThanOrEqual(2 * MINUTE_MS)
    }
    expect((await exporting(other)).text.split('\n').slice(1).join('')).toBe(
      text.split('\n').slice(1).join(''),
    )
    const again = await run(other, { what: 'import', file: linesOf(text) })
    expect(again.end).toEqual({ kind: 'done', rows: 0, skipped: 180 })
    expect((await seriesDataOf(other, 5 * DAY_MS)).answered).toBe(162)
  })

  it('of a broken file is refused with its reason, and adds none of its rows', async () => {
    const other = await another()
    const file = linesOf(EXPORT.replace('"timeout"', '"slept"'))
    const { end } = await run(other, { what: 'import', file })
    expect(end).toMatchObject({ kind: 'refused', problem: { kind: 'broken-line', line: 11 } })
    expect(other.names().filter((name) => other.rows(name, 'blocks').length > 0)).toEqual([])
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
    const other = await another()
    await other.add('s!1', { status: 'ACTIVE' })
    const restored = await run(other, { what: 'restore', file: linesOf(text) })
    expect(restored.end.kind).toBe('done')
    expect(JSON.parse(restored.text)).toEqual(settings)
    expect(other.status()).toMatchObject({ state: 'kept', lost: undefined, damaged: 0 })
    for (const rangeMs of [3 * HOUR_MS, 30 * HOUR_MS, 5 * DAY_MS])
      expect(await seriesDataOf(other, rangeMs)).toEqual(await seriesDataOf(kept, rangeMs))
    const entries = await other.history.log.read({ limit: 1_000 })
    expect(entries.entries.filter(({ what }) => what === 'note')).toHaveLength(1)
    // The samples collected here since then stay.
    await other.clock.advance(1)
    expect((await other.lanes('s!1', HOUR_MS)).answered).toBe(1)
  })

  it('is restored over later rollups with the same answered time as before', async () => {
    const kept = await watched()
    const { text } = await run(kept, { what: 'backup', settings: {} })
    const answered = async () => drawn(await seriesDataOf(kept, 30 * HOUR_MS)).answeredMs
    const before = await answered()
    await kept.watch(['s!1'], 120, MINUTE_MS)
    await kept.history.maintain()
    expect((await run(kept, { what: 'restore', file: linesOf(text) })).end.kind).toBe('done')
    expect(await answered()).toBe(before)
  })

  it.each<[string, (good: string) => string, FileProblem['kind'], number?]>([
    ['a newer version', (good) => written(good.replace('"version":1', '"version":9')), 'newer'],
    ['a newer schema', (good) => written(good.replace('"schema":3', '"schema":4')), 'newer'],
    ['an older schema', (good) => written(good.replace('"schema":3', '"schema":2')), 'older'],
    ['a history export', () => `{"format":"${EXPORT_FORMAT}"}`, 'not-backup'],
    ['a cut-off file', (good) => good.split('\n').slice(0, -3).join('\n'), 'cut-off', ANY],
    ['an unknown table', (good) => written(good.replace('["meta"', '["keys"')), 'broken-line', 2],
    ['invalid base64', (good) => written(good.replace('{"base64":"', '{"base64":"?')), 'broken-line', ANY],
    ['a missing row', (good) => good.replace(/\n.*\["blocks".*\n/, '\n'), 'checksum', ANY],
    ['a line of another backup', (good) => good.replace(/("madeMs":\d+)/, '$11'), 'broken-line', 1],
    ['something after the end', (good) => `${good}x`, 'broken-line', ANY],
  ])('is refused and changes nothing: %s', async (_what, change, kind, line) => {
    const other = await another()
    await other.watch(['s!9'], 30, MINUTE_MS)
    await other.history.maintain()
    const before = contentsOf(other.storage)
    const { end } = await run(other, { what: 'restore', file: linesOf(change(BACKUP)) })
    expect(end).toEqual({ kind: 'refused', problem: { kind, line } })
    expect(contentsOf(other.storage)).toEqual(before)
  })

  it('with a record that inflates beyond the maximum size is refused, with its line', async () => {
    const other = await another()
    const packed = deflateRawSync(new Uint8Array(INFLATED_MAX + 1))
    const value = Buffer.concat([new Uint8Array([2, 0, 0, 0, 0]), packed])
    value.writeUInt32BE(checksum(packed, 0), 1)
    const bomb = BACKUP.replace(/(\["blocks",.*?\{"base64":")[^"]*/, `$1${value.toString('base64')}`)
    const { end } = await run(other, { what: 'restore', file: linesOf(written(bomb)) })
    expect(end).toMatchObject({ kind: 'refused', problem: { kind: 'too-large', line: expect.any(Number) } })
  })

  it('with any one character changed is refused, with its line, and changes nothing', async () => {
    const kept = await browser('one')
    await kept.watch(['s!1'], 90, MINUTE_MS, { status: 'ÄCTIVE' })
    await kept.history.maintain()
    await kept.history.log.append([
      { wallMs: TEST_START_MS, area: 'operator', what: 'note', facts: { note: 'ä “quoted” note' } },
    ])
    const { text } = await run(kept, { what: 'backup', settings: { display: { theme: 'dark' } } })
    const before = contentsOf(kept.storage)
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: text.length - 1 }),
        fc.oneof(
          fc.constantFrom('\n', '\r', ' ', '"', '0', 'a', 'A', 'é', '{', '}', ',', '\\'),
          fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
        ),
        async (at, other) => {
          fc.pre(text[at] !== other)
          const damaged = text.slice(0, at) + other + text.slice(at + 1)
          const { end } = await run(kept, { what: 'restore', file: linesOf(damaged) })
          const line = text.slice(0, at).split('\n').length
          expect(end).toMatchObject({ kind: 'refused' })
          if (end.kind === 'refused' && end.problem.kind !== 'not-backup')
            expect(Math.abs((end.problem.line ?? 0) - line)).toBeLessThanOrEqual(1)
          expect(contentsOf(kept.storage)).toEqual(before)
        },
      ),
      { numRuns: isAll() ? 400 : 80 },
    )
  })
})

/** The contents of all databases, except for the last writer and its time. */
const contentsOf = ({ databases }: MemoryStorage) =>
  Array.from(databases, ([name, tables]) =>
    Array.from(tables, ([table, rows]) =>
      Array.from(rows, ([key, { value }]) =>
        key === '["store"]' ? '' : [name, table, key, JSON.stringify(value)].join(' '),
      ),
    ),
  ).flat(2)

/** A backup with new checksums for its contents, as someone who knows the format could write it. */
function written(text: string): string {
  const contents = text.split('\n').flatMap((line) => /^\{"sum":"\w{8}","of":(.*)\}$/.exec(line)?.[1] ?? [])
  return backupOf(contents.slice(0, -1))
}

/** A copy of the disk in its current state. */
function copyOf(from: MemoryStorage): MemoryStorage {
  const copy = createMemoryStorage()
  for (const [name, tables] of structuredClone(from.databases)) copy.databases.set(name, tables)
  return copy
}

/** Kills the browser after that many operations of the store: no other ever ends. Resolves at the kill. */
const killedAfter = (storage: MemoryStorage, operations: number): Promise<void> =>
  new Promise((done) => {
    let left = operations
    storage.fault = () => {
      if (left-- > 0) return undefined
      done()
      return 'crash'
    }
  })

describe('an interrupted restore', () => {
  /** A browser with half an hour of another node, and the backup of the first browser. */
  async function twoBrowsers() {
    const other = await browser('two')
    const { storage } = other
    await other.watch(['s!9'], 30, MINUTE_MS)
    await other.history.maintain()
    await other.history.saved()
    return { text: BACKUP, storage, other, before: contentsOf(storage) }
  }

  it.each([1, 2])('changes nothing when it is cancelled (%i)', async (stopAt) => {
    const { text, other, before } = await twoBrowsers()
    const { end } = await run(other, { what: 'restore', file: linesOf(text) }, stopAt)
    expect(end).toEqual({ kind: 'cancelled', unchanged: true })
    expect(contentsOf(other.storage)).toEqual(before)
    expect((await other.lanes('s!9', DAY_MS)).answered).toBe(30)
    // A second attempt succeeds.
    expect((await run(other, { what: 'restore', file: linesOf(text) })).end.kind).toBe('done')
    await other.clock.advance(3 * HOUR_MS)
    expect((await other.lanes('s!1', DAY_MS)).answered).toBe(162)
  })

  it('changes nothing when the store fails', async () => {
    const { text, storage, other, before } = await twoBrowsers()
    let writes = 0
    storage.fault = (operation, name) =>
      operation === 'write' && name.endsWith('-2') && ++writes > 1 ? 'full' : undefined
    const { end } = await run(other, { what: 'restore', file: linesOf(text) })
    expect(end).toEqual({ kind: 'failed', failure: 'full', unchanged: true })
    storage.fault = () => undefined
    expect(contentsOf(other.storage)).toEqual(before)
    expect((await other.lanes('s!9', DAY_MS)).answered).toBe(30)
  })

  it('is complete, or absent and reported, after a kill at any moment', async () => {
    const { text, storage: kept, other: first } = await twoBrowsers()
    first.history.dispose()
    const outcomes = new Set<string>()
    for (let survived = 0, isWhole = false; !isWhole; survived++) {
      const storage = copyOf(kept)
      const other = await browser('two', TEST_START_MS + 4 * HOUR_MS, storage)
      const { sentinel } = other.status()
      const died = killedAfter(storage, survived)
      isWhole = await Promise.race([
        died.then(() => false),
        run(other, { what: 'restore', file: linesOf(text) }).then(() => true),
      ])
      other.history.dispose()
      storage.fault = () => undefined
      const again = createKept(storage, createFakeClock(TEST_START_MS + DAY_MS), 'three')
      await again.start(sentinel)
      await again.history.maintain()
      const { cutOff } = again.status()
      const old = await again.lanes('s!9', 5 * DAY_MS)
      const restored = await again.lanes('s!1', 5 * DAY_MS)
      outcomes.add(
        `${old.answered} of before, ${restored.answered} of the backup, ${cutOff?.what ?? 'nothing'} said`,
      )
      expect(again.status()).toMatchObject({ state: 'kept', lost: undefined, damaged: 0 })
      const logged = await again.history.log.read({ areas: ['watching'], limit: 100 })
      expect(logged.entries.some(({ what }) => what === 'transfer-cut-off')).toBe(cutOff !== undefined)
      // No unused database is left over.
      expect(again.names()).toEqual([`immune-history-store-${restored.answered > 0 ? 2 : 1}`])
      again.history.dispose()
    }
    expect(Array.from(outcomes).toSorted()).toEqual([
      '0 of before, 162 of the backup, restore-settings said',
      // The samples in the memory of this session stay: all but one poll, which was in a block.
      '29 of before, 162 of the backup, nothing said',
      '29 of before, 162 of the backup, restore-settings said',
      '30 of before, 0 of the backup, nothing said',
      '30 of before, 0 of the backup, restore said',
    ])
  })
})

describe('an interrupted import', () => {
  it('is complete or absent after a kill at any moment', async () => {
    const begin = async (storage = createMemoryStorage()) => {
      const clock = createFakeClock(TEST_START_MS + DAY_MS)
      const other = createKept(storage, clock, `writer of ${Object.values(storage.counts).join(' ')}`)
      await other.start()
      // Waits for the maintenance at the start.
      await exporting(other)
      return other
    }
    const lanes = async (other: Kept) => [
      await seriesDataOf(other, 3 * HOUR_MS),
      await seriesDataOf(other, 30 * HOUR_MS),
      await seriesDataOf(other, 5 * DAY_MS),
    ]
    const empty = await lanes(await begin())
    const other = await begin()
    await run(other, { what: 'import', file: linesOf(EXPORT) })
    const full = await lanes(other)
    expect(full[2]?.answered).toBe(162)
    const outcomes = new Set<string>()
    for (let survived = 0, isWhole = false; !isWhole; survived++) {
      const storage = createMemoryStorage()
      const first = await begin(storage)
      const died = killedAfter(storage, survived)
      isWhole = await Promise.race([
        died.then(() => false),
        run(first, { what: 'import', file: linesOf(EXPORT) }).then(() => true),
      ])
      first.history.dispose()
      storage.fault = () => undefined
      const again = await begin(storage)
      const found = await lanes(again)
      outcomes.add(`${found[2]?.answered}`)
      expect(found).toEqual(found[2]?.answered === 0 ? empty : full)
      again.history.dispose()
    }
    expect(Array.from(outcomes).toSorted()).toEqual(['0', '162'])
  })

  it('reports a failed store and changes nothing', async () => {
    const other = await another()
    other.storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    const { end } = await run(other, { what: 'import', file: linesOf(EXPORT) })
    expect(end).toEqual({ kind: 'failed', failure: 'full', unchanged: true })
    other.storage.fault = () => undefined
    expect((await run(other, { what: 'import', file: linesOf(EXPORT) })).end).toMatchObject({ rows: 180 })
    expect((await seriesDataOf(other, 5 * DAY_MS)).answered).toBe(162)
  })
})

const OLD = [
  'immune-history-samples-2943',
  'immune-history-g3',
  'immune-history-g3-coarse-735',
  'immune-history-v2-1',
]

it('the history of an earlier version is detected while the current one keeps working, and is removed on request', async () => {
  const storage = createMemoryStorage()
  for (const name of OLD) await storage.open(name)
  const kept = await browser('one', TEST_START_MS, storage)
  await kept.watch(['s!1'], 10, MINUTE_MS)
  expect(kept.status()).toMatchObject({ state: 'kept', hasOlder: true, lost: undefined })
  expect(kept.names()).toEqual([...OLD, 'immune-history-store-1'].toSorted())
  expect((await run(kept, { what: 'remove-older' })).end).toEqual({ kind: 'done', rows: 4, skipped: 0 })
  expect(kept.status()).toMatchObject({ state: 'kept', hasOlder: false })
  expect(kept.names()).toEqual(['immune-history-store-1'])
  expect((await kept.lanes('s!1', DAY_MS)).answered).toBe(10)
})

it('an export of the first layout of history is imported unchanged, with only the last fingerprint', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../vectors/history/export-v1.json'), 'utf8')
  const kept = await another()
  type File = { readonly rows: readonly (readonly unknown[])[]; readonly columns: readonly string[] }
  const rowsOf = ({ rows, columns }: File) =>
    rows.map((row): ReadonlyMap<string, unknown> => new Map(columns.map((name, at) => [name, row[at]])))
  const before = rowsOf(JSON.parse(text) as File)
  const { end } = await run(kept, { what: 'import', file: linesOf(text) })
  expect(end).toEqual({ kind: 'done', rows: before.length, skipped: 0 })
  const after = rowsOf(JSON.parse((await exporting(kept)).text) as File)
  for (const name of before[0]?.keys() ?? []) {
    if (name === 'threat_responses_increase' || name === 'proof_fingerprint') continue
    expect([name, after.map((row) => row.get(name))]).toEqual([name, before.map((row) => row.get(name))])
  }
  // That layout did not count the increase in a gap apart.
  const increase = (row: ReadonlyMap<string, unknown>) =>
    row.get('threat_responses_increase') ?? row.get('threat_responses_increase_not_watched')
  expect(after.map(increase)).toEqual(before.map((row) => row.get('threat_responses_increase')))
  const prints = after.map((row) => row.get('proof_fingerprint'))
  expect(prints.filter((print) => print !== null)).toEqual([
    before.findLast((row) => row.get('proof_fingerprint') !== null)?.get('proof_fingerprint'),
  ])
})
