import type { Packer } from '#storage/storage.ts'

/** Input bytes inflated at a time. The browser may expand them a thousandfold before it can be stopped. */
const SLICE_BYTES = 4_096

export const browserPacker: Packer = {
  deflate: (bytes) => through(bytes, new CompressionStream('deflate-raw')),
  inflate: async (bytes, maxBytes) => {
    try {
      return await through(bytes, new DecompressionStream('deflate-raw'), SLICE_BYTES, maxBytes)
    } catch {
      return undefined // The bytes are damaged, or inflate to too much.
    }
  },
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  { readable, writable }: CompressionStream | DecompressionStream,
  sliceBytes = bytes.length,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const written = write(bytes, writable, sliceBytes)
  written.catch(() => undefined) // The reader reports the same failure.
  const reader = readable.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length
    if (length > maxBytes) {
      await reader.cancel()
      throw new RangeError(`more than ${maxBytes} bytes`)
    }
    parts.push(part.value)
  }
  await written
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Writes in slices, because a Blob would copy the bytes to another process and back. */
async function write(
  bytes: Uint8Array<ArrayBuffer>,
  writable: WritableStream<BufferSource>,
  sliceBytes: number,
): Promise<void> {
  const writer = writable.getWriter()
  for (let at = 0; at < bytes.length; at += sliceBytes)
    await writer.write(bytes.subarray(at, at + sliceBytes))
  await writer.close()
}
