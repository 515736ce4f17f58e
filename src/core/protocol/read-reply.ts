import { err, ok, type Result } from '#base/result.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { wordsOf } from './answer-words.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { Hop, PollFailure } from './failure.ts'
import { httpDateMs } from '#record/clock-offset.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { sameNode } from '#record/node-id.ts'
import { PROXY_FAILURES, type HttpReply, type ProxyFailure, type TransportFailure } from './transport.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { badFields } from '#metrics/answer.ts'
import { AS_IT_COMES, membersOf, readStatusRecord, type StatusRecord } from '#metrics/status-record.ts'
import type { ReadAs } from '#record/field.ts'

export type ReplyContext = {
  /** Undefined: the default node. */
  readonly nodeId: string | undefined
  readonly timeoutMs: number
  readonly wallMs: number
  /** Absent: units are inferred from the values. */
  readonly readAs?: ReadAs | undefined
  readonly metrics: MetricRegistry
}

/** Checks the status first, then JSON, then each field. Never throws. */
export function readReply(reply: HttpReply, context: ReplyContext): Result<StatusRecord, PollFailure> {
  const proxyFailure = PROXY_FAILURES.find((known) => known === reply.proxyFailure)
  if (proxyFailure !== undefined) return err(failureOfProxy(proxyFailure, context))
  if (reply.isOfFront === true) return err({ kind: 'unreachable', hop: 'proxy', front: wordsOf(reply) })
  if (reply.status !== 200) return err(failureOfStatus(reply, context))
  const json = parseJsonRecord(reply.body)
  if (!json.ok) return err({ kind: 'not-json', problem: json.error })
  const { metrics, readAs } = context
  const record = readStatusRecord(
    json.value,
    metrics,
    reply.collectedAge === undefined ? readAs : { ...AS_IT_COMES, ...readAs, isCollected: true },
  )
  const members = membersOf(metrics)
  // A health check in front of the service answers with a status alone, and some error messages with a node id alone.
  if (members.length - badFields(record, metrics).length < 2) {
    const { text: answer } = wordsOf(reply)
    return err({ kind: 'not-a-record', fields: members, ...(answer !== undefined && { answer }) })
  }
  const { nodeId } = context
  if (nodeId !== undefined && record.nodeId.ok && !sameNode(nodeId, record.nodeId.value))
    return err({ kind: 'wrong-node', asked: nodeId, answered: toVisibleText(record.nodeId.value) })
  return ok(record)
}

/** `proxied`: the request went to the dashboard server, so that server is the one that did not answer. */
export function failureOfTransport(failure: TransportFailure, proxied: boolean): PollFailure {
  const hop: Hop = proxied ? 'proxy' : 'service'
  switch (failure.kind) {
    case 'unreachable':
      return { ...failure, hop }
    // A caller that aborts a request ignores its outcome.
    case 'aborted':
      return { kind: 'unreachable', hop }
    // The dashboard server reports a slow service itself, before this timeout.
    case 'timeout':
      return { kind: 'timeout', afterMs: failure.afterMs, hop }
    // Only the service compresses; the dashboard server passes bodies on unchanged.
    case 'cut-off':
      return failure.encoding === undefined ? { kind: 'cut-off', hop } : { ...failure, hop: 'service' }
    case 'too-large':
    case 'redirected':
      return failure
  }
}

function failureOfProxy(failure: ProxyFailure, { timeoutMs }: ReplyContext): PollFailure {
  switch (failure) {
    case 'timeout':
      return { kind: 'timeout', afterMs: timeoutMs, hop: 'service' }
    case 'cut-off':
      return { kind: 'cut-off', hop: 'service' }
    case 'too-large':
      return { kind: 'too-large', limitBytes: DEFAULTS.bodyMaxBytes }
    case 'headers-too-large':
      return { kind: 'too-large', limitBytes: DEFAULTS.headersMaxBytes, part: 'headers' }
    // Only for messages.
    case 'view-only':
      return { kind: 'unreachable', hop: 'service', detail: 'not-allowed' }
    case 'signed-out':
      return { kind: 'signed-out' }
    default:
      return { kind: 'unreachable', hop: 'service', detail: failure }
  }
}

function failureOfStatus(reply: HttpReply, { wallMs }: ReplyContext): PollFailure {
  const { status } = reply
  const { text: answer, page } = wordsOf(reply)
  const inWords = answer === undefined ? {} : { answer }
  const ofPage = page === undefined ? inWords : { ...inWords, page }
  // A date in Retry-After is by the same clock as the answer's own Date.
  const dateMs = httpDateMs(reply.date ?? '')
  const wait = retryAfterMs(reply.retryAfter, Number.isNaN(dateMs) ? wallMs : dateMs)
  const named = wait === undefined ? {} : { retryAfterMs: wait }
  if (status === 400) return { kind: 'node-id-invalid', ...ofPage }
  if (status === 401) return { kind: 'unauthorized', ...inWords }
  if (status === 403) return { kind: 'forbidden', ...inWords }
  if (status === 404) return { kind: 'node-unknown', ...ofPage }
  if (status === 429) return { kind: 'rate-limited', ...named }
  if (status >= 500 && status <= 599) return { kind: 'server-error', status, ...ofPage, ...named }
  if (status >= 300 && status <= 399 && status !== 304) return { kind: 'redirected' }
  return { kind: 'unexpected-status', status, ...inWords }
}

/** Retry-After in ms, from seconds or an HTTP date; capped and never negative. Undefined if unreadable. */
export function retryAfterMs(header: string | undefined, wallMs: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const waitMs = /^\d{1,20}$/.test(text) ? Number(text) * 1_000 : httpDateMs(text) - wallMs
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), DEFAULTS.retryAfterMaxMs)
}
