/** Reads from front to back. Past the end everything is undefined, and nothing is ever read twice. */
export type ByteCursor = {
  /** A view of the next bytes. */
  readonly take: (length: number) => Uint8Array | undefined
  readonly uint32: () => number | undefined
  /** A length of four bytes, most significant first, and as many bytes (RFC 4251, `string`). */
  readonly counted: () => Uint8Array | undefined
  /** What is left, as a view. */
  readonly rest: () => Uint8Array
}

export function createByteCursor(bytes: Uint8Array): ByteCursor {
  let at = 0
  const take = (length: number): Uint8Array | undefined => {
    if (length > bytes.length - at) return undefined
    at += length
    return bytes.subarray(at - length, at)
  }
  const uint32 = (): number | undefined => {
    const four = take(4)
    return four && uint32Of(four)
  }
  return {
    take,
    uint32,
    counted: () => {
      const length = uint32()
      return length === undefined ? undefined : take(length)
    },
    rest: () => bytes.subarray(at),
  }
}

/** Four bytes, most significant first. */
export const uint32Of = (bytes: Uint8Array): number =>
  (((bytes[0] ?? 0) << 24) | ((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0)) >>> 0
