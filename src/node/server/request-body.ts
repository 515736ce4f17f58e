import type { IncomingMessage } from 'node:http'

/** The body whole; undefined when it is larger than `maxBytes`. Rejects when it breaks off. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop must not destroy the request: that would end the connection before the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > maxBytes) return undefined
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

export type JsonBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false }

/** The body's JSON; its parser's words differ between versions, so they are not passed on. */
export function jsonOf(body: Buffer): JsonBody {
  try {
    return { ok: true, value: JSON.parse(body.toString('utf8')) }
  } catch {
    return { ok: false }
  }
}
