import type { Packer } from '#history/storage.ts'

/** First byte of every record: what follows the checksum. A later format gets a number of its own. */
const PLAIN = 1
const DEFLATED = 2
const HEAD_BYTES = 5

/** FNV-1a, 32 bits. It finds damage, not forgery. */
export function checksum(bytes: Uint8Array, from: number, to = bytes.length): number {
  let hash = 0x811c9dc5
  for (let place = from; place < to; place++) hash = Math.imul(hash ^ (bytes[place] ?? 0), 0x01000193)
  return hash >>> 0
}

/** Bytes with their format and checksum before them. */
export function seal(payload: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return enclose(PLAIN, payload)
}

/** The same, deflated where that makes them fewer: for records that are kept for long. */
export async function sealPacked(
  payload: Uint8Array<ArrayBuffer>,
  packer: Packer,
): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await packer.deflate(payload)
  return packed.length < payload.length ? enclose(DEFLATED, packed) : enclose(PLAIN, payload)
}

function enclose(format: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD_BYTES + payload.length)
  bytes[0] = format
  bytes.set(payload, HEAD_BYTES)
  new DataView(bytes.buffer).setUint32(1, checksum(bytes, HEAD_BYTES))
  return bytes
}

/** What was sealed; undefined for anything that is damaged or no record of ours. */
export async function unseal(value: unknown, packer: Packer): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!(value instanceof Uint8Array) || value.length < HEAD_BYTES) return undefined
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  if (view.getUint32(1) !== checksum(value, HEAD_BYTES)) return undefined
  const payload = value.slice(HEAD_BYTES)
  if (value[0] === PLAIN) return payload
  return value[0] === DEFLATED ? packer.inflate(payload) : undefined
}
