import { fault, faultTable, numberValue, type FaultUse } from './fault.ts'
import type { Answer } from './problem.ts'
import { draw, seedWords } from './random.ts'
import { constants, deflateRawSync } from 'node:zlib'

type Context = { readonly json: string; readonly use: FaultUse; readonly nowMs: number }
type Change = Partial<Answer>

const utf8 = (text: string): Uint8Array => Buffer.from(text)
const body = (text: string): Change => ({ body: utf8(text) })
const spaces = (json: string, count: number): Change => ({ body: repeated(' ', count, json) })

const CHUNK_BYTES = 65_536

function* repeated(fill: string, count: number, end: string): Generator<Uint8Array> {
  const chunk = utf8(fill.repeat(CHUNK_BYTES))
  for (let left = count; left > 0; left -= CHUNK_BYTES) yield chunk.subarray(0, Math.min(left, CHUNK_BYTES))
  yield utf8(end)
}

export const PAYLOAD_FAULTS = faultTable<(context: Context) => Change>()({
  'status-206': fault('answers 206 with the record', () => ({
    status: 206,
    headers: { 'Content-Range': 'bytes 0-99/200' },
  })),
  'proto-only': fault('answers with a member named __proto__ alone', () =>
    body('{"__proto__":{"isAdmin":true,"status":"ACTIVE"}}'),
  ),
  nan: fault('writes NaN without quotes', ({ json }) =>
    body(json.replace(/"network_participation":[^,}]+/, '"network_participation":NaN')),
  ),
  'truncated-json': fault('ends the JSON in the middle, but the body properly', ({ json }) =>
    body(json.slice(0, Math.floor(json.length / 2))),
  ),
  'trailing-bytes': fault('adds text after the JSON', ({ json }) => body(`${json}\n{"more":true}`)),
  'utf-16': fault('writes the JSON in UTF-16', ({ json }) => ({
    body: Buffer.from(`\ufeff${json}`, 'utf16le'),
  })),
  bom: fault('puts a byte order mark in front', ({ json }) => body(`\ufeff${json}`)),
  null: fault('answers null', () => body('null')),
  array: fault('answers []', () => body('[]')),
  string: fault('answers "ACTIVE"', () => body('"ACTIVE"')),
  deep: fault(
    'answers arrays nested this deep',
    ({ use }) => body('['.repeat(Number(use.value)) + ']'.repeat(Number(use.value))),
    numberValue('levels', 200_000, 1, 1e7),
  ),
  padding: fault(
    'puts this many spaces in front of the record',
    ({ json, use }) => spaces(json, Number(use.value)),
    numberValue('bytes', 5_000_000, 0, 1e9),
  ),
  'big-body': fault(
    'answers with a body of this size that never becomes a record',
    ({ use }) => ({ body: repeated('[', Number(use.value), '') }),
    numberValue('bytes', 100_000_000, 1, 1e10),
  ),
  'gzip-bomb': fault(
    'unpacks to this many bytes',
    ({ use }) => ({
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipBomb(Number(use.value)),
    }),
    numberValue('bytes', 2 ** 30, 2 ** 20, 2 ** 32 - 2 ** 21),
  ),
  'bad-gzip': fault('declares gzip, sends something else', ({ json }) => ({
    headers: { 'Content-Encoding': 'gzip' },
    body: utf8(json),
  })),
  'wrong-encoding': fault('declares zstd, sends plain JSON', ({ json }) => ({
    headers: { 'Content-Encoding': 'zstd' },
    body: utf8(json),
  })),
  cached: fault('answers with the same old body for ever, with its Age', ({ json, use, nowMs }) => {
    use.kept ??= JSON.stringify([nowMs, json])
    const [sinceMs, kept]: [number, string] = JSON.parse(use.kept)
    return { headers: { Age: String(Math.floor((nowMs - sinceMs) / 1_000)) }, body: utf8(kept) }
  }),
  fuzz: fault(
    'damages the body at random, differently each time; seed',
    ({ json, use }) => body(damaged(json, Number(use.value), use.hits)),
    numberValue('seed', 1, 0, 2 ** 31),
  ),
})

const SNIPPETS = [
  '"',
  '{',
  '}',
  ',',
  ':',
  'null',
  '-',
  '1e999',
  '\\u0000',
  '\u202e',
  '[',
  '0',
  'true',
  '\\',
] as const

/** One to four random damages, repeatable by seed and turn. */
export function damaged(json: string, seed: number, turn: number): string {
  const words = seedWords(`fuzz ${seed}`)
  const damages = 1 + Math.floor(draw(words, turn, 0) * 4)
  let text = json
  for (let i = 1; i <= damages; i++) {
    const at = Math.floor(draw(words, turn, i, 0) * text.length)
    const length = Math.floor(draw(words, turn, i, 1) * 12)
    const kind = draw(words, turn, i, 2)
    const snippet = SNIPPETS[Math.floor(draw(words, turn, i, 3) * SNIPPETS.length)] ?? ''
    if (kind < 0.35) text = text.slice(0, at) + text.slice(at + length)
    else if (kind < 0.7) text = text.slice(0, at) + snippet + text.slice(at)
    else text = text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at)
  }
  return text
}

const BLOCK_BYTES = 2 ** 20
const GZIP_HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/**
 * A gzip body that unpacks to this many bytes, rounded up to whole mebibytes, made from
 * one block sent again and again: a full flush lets a block stand alone. The checksum at
 * the end is left out, so a client that takes everything is told at the very end that it
 * was cut off; the harm it is meant to test is done by then.
 */
function* gzipBomb(bytes: number, begin = '', fill = ' '): Generator<Uint8Array> {
  yield GZIP_HEADER
  yield deflateRawSync(begin, { finishFlush: constants.Z_FULL_FLUSH })
  const block = deflateRawSync(fill.repeat(BLOCK_BYTES), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  for (let sent = 0; sent < bytes; sent += BLOCK_BYTES) yield block
}
