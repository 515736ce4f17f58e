import { Agent, request } from 'undici'
import type { Clock } from '#base/clock.ts'
import { err, ok } from '#base/result.ts'
import { isAnswerStatus, isInterimStatus } from '#protocol/ports.ts'
import type { RawTransport } from './conformance.ts'

/** Requests of any kind and every header of their answers: what a probe looks at, and no poll needs. */
export function createRawTransport(
  clock: Clock,
  connections: number,
): { readonly send: RawTransport; readonly close: () => Promise<void> } {
  const agent = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 })
  return {
    send: async ({ method, url, headers, timeoutMs, bodyMaxBytes }) => {
      const controller = new AbortController()
      const badStatus = err({ kind: 'unreachable', detail: 'bad-status' } as const)
      let isBad = false
      const cancel = clock.after(timeoutMs, () => controller.abort())
      try {
        const {
          statusCode,
          headers: came,
          body,
        } = await request(url, {
          dispatcher: agent,
          method,
          headers,
          signal: controller.signal,
          onInfo: (interim) => {
            if (isInterimStatus(interim.statusCode)) return
            isBad = true
            controller.abort()
          },
        })
        const chunks: Buffer[] = []
        let bytes = 0
        for await (const chunk of body) {
          if (!Buffer.isBuffer(chunk)) continue
          bytes += chunk.length
          if (bytes > bodyMaxBytes) return err({ kind: 'too-large', limitBytes: bodyMaxBytes })
          chunks.push(chunk)
        }
        if (!isAnswerStatus(statusCode)) return badStatus
        const text = Buffer.concat(chunks).toString('utf8')
        const named = new Map(
          Object.entries(came).flatMap(([name, value]): [string, string][] =>
            value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
          ),
        )
        const [date, retryAfter, contentType] = ['date', 'retry-after', 'content-type'].map((name) =>
          named.get(name),
        )
        return ok({
          status: statusCode,
          body: text,
          headers: named,
          ...(date !== undefined && { date }),
          ...(retryAfter !== undefined && { retryAfter }),
          ...(contentType !== undefined && { contentType }),
        })
      } catch {
        if (isBad) return badStatus
        return err(
          controller.signal.aborted ? { kind: 'timeout', afterMs: timeoutMs } : { kind: 'unreachable' },
        )
      } finally {
        cancel()
      }
    },
    close: () => agent.destroy(),
  }
}
