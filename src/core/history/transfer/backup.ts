import { bytesToBase64 } from '#base/bytes.ts'
import type { StoreState } from '#history/store/store-state.ts'
import { HISTORY_VERSION, TABLES, type StorageKey, type StoredRow, type TableName } from '#history/storage.ts'
import { segmentName } from '#history/tiers.ts'
import { BACKUP_FORMAT, type TransferEnd, type TransferSink } from './transfer.ts'

/** Rows that are read at once. */
const ROWS_STEP = 200
const LAST_KEY: StorageKey = ['\uffff']
const FIRST_KEY: StorageKey = [Number.NEGATIVE_INFINITY]

/**
 * Writes all that is kept as one file, a line for each row: what this browser keeps of settings first,
 * then every database. No key is in it, since none lies in these databases or in settings.
 */
export async function writeBackup(
  state: StoreState,
  settings: unknown,
  write: TransferSink,
): Promise<TransferEnd> {
  const listed = await state.segments.refresh()
  if (!listed.ok) return { kind: 'failed', failure: listed.error }
  const ids = state.segments.ids().toSorted((a, b) => a.index - b.index || (a.kind < b.kind ? -1 : 1))
  const head = { format: BACKUP_FORMAT, version: 1, schema: HISTORY_VERSION, madeMs: state.clock.wallMs() }
  let rows = 0
  if (!(await write(line({ ...head, settings }), 0))) return { kind: 'cancelled' }
  for (const [at, id] of ids.entries()) {
    if (!(await write(line({ database: segmentName(id) }), at / ids.length))) return { kind: 'cancelled' }
    for (const table of TABLES) {
      let from: StorageKey = FIRST_KEY
      while (true) {
        const range = { table, from, to: LAST_KEY, limit: ROWS_STEP }
        const read = await state.segments.use(id, ({ database }) => database.read([range]))
        if (!read.ok) return { kind: 'failed', failure: read.error }
        const found = read.value[0] ?? []
        if (found.length === 0) break
        const text = found
          .filter((row) => !isWriter(table, row))
          .map(({ key, value }) => line([table, key, valueText(value)]))
          .join('')
        rows += found.length
        if (!(await write(text, (at + 0.5) / ids.length))) return { kind: 'cancelled' }
        await state.yieldToEventLoop()
        from = [...(found.at(-1)?.key ?? []), 0]
        if (found.length < ROWS_STEP) break
      }
    }
  }
  return (await write(line({ end: true, databases: ids.length }), 1))
    ? { kind: 'done', rows, skipped: 0 }
    : { kind: 'cancelled' }
}

const line = (content: unknown): string => `${JSON.stringify(content)}\n`
/** Who wrote last is of no interest elsewhere. */
const isWriter = (table: TableName, { key }: StoredRow): boolean => table === 'meta' && key[0] === 'writer'
const valueText = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: bytesToBase64(value) } : value
