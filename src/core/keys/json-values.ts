import { isSpace } from './ascii.ts'

/*
 * Reads a JSON document without making strings of its values: JSON.parse would, and a secret
 * in a string can't be zeroed. Values are views of the input; only keys, which are no secret,
 * become strings. There is no recursion, and everything has a bound.
 */

/** By path, such as `priv_key.value` or `type.0`. A string is without its quotes. */
export type JsonValues = ReadonlyMap<string, Uint8Array>

/** `truncated`: the end came too soon. `damaged`: no JSON, or more of it than any key file has. */
export type JsonProblem = 'truncated' | 'damaged'

const DEPTH_MAX = 8
const VALUES_MAX = 256
const KEY_CHARS_MAX = 64

type Level = { readonly isList: boolean; readonly close: number; readonly path: string; count: number }

export function jsonValues(bytes: Uint8Array): JsonValues | JsonProblem {
  const values = new Map<string, Uint8Array>()
  const parents: Level[] = []
  // The document itself, as a list of one that nothing closes.
  let level: Level = { isList: true, close: NO_BYTE, path: '', count: 0 }
  let at = 0
  for (;;) {
    while (isSpace(bytes[at])) at++
    const isRoot = parents.length === 0
    const next = bytes[at]
    if (next === undefined) return isRoot && level.count > 0 ? values : 'truncated'
    if (isRoot && level.count > 0) return 'damaged'
    if (next === level.close) {
      at++
      level = parents.pop() ?? level
      continue
    }
    const step = stepAt(bytes, at, level)
    if (typeof step === 'string') return step
    at = step.next
    const name = isRoot ? '' : step.name
    const path = level.path === '' ? name : `${level.path}.${name}`
    const start = bytes[at]
    if (start === OPEN_OBJECT || start === OPEN_LIST) {
      if (parents.length === DEPTH_MAX) return 'damaged'
      parents.push(level)
      const isList = start === OPEN_LIST
      level = { isList, close: isList ? CLOSE_LIST : CLOSE_OBJECT, path, count: 0 }
      at++
      continue
    }
    const value = valueAt(bytes, at)
    if (typeof value === 'string') return value
    // Of a name that stands twice, programs take the first or the last: nobody can say which.
    if (values.size === VALUES_MAX || values.has(path)) return 'damaged'
    values.set(path, value.content)
    at = value.next
  }
}

const NO_BYTE = -1
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

type Key = { readonly name: string; readonly next: number }

/** The way to a level's next value: over a comma, and its name or its place in a list. */
function stepAt(bytes: Uint8Array, from: number, level: Level): Key | JsonProblem {
  let at = from
  if (level.count > 0) {
    if (bytes[at] !== COMMA) return 'damaged'
    at++
    while (isSpace(bytes[at])) at++
  }
  const step = level.isList ? { name: String(level.count), next: at } : keyAt(bytes, at)
  level.count++
  return step
}

function keyAt(bytes: Uint8Array, from: number): Key | JsonProblem {
  const key = valueAt(bytes, from)
  if (typeof key === 'string') return key
  if (bytes[from] !== QUOTE || key.content.length > KEY_CHARS_MAX) return 'damaged'
  let at = key.next
  while (isSpace(bytes[at])) at++
  if (at >= bytes.length) return 'truncated'
  if (bytes[at] !== COLON) return 'damaged'
  at++
  while (isSpace(bytes[at])) at++
  return { name: String.fromCharCode(...key.content), next: at }
}

type Value = { readonly content: Uint8Array; readonly next: number }

/** A string, number or word; escapes stay as they are, for no key has any. */
function valueAt(bytes: Uint8Array, from: number): Value | JsonProblem {
  if (from >= bytes.length) return 'truncated'
  let at = from
  if (bytes[from] !== QUOTE) {
    while (isWordByte(bytes[at] ?? 0)) at++
    return at === from ? 'damaged' : { content: bytes.subarray(from, at), next: at }
  }
  at++
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at >= bytes.length ? 'truncated' : { content: bytes.subarray(from + 1, at), next: at + 1 }
}

/** Letters, digits and the signs of a number. */
const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e
