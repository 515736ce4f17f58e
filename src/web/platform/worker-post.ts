import type { Delivered, DeliveryFailure, Post } from '#delivery/delivery-queue.ts'
import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { PROXY_FAILURE_HEADER, PROXY_FAILURES } from '#protocol/transport.ts'
import { retryAfterMs } from '#protocol/read-reply.ts'

/** Longer than the relay waits for a receiver. */
const TIMEOUT_MS = 15_000
const ANSWER_MAX_BYTES = 4_096
const ANSWER_CHARS_MAX = 300

/** Posts messages with fetch, from a Worker or from Node. `site`: where the dashboard is, without a slash at the end; undefined outside a browser. */
export function createPost(clock: Clock, site: string | undefined): Post {
  return async ({ url, body, blind, method = 'POST' }) => {
    const controller = new AbortController()
    let isLate = false
    const cancel = clock.after(TIMEOUT_MS, () => {
      isLate = true
      controller.abort()
    })
    const isOwn = site !== undefined && url.startsWith(`${site}/`)
    try {
      const response = await fetch(url, {
        method,
        ...(method === 'POST' && { body }),
        // Without leave to read, a browser sends no JSON.
        ...(blind ? { mode: 'no-cors' } : { headers: { 'Content-Type': 'application/json' } }),
        credentials: 'same-origin',
        // Elsewhere is not where the operator wanted it to go, and a POST may become a GET on the way.
        redirect: blind ? 'follow' : 'manual',
        referrerPolicy: 'no-referrer',
        signal: controller.signal,
      })
      return response.type === 'opaque'
        ? ok({ status: undefined, answer: '' })
        : await taken(response, clock, isOwn)
    } catch {
      return err({ kind: isLate ? 'timeout' : 'unreachable' }) // fetch hides which of DNS, TLS, CORS or refusal it was
    } finally {
      cancel()
      controller.abort() // whatever is left of a long answer is not read
    }
  }
}

/** `isOwn`: this dashboard's own server answers, and not a receiver that could say the same of itself. */
async function taken(
  response: Response,
  clock: Clock,
  isOwn: boolean,
): Promise<Result<Delivered, DeliveryFailure>> {
  const { status, headers } = response
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400))
    return err({ kind: 'redirected' })
  const failure = PROXY_FAILURES.find((known) => isOwn && known === headers.get(PROXY_FAILURE_HEADER))
  if (failure !== undefined) return err({ kind: 'relay', failure })
  const answer = toVisibleText(await beginning(response), ANSWER_CHARS_MAX)
  if (response.ok) return ok({ status, answer })
  const waitMs = retryAfterMs(headers.get('Retry-After') ?? undefined, clock.wallMs())
  return err({ kind: 'status', status, answer, ...(waitMs !== undefined && { retryAfterMs: waitMs }) })
}

/** What an answer begins with; where it breaks off, what came until then. The status was there, and it counts. */
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
    return text // cut off
  }
  return text
}
