import { DEFAULTS } from '#base/defaults.ts'
import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import { jsonIn, readStored } from '#base/stored.ts'
import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import {
  BATCH_LINE_MAX_CHARS,
  BATCH_MAX,
  BATCH_PATH,
  BATCH_TYPE,
  BatchAnswerSchema,
  type Batch,
  type BatchAnswer,
} from '#protocol/batch.ts'
import {
  ANSWERED_BY_HEADER,
  PROXY_FAILURE_HEADER,
  PROXY_PREFIX,
  type HttpReply,
  type Transport,
  type TransportFailure,
  type TransportRequest,
} from '#protocol/transport.ts'
import { FETCHED, isRedirect, replyOf, takeReply, undecodable } from './fetch-transport.ts'

/** For how long requests are single after a batch failed: a reverse proxy may refuse or delay batches only. */
const ALONE_MS = 10 * MINUTE_MS
/** An answer that arrives this much later than the server sent it was held up until slower services answered. */
const HELD_UP_MS = 1_000

type Outcome = Result<HttpReply, TransportFailure>

type Open = {
  readonly request: TransportRequest
  readonly signal: AbortSignal
  readonly settle: (outcome: Outcome) => void
}

/**
 * Sends the requests to the dashboard server's proxy that start in the same turn as one batch. Every other request goes
 * through `single`. If a batch fails for a reason that the server does not report, all requests go through `single` for ten minutes, so that a
 * lasting failure is always reported for a single request. `isBatching`: whether batches are currently sent.
 */
export function createBatchTransport(
  single: Transport,
  clock: Clock,
  site: string,
): { readonly send: Transport; readonly isBatching: () => boolean } {
  let waiting: Open[] = []
  let aloneUntilMs = Number.NEGATIVE_INFINITY
  const isPaused = (): boolean => clock.monotonicMs() < aloneUntilMs

  const pauseBatches = (forMs = ALONE_MS): void => {
    aloneUntilMs = Math.max(aloneUntilMs, clock.monotonicMs() + forMs)
  }
  const flush = (): void => {
    const batch = waiting.filter(({ signal }) => !signal.aborted)
    for (const one of waiting) if (one.signal.aborted || batch.length === 1) alone(one)
    waiting = []
    if (batch.length > 1) void sendBatch(batch)
  }
  const alone = ({ request, signal, settle }: Open): void => void single(request, signal).then(settle)

  const sendBatch = async (batch: readonly Open[]): Promise<void> => {
    const open = new Map(batch.entries())
    const controller = new AbortController()
    const settle = (at: number, outcome: Outcome): void => {
      open.get(at)?.settle(outcome)
      open.delete(at)
    }
    const giveUp = (at: number, why: TransportFailure): void => {
      settle(at, err(why))
      if (open.size === 0) controller.abort()
    }
    const ends = batch.map(({ request: { timeoutMs }, signal }, at) => {
      const onAbort = (): void => giveUp(at, { kind: 'aborted' })
      signal.addEventListener('abort', onAbort)
      const cancel = clock.after(timeoutMs, () => {
        if (open.has(at)) pauseBatches()
        giveUp(at, { kind: 'timeout', afterMs: timeoutMs })
      })
      return (): void => {
        cancel()
        signal.removeEventListener('abort', onAbort)
      }
    })
    const sentMs = clock.monotonicMs()
    const rest = await exchange(site, batch, controller.signal, (answer) => {
      const isHeldUp = clock.monotonicMs() - sentMs - answer.afterMs > HELD_UP_MS
      // A browser may know more encodings than the server.
      if (isHeldUp || answer.body === null) pauseBatches(DAY_MS)
      settle(answer.at, outcomeOf(answer))
    })
    for (const end of ends) end()
    if (open.size === 0) return
    const isOfServer = rest !== 'refused' && rest.ok && rest.value.proxyFailure !== undefined
    if (!isOfServer) pauseBatches()
    for (const [at, one] of Array.from(open))
      if (rest === 'refused') alone(one)
      else settle(at, rest)
  }

  const send: Transport = (request, signal) => {
    const isProxied = request.url.startsWith(`${site}${PROXY_PREFIX}`)
    if (!isProxied || signal.aborted || isPaused()) return single(request, signal)
    return new Promise((settle) => {
      waiting.push({ request, signal, settle })
      // The signer returns the signatures of a turn together, so all their requests start before this timer fires.
      if (waiting.length === 1) setTimeout(flush)
      if (waiting.length === BATCH_MAX) flush()
    })
  }
  return { send, isBatching: () => !isPaused() }
}

/** The answer of servers that do not know POST. */
const NOT_IMPLEMENTED = 501

/**
 * Sends a batch and reports each answer. Resolves to the outcome of the requests that are left without one; `refused`: none of
 * the batch was passed on to a service. Never throws.
 */
async function exchange(
  site: string,
  batch: readonly Open[],
  signal: AbortSignal,
  answered: (answer: BatchAnswer) => void,
): Promise<Outcome | 'refused'> {
  const requests: Batch = batch.map(({ request: { url, headers } }) => ({
    path: url.slice(site.length),
    headers: { ...headers },
  }))
  let response: Response
  try {
    response = await fetch(`${site}${BATCH_PATH}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(requests),
      cache: 'no-store',
      ...FETCHED,
      signal,
    })
  } catch {
    return err({ kind: 'unreachable' })
  }
  const { headers, body, status } = response
  // Checks no content type, because a reverse proxy may change it.
  if (headers.has(ANSWERED_BY_HEADER) && status === 200 && body !== null) {
    await readAnswers(body, answered)
    return err({ kind: 'unreachable' })
  }
  const reply = await takeReply(response, DEFAULTS.bodyMaxBytes, BATCH_PATH)
  const isPassedOn = headers.get('Content-Type')?.startsWith(BATCH_TYPE) === true
  const isFailure = status >= 500 && status !== NOT_IMPLEMENTED
  return isPassedOn || isFailure || headers.has(PROXY_FAILURE_HEADER) ? reply : 'refused'
}

/** Resolves when the body ends or the connection breaks. */
async function readAnswers(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  answered: (answer: BatchAnswer) => void,
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (rest.length <= BATCH_LINE_MAX_CHARS) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const answer = readStored(BatchAnswerSchema, jsonIn(line))
        if (answer !== undefined) answered(answer)
      }
    }
    await reader.cancel()
  } catch {
    // The connection broke.
  }
}

function outcomeOf({ status, headers: given, body }: BatchAnswer): Outcome {
  if (isRedirect({ status })) return err({ kind: 'redirected' })
  // The mark in the batch's own headers shows that the dashboard server sent every answer in it.
  const headers = new Headers({ ...given, [ANSWERED_BY_HEADER]: '' })
  return body === null ? undecodable(headers) : ok(replyOf({ status, headers }, body, BATCH_PATH))
}
