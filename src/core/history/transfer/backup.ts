import { base64ToBytes, bytesToBase64 } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { TransferStore } from '#history/store/stored-history.ts'
import {
  HISTORY_VERSION,
  TABLES,
  type Change,
  type Database,
  type StorageFailure,
  type StorageKey,
  type StoredRow,
  type TableName,
} from '#history/storage.ts'
import { segmentName, segmentOfName, type SegmentId } from '#history/tiers.ts'
import {
  BACKUP_FORMAT,
  LINE_MAX,
  type FileProblem,
  type LineSource,
  type TransferEnd,
  type TransferSink,
} from './transfer.ts'

/** Rows that are read or written at once. */
const ROWS_STEP = 200
const LAST_KEY: StorageKey = ['\uffff']
const FIRST_KEY: StorageKey = [Number.NEGATIVE_INFINITY]

/**
 * Writes all that is kept as one file, a line for each row: what this browser keeps of settings first,
 * then every database. No key is in it, since none lies in these databases or in settings.
 */
export async function writeBackup(
  store: TransferStore,
  settings: unknown,
  write: TransferSink,
): Promise<TransferEnd> {
  const listed = await store.segments.refresh()
  if (!listed.ok) return { kind: 'failed', failure: listed.error }
  const ids = store.segments.ids().toSorted((a, b) => a.index - b.index || (a.kind < b.kind ? -1 : 1))
  const head = { format: BACKUP_FORMAT, version: 1, schema: HISTORY_VERSION, madeMs: store.clock.wallMs() }
  let rows = 0
  if (!(await write(line({ ...head, settings }), 0))) return { kind: 'cancelled' }
  for (const [at, id] of ids.entries()) {
    if (!(await write(line({ database: segmentName(id) }), at / ids.length))) return { kind: 'cancelled' }
    for (const table of TABLES) {
      let from: StorageKey = FIRST_KEY
      while (true) {
        const range = { table, from, to: LAST_KEY, limit: ROWS_STEP }
        const read = await store.segments.use(id, ({ database }) => database.read([range]))
        if (!read.ok) return { kind: 'failed', failure: read.error }
        const found = read.value[0] ?? []
        if (found.length === 0) break
        const text = found
          .filter((row) => !isWriter(table, row))
          .map(({ key, value }) => line([table, key, valueText(value)]))
          .join('')
        rows += found.length
        if (!(await write(text, (at + 0.5) / ids.length))) return { kind: 'cancelled' }
        await store.yieldToEventLoop()
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

type Parsed =
  | { readonly kind: 'database'; readonly id: SegmentId }
  | { readonly kind: 'row'; readonly change: Change }
  | { readonly kind: 'end'; readonly databases: number }

/** What a backup holds. */
type Looked = { readonly settings: unknown; readonly databases: number }

/** Looks through a backup without taking anything in. */
async function checkBackup(lines: LineSource): Promise<Result<Looked, FileProblem>> {
  let settings: unknown
  let at = 0
  const databases = new Set<string>()
  let isEnded = false
  try {
    for await (const text of lines()) {
      at++
      if (text.length > LINE_MAX) return err({ kind: 'too-long-line', line: at })
      if (at === 1) {
        const head = headOf(text)
        if (!head.ok) return head
        settings = head.value
        continue
      }
      if (isEnded && text === '') continue
      const parsed = isEnded ? undefined : lineOf(text)
      if (parsed === undefined || (parsed.kind === 'row' && databases.size === 0))
        return err({ kind: 'broken-line', line: at })
      if (parsed.kind === 'database') {
        const name = segmentName(parsed.id)
        if (databases.has(name)) return err({ kind: 'broken-line', line: at })
        databases.add(name)
      }
      if (parsed.kind === 'end') {
        if (parsed.databases !== databases.size) return err({ kind: 'cut-off', line: at })
        isEnded = true
      }
    }
  } catch {
    return err({ kind: 'too-long-line', line: at + 1 })
  }
  if (at === 0) return err({ kind: 'not-ours' })
  return isEnded ? ok({ settings, databases: databases.size }) : err({ kind: 'cut-off', line: at })
}

/**
 * Puts a backup in the place of what is kept. The whole file is looked through first, so that one
 * that is no good changes nothing. Then part by part: each is put whole in the place of the one of
 * the same time. Where it is stopped, or fails, every part is wholly the backup's or wholly what was
 * here. What this session saw after the backup stays.
 */
export async function restoreBackup(
  store: TransferStore,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  const checked = await checkBackup(lines)
  if (!checked.ok) return { kind: 'refused', problem: checked.error }
  const { settings, databases } = checked.value
  if (!(await go(0))) return { kind: 'cancelled' }
  const restored: Restored = { ids: new Set(), rows: 0, isStopped: false }
  const done = await store.exclusive(async () => {
    const taken = await takeParts(store, lines, restored, (count) => go(count / databases))
    if (!taken.ok || restored.isStopped) return taken
    // Nothing is left of what was here only when all of the backup is.
    for (const id of store.segments.ids()) {
      if (restored.ids.has(segmentName(id))) continue
      const removed = await store.segments.remove(id)
      if (!removed.ok) return removed
    }
    return ok(undefined)
  })
  // What is written to from now on is read first, as after a start.
  store.unload()
  const parts = { restored: restored.ids.size, of: databases }
  if (!done.ok) return { kind: 'failed', failure: done.error, parts }
  if (restored.isStopped) return parts.restored === 0 ? { kind: 'cancelled' } : { kind: 'cancelled', parts }
  return { kind: 'done', rows: restored.rows, skipped: 0, settings }
}

/** How far it came: names of databases that are wholly the backup's. */
type Restored = { readonly ids: Set<string>; rows: number; isStopped: boolean }

/** The database that is being written. */
type Open = { readonly id: SegmentId; readonly database: Database; changes: Change[]; rows: number }

async function takeParts(
  store: TransferStore,
  lines: LineSource,
  restored: Restored,
  go: (count: number) => Promise<boolean>,
): Promise<Result<undefined, StorageFailure>> {
  let open: Open | undefined
  for await (const text of lines()) {
    const parsed = lineOf(text)
    if (parsed?.kind === 'row' && open !== undefined) {
      if (open.changes.push(parsed.change) < ROWS_STEP) continue
      const kept = await flush(open)
      if (!kept.ok) return abandon(store, open, kept)
      await store.yieldToEventLoop()
      continue
    }
    if (open !== undefined) {
      const kept = await flush(open)
      if (!kept.ok) return abandon(store, open, kept)
      open.database.close()
      restored.ids.add(segmentName(open.id))
      restored.rows += open.rows
      open = undefined
    }
    if (parsed?.kind !== 'database') continue
    if (!(await go(restored.ids.size))) {
      restored.isStopped = true
      return ok(undefined)
    }
    const begun = await begin(store, parsed.id)
    if (!begun.ok) return begun
    open = begun.value
  }
  return ok(undefined)
}

async function begin(store: TransferStore, id: SegmentId): Promise<Result<Open, StorageFailure>> {
  const removed = await store.segments.remove(id)
  if (!removed.ok) return removed
  const opened = await store.storage.open(segmentName(id))
  return opened.ok ? ok({ id, database: opened.value, changes: [], rows: 0 }) : opened
}

async function flush(open: Open): Promise<Result<undefined, StorageFailure>> {
  const batch = open.changes
  open.changes = []
  open.rows += batch.length
  return batch.length === 0 ? ok(undefined) : open.database.write(batch)
}

/** Half a part is none. */
async function abandon<F>({ segments }: TransferStore, { id, database }: Open, failed: F): Promise<F> {
  database.close()
  await segments.remove(id)
  return failed
}

function headOf(text: string): Result<unknown, FileProblem> {
  const head = objectOf(text)
  if (head?.get('format') !== BACKUP_FORMAT) return err({ kind: 'not-ours' })
  if (head.get('version') !== 1 || Number(head.get('schema')) > HISTORY_VERSION) return err({ kind: 'newer' })
  return ok(head.get('settings'))
}

function lineOf(text: string): Parsed | undefined {
  const given = parsedJson(text)
  if (Array.isArray(given)) return rowOf(given)
  const object = objectOf(text)
  const id = segmentOfName(String(object?.get('database')))
  if (id !== undefined) return { kind: 'database', id }
  const databases = object?.get('databases')
  return object?.get('end') === true && typeof databases === 'number' ? { kind: 'end', databases } : undefined
}

function rowOf([name, key, value]: readonly unknown[]): Parsed | undefined {
  const table = TABLES.find((known) => known === name)
  if (table === undefined || !isKey(key)) return undefined
  const packed = typeof value === 'object' && value !== null && 'base64' in value ? value.base64 : undefined
  if (packed === undefined) return { kind: 'row', change: { kind: 'put', table, key, value } }
  const bytes = typeof packed === 'string' ? base64ToBytes(packed) : undefined
  return bytes && { kind: 'row', change: { kind: 'put', table, key, value: bytes } }
}

const isKey = (key: unknown): key is StorageKey =>
  Array.isArray(key) &&
  key.length > 0 &&
  key.length <= 16 &&
  key.every((part) => typeof part === 'string' || (typeof part === 'number' && Number.isFinite(part)))

function objectOf(text: string): ReadonlyMap<string, unknown> | undefined {
  const given = parsedJson(text)
  return typeof given === 'object' && given !== null && !Array.isArray(given)
    ? new Map(Object.entries(given))
    : undefined
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
