/*
 * DER (X.690), as much as key files need: definite lengths up to 64 KiB, one byte of tag.
 * Nothing here calls itself: a caller goes down by asking again.
 */

export const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  context0: 0xa0,
  context1: 0x81,
  around1: 0xa1,
} as const

export type DerItem = { readonly tag: number; readonly content: Uint8Array }

/** `truncated`: a length points past the end. `damaged`: no DER. */
export type DerProblem = 'truncated' | 'damaged'

/** Deep enough for every structure that is read here; a certificate's top has three. */
const ITEMS_MAX = 16

/** The items that fill these bytes exactly. */
export function derItems(bytes: Uint8Array): readonly DerItem[] | DerProblem {
  const items: DerItem[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0
    const head = lengthAt(bytes, at + 1)
    if (typeof head === 'string') return head
    const end = head.from + head.length
    if (end > bytes.length) return 'truncated'
    if (items.length === ITEMS_MAX) return 'damaged'
    items.push({ tag, content: bytes.subarray(head.from, end) })
    at = end
  }
  return items
}

/** The one item that fills these bytes, if it has the tag. */
export function derItem(bytes: Uint8Array, tag: number): Uint8Array | DerProblem {
  const head = lengthAt(bytes, 1)
  if (typeof head === 'string') return head
  const rest = bytes.length - head.from - head.length
  if (bytes[0] !== tag || rest > 0) return 'damaged'
  return rest < 0 ? 'truncated' : bytes.subarray(head.from)
}

/** The items of a sequence, if there are as many as tags and each has its own. */
export function derFields(bytes: Uint8Array, ...tags: readonly number[]): readonly Uint8Array[] | undefined {
  const items = derItems(bytes)
  if (typeof items === 'string' || items.length !== tags.length) return undefined
  return items.every(({ tag }, at) => tag === tags[at]) ? items.map(({ content }) => content) : undefined
}

type Head = { readonly from: number; readonly length: number }

function lengthAt(bytes: Uint8Array, at: number): Head | DerProblem {
  const first = bytes[at]
  if (first === undefined) return 'truncated'
  if (first < 0x80) return { from: at + 1, length: first }
  const digits = first & 0x7f
  // 0x80 is the indefinite length of BER; more than two digits is more than any key file has.
  if (digits === 0 || digits > 2) return 'damaged'
  if (at + digits >= bytes.length) return 'truncated'
  const high = bytes[at + 1] ?? 0
  const length = digits === 1 ? high : (high << 8) | (bytes[at + 2] ?? 0)
  return length < (digits === 1 ? 0x80 : 0x100) ? 'damaged' : { from: at + 1 + digits, length }
}

/** A positive integer below 2^31; undefined for any other, and for one written with needless zeros. */
export function derCount(content: Uint8Array | undefined): number | undefined {
  if (content === undefined) return undefined
  const [first = 0, second = 0] = content
  if (first >= 0x80 || (first === 0 && second < 0x80)) return undefined
  let value = 0
  for (const byte of content) value = value * 256 + byte
  return value < 2 ** 31 ? value : undefined
}
