import type { Packer } from '#storage/storage.ts'

/** The first byte of every record: the format of the payload after the checksum. */
const PLAIN = 1
const DEFLATED = 2
const HEAD_BYTES = 5
/** No record of ours inflates to more: a node's day with one poll a second is below 10 MB. */
export const INFLATED_MAX = 32_000_000

/** FNV-1a, 32 bits. Detects damage, not forgery. */
export function checksum(bytes: Uint8Array, from: number, to = bytes.length): number {
  let hash = 0x811c9dc5
  for (let index = from; index < to; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  return hash >>> 0
}

/** Prepends the format and a checksum. */
export function seal(payload: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return enclose(PLAIN, payload)
}

/** Seals and deflates the payload if that makes it smaller and it inflates again. For long-lived records. */
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

/** The sealed payload; undefined if the record is damaged or not one of ours. */
export async function unseal(value: unknown, packer: Packer): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!isWhole(value)) return undefined
  const payload = value.slice(HEAD_BYTES)
  if (value[0] === PLAIN) return payload
  return value[0] === DEFLATED ? packer.inflate(payload, INFLATED_MAX) : undefined
}

/** Whether an intact record cannot be read because it inflates to nothing or to too much. */
export const isForged = async (value: Uint8Array, packer: Packer): Promise<boolean> =>
  isWhole(value) && value[0] === DEFLATED && (await unseal(value, packer)) === undefined

function isWhole(value: unknown): value is Uint8Array {
  if (!(value instanceof Uint8Array) || value.length < HEAD_BYTES) return false
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  return view.getUint32(1) === checksum(value, HEAD_BYTES)
}
