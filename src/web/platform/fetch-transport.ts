import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  PROXY_FAILURE_HEADER,
  type HttpReply,
  type Transport,
  type TransportFailure,
  type TransportRequest,
} from '#protocol/ports.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends requests with fetch. `pageOrigin` is the origin of the page, undefined outside a
 * browser. Runs in a Worker and in Node alike.
 */
export function createFetchTransport(clock: Clock, pageOrigin: string | undefined): Transport {
  return async (request, signal) => {
    if (signal.aborted) return err({ kind: 'aborted' })
    const controller = new AbortController()
    let ended: TransportFailure | undefined
    const end = (why: TransportFailure): void => {
      ended ??= why
      controller.abort()
    }
    const onAbort = (): void => end({ kind: 'aborted' })
    // Taken off again below: the caller's signal may live for weeks. AbortSignal.any leaks there in Node 20.
    signal.addEventListener('abort', onAbort)
    const cancel = clock.after(request.timeoutMs, () => end({ kind: 'timeout', afterMs: request.timeoutMs }))
    try {
      const reply = await exchange(request, cacheMode(request.url, pageOrigin), controller.signal)
      return ended === undefined ? reply : err(ended)
    } finally {
      cancel()
      signal.removeEventListener('abort', onAbort)
      controller.abort() // whatever is left of the body is not read, so the connection is given up
    }
  }
}

/**
 * A second answer out of a cache would be an old reading that looks new. Across origins
 * `no-store` would defeat the preflight cache and double the requests.
 */
const cacheMode = (url: string, pageOrigin: string | undefined): RequestCache =>
  new URL(url).origin === pageOrigin ? 'no-store' : 'default'

async function exchange(
  { url, headers, bodyMaxBytes }: TransportRequest,
  cache: RequestCache,
  signal: AbortSignal,
): Promise<Result<HttpReply, TransportFailure>> {
  let response: Response
  try {
    response = await fetch(url, {
      headers: { ...headers },
      cache,
      credentials: 'omit',
      // Not 'error': that can't be told from a service out of reach. The target is not contacted either way.
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
      signal,
    })
  } catch {
    return err({ kind: 'unreachable' }) // fetch hides whether this was DNS, TLS, CORS or a refused connection
  }
  if (response.type === 'opaqueredirect' || REDIRECTS.includes(response.status))
    return err({ kind: 'redirected' })
  try {
    const body = await readBody(response, bodyMaxBytes)
    if (body !== undefined) return ok(replyOf(response, body))
    // Of an error page without end the status still says what is wrong.
    return response.ok ? err({ kind: 'too-large', limitBytes: bodyMaxBytes }) : ok(replyOf(response, ''))
  } catch {
    return err({ kind: 'cut-off' }) // the connection broke, or the content encoding was wrong
  }
}

/**
 * Reads as a stream, so that no more than the limit is ever held; undefined beyond it. Bytes
 * that are no UTF-8 become replacement characters, which no known word and no JSON syntax has.
 */
async function readBody({ body }: Response, bodyMaxBytes: number): Promise<string | undefined> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > bodyMaxBytes) return undefined
    text += decoder.decode(value, { stream: true })
  }
}

/** Headers that a browser hides from this page read as null. */
function replyOf({ status, headers }: Response, body: string): HttpReply {
  const named = {
    date: headers.get('Date'),
    retryAfter: headers.get('Retry-After'),
    age: headers.get('Age'),
    contentType: headers.get('Content-Type'),
    challenge: headers.get('WWW-Authenticate'),
    proxyFailure: headers.get(PROXY_FAILURE_HEADER),
  }
  const present = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== null)
  return { status, body, ...Object.fromEntries(present) }
}
