import { hexToBytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { readKeyToRegister, type PublicKeyProblem, type StrictPublicKey } from './strict-verify.ts'

/** A registered key and what it may read. */
export type KeyEntry = {
  readonly key: StrictPublicKey
  /** Lower-case node ids, or every node. The first one is reported when a request names none. */
  readonly nodes: '*' | readonly string[]
  /** Unix time in ms after which the key is refused; undefined for never. */
  readonly notAfterMs: number | undefined
  readonly note: string
}

export type KeyFile = {
  readonly entries: readonly KeyEntry[]
  /** Lines that could not be used, each with what is wrong with it. Line numbers start at 1. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[]
}

const KEYS_MAX = 10_000
const NODES_PER_KEY_MAX = 1_000
const NOTE_CHARS_MAX = 200

const KEY_PROBLEMS: Readonly<Record<PublicKeyProblem, string>> = {
  'wrong-length': 'the key does not have 64 hex digits',
  'not-canonical': 'the key is not in its one canonical form',
  'small-order': 'the key is of small order: one signature would fit every request',
  'not-on-curve': 'the key is no point of the curve, so a digit must be wrong',
}

/** Reads a file of keys, one a line. A bad line is reported and skipped, so that one typing error locks nobody else out. */
export function parseKeyFile(text: string): KeyFile {
  const entries = new Map<string, KeyEntry>()
  const problems: { line: number; problem: string }[] = []
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const entry = parseKeyLine(line)
    if (!entry.ok) problems.push({ line: index + 1, problem: entry.error })
    else if (entries.has(entry.value.key.hex))
      problems.push({ line: index + 1, problem: 'the key is there already' })
    else if (entries.size >= KEYS_MAX)
      problems.push({ line: index + 1, problem: `more than ${KEYS_MAX} keys` })
    else entries.set(entry.value.key.hex, entry.value)
  }
  return { entries: Array.from(entries.values()), problems }
}

/** `<64 hex> nodes=0x…,0x…|* not-after=2027-01-01T00:00:00Z note="wall screen"`; all but the key may be absent. */
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
    else return err(`"${option.slice(0, 40)}" is none of nodes=, not-after=, note=`)
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
  const wrong = nodes.find((id) => !/^0x[0-9a-f]{64}$/.test(id))
  if (wrong !== undefined)
    return err('nodes= wants "*" or node ids of 0x and 64 hex digits, with commas between')
  return nodes.length > NODES_PER_KEY_MAX ? err(`nodes= has more than ${NODES_PER_KEY_MAX} ids`) : ok(nodes)
}

/** An RFC 3339 instant in UTC, in ms. */
export function readInstant(text: string): Result<number, string> {
  const ms = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(ms) ? err('not-after= wants a time like 2027-01-01T00:00:00Z') : ok(ms)
}

/** The line that `parseKeyLine` reads back. */
export function formatKeyLine({ key, nodes, notAfterMs, note }: KeyEntry): string {
  const parts = [key.hex, `nodes=${nodes === '*' ? '*' : nodes.join(',')}`]
  if (notAfterMs !== undefined) parts.push(`not-after=${new Date(notAfterMs).toISOString()}`)
  // A quote or a line end in the note would end it early and let it name options of its own.
  if (note !== '') parts.push(`note="${note.replace(/["\p{Cc}]/gu, ' ').slice(0, NOTE_CHARS_MAX)}"`)
  return parts.join(' ')
}
