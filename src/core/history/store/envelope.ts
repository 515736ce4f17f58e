import type { Packer } from '#history/storage.ts'

/** First byte of every record: what follows the checksum. A later format gets a number of its own. */
const PLAIN = 1
const DEFLATED = 2
const HEAD_BYTES = 5
/** A record that inflates to more is none of ours: a day of one node, asked every second, is below 10 MB. */
export const INFLATED_MAX = 32_000_000

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

/** The same, deflated where that makes them fewer and they can be read again: for records that are kept for long. */
export async function sealPacked(
  payload: Uint8Array<ArrayBuffer>,
  packer: Packer,
): Promise<Uint8Array<ArrayBuffer>> {
  if (payload.length > INFLATED_MAX) return seal(payload)
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
  if (!isWhole(value)) return undefined
  const payload = value.slice(HEAD_BYTES)
  if (value[0] === PLAIN) return payload
  return value[0] === DEFLATED ? packer.inflate(payload, INFLATED_MAX) : undefined
}

/** Whether it is what somebody sealed, and no damage, that can't be read: it inflates to nothing, or to too much. */
export const isForged = async (value: Uint8Array, packer: Packer): Promise<boolean> =>
  isWhole(value) && value[0] === DEFLATED && (await unseal(value, packer)) === undefined

function isWhole(value: unknown): value is Uint8Array {
  if (!(value instanceof Uint8Array) || value.length < HEAD_BYTES) return false
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  return view.getUint32(1) === checksum(value, HEAD_BYTES)
}
