import type { Correction } from '#fleet/diagnosis.ts'
import type { Clock } from '#base/clock.ts'
import { err, ok, orUndefined, type Result } from '#base/result.ts'
import { correctionOf } from '#signing/status-request.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { wordsOf } from '#protocol/answer-words.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { HttpReply, Transport, TransportFailure } from '#protocol/transport.ts'
import { failureOfTransport, readReply, type ReplyContext } from '#protocol/read-reply.ts'
import type { Signer, SignFailure } from '#signing/signer.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { statusUrl } from '#signing/signing-values.ts'
import { shownHeaders, withoutToken } from '#signing/token.ts'
import { offsetOfReply } from './reply-clock.ts'

export type PollTarget = Omit<ReplyContext, 'wallMs'> & {
  readonly serviceId: ServiceId
  /** URL prefix of the request. The signed address is always the service's own. */
  readonly base: string
  readonly proxied: boolean
  /** Correction of the signed time from the first attempt on, because this service's clock differs; absent: none. */
  readonly correctionMs?: number | undefined
}

export const targetFor = (service: Service, base: string, nodeId: string | undefined) => ({
  serviceId: serviceIdOf(service.baseUrl),
  nodeId,
  base,
  proxied: service.via === 'proxy',
  timeoutMs: service.timeoutMs,
})

export type PollPorts = {
  readonly clock: Clock
  readonly nowMs: () => number
  readonly transport: Transport
  readonly signer: Signer
}

export type SentPoll = {
  readonly kind: 'sent'
  readonly result: Result<StatusRecord, PollFailure>
  /** Undefined if no readable answer arrived. */
  readonly reply: HttpReply | undefined
  /**
   * Start of the request. `startedWallMs` is derived from the wall clock at the end, so that setting the clock during the
   * request does no harm.
   */
  readonly startedMs: number
  readonly startedWallMs: number
  readonly latencyMs: number
  readonly url: string
  /** Without the operator's token. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Undefined if this computer's time was signed and nothing suggested another. */
  readonly correction: Correction | undefined
  /** The request carried a fixed token and no signed time. */
  readonly byToken?: true
  /** Result of the proof check; absent if the service has no proof profile. */
  readonly proof?: ProofVerdict
}

export type PollOutcome =
  | SentPoll
  | { readonly kind: 'not-sent'; readonly failure: PollFailure; readonly startedMs: number }
  /** `asksAgain`: poll at once instead of at the next slot. */
  | { readonly kind: 'aborted'; readonly asksAgain?: boolean }

/**
 * Signs, sends and reads one poll. If the service refuses the signature, the request is signed once more: with the service's
 * time if that differs, or unchanged if the service has already accepted the same request. Both attempts share one timeout.
 * Never throws and never rejects.
 */
export async function runPoll(
  ports: PollPorts,
  target: PollTarget,
  signal: AbortSignal,
): Promise<PollOutcome> {
  let first = await attempt(ports, target, signal)
  // A restarted signer may have lost the operator's consent to another time. In that case it signs with this computer's time.
  if (first.kind === 'time-not-allowed')
    first = await attempt(ports, { ...target, correctionMs: undefined }, signal)
  if (first.kind === 'time-not-allowed')
    return { kind: 'not-sent', failure: failureOfSigning(first.kind), startedMs: ports.nowMs() }
  if (first.kind !== 'sent') return first
  const neededMs = neededCorrection(first)
  const leftMs = target.timeoutMs - first.latencyMs
  const isHopeless = neededMs === undefined && !wasTakenBefore(first)
  if (isHopeless || leftMs < DEFAULTS.timeoutMinMs) return first
  const correctionMs = neededMs ?? first.correction?.ms
  const second = await attempt(ports, { ...target, correctionMs, timeoutMs: leftMs }, signal)
  if (second.kind === 'time-not-allowed')
    return neededMs === undefined ? first : { ...first, correction: { ms: neededMs, state: 'ask' } }
  return second.kind === 'not-sent' ? first : second
}

/**
 * Browsers and proxies repeat a request on their own if a reused connection breaks before the answer. The service has then
 * accepted the first and refuses the second as a replay, although key and signature are valid.
 */
function wasTakenBefore({ result, reply, byToken }: SentPoll): boolean {
  if (byToken === true || reply === undefined || !isRefused(result)) return false
  const { code = '', text = '' } = wordsOf(reply)
  return /\b(nonce|jti)\b.*\b(already|(re)?used|taken|seen)\b|replay/i.test(
    `${code} ${text}`.replace(/[-_]/g, ' '),
  )
}

const isRefused = (result: SentPoll['result']): boolean => !result.ok && result.error.kind === 'unauthorized'

/** The time correction in ms that the refusal shows to be necessary. */
function neededCorrection(sent: SentPoll): number | undefined {
  if (sent.byToken === true || !isRefused(sent.result)) return undefined
  const offset = offsetOfReply(sent)
  return offset && correctionOf(offset, sent.correction?.ms)
}

export type Attempt = PollOutcome | { readonly kind: 'time-not-allowed' }

/** Signs and sends one request, whatever the answer. */
export async function attempt(ports: PollPorts, target: PollTarget, signal: AbortSignal): Promise<Attempt> {
  const askedMs = ports.nowMs()
  const signed = await sign(ports.signer, target)
  if (signal.aborted) return { kind: 'aborted' }
  if (!signed.ok && signed.error === 'time-not-allowed') return { kind: signed.error }
  if (!signed.ok) return { kind: 'not-sent', failure: failureOfSigning(signed.error), startedMs: askedMs }
  const url = statusUrl(target.base, signed.value.query)
  const startedMs = ports.nowMs()
  const startedMonotonicMs = ports.clock.monotonicMs()
  const answered = await send(ports.transport, url, signed.value.headers, deadlineOf(target), signal)
  const sent = quiet(answered, signed.value.token)
  if (signal.aborted) return { kind: 'aborted' }
  const latencyMs = ports.clock.monotonicMs() - startedMonotonicMs
  const wallMs = ports.clock.wallMs()
  if (!sent.ok && sent.error.kind === 'aborted') return { kind: 'aborted' }
  const result = sent.ok
    ? readReply(sent.value, { ...target, wallMs })
    : err(failureOfTransport(sent.error, target.proxied))
  return {
    kind: 'sent',
    result,
    reply: orUndefined(sent),
    startedMs,
    startedWallMs: wallMs - latencyMs,
    latencyMs,
    url,
    requestHeaders: shownHeaders(signed.value),
    correction:
      target.correctionMs === undefined
        ? undefined
        : { ms: target.correctionMs, state: isRefused(result) ? 'refused' : 'used' },
    ...(signed.value.token !== undefined && { byToken: true }),
  }
}

/**
 * The dashboard server ends its own request in time and reports it. The grace period applies only if the server itself hangs.
 */
export const deadlineOf = ({ timeoutMs, proxied }: Pick<PollTarget, 'timeoutMs' | 'proxied'>): number =>
  timeoutMs + (proxied ? DEFAULTS.proxyGraceMs : 0)

/** A refusal may repeat the token, and its text is shown, so the token is removed. An answer with status 200 stays as it is. */
function quiet(
  sent: Result<HttpReply, TransportFailure>,
  token: string | undefined,
): Result<HttpReply, TransportFailure> {
  if (token === undefined || !sent.ok || sent.value.status === 200) return sent
  const { body, challenge } = sent.value
  return ok({
    ...sent.value,
    body: withoutToken(body, token),
    ...(challenge !== undefined && { challenge: withoutToken(challenge, token) }),
  })
}

async function sign(signer: Signer, { serviceId, nodeId, correctionMs }: PollTarget) {
  try {
    return await signer.signStatusRequest(serviceId, nodeId, correctionMs)
  } catch {
    // A closed port or a dead worker rejects; the operator sees a signer failure.
    return err<SignFailure>('error')
  }
}

/** Never throws, whatever the transport does. */
export async function send(
  transport: Transport,
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result<HttpReply, TransportFailure>> {
  try {
    return await transport({ url, headers, timeoutMs, bodyMaxBytes: DEFAULTS.bodyMaxBytes }, signal)
  } catch {
    // The transport must not throw. If it does, polling has to continue.
    return err({ kind: 'unreachable' })
  }
}

function failureOfSigning(failure: SignFailure): PollFailure {
  if (failure === 'no-key' || failure === 'no-token' || failure === 'key-locked') return { kind: failure }
  return { kind: 'signer-failed', reason: failure === 'time-not-allowed' ? 'error' : failure }
}
