import { describe, expect, it } from 'vitest'
import { readExport, type ExportedRow } from '#history/transfer/read-export.ts'
import { LINE_MAX } from '#history/transfer/transfer.ts'
import { METRICS } from '#metrics/metrics.ts'

const HEAD = {
  format: 'immune-node-history',
  version: 1,
  node: 's!1',
  resolution: 'samples',
  columns: ['time_ms', 'outcome'],
}

/** A file's first line: an object that the rows go on with. */
const headLine = (given: object = {}) => `${JSON.stringify({ ...HEAD, ...given }).slice(0, -1)},"rows":[`
const rowLines = (rows: readonly unknown[]) =>
  rows.map((row, at) => `${JSON.stringify(row)}${at === rows.length - 1 ? '' : ','}`)

async function read(lines: readonly string[]) {
  const rows: ExportedRow[] = []
  const done = await readExport(
    async function* () {
      yield* lines
    },
    METRICS,
    (row) => rows.push(row),
  )
  return { done, rows }
}

/** What is read of rows with such columns. */
const rowsWith = async (columns: readonly string[], ...rows: readonly (readonly unknown[])[]) => {
  const given = rows.map((row, at) => [at, 'answered', ...row])
  const found = await read([headLine({ columns: [...HEAD.columns, ...columns] }), ...rowLines(given), ']}'])
  expect(found.done).toEqual({ ok: true, value: 's!1' })
  return found.rows
}

const answered = (atMs: number, given: object = {}) => ({
  node: 's!1',
  atMs,
  outcome: 'answered',
  latencyMs: 0,
  ...given,
})
const failsWith = (problem: object) => ({ done: { ok: false, error: problem } })

describe('an own export', () => {
  it('is read row by row, in order, up to its end', async () => {
    const { done, rows } = await read([
      headLine(),
      '[5,"answered"],',
      '[6,"timeout"] , ',
      '[7,"not-watched"]',
      ']}',
      '',
      '  ',
    ])
    expect(done).toEqual({ ok: true, value: 's!1' })
    expect(rows).toEqual([
      answered(5),
      answered(6, { outcome: 'timeout' }),
      { atMs: 7, outcome: 'not-watched' },
    ])
  })

  it('may have no rows, and spaces behind its first line', async () => {
    expect(await read([`${headLine()}  `, ']}'])).toEqual({ done: { ok: true, value: 's!1' }, rows: [] })
  })

  it('has columns in any order, of which some may be of a later version', async () => {
    const columns = ['outcome', 'later', 'time_ms']
    expect((await read([headLine({ columns }), '["answered",{},9]', ']}'])).rows).toEqual([answered(9)])
  })

  it('is cut off where its end is missing, and its last line is named', async () => {
    expect(await read([headLine()])).toMatchObject(failsWith({ kind: 'cut-off', line: 1 }))
    expect(await read([headLine(), '[5,"answered"],'])).toMatchObject(failsWith({ kind: 'cut-off', line: 2 }))
  })

  it.each<[string, string]>([
    ['something after its end', 'x'],
    ['another end', ']}'],
  ])('has no good line where there is %s', async (_what, line) => {
    expect(await read([headLine(), ']}', '', line])).toMatchObject(
      failsWith({ kind: 'broken-line', line: 4 }),
    )
  })

  it('whose lines can not be read has one that is too long', async () => {
    const done = await readExport(
      async function* () {
        yield headLine()
        throw new Error('too long')
      },
      METRICS,
      () => undefined,
    )
    expect(done).toEqual({ ok: false, error: { kind: 'too-long-line', line: 2 } })
    expect(await read(['x'.repeat(LINE_MAX + 1)])).toMatchObject(
      failsWith({ kind: 'too-long-line', line: 1 }),
    )
    expect(await read(['x'.repeat(LINE_MAX)])).toMatchObject(failsWith({ kind: 'not-ours' }))
  })
})

describe('the first line', () => {
  it.each<[string, string, string]>([
    ['nothing', '', 'not-ours'],
    ['null', 'null', 'not-ours'],
    ['a list', '[', 'not-ours'],
    ['a table of text', 'time (UTC, ISO 8601),x', 'csv'],
    ['another format', headLine({ format: 'immune-node-backup' }), 'not-ours'],
    ['a later version', headLine({ version: 2 }), 'newer'],
    ['rollups', headLine({ resolution: 'minute' }), 'rollups'],
    ['of no node', headLine({ node: undefined }), 'not-ours'],
    ['of a node that is a number', headLine({ node: 5 }), 'not-ours'],
    ['of a node whose name is endless', headLine({ node: 'n'.repeat(1_025) }), 'not-ours'],
    ['without columns', headLine({ columns: undefined }), 'not-ours'],
    ['with a column that is no text', headLine({ columns: ['time_ms', 'outcome', 5] }), 'not-ours'],
    ['with a column twice', headLine({ columns: ['time_ms', 'outcome', 'outcome'] }), 'not-ours'],
    ['without times', headLine({ columns: ['outcome', 'interval'] }), 'not-ours'],
    ['without outcomes', headLine({ columns: ['time_ms', 'interval'] }), 'not-ours'],
  ])('is none of ours, or is not read: %s', async (_what, line, kind) => {
    const found = await read([line, '[5,"answered"]', ']}'])
    expect(found).toEqual({ ...failsWith({ kind }), rows: [] })
  })

  it('may name a node as long as a key is', async () => {
    const node = 'n'.repeat(1_024)
    expect((await read([headLine({ node }), ']}'])).done).toEqual({ ok: true, value: node })
  })

  it('is missing in a file without lines', async () => {
    expect(await read([])).toMatchObject(failsWith({ kind: 'not-ours' }))
  })
})

describe('a row', () => {
  it.each<[string, string]>([
    ['no JSON', '[5,"answered"'],
    ['no list', '{"0":5,"1":"answered","length":2}'],
    ['too short', '[5]'],
    ['too long', '[5,"answered",1]'],
    ['of no time', '[null,"answered"]'],
    ['of a time that is a text', '["5","answered"]'],
    ['of a part of a millisecond', '[5.5,"answered"]'],
    ['before 1970', '[-1,"answered"]'],
    ['after all time', '[8640000000000001,"answered"]'],
    ['of an outcome that is none', '[5,"slept"]'],
    ['of no outcome', '[5,null]'],
    ['followed by something', '[5,"answered"],[6,"answered"]'],
  ])('is broken where it is %s', async (_what, line) => {
    expect(await read([headLine(), line, ']}'])).toEqual({
      ...failsWith({ kind: 'broken-line', line: 2 }),
      rows: [],
    })
  })

  it('may be of the first and of the last moment that there is', async () => {
    const { rows } = await read([headLine(), '[0,"answered"],', '[8640000000000000,"answered"]', ']}'])
    expect(rows).toEqual([answered(0), answered(8.64e15)])
  })

  it.each([
    ['[4,"answered"]', '[4,"answered"]'],
    ['[4,"not-watched"]', '[3,"answered"]'],
    ['[4,"answered"]', '[4,"not-watched"]'],
  ])('comes after the one before it: %s, %s', async (one, other) => {
    const { done, rows } = await read([headLine(), `${one},`, other, ']}'])
    expect([done, rows.length]).toEqual([{ ok: false, error: { kind: 'broken-line', line: 3 } }, 1])
  })
})

describe('what a row says', () => {
  it('is its interval, its service’s time, its answer time and a heartbeat’s age', async () => {
    const columns = ['interval', 'service_time', 'answer_time', 'heartbeat_age']
    expect(await rowsWith(columns, [60_000, 1_000, 20.5, -5], [null, null, null, null])).toEqual([
      answered(0, { everyMs: 60_000, serviceMs: 1_000, latencyMs: 20.5, heartbeatAgeMs: -5 }),
      answered(1),
    ])
    expect(await rowsWith(columns, ['1', true, '20', []])).toEqual([answered(0)])
  })

  it('is amounts: numbers, or the exact text where no number shows it', async () => {
    expect(
      await rowsWith(
        [
          'stake_deployed',
          'threat_responses_total',
          'threat_responses_increase',
          'threat_responses_restarted',
        ],
        [5, 7, 2, true],
        ['9007199254740993', '-12.50', 0, false],
        ['1e5', '5.', '2', 'true'],
        ['.5', 'x1', null, 1],
        ['1x', '1.5x', null, null],
        [`${'1'.repeat(80)}.${'2'.repeat(80)}`, '1'.repeat(81), null, null],
        [`1.${'2'.repeat(81)}`, { value: 5 }, null, null],
      ),
    ).toEqual([
      answered(0, {
        stake: 5,
        threatResponses: 7,
        threatResponsesIncrease: 2,
        threatResponsesRestarted: true,
      }),
      answered(1, {
        stake: 2 ** 53,
        stakeExact: '9007199254740993',
        threatResponses: -12.5,
        threatResponsesExact: '-12.50',
        threatResponsesIncrease: 0,
        threatResponsesRestarted: false,
      }),
      answered(2),
      answered(3),
      answered(4),
      answered(5, {
        stake: Number('1'.repeat(80)),
        stakeExact: `${'1'.repeat(80)}.${'2'.repeat(80)}`,
      }),
      answered(6),
    ])
  })

  it('is of a counter what came while somebody watched, or while nobody did', async () => {
    expect(
      await rowsWith(
        ['threat_responses_increase', 'threat_responses_increase_not_watched'],
        [2, null],
        [null, 37],
      ),
    ).toEqual([
      answered(0, { threatResponsesIncrease: 2 }),
      answered(1, { threatResponsesIncrease: 37, threatResponsesUnwatched: true }),
    ])
  })

  it('is no endless number, and no list of one', async () => {
    const columns = [...HEAD.columns, 'interval', 'stake_deployed']
    const { rows } = await read([
      headLine({ columns }),
      '[0,"answered",1e999,1e999],',
      '[1,"answered",[5],[5]]',
      ']}',
    ])
    expect(rows).toEqual([answered(0), answered(1)])
  })

  it('is a word of a state and the fingerprint of a proof, none of them endless', async () => {
    expect(
      await rowsWith(
        ['status', 'proof_fingerprint', 'proof_changed'],
        ['ACTIVE', '00ff00ff', true],
        ['s'.repeat(256), null, false],
        ['s'.repeat(257), 5, 'true'],
        ...['0012abc', '0012abcde', '0012ABCD', '0012abcg', ''].map((proof) => [null, proof, null]),
      ),
    ).toEqual([
      answered(0, { status: 'ACTIVE', proof: '00ff00ff', proofChanged: true }),
      answered(1, { status: 's'.repeat(256), proofChanged: false }),
      ...[2, 3, 4, 5, 6, 7].map((at) => answered(at)),
    ])
  })
})
