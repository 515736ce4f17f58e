import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  ANSWERED_BY_HEADER,
  CHALLENGE_HEADER,
  COLLECTED_AGE_HEADER,
  PROXY_FAILURE_HEADER,
  PROXY_PREFIX,
  type HttpReply,
  type Transport,
  type TransportFailure,
  type TransportRequest,
} from '#protocol/transport.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends requests with fetch. `site`: where the dashboard is, without a slash at the end; undefined outside a
 * browser. Runs in a Worker and in Node alike.
 */
export function createFetchTransport(clock: Clock, site: string | undefined): Transport {
  const uncached = createUncachedUrls()
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
      const { url } = request
      // Of the dashboard's own server; undefined: another server is asked.
      const ownPath = site !== undefined && url.startsWith(`${site}/`) ? url.slice(site.length) : undefined
      const cache = ownPath !== undefined ? 'no-store' : uncached.modeFor(url)
      const reply = await exchange(request, ownPath, cache, controller.signal, (response) =>
        uncached.note(url, response),
      )
      return ended === undefined ? reply : err(ended)
    } finally {
      cancel()
      signal.removeEventListener('abort', onAbort)
    }
  }
}

/** Statuses that a browser keeps for good, whatever the answer says of itself. */
const KEPT_FOR_GOOD: readonly number[] = [300, 301, 308, 410]

/** Whether a browser's cache may give this answer again without asking. */
const mayBeKept = ({ type, status, headers }: Response): boolean =>
  type === 'opaqueredirect' ||
  KEPT_FOR_GOOD.includes(status) ||
  (!/\bno-store\b/i.test(headers.get('Cache-Control') ?? '') &&
    ['Cache-Control', 'Expires', 'Last-Modified'].some((name) => headers.has(name)))

/**
 * Which addresses may be asked in the mode `default`, which alone keeps a preflight's answer in Chromium, but in every
 * browser also gives an answer again that may be kept, and asks nobody: an old reading that looks new. So an address is
 * asked in the mode `reload`, which replaces what the cache holds of it, until its last answer was one that may not be
 * kept. Measured in `docs/decisions/cache-modes.md`.
 */
function createUncachedUrls() {
  const urls = new Set<string>()
  return {
    modeFor: (url: string): RequestCache => (urls.has(url) ? 'default' : 'reload'),
    /** `response` undefined: nothing came back. */
    note: (url: string, response: Response | undefined): void => {
      urls.delete(url)
      if (response === undefined || mayBeKept(response)) return
      urls.add(url)
      const [oldest] = urls
      if (urls.size > DEFAULTS.nodesMax && oldest !== undefined) urls.delete(oldest)
    },
  }
}

async function exchange(
  { url, headers, bodyMaxBytes }: TransportRequest,
  ownPath: string | undefined,
  cache: RequestCache,
  signal: AbortSignal,
  cameBack: (response: Response | undefined) => void,
): Promise<Result<HttpReply, TransportFailure>> {
  let response: Response
  try {
    response = await fetch(url, {
      headers: { ...headers },
      cache,
      // The session of the dashboard's own server; nothing of it goes elsewhere.
      credentials: 'same-origin',
      // Not 'error': that can't be told from a service out of reach. The target is not contacted either way.
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
      signal,
    })
  } catch {
    cameBack(undefined)
    return err({ kind: 'unreachable' }) // fetch hides whether this was DNS, TLS, CORS or a refused connection
  }
  cameBack(response)
  if (response.type === 'opaqueredirect' || REDIRECTS.includes(response.status)) {
    await giveUp(response.body)
    return err({ kind: 'redirected' })
  }
  try {
    const body = await readBody(response, bodyMaxBytes)
    if (body !== undefined) return ok(replyOf(response, body, ownPath))
    // Of an error page without end the status still says what is wrong.
    return response.ok
      ? err({ kind: 'too-large', limitBytes: bodyMaxBytes })
      : ok(replyOf(response, '', ownPath))
  } catch {
    // The connection broke, or the body is not packed as it says. Of another origin the header may be hidden.
    const encoding = response.headers.get('Content-Encoding')?.trim()
    const isPacked = encoding !== undefined && encoding !== '' && encoding !== 'identity'
    return err({ kind: 'cut-off', ...(isPacked && { encoding: encoding.slice(0, 32) }) })
  }
}

/** What is not read keeps its connection busy; a request that was read to its end is left alone, so that the browser's network panel says how it was answered. */
async function giveUp(body: Pick<ReadableStream, 'cancel'> | null): Promise<void> {
  try {
    await body?.cancel()
  } catch {
    // It broke off by itself.
  }
}

/**
 * Reads as a stream, so that little more than the limit is ever held; undefined beyond it. Bytes
 * that are no UTF-8 become replacement characters, which no known word and no JSON syntax has.
 * Of a copy: Chromium cancels about one in ten requests whose own stream is read to its end.
 */
async function readBody(response: Response, bodyMaxBytes: number): Promise<string | undefined> {
  const { body } = response.clone()
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > bodyMaxBytes) {
      // The copy's end waits for that of the other.
      await Promise.all([giveUp(reader), giveUp(response.body)])
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/**
 * Headers that a browser hides from this page read as null. What the dashboard's own server says of itself counts only
 * from there: a service that is asked directly could say it too.
 */
function replyOf({ status, headers }: Response, body: string, ownPath: string | undefined): HttpReply {
  const isOwn = ownPath !== undefined
  const named = {
    date: headers.get('Date'),
    retryAfter: headers.get('Retry-After'),
    age: headers.get('Age'),
    contentType: headers.get('Content-Type'),
    challenge: headers.get('WWW-Authenticate') ?? (isOwn ? headers.get(CHALLENGE_HEADER) : null),
    proxyFailure: isOwn ? headers.get(PROXY_FAILURE_HEADER) : null,
    collectedAge: isOwn ? headers.get(COLLECTED_AGE_HEADER) : null,
  }
  const present = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== null)
  const isOfFront =
    ownPath?.startsWith(PROXY_PREFIX) === true &&
    !headers.has(ANSWERED_BY_HEADER) &&
    !headers.has(PROXY_FAILURE_HEADER)
  return { status, body, ...Object.fromEntries(present), ...(isOfFront && { isOfFront }) }
}
