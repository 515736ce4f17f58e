import { err, ok, type Result } from '#base/result.ts'
import { jsonIn, membersOf } from '#base/stored.ts'
import { NOT_WATCHED_WORD, sampleColumns, type SampleColumn } from './export-columns.ts'
import type { Sample } from '#history/history.ts'
import { OUTCOMES } from '#history/series.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { readLines, type NotDone } from './read-lines.ts'
import { EXPORT_FORMAT, type FileProblem, type LineSource } from './transfer.ts'

/** A sample, or the start of unwatched time. */
export type ExportedRow = Sample | { readonly atMs: number; readonly outcome: typeof NOT_WATCHED_WORD }

/** Reads our own export of samples; `take` gets its rows in order, and returns a problem to stop. Never rejects. */
export async function readExport(
  lines: LineSource,
  registry: MetricRegistry,
  take: (row: ExportedRow) => FileProblem['kind'] | undefined,
): Promise<Result<string, NotDone>> {
  const known = new Map(sampleColumns(registry).map((column) => [column.name, column]))
  let lastMs = Number.NEGATIVE_INFINITY
  const read = await readLines(
    lines,
    (text) => headOf(text, known),
    (text, head) => {
      if (text === ']}') return 'end'
      const row = rowOf(head, text)
      if (row === undefined || row.atMs <= lastMs) return 'broken-line'
      lastMs = row.atMs
      return take(row)
    },
  )
  return read.ok ? ok(read.value.node) : read
}

/** The node and the columns of the file. Unknown columns are skipped. */
type Head = { readonly node: string; readonly columns: readonly (SampleColumn | undefined)[] }

const NEEDED = ['time_ms', 'outcome']

function headOf(text: string, known: ReadonlyMap<string, SampleColumn>): Result<Head, FileProblem> {
  if (text.startsWith('time (')) return err({ kind: 'csv' })
  const head = membersOf(jsonIn(`${text.trimEnd()}]}`))
  if (head?.['format'] !== EXPORT_FORMAT) return err({ kind: 'not-ours' })
  const { version, resolution, node, columns } = head
  if (version !== 1) return err({ kind: 'newer' })
  if (resolution !== 'samples') return err({ kind: 'rollups' })
  if (typeof node !== 'string' || node.length > 1_024 || !Array.isArray(columns))
    return err({ kind: 'not-ours' })
  const names = columns.filter((name) => typeof name === 'string')
  const fits = names.length === columns.length && new Set(names).size === names.length
  return fits && NEEDED.every((name) => names.includes(name))
    ? ok({ node, columns: names.map((name) => known.get(name)) })
    : err({ kind: 'not-ours' })
}

function rowOf({ node, columns }: Head, text: string): ExportedRow | undefined {
  const cells = jsonIn(text.replace(/,\s*$/, ''))
  if (!Array.isArray(cells) || cells.length !== columns.length) return undefined
  const sample: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) column?.read(cells[index], sample)
  const { atMs } = sample
  if (typeof atMs !== 'number') return undefined
  if (sample['outcome'] === NOT_WATCHED_WORD) return { atMs, outcome: NOT_WATCHED_WORD }
  const outcome = OUTCOMES.find((known) => known === sample['outcome'])
  return outcome && { latencyMs: 0, ...sample, node, atMs, outcome }
}
