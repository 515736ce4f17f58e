import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { err, ok, type Result } from '#base/result.ts'
import type { KeysAddArguments } from './arguments.ts'
import { formatKeyLine, parseKeyFile, readInstant, readKeyHex, readNodes, type KeyEntry } from './key-file.ts'

const HOUR_MS = 3_600_000
const FIRST_LINE =
  '# Keys that may read nodes: <64 hex digits> nodes=<ids or *> not-after=<time> note="<text>"\n'

/** Adds a key to the file. Gives the line that was added, or one line that says why not. */
export function addKey(add: KeysAddArguments, nowMs: number): Result<string, string> {
  const entry = readEntry(add, nowMs)
  if (!entry.ok) return entry
  const text = readText(add.file)
  if (!text.ok) return text
  if (parseKeyFile(text.value).entries.some(({ key }) => key.hex === entry.value.key.hex)) {
    return err(`The key is in ${add.file} already. Change or remove its line there.`)
  }
  const line = formatKeyLine(entry.value)
  const lineEnd = text.value === '' || text.value.endsWith('\n') ? '' : '\n'
  const written = replaceFile(add.file, `${text.value === '' ? FIRST_LINE : text.value}${lineEnd}${line}\n`)
  return written.ok ? ok(line) : written
}

function readEntry(
  { key, nodes, notAfter, note }: KeysAddArguments,
  nowMs: number,
): Result<KeyEntry, string> {
  const readKey = readKeyHex(key)
  if (!readKey.ok) return err(`This key can not be registered: ${readKey.error}.`)
  const readNodeList = readNodes(nodes ?? '*')
  if (!readNodeList.ok) return err(`${readNodeList.error.replace('nodes=', '--nodes')}.`)
  const end = notAfter === undefined ? ok(undefined) : readEnd(notAfter, nowMs)
  if (!end.ok) return end
  return ok({ key: readKey.value, nodes: readNodeList.value, notAfterMs: end.value, note: note ?? '' })
}

/** "90d" and "12h" count from now; anything else must be an instant. */
function readEnd(text: string, nowMs: number): Result<number, string> {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? []
  if (count !== undefined) return ok(nowMs + Number(count) * HOUR_MS * (unit === 'd' ? 24 : 1))
  const instant = readInstant(text)
  return instant.ok ? instant : err('--not-after takes 90d, 12h, or a time like 2027-01-01T00:00:00Z.')
}

function readText(file: string): Result<string, string> {
  try {
    return ok(readFileSync(file, 'utf8'))
  } catch (error) {
    return isMissing(error) ? ok('') : err(`${file} can not be read. Name another with --keys FILE.`)
  }
}

/** A running service that reads in between sees the old file or the new one, never half of one. */
function replaceFile(file: string, text: string): Result<undefined, string> {
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = openSync(beside, 'wx', modeOf(file))
    try {
      writeSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(beside, file)
    return ok(undefined)
  } catch {
    rmSync(beside, { force: true })
    return err(`${file} can not be written. Name another with --keys FILE.`)
  }
}

const modeOf = (file: string): number => {
  try {
    return statSync(file).mode & 0o777
  } catch {
    return 0o644 // a new file; it holds public keys only
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
