import { constants, deflateRawSync } from 'node:zlib'

const BLOCK_BYTES = 2 ** 20
const GZIP_HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/**
 * A gzip body that unpacks to this many bytes, rounded up to whole mebibytes, made from
 * one block sent again and again: a full flush lets a block stand alone. The checksum at
 * the end is left out, so a client that takes everything is told at the very end that it
 * was cut off; the harm it is meant to test is done by then.
 */
export function* gzipBomb(bytes: number, begin = '', fill = ' '): Generator<Uint8Array> {
  yield GZIP_HEADER
  yield deflateRawSync(begin, { finishFlush: constants.Z_FULL_FLUSH })
  const block = deflateRawSync(fill.repeat(BLOCK_BYTES), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  for (let sent = 0; sent < bytes; sent += BLOCK_BYTES) yield block
}
