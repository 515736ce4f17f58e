import { sha256 } from '@noble/hashes/sha2.js'
import { base64ToBytes, bytesToBase64, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { checksum, isForged } from '#history/store/envelope.ts'
import type { Stage } from '#history/store/generations.ts'
import type { TransferStore } from '#history/store/stored-history.ts'
import {
  HISTORY_VERSION,
  TABLES,
  type Change,
  type Database,
  type Packer,
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
/** Or as soon as they take so much. */
const CHARACTERS_STEP = 8_000_000
const LAST_KEY: StorageKey = ['\uffff']
const FIRST_KEY: StorageKey = [Number.NEGATIVE_INFINITY]

/**
 * Writes all that is kept as one file, a line for each row: what this browser keeps of settings first,
 * then every database, and last the SHA-256 of all lines before. No key is in it, since none lies in these databases
 * or in settings.
 */
export async function writeBackup(
  store: TransferStore,
  settings: unknown,
  write: TransferSink,
): Promise<TransferEnd> {
  const listed = await store.segments.refresh()
  if (!listed.ok) return { kind: 'failed', failure: listed.error }
  const ids = store.segments.ids().toSorted((a, b) => a.index - b.index || (a.kind < b.kind ? -1 : 1))
  const digest = sha256.create()
  const send = (contents: readonly unknown[], share: number): Promise<boolean> => {
    const text = contents.map(lineOf).join('')
    digest.update(encoder.encode(text))
    return write(text, share)
  }
  const head = { format: BACKUP_FORMAT, version: 1, schema: HISTORY_VERSION, madeMs: store.clock.wallMs() }
  let rows = 0
  if (!(await send([{ ...head, databases: ids.length, settings }], 0))) return { kind: 'cancelled' }
  for (const [at, id] of ids.entries()) {
    if (!(await send([{ database: segmentName(id) }], at / ids.length))) return { kind: 'cancelled' }
    for (const table of TABLES) {
      let from: StorageKey = FIRST_KEY
      while (true) {
        const range = { table, from, to: LAST_KEY, limit: ROWS_STEP }
        const read = await store.segments.use(id, ({ database }) => database.read([range]))
        if (!read.ok) return { kind: 'failed', failure: read.error }
        const found = read.value[0] ?? []
        if (found.length === 0) break
        const kept = found.filter((row) => !isOfThisBrowser(table, row))
        rows += kept.length
        const contents = kept.map(({ key, value }) => [table, key, valueText(value)])
        if (!(await send(contents, (at + 0.5) / ids.length))) return { kind: 'cancelled' }
        await store.yieldToEventLoop()
        from = [...(found.at(-1)?.key ?? []), 0]
        if (found.length < ROWS_STEP) break
      }
    }
  }
  return (await write(lineOf({ end: true, sha256: bytesToHex(digest.digest()) }), 1))
    ? { kind: 'done', rows, skipped: 0 }
    : { kind: 'cancelled' }
}

const encoder = new TextEncoder()

/** Each line with a checksum of its own, so that one that is damaged can be named. */
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

/** What a line holds; undefined where it is not, to the last character, what was written. */
function contentOf(text: string, bytes: Uint8Array): unknown {
  const isLine =
    text.startsWith(LINE_START) &&
    text.endsWith(LINE_END) &&
    text.startsWith(LINE_MIDDLE, CONTENT_AT - LINE_MIDDLE.length) &&
    text.slice(LINE_START.length, LINE_START.length + SUM_DIGITS) ===
      sumOf(bytes, CONTENT_AT, bytes.length - LINE_END.length)
  return isLine ? parsedJson(text.slice(CONTENT_AT, -LINE_END.length)) : undefined
}

/** Who wrote last, and how far an import came, is of no interest elsewhere. */
const isOfThisBrowser = (table: TableName, { key }: StoredRow): boolean =>
  table === 'meta' && (key[0] === 'writer' || key[0] === 'import')
const valueText = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: bytesToBase64(value) } : value

/**
 * Puts a backup in the place of what is kept. It is written beside that, line by line as it is checked, and takes its
 * place in one step when all of it is there and right: until then nothing changes, whatever stops it. What this
 * session saw after the backup stays.
 */
export async function restoreBackup(
  store: TransferStore,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<Restored> {
  return store.exclusive(async () => {
    const staged = await store.storage.stage()
    if (!staged.ok) return { kind: 'failed', failure: staged.error, unchanged: true }
    const end = await takeAll(store, staged.value, lines, go)
    if (end.kind !== 'done' || !(await go(1))) {
      await staged.value.discard()
      return end.kind === 'done' ? CANCELLED : end
    }
    // What is written to from now on is read first, as after a start.
    store.unload()
    const committed = await staged.value.commit()
    return committed.ok
      ? { ...end, finish: staged.value.finish }
      : { kind: 'failed', failure: committed.error, unchanged: true }
  })
}

const CANCELLED = { kind: 'cancelled', unchanged: true } as const

type NotDone = Exclude<TransferEnd, { readonly kind: 'done' }>
type Whole = { readonly kind: 'done'; readonly rows: number; readonly settings: unknown }
type Taken = NotDone | Whole
/** `finish`: to be called once the settings are taken too. */
export type Restored = NotDone | (Whole & Pick<Stage, 'finish'>)

type Head = { readonly settings: unknown; readonly databases: number }

/** Writes rows beside what is kept, some at a time. */
function createStageWriter({ yieldToEventLoop }: TransferStore, stage: Stage) {
  let database: Database | undefined
  let changes: Change[] = []
  let characters = 0
  let rows = 0
  const flush = async (): Promise<Result<undefined, StorageFailure>> => {
    const batch = changes
    changes = []
    characters = 0
    rows += batch.length
    return database === undefined || batch.length === 0 ? ok(undefined) : database.write(batch)
  }
  const end = async (): Promise<Result<undefined, StorageFailure>> => {
    const kept = await flush()
    database?.close()
    database = undefined
    return kept
  }
  return {
    rows: () => rows,
    isOpen: () => database !== undefined,
    add: async (change: Change, size: number): Promise<Result<undefined, StorageFailure>> => {
      characters += size
      if (changes.push(change) < ROWS_STEP && characters < CHARACTERS_STEP) return ok(undefined)
      const kept = await flush()
      await yieldToEventLoop()
      return kept
    },
    /** What came so far is kept. */
    end,
    begin: async (name: string): Promise<Result<undefined, StorageFailure>> => {
      const opened = await stage.open(name)
      if (opened.ok) database = opened.value
      return opened.ok ? ok(undefined) : opened
    },
    close: () => database?.close(),
  }
}

/** What a backup's lines are gone through with. */
type Restore = {
  readonly writer: ReturnType<typeof createStageWriter>
  readonly digest: ReturnType<typeof sha256.create>
  readonly go: (share: number) => Promise<boolean>
  readonly names: Set<string>
  readonly packer: Packer
  head: Head | undefined
  isEnded: boolean
}

/** Writes each line as it is found to be right. */
async function takeAll(
  store: TransferStore,
  stage: Stage,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<Taken> {
  const writer = createStageWriter(store, stage)
  const restore: Restore = {
    writer,
    go,
    digest: sha256.create(),
    names: new Set(),
    packer: store.packer,
    head: undefined,
    isEnded: false,
  }
  let line = 0
  try {
    for await (const text of lines()) {
      line++
      if (text.length > LINE_MAX) return { kind: 'refused', problem: { kind: 'too-long-line', line } }
      if (restore.isEnded && text === '') continue
      const bytes = encoder.encode(text)
      const content = restore.isEnded ? undefined : contentOf(text, bytes)
      const isDamagedHead = line === 1 && content === undefined && text.startsWith(LINE_START)
      const end = isDamagedHead ? refused('broken-line') : await takeLine(restore, content, text.length)
      if (end?.kind === 'refused') return { kind: 'refused', problem: { line, ...end.problem } }
      if (end !== undefined) return end
      restore.digest.update(bytes).update(LINE_BREAK)
    }
  } catch {
    return { kind: 'refused', problem: { kind: 'too-long-line', line: line + 1 } }
  } finally {
    writer.close()
  }
  const { head, isEnded } = restore
  if (head === undefined) return { kind: 'refused', problem: { kind: 'not-ours' } }
  return isEnded
    ? { kind: 'done', rows: writer.rows(), settings: head.settings }
    : { kind: 'refused', problem: { kind: 'cut-off', line } }
}

const refused = (kind: FileProblem['kind']): NotDone => ({ kind: 'refused', problem: { kind } })
const failedUnless = (done: Result<undefined, StorageFailure>): NotDone | undefined =>
  done.ok ? undefined : { kind: 'failed', failure: done.error, unchanged: true }

/** Undefined: it is right, and there may be more. */
async function takeLine(restore: Restore, content: unknown, size: number): Promise<NotDone | undefined> {
  const { writer, go, names } = restore
  if (restore.head === undefined) {
    const head = headOf(content)
    if (!head.ok) return { kind: 'refused', problem: head.error }
    restore.head = head.value
    return (await go(0)) ? undefined : { kind: 'cancelled', unchanged: true }
  }
  const parsed = restore.isEnded ? undefined : parsedLine(content)
  if (parsed === undefined) return refused('broken-line')
  if (parsed.kind === 'row') {
    const { value } = parsed.change
    if (!writer.isOpen()) return refused('broken-line')
    if (value instanceof Uint8Array && (await isForged(value, restore.packer))) return refused('too-large')
    return failedUnless(await writer.add(parsed.change, size))
  }
  const ended = await writer.end()
  if (!ended.ok) return failedUnless(ended)
  if (parsed.kind === 'end') {
    restore.isEnded = true
    return parsed.sha256 === bytesToHex(restore.digest.clone().digest()) ? undefined : refused('checksum')
  }
  const name = segmentName(parsed.id)
  if (names.has(name)) return refused('broken-line')
  if (!(await go(Math.min(1, names.size / restore.head.databases))))
    return { kind: 'cancelled', unchanged: true }
  names.add(name)
  return failedUnless(await writer.begin(name))
}

const LINE_BREAK = encoder.encode('\n')

function headOf(content: unknown): Result<Head, FileProblem> {
  const head = membersOf(content)
  if (head?.get('format') !== BACKUP_FORMAT) return err({ kind: 'not-ours' })
  if (head.get('version') !== 1 || Number(head.get('schema')) > HISTORY_VERSION) return err({ kind: 'newer' })
  return ok({ settings: head.get('settings'), databases: Math.max(1, Number(head.get('databases'))) })
}

type Parsed =
  | { readonly kind: 'database'; readonly id: SegmentId }
  | { readonly kind: 'row'; readonly change: Extract<Change, { readonly kind: 'put' }> }
  | { readonly kind: 'end'; readonly sha256: unknown }

function parsedLine(content: unknown): Parsed | undefined {
  if (Array.isArray(content)) return rowOf(content)
  const members = membersOf(content)
  const id = segmentOfName(String(members?.get('database')))
  if (id !== undefined) return { kind: 'database', id }
  return members?.get('end') === true ? { kind: 'end', sha256: members.get('sha256') } : undefined
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

const membersOf = (content: unknown): ReadonlyMap<string, unknown> | undefined =>
  typeof content === 'object' && content !== null ? new Map(Object.entries(content)) : undefined

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
