import { base64ToBytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { StoreState } from '#history/store/store-state.ts'
import {
  HISTORY_VERSION,
  TABLES,
  type Change,
  type Database,
  type StorageFailure,
  type StorageKey,
} from '#history/storage.ts'
import { segmentName, segmentOfName, type SegmentId } from '#history/tiers.ts'
import { BACKUP_FORMAT, LINE_MAX, type FileProblem, type LineSource, type TransferEnd } from './transfer.ts'

/** Rows that are written at once. */
const ROWS_STEP = 200

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
  state: StoreState,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  const checked = await checkBackup(lines)
  if (!checked.ok) return { kind: 'refused', problem: checked.error }
  const { settings, databases } = checked.value
  if (!(await go(0))) return { kind: 'cancelled' }
  const restored: Restored = { ids: new Set(), rows: 0, isStopped: false }
  const done = await state.exclusive(async () => {
    const taken = await takeParts(state, lines, restored, (count) => go(count / databases))
    if (!taken.ok || restored.isStopped) return taken
    // Nothing is left of what was here only when all of the backup is.
    for (const id of state.segments.ids()) {
      if (restored.ids.has(segmentName(id))) continue
      const removed = await state.segments.remove(id)
      if (!removed.ok) return removed
    }
    return ok(undefined)
  })
  // What is written to from now on is read first, as after a start.
  state.segments.close()
  state.walSegments.clear()
  state.known = undefined
  state.loaded = false
  state.memory.kept = undefined
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
  state: StoreState,
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
      if (!kept.ok) return abandon(state, open, kept)
      await state.yieldToEventLoop()
      continue
    }
    if (open !== undefined) {
      const kept = await flush(open)
      if (!kept.ok) return abandon(state, open, kept)
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
    const begun = await begin(state, parsed.id)
    if (!begun.ok) return begun
    open = begun.value
  }
  return ok(undefined)
}

async function begin(state: StoreState, id: SegmentId): Promise<Result<Open, StorageFailure>> {
  const removed = await state.segments.remove(id)
  if (!removed.ok) return removed
  const opened = await state.storage.open(segmentName(id))
  return opened.ok ? ok({ id, database: opened.value, changes: [], rows: 0 }) : opened
}

async function flush(open: Open): Promise<Result<undefined, StorageFailure>> {
  const batch = open.changes
  open.changes = []
  open.rows += batch.length
  return batch.length === 0 ? ok(undefined) : open.database.write(batch)
}

/** Half a part is none. */
async function abandon<F>({ segments }: StoreState, { id, database }: Open, failed: F): Promise<F> {
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
