import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { checksum, INFLATED_MAX } from '#history/store/envelope.ts'
import { LINE_MAX, type FileProblem } from '#history/transfer/transfer.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'
import { backupLine, backupOf } from '#test/support/backup-file.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

const SAMPLES = 'immune-history-samples-5'
const COARSE = 'immune-history-coarse-5'

type Kept = ReturnType<typeof createKept>

async function started(): Promise<Kept> {
  const kept = createKept()
  await kept.start()
  return kept
}

/** Rows as they lie in a database of the store. */
function lay({ storage }: Kept, name: string, table: string, rows: readonly (readonly [string, unknown])[]) {
  const tables = storage.databases.get(name) ?? new Map()
  storage.databases.set(name, tables)
  tables.set(table, new Map(rows.map(([key, value]) => [JSON.stringify([key]), { key: [key], value }])))
}

async function backedUp(kept: Kept, stopAt = Number.POSITIVE_INFINITY) {
  const parts: string[] = []
  const shares: number[] = []
  const end = await kept.history.transfer({ what: 'backup', settings: { a: 1 } }, async (text, share) => {
    parts.push(text)
    shares.push(share)
    return parts.length < stopAt
  })
  return { end, parts, shares }
}

async function restored(kept: Kept, lines: readonly string[], stopAt = Number.POSITIVE_INFINITY) {
  const texts: string[] = []
  const shares: number[] = []
  const end = await kept.history.transfer(
    {
      what: 'restore',
      file: async function* () {
        yield* lines
      },
    },
    async (text, share) => {
      if (text !== '') texts.push(text)
      shares.push(share)
      return shares.length < stopAt
    },
  )
  return { end, texts, shares }
}

const HEAD = {
  format: 'immune-node-backup',
  version: 1,
  schema: 1,
  madeMs: 5,
  databases: 2,
  settings: { theme: 'dark' },
}
const database = (name: string) => JSON.stringify({ database: name })
const row = (...parts: readonly unknown[]) => JSON.stringify(parts)
/** The lines of a backup with these contents behind its head. */
const linesOf = (contents: readonly string[], head: object = HEAD): readonly string[] =>
  backupOf([JSON.stringify(head), ...contents]).split('\n')
const contentOf = (line: string): unknown => {
  const { of } = JSON.parse(line) as { readonly of: unknown }
  return of
}
/** A record with a right checksum that inflates to so many bytes. */
function bomb(bytes: number): Uint8Array {
  const packed = deflateRawSync(new Uint8Array(bytes))
  const value = Buffer.concat([new Uint8Array([2, 0, 0, 0, 0]), packed])
  value.writeUInt32BE(checksum(packed, 0), 1)
  return new Uint8Array(value)
}
const refused = (problem: FileProblem) => ({ kind: 'refused', problem })

describe('a backup', () => {
  it('is a line for each row, behind one for its database and one for all of it', async () => {
    const kept = await started()
    lay(kept, SAMPLES, 'meta', [
      ['events', { count: 0 }],
      ['import', { id: 'x' }],
      ['writer', 'one 5'],
    ])
    lay(kept, SAMPLES, 'nodes', [
      ['import', 1],
      ['writer', 2],
    ])
    lay(kept, SAMPLES, 'rows', [['a', new Uint8Array([1, 2, 255])]])
    lay(kept, COARSE, 'meta', [['meta', { bytes: 3 }]])
    const { end, parts, shares } = await backedUp(kept)
    const lines = parts.join('').split('\n')
    expect(lines.pop()).toBe('')
    const contents = lines.map(contentOf)
    expect(contents.slice(0, -1)).toEqual([
      {
        format: 'immune-node-backup',
        version: 1,
        schema: 1,
        madeMs: TEST_START_MS,
        databases: 2,
        settings: { a: 1 },
      },
      { database: COARSE },
      ['meta', ['meta'], { bytes: 3 }],
      { database: SAMPLES },
      ['meta', ['events'], { count: 0 }],
      ['nodes', ['import'], 1],
      ['nodes', ['writer'], 2],
      ['rows', ['a'], { base64: 'AQL/' }],
    ])
    expect(lines).toEqual(contents.map((content) => backupLine(JSON.stringify(content)).trimEnd()))
    const before = `${lines.slice(0, -1).join('\n')}\n`
    expect(contents.at(-1)).toEqual({ end: true, sha256: createHash('sha256').update(before).digest('hex') })
    expect(end).toEqual({ kind: 'done', rows: 5, skipped: 0 })
    expect(shares).toEqual([0, 0, 0.25, 0.5, 0.75, 0.75, 0.75, 1])
  })

  it('is in the order of time, and of the same time in that of the kinds’ names', async () => {
    const kept = await started()
    for (const name of ['minute-5', 'samples-4', 'samples-5', 'coarse-5'])
      lay(kept, `immune-history-${name}`, 'meta', [])
    const { parts } = await backedUp(kept)
    expect(parts.slice(1, -1).map(contentOf)).toEqual(
      ['samples-4', 'coarse-5', 'minute-5', 'samples-5'].map((name) => ({
        database: `immune-history-${name}`,
      })),
    )
  })

  it.each([
    [199, [199]],
    [200, [200]],
    [201, [200, 1]],
    [401, [200, 200, 1]],
  ])('of %i rows is written some at a time, and each of them once', async (count, sizes) => {
    const kept = await started()
    const rows = Array.from({ length: count }, (_, at) => [String(at).padStart(3, '0'), at] as const)
    lay(kept, SAMPLES, 'nodes', rows)
    const { end, parts } = await backedUp(kept)
    const written = parts.slice(2, -1).map((part) => part.trimEnd().split('\n'))
    expect(written.map(({ length }) => length)).toEqual(sizes)
    expect(written.flat().map(contentOf)).toEqual(rows.map(([key, value]) => ['nodes', [key], value]))
    expect(end).toEqual({ kind: 'done', rows: count, skipped: 0 })
  })

  it('has rows whose keys are numbers, below 0 too', async () => {
    const kept = await started()
    const key = [-5, 3]
    kept.storage.databases.set(SAMPLES, new Map([['rows', new Map([['k', { key, value: 7 }]])]]))
    expect(
      (await backedUp(kept)).parts
        .map((part) => part.trimEnd())
        .slice(2, 3)
        .map(contentOf),
    ).toEqual([['rows', key, 7]])
  })

  it.each([1, 2, 3, 4])('ends where it is told to: %i', async (stopAt) => {
    const kept = await started()
    lay(kept, SAMPLES, 'nodes', [['a', 1]])
    const { end, parts } = await backedUp(kept, stopAt)
    expect([end, parts.length]).toEqual([{ kind: 'cancelled' }, stopAt])
  })

  it.each(['list', 'open', 'read'] as const)(
    'fails where the store does not answer: %s',
    async (operation) => {
      const kept = await started()
      lay(kept, SAMPLES, 'nodes', [['a', 1]])
      kept.storage.fault = (asked) => (asked === operation ? 'no-answer' : undefined)
      expect((await backedUp(kept)).end).toEqual({ kind: 'failed', failure: 'no-answer' })
    },
  )
})

describe('a restore', () => {
  const contents = [
    database(SAMPLES),
    row('meta', ['meta'], { samples: 3, bytes: 3, lastMs: 9 }),
    row('rows', [0, 'é', 5], { base64: 'AQL/' }),
    row('nodes', ['a'], 1),
    database('immune-history-minute--1'),
  ]

  it('puts every row in its place, gives the settings out, and counts the rows', async () => {
    const kept = await started()
    const { end, texts, shares } = await restored(kept, linesOf(contents))
    expect(end).toEqual({ kind: 'done', rows: 3, skipped: 0 })
    expect(texts).toEqual(['{"theme":"dark"}'])
    expect(shares).toEqual([0, 0, 0.5, 1, 1])
    expect(kept.names()).toEqual([
      'immune-history-g1',
      'immune-history-g1-minute--1',
      'immune-history-g1-samples-5',
    ])
    expect(kept.rows('immune-history-g1-samples-5', 'rows')).toEqual([
      { key: [0, 'é', 5], value: new Uint8Array([1, 2, 255]) },
    ])
    expect(kept.rows('immune-history-g1-samples-5', 'nodes')).toEqual([{ key: ['a'], value: 1 }])
    expect(kept.meta('immune-history-g1-samples-5')).toEqual({ samples: 3, bytes: 3, lastMs: 9 })
    expect(kept.status()).toMatchObject({ state: 'kept', bytes: 3 })
    // That its settings were taken is noted.
    expect(kept.status().cutOff).toBeUndefined()
    expect(kept.rows('immune-history-g1', 'meta')).toEqual([{ key: ['finished'], value: true }])
  })

  it('is not over before its settings were taken', async () => {
    const kept = await started()
    const { end, shares } = await restored(kept, linesOf(contents), 5)
    expect([end.kind, shares.length]).toEqual(['done', 5])
    expect(kept.status().cutOff?.what).toBe('restore-settings')
  })

  it('of a backup without settings gives out none', async () => {
    const { settings: _, ...head } = HEAD
    expect((await restored(await started(), linesOf([], head))).texts).toEqual(['null'])
  })

  it.each([
    ['no databases', 0, [0, 0, 1, 1, 1]],
    ['more databases than it said', 1, [0, 0, 1, 1, 1]],
  ])('of %s says how much is done, never more than all', async (_what, databases, shares) => {
    const kept = await started()
    expect((await restored(kept, linesOf(contents, { ...HEAD, databases }))).shares).toEqual(shares)
  })

  it('writes many rows some at a time', async () => {
    const kept = await started()
    const writes: number[] = []
    kept.storage.fault = (operation, name) => {
      if (operation === 'write' && name.includes('-g1-'))
        writes.push(kept.storage.databases.get(name)?.get('nodes')?.size ?? 0)
      return undefined
    }
    const rows = Array.from({ length: 401 }, (_, at) => row('nodes', [`n${at}`], at))
    const { end } = await restored(kept, linesOf([database(SAMPLES), ...rows]))
    expect(end).toEqual({ kind: 'done', rows: 401, skipped: 0 })
    expect(writes.slice(0, 3)).toEqual([0, 200, 400])
    expect(kept.rows('immune-history-g1-samples-5', 'nodes')).toHaveLength(401)
  })

  it('writes large rows a few at a time', async () => {
    const kept = await started()
    let writes = 0
    kept.storage.fault = (operation, name) => {
      if (operation === 'write' && name.includes('-g1-')) writes++
      return undefined
    }
    // Eight million characters are enough for one write.
    const large = 'x'.repeat(4_000_000)
    const rows = ['a', 'b', 'c'].map((key) => row('nodes', [key], large))
    expect((await restored(kept, linesOf([database(SAMPLES), ...rows]))).end).toMatchObject({ rows: 3 })
    expect(writes).toBe(2)
  })

  it.each<[string, readonly string[], FileProblem]>([
    ['a row before any database', [row('nodes', ['a'], 1)], { kind: 'broken-line', line: 2 }],
    ['a database twice', [database(SAMPLES), database(SAMPLES)], { kind: 'broken-line', line: 3 }],
    ['a database that is none', [database('immune-keys')], { kind: 'broken-line', line: 2 }],
    ['a table that is none', [database(SAMPLES), row('keys', ['a'], 1)], { kind: 'broken-line', line: 3 }],
    ['a key that is none', [database(SAMPLES), row('nodes', 'a', 1)], { kind: 'broken-line', line: 3 }],
    ['an empty key', [database(SAMPLES), row('nodes', [], 1)], { kind: 'broken-line', line: 3 }],
    ['a deep key', [database(SAMPLES), row('nodes', ['a', null], 1)], { kind: 'broken-line', line: 3 }],
    [
      'an endless key',
      [
        database(SAMPLES),
        row(
          'nodes',
          Array.from({ length: 17 }, () => 1),
          1,
        ),
      ],
      { kind: 'broken-line', line: 3 },
    ],
    [
      'a key of an endless number',
      [database(SAMPLES), '["nodes",[1e999],1]'],
      { kind: 'broken-line', line: 3 },
    ],
    [
      'bytes that are none',
      [database(SAMPLES), row('nodes', ['a'], { base64: '?' })],
      { kind: 'broken-line', line: 3 },
    ],
    [
      'bytes that are no text',
      [database(SAMPLES), row('nodes', ['a'], { base64: 1234 })],
      { kind: 'broken-line', line: 3 },
    ],
    ['a text as its own name', [database(SAMPLES), '"nodes"'], { kind: 'broken-line', line: 3 }],
    ['another head', [JSON.stringify(HEAD)], { kind: 'broken-line', line: 2 }],
    ['an end that is none', ['{"end":1}'], { kind: 'broken-line', line: 2 }],
    ['null', ['null'], { kind: 'broken-line', line: 2 }],
    ['a number', ['5'], { kind: 'broken-line', line: 2 }],
    ['no JSON', ['[1,'], { kind: 'broken-line', line: 2 }],
    ['another checksum', ['{"end":true,"sha256":"00"}'], { kind: 'checksum', line: 2 }],
  ])('of %s changes nothing, and names the line', async (_what, lines, problem) => {
    const kept = await started()
    await kept.add('a')
    await kept.history.saved()
    const names = kept.names()
    expect((await restored(kept, linesOf(lines))).end).toEqual(refused(problem))
    expect(kept.names()).toEqual(names)
  })

  it('may have as long a key as there are, and any plain value', async () => {
    const kept = await started()
    const rows = [
      row(
        'nodes',
        Array.from({ length: 16 }, () => 1),
        null,
      ),
      row('nodes', ['a'], { base64: undefined, other: 1 }),
      row('nodes', ['b'], 'text'),
    ]
    await restored(kept, linesOf([database(SAMPLES), ...rows]))
    expect(kept.rows('immune-history-g1-samples-5', 'nodes').map(({ value }) => value)).toEqual([
      null,
      { other: 1 },
      'text',
    ])
  })

  it.each<[string, object, FileProblem]>([
    ['another format', { ...HEAD, format: 'immune-node-history' }, { kind: 'not-ours', line: 1 }],
    ['a later version', { ...HEAD, version: 2 }, { kind: 'newer', line: 1 }],
    ['a later layout', { ...HEAD, schema: 2 }, { kind: 'newer', line: 1 }],
  ])('of a head of %s is refused', async (_what, head, problem) => {
    expect((await restored(await started(), linesOf(contents, head))).end).toEqual(refused(problem))
  })

  it.each<[string, readonly string[], FileProblem]>([
    ['no lines', [], { kind: 'not-ours' }],
    ['an empty line', [''], { kind: 'not-ours', line: 1 }],
    ['a text', ['text'], { kind: 'not-ours', line: 1 }],
    [
      'a head that is damaged',
      [linesOf(contents)[0]?.replace('dark', 'dart') ?? ''],
      { kind: 'broken-line', line: 1 },
    ],
    ['a head alone', linesOf([]).slice(0, 1), { kind: 'cut-off', line: 1 }],
    ['no end', linesOf(contents).slice(0, -2), { kind: 'cut-off', line: 6 }],
    ['something behind the end', [...linesOf([]).slice(0, 2), 'x'], { kind: 'broken-line', line: 3 }],
    ['two ends', [...linesOf([]).slice(0, 2), linesOf([])[1] ?? ''], { kind: 'broken-line', line: 3 }],
    [
      'a line that is too long',
      [...linesOf([]).slice(0, 1), 'x'.repeat(LINE_MAX + 1)],
      { kind: 'too-long-line', line: 2 },
    ],
    ['a long line', [...linesOf([]).slice(0, 1), 'x'.repeat(LINE_MAX)], { kind: 'broken-line', line: 2 }],
  ])('of %s is refused', async (_what, lines, problem) => {
    expect((await restored(await started(), lines)).end).toEqual(refused(problem))
  })

  it('of a record that inflates to more than any of ours is refused, and of a damaged one is not', async () => {
    const withRecord = async (value: Uint8Array) => {
      const record = { base64: Buffer.from(value).toString('base64') }
      return (
        await restored(await started(), linesOf([database(SAMPLES), row('rows', [0, 1, 2, 3], record)]))
      ).end
    }
    expect(await withRecord(bomb(INFLATED_MAX + 1))).toEqual(refused({ kind: 'too-large', line: 3 }))
    expect(await withRecord(bomb(INFLATED_MAX))).toMatchObject({ kind: 'done' })
    expect(await withRecord(bomb(INFLATED_MAX + 1).with(9, 1))).toMatchObject({ kind: 'done' })
  })

  it.each<[string, (line: string) => string]>([
    ['another beginning', (line) => line.replace('{"sum"', '{"sun"')],
    ['another checksum', (line) => line.replace(/"[0-9a-f]{8}"/, '"00000000"')],
    ['another name for what it holds', (line) => line.replace('"of"', '"on"')],
    ['another end', (line) => `${line.slice(0, -1)}]`],
    ['something before it', (line) => ` ${line}`],
    ['something behind it', (line) => `${line} `],
  ])('of a line with %s is refused', async (_what, change) => {
    const lines = linesOf(contents).map((line, at) => (at === 2 ? change(line) : line))
    expect((await restored(await started(), lines)).end).toEqual(refused({ kind: 'broken-line', line: 3 }))
  })

  it('whose lines can not be read has one that is too long', async () => {
    const kept = await started()
    const end = await kept.history.transfer(
      {
        what: 'restore',
        file: async function* () {
          yield linesOf([])[0] ?? ''
          throw new Error('too long')
        },
      },
      async () => true,
    )
    expect(end).toEqual(refused({ kind: 'too-long-line', line: 2 }))
  })

  it.each([1, 2, 3, 4])('that is stopped changes nothing: %i', async (stopAt) => {
    const kept = await started()
    const { end, texts } = await restored(kept, linesOf(contents), stopAt)
    expect([end, texts, kept.names()]).toEqual([{ kind: 'cancelled', unchanged: true }, [], []])
  })

  it.each([
    ['list', ''],
    ['open', 'immune-history-g1-samples-5'],
    ['write', 'immune-history-g1-samples-5'],
    ['open', 'immune-history-g1'],
  ] as const)('whose %s of “%s” fails changes nothing', async (operation, name) => {
    const kept = await started()
    kept.storage.fault = (asked, of) => (asked === operation && of === name ? 'full' : undefined)
    expect((await restored(kept, linesOf(contents))).end).toEqual({
      kind: 'failed',
      failure: 'full',
      unchanged: true,
    })
  })

  it('of which more rows follow than one write takes fails at the first that does', async () => {
    const kept = await started()
    kept.storage.fault = (asked, name) => (asked === 'write' && name.includes('-g1-') ? 'full' : undefined)
    const rows = Array.from({ length: 200 }, (_, at) => row('nodes', [`n${at}`], at))
    // The next line is not even looked at.
    const { end } = await restored(kept, linesOf([database(SAMPLES), ...rows, 'x']))
    expect(end).toEqual({ kind: 'failed', failure: 'full', unchanged: true })
  })
})

it('a restore that is refused leaves none of its databases open', async () => {
  const memory = createMemoryStorage()
  let isOpen = 0
  const open: typeof memory.open = async (name) => {
    const opened = await memory.open(name)
    if (!opened.ok || !name.includes('-g1-')) return opened
    isOpen++
    const close = (): void => {
      isOpen--
    }
    return ok({ ...opened.value, close })
  }
  const kept = createKept({ ...memory, open })
  await kept.start()
  const lines = linesOf([database(SAMPLES), row('nodes', ['a'], 1), '5'])
  expect((await restored(kept, lines)).end).toEqual(refused({ kind: 'broken-line', line: 4 }))
  expect(isOpen).toBe(0)
})

describe('a restore that does not come to its end', () => {
  it.each([
    ['is refused', linesOf(['5']), Number.POSITIVE_INFINITY],
    ['is stopped', linesOf([database(SAMPLES)]), 1],
  ])('and %s has nothing read anew', async (_, lines, stopAt) => {
    const kept = await started()
    await kept.clock.advance(0)
    const before = kept.status()
    kept.history.configure({ samplesDays: 30, rollupsDays: 730, budgetBytes: 7 })
    const { open } = kept.storage.counts
    const { end } = await restored(kept, lines, stopAt)
    expect(['refused', 'cancelled']).toContain(end.kind)
    expect([kept.status().budgetBytes, kept.storage.counts.open]).toEqual([before.budgetBytes, open])
  })

  it('leaves an import that lies aside, which one that comes to it takes away', async () => {
    const kept = await started()
    const aside = 'immune-history-import'
    kept.storage.databases.set(aside, new Map())
    expect((await restored(kept, linesOf(['5']))).end.kind).toBe('refused')
    expect(kept.names()).toContain(aside)
    const contents = [database(SAMPLES), row('nodes', ['a'], 1)]
    expect((await restored(kept, linesOf(contents))).end).toMatchObject({ kind: 'done' })
    expect(kept.names()).not.toContain(aside)
  })
})
