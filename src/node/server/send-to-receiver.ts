import http from 'node:http'
import https from 'node:https'
import { err, ok, type Result } from '#base/result.ts'
import { failureOfError } from './upstream-failure.ts'
import type { UpstreamFailure } from './upstream.ts'

export type ReceiverAnswer = {
  readonly status: number
  /** The beginning of what it said. */
  readonly body: Buffer
  readonly retryAfter: string | undefined
}

/** Chat services are slow at times; the page itself waits a little longer. */
const DEADLINE_MS = 10_000
/** Of a page of any length its beginning says enough. */
const ANSWER_MAX_BYTES = 4_096

/**
 * Posts a message once, or without one asks to delete what is there, over a connection of its own: on a connection that is used again nobody
 * could tell a message that was lost from one that was taken. Follows no redirect. Never throws.
 */
export function sendToReceiver(
  url: URL,
  body: Buffer | undefined,
  signal: AbortSignal,
): Promise<Result<ReceiverAnswer, UpstreamFailure>> {
  return new Promise((resolve) => {
    const settle = (result: Result<ReceiverAnswer, UpstreamFailure>) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onGone)
      resolve(result)
      request.destroy()
    }
    const onGone = () => settle(err('gone'))
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: body === undefined ? 'DELETE' : 'POST',
      agent: false,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'immune-node-dashboard',
      },
    })
    const timer = setTimeout(() => settle(err('timeout')), DEADLINE_MS)
    signal.addEventListener('abort', onGone)
    request.on('error', (error) => settle(err(failureOfError(error))))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      const answer = () => {
        const retryAfter = response.headers['retry-after']
        settle(
          ok({
            status: response.statusCode ?? 502,
            body: Buffer.concat(chunks).subarray(0, ANSWER_MAX_BYTES),
            retryAfter: /^[\x20-\x7e]+$/.test(retryAfter ?? '') ? retryAfter : undefined,
          }),
        )
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > ANSWER_MAX_BYTES) answer()
      })
      response.on('end', answer)
      // The status was there, and it is what counts.
      response.on('error', answer)
    })
    if (signal.aborted) return onGone()
    request.end(body)
  })
}
