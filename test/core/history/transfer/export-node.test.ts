import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { ExportQuery } from '#history/transfer/transfer.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'

/** Noon, the start of an hour. */
const NOON_MS = TEST_START_MS

type Kept = ReturnType<typeof createKept>

async function exported(kept: Kept, given: Partial<ExportQuery> = {}, stopAt = Number.POSITIVE_INFINITY) {
  const parts: string[] = []
  const shares: number[] = []
  const query: ExportQuery = { node: 's!1', fromMs: 0, toMs: 1e14, tier: 'samples', form: 'json', ...given }
  const end = await kept.history.transfer({ what: 'export', query }, async (text, share) => {
    parts.push(text)
    shares.push(share)
    return parts.length < stopAt
  })
  return { end, parts, shares, text: parts.join('') }
}

/** A poll at noon, one at 12:30 and one at 14:00, saved at 14:10. */
async function threePolls(): Promise<Kept> {
  const kept = createKept()
  await kept.start()
  await kept.add('s!1', { status: 'ACTIVE' })
  kept.clock.sleep(30 * MINUTE_MS, 'runs')
  await kept.add('s!1', { outcome: 'timeout' })
  kept.clock.sleep(90 * MINUTE_MS, 'runs')
  await kept.add('s!1', { status: 'IDLE' })
  kept.clock.sleep(10 * MINUTE_MS, 'runs')
  await kept.history.saved()
  await kept.history.maintain()
  return kept
}

type File = { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
const fileOf = (text: string): File => JSON.parse(text) as File
const columnOf = ({ columns, rows }: File, name: string) => rows.map((row) => row[columns.indexOf(name)])
const timesOf = (text: string) =>
  columnOf(fileOf(text), 'time_ms').map((atMs) => (Number(atMs) - NOON_MS) / MINUTE_MS)

describe('an export of samples', () => {
  it('has a header line and one line per row', async () => {
    const kept = await threePolls()
    const { text, end } = await exported(kept, { fromMs: NOON_MS, toMs: NOON_MS + HOUR_MS })
    expect(end).toEqual({ kind: 'done', rows: 2, skipped: 0 })
    const lines = text.split('\n')
    expect(lines).toHaveLength(5)
    const head = JSON.parse(`${lines[0]}]}`) as {
      readonly columns: readonly string[]
      readonly units: object
    }
    expect(head).toMatchObject({
      format: 'immune-node-history',
      version: 1,
      node: 's!1',
      resolution: 'samples',
      fromMs: NOON_MS,
      toMs: NOON_MS + HOUR_MS,
      units: { time: 'UTC, ISO 8601', status: 'word', answer_time: 'ms' },
      rows: [],
    })
    expect(Object.keys(head.units)).toEqual(head.columns)
    expect(lines[1]).toMatch(/^\["2026-06-01T12:00:00\.000Z",1780315200000,"answered",.*\],$/)
    expect(lines[2]).toMatch(/^\["2026-06-01T12:30:00\.000Z",1780317000000,"timeout",.*,null,.*\]$/)
    expect(lines.slice(3)).toEqual([']}', ''])
  })

  it.each([
    [0, 120, [0, 30]],
    [0, 121, [0, 30, 120]],
    [1, 121, [30, 120]],
    [30, 30.5, [30]],
    [31, 100, []],
    [60, 10, []],
  ])('covers the range from minute %i up to, but not including, minute %i', async (from, to, times) => {
    const kept = await threePolls()
    const query = { fromMs: NOON_MS + from * MINUTE_MS, toMs: NOON_MS + to * MINUTE_MS }
    const { text, end } = await exported(kept, query)
    expect(timesOf(text)).toEqual(times)
    expect(end).toEqual({ kind: 'done', rows: times.length, skipped: 0 })
  })

  it('includes a sample of this moment', async () => {
    const kept = await threePolls()
    await kept.add('s!1')
    expect(timesOf((await exported(kept)).text)).toEqual([0, 30, 120, 130])
  })

  it('is written day by day and reports its progress', async () => {
    const kept = await threePolls()
    kept.clock.sleep(DAY_MS, 'runs')
    await kept.add('s!1')
    const { shares, text } = await exported(kept)
    expect(shares).toEqual([0, 0.5, 1, 1])
    expect(timesOf(text)).toEqual([0, 30, 120, 130 + 24 * 60])
    const { shares: ofTable, parts } = await exported(kept, { form: 'csv' })
    expect(ofTable).toEqual([0, 0.5, 1])
    expect(parts.map((part) => part.split('\r\n').length - 1)).toEqual([1, 3, 1])
  })

  it('as CSV has a line of names with units, and empty cells for unknown values', async () => {
    const kept = await threePolls()
    const { text } = await exported(kept, { form: 'csv', toMs: NOON_MS + HOUR_MS })
    const lines = text.split('\r\n')
    expect(lines[0]).toMatch(/^\ufeff"time \(UTC, ISO 8601\)",time_ms \(ms since 1970\),/)
    expect(lines[1]).toMatch(/^2026-06-01T12:00:00\.000Z,1780315200000,answered,60000,,ACTIVE,/)
    expect(lines[2]).toMatch(/^2026-06-01T12:30:00\.000Z,1780317000000,timeout,60000,,,/)
    expect(lines.slice(3)).toEqual([''])
  })

  it('of an unknown node is empty', async () => {
    const { text, end } = await exported(await threePolls(), { node: 'nobody' })
    expect([fileOf(text).rows, end]).toEqual([[], { kind: 'done', rows: 0, skipped: 0 }])
  })
})

describe('an export of rollups', () => {
  it.each([
    ['minute', [0, 1, 2, ...Array.from({ length: 10 }, (_, at) => 30 + at), 120, 121, 122]],
    ['quarter', [0, 30, 120]],
    ['hour', [0, 120]],
  ] as const)('has each step of a %s with data', async (tier, times) => {
    const kept = await threePolls()
    const { text, end } = await exported(kept, { tier })
    expect(timesOf(text)).toEqual(times)
    expect(end).toEqual({ kind: 'done', rows: times.length, skipped: 0 })
    const file = fileOf(text)
    expect(new Set(columnOf(file, 'step'))).toEqual(
      new Set([{ minute: 1, quarter: 15, hour: 60 }[tier] * MINUTE_MS]),
    )
    // An answer covers 2.5 of its intervals; a failure covers 10 min, because polls are slower then.
    const sum = (name: string) => columnOf(file, name).reduce<number>((all, one) => all + Number(one), 0)
    expect(['time_answered', 'time_timeout', 'time_status_ACTIVE', 'time_status_IDLE'].map(sum)).toEqual(
      [5, 10, 2.5, 2.5].map((minutes) => minutes * MINUTE_MS),
    )
  })

  it('has a column for each outcome and status word that occurs', async () => {
    const { text } = await exported(await threePolls(), { tier: 'quarter' })
    expect(fileOf(text).columns.filter((name) => name.startsWith('time_'))).toEqual([
      'time_ms',
      'time_answered',
      'time_timeout',
      'time_status_ACTIVE',
      'time_status_IDLE',
    ])
  })

  it('starts with the step that contains the start of its range, and has none after its end', async () => {
    const kept = await threePolls()
    const within = { fromMs: NOON_MS + 31 * MINUTE_MS, toMs: NOON_MS + 120 * MINUTE_MS }
    expect(timesOf((await exported(kept, { tier: 'quarter', ...within })).text)).toEqual([30])
    const more = { ...within, toMs: within.toMs + 1 }
    expect(timesOf((await exported(kept, { tier: 'quarter', ...more })).text)).toEqual([30, 120])
  })

  it('has no step after its range, even if the same record holds more', async () => {
    const kept = await threePolls()
    await kept.clock.advance(2 * HOUR_MS)
    await kept.history.maintain()
    const stepsTo = async (minutes: number) =>
      timesOf(
        (await exported(kept, { tier: 'quarter', fromMs: NOON_MS, toMs: NOON_MS + minutes * MINUTE_MS }))
          .text,
      )
    expect([await stepsTo(30), await stepsTo(31), await stepsTo(120), await stepsTo(121)]).toEqual([
      [0],
      [0, 30],
      [0, 30],
      [0, 30, 120],
    ])
  })

  it('of a range without data is empty', async () => {
    const kept = await threePolls()
    const range = { fromMs: NOON_MS + 60 * MINUTE_MS, toMs: NOON_MS + 90 * MINUTE_MS }
    const { text, end } = await exported(kept, { tier: 'quarter', ...range })
    expect([fileOf(text).rows, end]).toEqual([[], { kind: 'done', rows: 0, skipped: 0 }])
  })
})

describe('a stopped export', () => {
  it.each([
    ['json', 1],
    ['json', 2],
    ['json', 3],
    ['csv', 1],
    ['csv', 2],
  ] as const)('ends at that part: %s, %i', async (form, stopAt) => {
    const kept = await threePolls()
    const { end, parts } = await exported(kept, { form }, stopAt)
    expect([end, parts.length]).toEqual([{ kind: 'cancelled' }, stopAt])
  })

  it('is complete if it ends before the stop', async () => {
    const kept = await threePolls()
    expect((await exported(kept, { form: 'csv' }, 3)).end).toEqual({ kind: 'done', rows: 3, skipped: 0 })
  })
})
