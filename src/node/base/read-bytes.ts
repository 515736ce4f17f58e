import type { IncomingMessage } from 'node:http'

/** The whole body; undefined if it is larger than `maxBytes`. Rejects if it is incomplete. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop must not destroy the request, because its connection could end before the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > maxBytes) return undefined
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}
