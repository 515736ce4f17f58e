import { HOUR_MS } from '#base/time.ts'
import { hexToBytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { readKeyToRegister, type PublicKeyProblem, type StrictPublicKey } from './strict-verify.ts'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { codeOf } from '#node/files.ts'
import { isNodeId } from './directory.ts'

export type KeysAddArguments = {
  readonly file: string
  readonly key: string
  readonly nodes: string | undefined
  readonly notAfter: string | undefined
  readonly note: string | undefined
}

export type KeyEntry = {
  readonly key: StrictPublicKey
  /** Lower-case node ids, or every node. The first one is the default node. */
  readonly nodes: '*' | readonly string[]
  /** Unix time in ms after which the key is refused; undefined: never. */
  readonly notAfterMs: number | undefined
  readonly note: string
}

const KEYS_MAX = 10_000
const NODES_PER_KEY_MAX = 1_000
const NOTE_CHARS_MAX = 200

const KEY_PROBLEMS: Readonly<Record<PublicKeyProblem, string>> = {
  'wrong-length': 'the key does not have 64 hex digits',
  'not-canonical': 'the key is not canonically encoded',
  'small-order': 'the key has a small order: one signature would be valid for every request',
  'not-on-curve': 'the key is not a point on the curve, so a digit must be wrong',
}

/** Reads a file with one key per line. A bad line is reported and skipped, so that the others still work. */
export function parseKeyFile(text: string, keysMax = KEYS_MAX) {
  const entries = new Map<string, KeyEntry>()
  /** Unusable lines with their problem. Line numbers start at 1. */
  const problems: { line: number; problem: string }[] = []
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const entry = parseKeyLine(line)
    if (!entry.ok) problems.push({ line: index + 1, problem: entry.error })
    else if (entries.has(entry.value.key.hex))
      problems.push({ line: index + 1, problem: 'the key is a duplicate' })
    else if (entries.size >= keysMax) problems.push({ line: index + 1, problem: `more than ${keysMax} keys` })
    else entries.set(entry.value.key.hex, entry.value)
  }
  return { entries: Array.from(entries.values()), problems }
}

/** `<64 hex> nodes=0x…,0x…|* not-after=2027-01-01T00:00:00Z note="wall screen"`; everything but the key is optional. */
export function parseKeyLine(line: string): Result<KeyEntry, string> {
  const [keyText = '', ...options] = line.match(/[^\s="]+="[^"]*"|\S+/g) ?? []
  const key = readKeyHex(keyText)
  if (!key.ok) return key
  let nodes: KeyEntry['nodes'] = '*'
  let notAfterMs: number | undefined
  let note = ''
  for (const option of options) {
    const equals = option.indexOf('=')
    const name = option.slice(0, Math.max(0, equals))
    const value = option.slice(equals + 1).replace(/^"(.*)"$/, '$1')
    if (name === 'nodes') {
      const read = readNodes(value)
      if (!read.ok) return read
      nodes = read.value
    } else if (name === 'not-after') {
      const read = readInstant(value)
      if (!read.ok) return read
      notAfterMs = read.value
    } else if (name === 'note') note = value.slice(0, NOTE_CHARS_MAX)
    else return err(`"${option.slice(0, 40)}" is not one of nodes=, not-after=, note=`)
  }
  return ok({ key: key.value, nodes, notAfterMs, note })
}

export function readKeyHex(text: string): Result<StrictPublicKey, string> {
  const bytes = hexToBytes(text.replace(/^0x/i, ''))
  const key = bytes === undefined ? err('wrong-length' as const) : readKeyToRegister(bytes)
  return key.ok ? key : err(KEY_PROBLEMS[key.error])
}

export function readNodes(text: string): Result<KeyEntry['nodes'], string> {
  if (text === '*') return ok('*')
  const nodes = text.split(',').map((id) => id.toLowerCase())
  const wrong = nodes.find((id) => !isNodeId(id))
  if (wrong !== undefined)
    return err('nodes= takes "*" or node ids of 0x and 64 hex digits, separated by commas')
  return nodes.length > NODES_PER_KEY_MAX ? err(`nodes= has more than ${NODES_PER_KEY_MAX} ids`) : ok(nodes)
}

function readInstant(text: string): Result<number, string> {
  const ms = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(ms) ? err('not-after= takes a time like 2027-01-01T00:00:00Z') : ok(ms)
}

export function formatKeyLine({ key, nodes, notAfterMs, note }: KeyEntry): string {
  const parts = [key.hex, `nodes=${nodes === '*' ? '*' : nodes.join(',')}`]
  if (notAfterMs !== undefined) parts.push(`not-after=${new Date(notAfterMs).toISOString()}`)
  // A quote or line end in the note would end it early and could inject options.
  if (note !== '') parts.push(`note="${note.replace(/["\p{Cc}]/gu, ' ').slice(0, NOTE_CHARS_MAX)}"`)
  return parts.join(' ')
}

const FIRST_LINE =
  '# Keys that may read nodes: <64 hex digits> nodes=<ids or *> not-after=<time> note="<text>"\n'

/** Writes a line at the end of the file. Returns the line; the error says what to do. */
export function addKey(add: KeysAddArguments, nowMs: number): Result<string, string> {
  const entry = readEntry(add, nowMs)
  if (!entry.ok) return entry
  const { file } = add
  const line = formatKeyLine(entry.value)
  try {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (parseKeyFile(text).entries.some(({ key }) => key.hex === entry.value.key.hex))
      return err(`The key is already in ${file}. Change or remove its line there.`)
    const before = text === '' ? FIRST_LINE : text.endsWith('\n') ? '' : '\n'
    // It contains public keys only, so others may read a new one.
    appendFileSync(file, `${before}${line}\n`, { mode: 0o644, flush: true })
    return ok(line)
  } catch (error) {
    return err(
      `${file} can’t be read or written (${codeOf(error)}). Add the key as its owner, or use another --keys FILE.`,
    )
  }
}

function readEntry(
  { key, nodes, notAfter, note }: KeysAddArguments,
  nowMs: number,
): Result<KeyEntry, string> {
  const readKey = readKeyHex(key)
  if (!readKey.ok) return err(`This key can’t be registered: ${readKey.error}.`)
  const readNodeList = readNodes(nodes ?? '*')
  if (!readNodeList.ok) return err(`${readNodeList.error.replace('nodes=', '--nodes')}.`)
  const end = notAfter === undefined ? ok(undefined) : readEnd(notAfter, nowMs)
  if (!end.ok) return end
  return ok({ key: readKey.value, nodes: readNodeList.value, notAfterMs: end.value, note: note ?? '' })
}

/** "90d" and "12h" count from now; any other text must be a time. */
function readEnd(text: string, nowMs: number): Result<number, string> {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? []
  if (count !== undefined) return ok(nowMs + Number(count) * HOUR_MS * (unit === 'd' ? 24 : 1))
  const instant = readInstant(text)
  return instant.ok ? instant : err('--not-after takes 90d, 12h, or a time like 2027-01-01T00:00:00Z.')
}
