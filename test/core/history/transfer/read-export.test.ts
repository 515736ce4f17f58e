import { describe, expect, it } from 'vitest'
import { readExport, type ExportedRow } from '#history/transfer/read-export.ts'
import { METRICS } from '#metrics/metrics.ts'

const HEAD = {
  format: 'immune-node-history',
  version: 1,
  node: 's!1',
  resolution: 'samples',
  columns: ['time_ms', 'outcome'],
}

/** The first line of a file: an object whose list of rows is left open. */
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
    (row) => void rows.push(row),
  )
  return { done, rows }
}

/** The rows read from a file with these columns in addition. */
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
const failsWith = (problem: object) => ({ done: { ok: false, error: { kind: 'refused', problem } } })

describe('an export', () => {
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

  it('may have no rows, and spaces after its first line', async () => {
    expect(await read([`${headLine()}  `, ']}'])).toEqual({ done: { ok: true, value: 's!1' }, rows: [] })
  })

  it('may have columns in any order, and unknown ones of a later version', async () => {
    const columns = ['outcome', 'later', 'time_ms']
    expect((await read([headLine({ columns }), '["answered",{},9]', ']}'])).rows).toEqual([answered(9)])
  })

  it('without its end is rejected as cut off, with the number of its last line', async () => {
    expect(await read([headLine()])).toMatchObject(failsWith({ kind: 'cut-off', line: 1 }))
    expect(await read([headLine(), '[5,"answered"],'])).toMatchObject(failsWith({ kind: 'cut-off', line: 2 }))
  })

  it.each<[string, string]>([
    ['something after its end', 'x'],
    ['a second end', ']}'],
  ])('with %s is rejected, with the number of that line', async (_what, line) => {
    expect(await read([headLine(), ']}', '', line])).toMatchObject(
      failsWith({ kind: 'broken-line', line: 4 }),
    )
  })

  it('with a line that is too long is rejected, with the number of that line', async () => {
    const done = await readExport(
      async function* () {
        yield headLine()
        throw new Error('too long')
      },
      METRICS,
      () => undefined,
    )
    expect({ done }).toEqual(failsWith({ kind: 'too-long-line', line: 2 }))
  })
})

describe('the first line', () => {
  it.each<[string, string, string]>([
    ['an empty line', '', 'not-ours'],
    ['null', 'null', 'not-ours'],
    ['a list', '[', 'not-ours'],
    ['CSV', 'time (UTC, ISO 8601),x', 'csv'],
    ['another format', headLine({ format: 'immune-node-backup' }), 'not-ours'],
    ['a later version', headLine({ version: 2 }), 'newer'],
    ['rollups', headLine({ resolution: 'minute' }), 'rollups'],
    ['without a node', headLine({ node: undefined }), 'not-ours'],
    ['with a node that is a number', headLine({ node: 5 }), 'not-ours'],
    ['with a node of more than 1,024 characters', headLine({ node: 'n'.repeat(1_025) }), 'not-ours'],
    ['without columns', headLine({ columns: undefined }), 'not-ours'],
    ['with a column that is not a string', headLine({ columns: ['time_ms', 'outcome', 5] }), 'not-ours'],
    ['with a column twice', headLine({ columns: ['time_ms', 'outcome', 'outcome'] }), 'not-ours'],
    ['without times', headLine({ columns: ['outcome', 'interval'] }), 'not-ours'],
    ['without outcomes', headLine({ columns: ['time_ms', 'interval'] }), 'not-ours'],
  ])('is rejected: %s', async (_what, line, kind) => {
    const found = await read([line, '[5,"answered"]', ']}'])
    expect(found).toEqual({ ...failsWith({ kind }), rows: [] })
  })

  it('may name a node of 1,024 characters', async () => {
    const node = 'n'.repeat(1_024)
    expect((await read([headLine({ node }), ']}'])).done).toEqual({ ok: true, value: node })
  })

  it('is missing in a file without lines', async () => {
    expect(await read([])).toMatchObject(failsWith({ kind: 'not-ours' }))
  })
})

describe('a row', () => {
  it.each<[string, string]>([
    ['not JSON', '[5,"answered"'],
    ['not a list', '{"0":5,"1":"answered","length":2}'],
    ['too short', '[5]'],
    ['too long', '[5,"answered",1]'],
    ['without a time', '[null,"answered"]'],
    ['with a time that is a string', '["5","answered"]'],
    ['with a fraction of a millisecond', '[5.5,"answered"]'],
    ['before 1970', '[-1,"answered"]'],
    ['after the last possible time', '[8640000000000001,"answered"]'],
    ['with an unknown outcome', '[5,"slept"]'],
    ['without an outcome', '[5,null]'],
    ['followed by another row', '[5,"answered"],[6,"answered"]'],
  ])('is rejected if it is %s', async (_what, line) => {
    expect(await read([headLine(), line, ']}'])).toEqual({
      ...failsWith({ kind: 'broken-line', line: 2 }),
      rows: [],
    })
  })

  it('may be of the first and of the last possible time', async () => {
    const { rows } = await read([headLine(), '[0,"answered"],', '[8640000000000000,"answered"]', ']}'])
    expect(rows).toEqual([answered(0), answered(8.64e15)])
  })

  it.each([
    ['[4,"answered"]', '[4,"answered"]'],
    ['[4,"not-watched"]', '[3,"answered"]'],
    ['[4,"answered"]', '[4,"not-watched"]'],
  ])('is rejected if it is not later than the one before: %s, %s', async (one, other) => {
    const { done, rows } = await read([headLine(), `${one},`, other, ']}'])
    expect([{ done }, rows.length]).toEqual([failsWith({ kind: 'broken-line', line: 3 }), 1])
  })
})

describe('the values of a row', () => {
  it('include the interval, the service’s time, the response time and the heartbeat’s age', async () => {
    const columns = ['interval', 'service_time', 'answer_time', 'heartbeat_age']
    expect(await rowsWith(columns, [60_000, 1_000, 20.5, -5], [null, null, null, null])).toEqual([
      answered(0, { everyMs: 60_000, serviceMs: 1_000, latencyMs: 20.5, heartbeatAgeMs: -5 }),
      answered(1),
    ])
    expect(await rowsWith(columns, ['1', true, '20', []])).toEqual([answered(0)])
  })

  it('include amounts as numbers, or as exact text where a number is not exact', async () => {
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

  it('include the watched or the unwatched increase of a counter', async () => {
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

  it('exclude infinite numbers and lists', async () => {
    const columns = [...HEAD.columns, 'interval', 'stake_deployed']
    const { rows } = await read([
      headLine({ columns }),
      '[0,"answered",1e999,1e999],',
      '[1,"answered",[5],[5]]',
      ']}',
    ])
    expect(rows).toEqual([answered(0), answered(1)])
  })

  it('include a status of at most 256 characters and a fingerprint of 8 hex digits', async () => {
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
