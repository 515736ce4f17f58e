import { sha256 } from '@noble/hashes/sha2.js'
import { base64ToBytes, bytesToBase64, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { jsonIn, membersOf } from '#base/stored.ts'
import { ALL_KEYS } from '#history/store/database.ts'
import { checksum, isForged } from '#history/store/envelope.ts'
import type { StoreState } from '#history/store/store-state.ts'
import { HISTORY_VERSION, type Change, type Database, type StorageKey } from '#storage/storage.ts'
import { readLines, type NotDone } from './read-lines.ts'
import {
  BACKUP_FORMAT,
  type FileProblem,
  type LineSource,
  type TransferEnd,
  type TransferSink,
} from './transfer.ts'

/** The most rows to read or write at once. */
const ROWS_STEP = 200
/** The most characters to read or write at once. */
const CHARACTERS_STEP = 8_000_000
/**
 * Recent batches come before blocks: rows that are compacted during the backup are then in both, and count
 * once when they are read.
 */
const TABLES = ['meta', 'recent', 'blocks', 'events'] as const

/**
 * Writes all stored data as one file, one row a line: first this browser's settings, last the SHA-256 of all
 * lines before. It contains no key, because neither this database nor the settings have one.
 */
export async function writeBackup(
  state: StoreState,
  settings: unknown,
  write: TransferSink,
): Promise<TransferEnd> {
  const { database, clock } = state
  const counted = await database.read(TABLES.map((table) => ({ table, ...ALL_KEYS, keysOnly: true })))
  if (!counted.ok) return { kind: 'failed', failure: counted.error }
  const all = counted.value.reduce((sum, rows) => sum + rows.length, 0)
  const digest = sha256.create()
  let rows = 0
  const send = (contents: readonly unknown[]): Promise<boolean> => {
    const text = contents.map(lineOf).join('')
    digest.update(encoder.encode(text))
    return write(text, Math.min(1, rows / Math.max(1, all)))
  }
  const head = { format: BACKUP_FORMAT, version: 1, schema: HISTORY_VERSION, madeMs: clock.wallMs() }
  if (!(await send([{ ...head, rows: all, settings }]))) return { kind: 'cancelled' }
  for (const table of TABLES) {
    let from: StorageKey = ALL_KEYS.from
    while (true) {
      const read = await database.read([{ table, from, to: ALL_KEYS.to, limit: ROWS_STEP }])
      if (!read.ok) return { kind: 'failed', failure: read.error }
      const found = read.value[0] ?? []
      if (found.length === 0) break
      rows += found.length
      if (!(await send(found.map(({ key, value }) => [table, key, valueText(value)]))))
        return { kind: 'cancelled' }
      await state.yieldToEventLoop()
      from = [...(found.at(-1)?.key ?? []), Number.NEGATIVE_INFINITY]
      if (found.length < ROWS_STEP) break
    }
  }
  return (await write(lineOf({ end: true, sha256: bytesToHex(digest.digest()) }), 1))
    ? { kind: 'done', rows, skipped: 0 }
    : { kind: 'cancelled' }
}

const encoder = new TextEncoder()

/** Each line has its own checksum, so that an error can name the damaged line. */
const LINE_START = '{"sum":"'
const SUM_DIGITS = 8
const LINE_MIDDLE = '","of":'
const LINE_END = '}'
const CONTENT_AT = LINE_START.length + SUM_DIGITS + LINE_MIDDLE.length

function lineOf(content: unknown): string {
  const text = JSON.stringify(content)
  return `${LINE_START}${sumOf(encoder.encode(text), 0)}${LINE_MIDDLE}${text}${LINE_END}\n`
}

const sumOf = (bytes: Uint8Array, from: number, to?: number): string =>
  checksum(bytes, from, to).toString(16).padStart(SUM_DIGITS, '0')

/** Undefined unless the line is exactly what was written. */
function contentOf(text: string, bytes: Uint8Array): unknown {
  const isLine =
    text.startsWith(LINE_START) &&
    text.endsWith(LINE_END) &&
    text.startsWith(LINE_MIDDLE, CONTENT_AT - LINE_MIDDLE.length) &&
    text.slice(LINE_START.length, LINE_START.length + SUM_DIGITS) ===
      sumOf(bytes, CONTENT_AT, bytes.length - LINE_END.length)
  return isLine ? jsonIn(text.slice(CONTENT_AT, -LINE_END.length)) : undefined
}

const valueText = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: bytesToBase64(value) } : value

/**
 * Replaces the history with a backup. It checks the file line by line while it writes a second database, and
 * the last row puts that database into use. Nothing changes before.
 */
export const restoreBackup = (
  state: StoreState,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<Result<Whole, NotDone>> =>
  state.exclusive(async () => {
    const staged = await state.database.stage()
    if (!staged.ok) return err({ kind: 'failed', failure: staged.error, unchanged: true })
    const { write, commit, discard } = staged.value
    const read = await readRows(state, write, lines, go)
    const committed = read.ok && (await go(1)) ? await commit(read.value.meta) : undefined
    if (committed?.ok === true) return read
    await discard()
    if (!read.ok) return read
    if (committed === undefined) return err({ kind: 'cancelled', unchanged: true })
    return err({ kind: 'failed', failure: committed.error, unchanged: true })
  })

type Whole = { readonly rows: number; readonly settings: unknown; readonly meta: unknown }

/** Checks and writes each line. */
async function readRows(
  state: StoreState,
  write: Database['write'],
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<Result<Whole, NotDone>> {
  const digest = sha256.create()
  let meta: unknown
  let changes: Change[] = []
  let characters = 0
  let rows = 0
  const flush = async (all: number): Promise<NotDone | undefined> => {
    const done = changes.length === 0 ? ok(undefined) : await write(changes)
    rows += changes.length
    changes = []
    characters = 0
    if (!done.ok) return { kind: 'failed', failure: done.error, unchanged: true }
    await state.yieldToEventLoop()
    return (await go(Math.min(0.99, rows / all))) ? undefined : { kind: 'cancelled', unchanged: true }
  }
  const read = await readLines(
    lines,
    (text) => {
      const bytes = encoder.encode(text)
      digest.update(bytes).update(LINE_BREAK)
      return headOf(contentOf(text, bytes), text)
    },
    async (text, head) => {
      const bytes = encoder.encode(text)
      const content = contentOf(text, bytes)
      const row = rowOf(content)
      if (row === undefined) {
        const end = membersOf(content)
        if (end?.['end'] !== true) return 'broken-line'
        if (end['sha256'] !== bytesToHex(digest.digest())) return 'checksum'
        return (await flush(head.rows)) ?? 'end'
      }
      if (row.value instanceof Uint8Array && (await isForged(row.value, state.packer))) return 'too-large'
      digest.update(bytes).update(LINE_BREAK)
      if (row.table === 'meta' && row.key[0] === 'store') meta = row.value
      else changes.push(row)
      characters += text.length
      return changes.length >= ROWS_STEP || characters >= CHARACTERS_STEP ? flush(head.rows) : undefined
    },
  )
  return read.ok ? ok({ rows, settings: read.value.settings, meta }) : read
}

const LINE_BREAK = encoder.encode('\n')

type Head = { readonly settings: unknown; readonly rows: number }

function headOf(content: unknown, text: string): Result<Head, FileProblem> {
  const head = membersOf(content)
  if (head === undefined && text.startsWith(LINE_START)) return err({ kind: 'broken-line', line: 1 })
  if (head?.['format'] !== BACKUP_FORMAT) return err({ kind: 'not-backup' })
  const { version, schema, rows, settings } = head
  if (version !== 1 || Number(schema) > HISTORY_VERSION) return err({ kind: 'newer' })
  return Number(schema) < HISTORY_VERSION
    ? err({ kind: 'older' })
    : ok({ settings, rows: Math.max(1, Number(rows) || 1) })
}

function rowOf(content: unknown): Extract<Change, { readonly kind: 'put' }> | undefined {
  if (!Array.isArray(content)) return undefined
  const [name, key, value]: readonly unknown[] = content
  const table = TABLES.find((known) => known === name)
  if (table === undefined || !isKey(key)) return undefined
  const packed = membersOf(value)?.['base64']
  if (packed === undefined) return { kind: 'put', table, key, value }
  const bytes = typeof packed === 'string' ? base64ToBytes(packed) : undefined
  return bytes && { kind: 'put', table, key, value: bytes }
}

const isKey = (key: unknown): key is StorageKey =>
  Array.isArray(key) &&
  key.length > 0 &&
  key.length <= 16 &&
  key.every((part) => typeof part === 'string' || (typeof part === 'number' && Number.isFinite(part)))
