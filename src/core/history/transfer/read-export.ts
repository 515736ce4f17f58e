import { err, ok, type Result } from '#base/result.ts'
import { NOT_WATCHED_WORD, SAMPLE_COLUMNS } from './export-columns.ts'
import type { Sample } from '#history/history.ts'
import { OUTCOMES } from '#history/series.ts'
import { EXPORT_FORMAT, LINE_MAX, type FileProblem, type LineSource } from './transfer.ts'

/** A row of an own export: a sample, or a moment from which nobody watched. */
export type ExportedRow = Sample | { readonly notWatchedFromMs: number }

/** Reads an own export of samples; `take` gets its rows in order. Rejects nothing: what is wrong with the file is said. */
export async function readExport(
  lines: LineSource,
  take: (node: string, row: ExportedRow) => void,
): Promise<Result<string, FileProblem>> {
  let node: string | undefined
  let line = 0
  let lastMs = Number.NEGATIVE_INFINITY
  let isEnded = false
  try {
    for await (const text of lines()) {
      line++
      if (text.length > LINE_MAX) return err({ kind: 'too-long-line', line })
      if (isEnded) {
        if (text.trim() !== '') return err({ kind: 'broken-line', line })
      } else if (node === undefined) {
        const head = headOf(text)
        if (!head.ok) return head
        node = head.value
      } else if (text === ']}') isEnded = true
      else {
        const row = rowOf(node, text)
        if (row === undefined) return err({ kind: 'broken-line', line })
        const atMs = 'node' in row ? row.atMs : row.notWatchedFromMs
        if (atMs <= lastMs) return err({ kind: 'broken-line', line })
        lastMs = atMs
        take(node, row)
      }
    }
  } catch {
    return err({ kind: 'too-long-line', line: line + 1 })
  }
  if (node === undefined) return err({ kind: 'not-ours' })
  return isEnded ? ok(node) : err({ kind: 'cut-off', line })
}

function headOf(text: string): Result<string, FileProblem> {
  if (text.startsWith('time (')) return err({ kind: 'csv' })
  const head = parsed(`${text.trimEnd()}]}`)
  if (!isObject(head) || member(head, 'format') !== EXPORT_FORMAT) return err({ kind: 'not-ours' })
  if (member(head, 'version') !== 1) return err({ kind: 'newer' })
  if (member(head, 'resolution') !== 'samples') return err({ kind: 'rollups' })
  const node = member(head, 'node')
  const columns = member(head, 'columns')
  const fits =
    Array.isArray(columns) &&
    JSON.stringify(columns) === JSON.stringify(SAMPLE_COLUMNS.map(({ name }) => name))
  return typeof node === 'string' && node.length <= 1_024 && fits ? ok(node) : err({ kind: 'not-ours' })
}

const TIME_MAX = 8.64e15

function rowOf(node: string, text: string): ExportedRow | undefined {
  const cells = parsed(text.replace(/,\s*$/, ''))
  if (!Array.isArray(cells) || cells.length !== SAMPLE_COLUMNS.length) return undefined
  const given = new Map<string, unknown>(SAMPLE_COLUMNS.map(({ name }, place) => [name, cells[place]]))
  const number = (name: string): number | undefined => {
    const value = given.get(name)
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
  const word = (name: string): string | undefined => {
    const value = given.get(name)
    return typeof value === 'string' && value.length <= 256 ? value : undefined
  }
  const atMs = number('time_ms')
  if (atMs === undefined || !Number.isSafeInteger(atMs) || atMs < 0 || atMs > TIME_MAX) return undefined
  if (given.get('outcome') === NOT_WATCHED_WORD) return { notWatchedFromMs: atMs }
  const outcome = OUTCOMES.find((known) => known === given.get('outcome'))
  if (outcome === undefined) return undefined
  return {
    node,
    atMs,
    outcome,
    latencyMs: number('answer_time') ?? 0,
    ...defined({
      everyMs: number('interval'),
      serviceMs: number('service_time'),
      status: word('status'),
      ...amountOf('stake', 'stakeExact', given.get('stake_deployed')),
      participation: number('network_participation'),
      ...amountOf('threatTotal', 'threatExact', given.get('threat_responses_total')),
      threatIncrease: number('threat_responses_increase'),
      threatRestarted: given.get('counter_restarted') === true,
      heartbeatAgeMs: number('heartbeat_age'),
      proof: word('proof_fingerprint'),
      proofChanged: given.get('proof_changed') === true,
    }),
  }
}

/** A number, or the exact text of one that no double shows. */
function amountOf(name: string, exactName: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'number' && Number.isFinite(value)) return { [name]: value }
  if (typeof value !== 'string' || !/^-?\d{1,80}(\.\d{1,80})?$/.test(value)) return {}
  return { [name]: Number(value), [exactName]: value }
}

const defined = (given: Readonly<Record<string, unknown>>): Partial<Sample> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const member = (value: object, name: string): unknown =>
  new Map<string, unknown>(Object.entries(value)).get(name)
