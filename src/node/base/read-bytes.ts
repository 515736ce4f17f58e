import type { IncomingMessage } from 'node:http'

/** The body whole; undefined when it is larger than `maxBytes`. Rejects when it breaks off. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop must not destroy the request: its connection could end with it, before the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > maxBytes) return undefined
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}
