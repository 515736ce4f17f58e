import type { Packer } from '#history/storage.ts'

/** The browser's own deflate. */
export const browserPacker: Packer = {
  deflate: (bytes) => through(bytes, new CompressionStream('deflate-raw')),
  inflate: async (bytes) => {
    try {
      return await through(bytes, new DecompressionStream('deflate-raw'))
    } catch {
      return undefined // damaged: the stream ends with an error
    }
  },
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  // Written by hand: a Blob would take the bytes to another process and back.
  const writer = stream.writable.getWriter()
  const written = writer.write(bytes).then(() => writer.close())
  const [whole] = await Promise.all([new Response(stream.readable).arrayBuffer(), written])
  return new Uint8Array(whole)
}
