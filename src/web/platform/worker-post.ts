import type { Delivered, DeliveryFailure, Post } from '#delivery/delivery-queue.ts'
import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { PROXY_FAILURE_HEADER, PROXY_FAILURES, upstreamStatus } from '#protocol/transport.ts'
import { retryAfterMs } from '#protocol/read-reply.ts'

/** Longer than the relay waits for a receiver. */
const TIMEOUT_MS = 15_000
const ANSWER_MAX_BYTES = 4_096
const ANSWER_CHARS_MAX = 300

/**
 * Posts messages with fetch, in a Worker or in Node. `site` is the dashboard's URL without a trailing slash; undefined outside
 * a browser.
 */
export function createPost(clock: Clock, site: string | undefined): Post {
  return async ({ url, body, blind }) => {
    const controller = new AbortController()
    let isLate = false
    const cancel = clock.after(TIMEOUT_MS, () => {
      isLate = true
      controller.abort()
    })
    const isOwn = site !== undefined && url.startsWith(`${site}/`)
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        // With `no-cors`, a browser cannot send JSON.
        ...(blind ? { mode: 'no-cors' } : { headers: { 'Content-Type': 'application/json' } }),
        credentials: 'same-origin',
        // A redirect could lead to another host than the configured one, and may turn a POST into a GET.
        redirect: blind ? 'follow' : 'manual',
        referrerPolicy: 'no-referrer',
        signal: controller.signal,
      })
      return response.type === 'opaque'
        ? ok({ status: undefined, answer: '' })
        : await taken(response, clock, isOwn)
    } catch {
      // Fetch hides whether the cause was DNS, TLS, CORS or a refused connection.
      return err({ kind: isOwn ? 'own-server' : isLate ? 'timeout' : 'unreachable' })
    } finally {
      cancel()
      controller.abort() // Ends the rest of a long answer, which nobody reads.
    }
  }
}

/** `isOwn`: the dashboard's own server answered. The answer counts only then, because a receiver could imitate it. */
async function taken(
  response: Response,
  clock: Clock,
  isOwn: boolean,
): Promise<Result<Delivered, DeliveryFailure>> {
  const { headers } = response
  const status = isOwn ? upstreamStatus(response) : response.status
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400))
    return err({ kind: 'redirected' })
  const failure = PROXY_FAILURES.find((known) => isOwn && known === headers.get(PROXY_FAILURE_HEADER))
  if (failure !== undefined) return err({ kind: 'relay', failure })
  const answer = toVisibleText(await beginning(response), ANSWER_CHARS_MAX)
  if (response.ok) return ok({ status, answer })
  const waitMs = retryAfterMs(headers.get('Retry-After') ?? undefined, clock.wallMs())
  return err({ kind: 'status', status, answer, ...(waitMs !== undefined && { retryAfterMs: waitMs }) })
}

/** The beginning of the body. If the connection breaks, returns what arrived, because the status already decides. */
async function beginning({ body }: Response): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    while (bytes < ANSWER_MAX_BYTES) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    return text // The answer was cut off.
  }
  return text
}
