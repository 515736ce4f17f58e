import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  ANSWERED_BY_HEADER,
  CHALLENGE_HEADER,
  COLLECTED_AGE_HEADER,
  PROXY_FAILURE_HEADER,
  PROXY_PREFIX,
  upstreamStatus,
  type HttpReply,
  type Transport,
  type TransportFailure,
  type TransportRequest,
} from '#protocol/transport.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends requests with fetch, in a Worker and in Node. `site` is the dashboard's URL without a trailing slash; undefined outside
 * a browser.
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
    // Removed below, because the caller's signal may live for weeks. `AbortSignal.any` leaks listeners in Node 20.
    signal.addEventListener('abort', onAbort)
    const cancel = clock.after(request.timeoutMs, () => end({ kind: 'timeout', afterMs: request.timeoutMs }))
    try {
      const { url } = request
      // Path on the dashboard's own server; undefined for another server.
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

export const FETCHED = {
  // Sends the session cookie of the dashboard's own server and nothing to other origins.
  credentials: 'same-origin',
  // 'error' would look like an unreachable service. With 'manual' the target is not contacted either.
  redirect: 'manual',
  referrerPolicy: 'no-referrer',
} as const

/** Statuses that browsers cache permanently, whatever the response headers say. */
const KEPT_FOR_GOOD: readonly number[] = [300, 301, 308, 410]

/** Whether a browser may answer from its cache without a request. */
const mayBeKept = ({ type, status, headers }: Response): boolean =>
  type === 'opaqueredirect' ||
  KEPT_FOR_GOOD.includes(status) ||
  (!/\bno-store\b/i.test(headers.get('Cache-Control') ?? '') &&
    ['Cache-Control', 'Expires', 'Last-Modified'].some((name) => headers.has(name)))

/**
 * Chooses a cache mode for each URL. Only `default` keeps a preflight result in Chromium, but it may also return a cached
 * answer, so an old reading would look new. A URL therefore uses `reload` until its last answer was not cacheable.
 * Measurements: `docs/decisions/cache-modes.md`.
 */
function createUncachedUrls() {
  const urls = new Set<string>()
  return {
    modeFor: (url: string): RequestCache => (urls.has(url) ? 'default' : 'reload'),
    /** `response` is undefined if no answer arrived. */
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
      ...FETCHED,
      signal,
    })
  } catch {
    cameBack(undefined)
    return err({ kind: 'unreachable' }) // Fetch hides whether DNS, TLS, CORS or a refused connection is the cause.
  }
  cameBack(response)
  return takeReply(response, bodyMaxBytes, ownPath)
}

/** `ownPath`: path on the dashboard's own server; undefined for another server. Never throws. */
export async function takeReply(
  response: Response,
  bodyMaxBytes: number,
  ownPath: string | undefined,
): Promise<Result<HttpReply, TransportFailure>> {
  if (isRedirect(response)) {
    await giveUp(response.body)
    return err({ kind: 'redirected' })
  }
  try {
    const body = await readBody(response, bodyMaxBytes)
    if (body !== undefined) return ok(replyOf(response, body, ownPath))
    // The status of an endless error page still describes the problem.
    return response.ok
      ? err({ kind: 'too-large', limitBytes: bodyMaxBytes })
      : ok(replyOf(response, '', ownPath))
  } catch {
    return undecodable(response.headers)
  }
}

export const isRedirect = ({ type, status }: Pick<Response, 'status'> & Partial<Response>): boolean =>
  type === 'opaqueredirect' || REDIRECTS.includes(status)

/** The connection broke, or the body does not match its encoding. For another origin the header may be hidden. */
export function undecodable(headers: Headers): Result<HttpReply, TransportFailure> {
  const encoding = headers.get('Content-Encoding')?.trim()
  const isPacked = encoding !== undefined && encoding !== '' && encoding !== 'identity'
  return err({ kind: 'cut-off', ...(isPacked && { encoding: encoding.slice(0, 32) }) })
}

/**
 * An unread body keeps its connection busy. A request that was read to its end is not cancelled, so that the network panel
 * shows its real status.
 */
async function giveUp(body: Pick<ReadableStream, 'cancel'> | null): Promise<void> {
  try {
    await body?.cancel()
  } catch {
    // The stream has already failed.
  }
}

/**
 * Reads the body as a stream, so that little more than the limit is in memory; undefined beyond it. Invalid UTF-8 becomes
 * replacement characters, which appear in no known word and no JSON syntax. Reads a clone, because Chromium cancels about one
 * in ten requests whose own stream is read to its end.
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
      // Cancelling the clone waits until the original is cancelled too.
      await Promise.all([giveUp(reader), giveUp(response.body)])
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/**
 * Headers that the browser hides read as null. The dashboard server's own headers count only in its own answers, because a
 * service polled directly could send the same ones.
 */
export function replyOf(
  response: Pick<Response, 'status' | 'headers'>,
  body: string,
  ownPath: string | undefined,
): HttpReply {
  const { headers } = response
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
  const status = isOwn ? upstreamStatus(response) : response.status
  return { status, body, ...Object.fromEntries(present), ...(isOfFront && { isOfFront }) }
}
