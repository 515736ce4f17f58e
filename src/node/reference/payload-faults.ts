import type { ActiveFault } from './fault-state.ts'
import type { FaultsOf } from './faults.ts'
import type { Answer } from './problem.ts'
import { draw, seedWords } from './random.ts'
import { constants, deflateRawSync } from 'node:zlib'

type PayloadFault = FaultsOf<'payload'>
type Context = { readonly json: string; readonly fault: ActiveFault; readonly nowMs: number }
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

const CHANGES: Readonly<Record<PayloadFault, (context: Context) => Change>> = {
  'status-206': () => ({ status: 206, headers: { 'Content-Range': 'bytes 0-99/200' } }),
  'proto-only': () => body('{"__proto__":{"isAdmin":true,"status":"ACTIVE"}}'),
  nan: ({ json }) => body(json.replace(/"network_participation":[^,}]+/, '"network_participation":NaN')),
  'truncated-json': ({ json }) => body(json.slice(0, Math.floor(json.length / 2))),
  'trailing-bytes': ({ json }) => body(`${json}\n{"more":true}`),
  'utf-16': ({ json }) => ({ body: Buffer.from(`\ufeff${json}`, 'utf16le') }),
  bom: ({ json }) => body(`\ufeff${json}`),
  null: () => body('null'),
  array: () => body('[]'),
  string: () => body('"ACTIVE"'),
  deep: ({ fault }) => body('['.repeat(Number(fault.value)) + ']'.repeat(Number(fault.value))),
  padding: ({ json, fault }) => spaces(json, Number(fault.value)),
  'big-body': ({ fault }) => ({ body: repeated('[', Number(fault.value), '') }),
  'gzip-bomb': ({ fault }) => ({
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipBomb(Number(fault.value)),
  }),
  'bad-gzip': ({ json }) => ({ headers: { 'Content-Encoding': 'gzip' }, body: utf8(json) }),
  'wrong-encoding': ({ json }) => ({ headers: { 'Content-Encoding': 'zstd' }, body: utf8(json) }),
  cached: ({ json, fault, nowMs }) => {
    fault.kept ??= JSON.stringify([nowMs, json])
    const [sinceMs, kept]: [number, string] = JSON.parse(fault.kept)
    return { headers: { Age: String(Math.floor((nowMs - sinceMs) / 1_000)) }, body: utf8(kept) }
  },
  fuzz: ({ json, fault }) => body(damaged(json, Number(fault.value), fault.hits)),
}

/** The record's JSON in another dress. */
export function applyPayloadFault(
  fault: ActiveFault<PayloadFault>,
  answer: Answer,
  json: string,
  nowMs: number,
): Answer {
  const changed = CHANGES[fault.name]({ json, fault, nowMs })
  return { ...answer, ...changed, headers: { ...answer.headers, ...changed.headers } }
}

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
