import type { Clock } from '#base/clock.ts'
import { err, type Result } from '#base/result.ts'
import { DEFAULTS } from '#protocol/defaults.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { HttpReply, Signer, SignFailure, Transport, TransportFailure } from '#protocol/ports.ts'
import { failureOfTransport, readReply } from '#protocol/reply.ts'
import type { ServiceId } from '#protocol/service.ts'
import type { StatusRecord } from '#protocol/status-record.ts'
import { statusUrl } from '#protocol/status-address.ts'

export type PollTarget = {
  readonly serviceId: ServiceId
  readonly nodeId: string | undefined
  /** Where the request goes; what is signed is the service's own address in any case. */
  readonly base: string
  readonly proxied: boolean
  readonly deadlineMs: number
}

export type PollPorts = {
  readonly clock: Clock
  readonly nowMs: () => number
  readonly transport: Transport
  readonly signer: Signer
}

/** A request that went out, and what became of it. */
export type SentPoll = {
  readonly kind: 'sent'
  readonly result: Result<StatusRecord, PollFailure>
  /** Undefined when nothing that could be read came back. */
  readonly reply: HttpReply | undefined
  /** Start of the request: steady clock, and wall clock as told at its end, so that a clock set meanwhile does no harm. */
  readonly startedMs: number
  readonly startedWallMs: number
  readonly latencyMs: number
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
}

export type PollOutcome =
  | SentPoll
  /** No request was made. */
  | { readonly kind: 'not-sent'; readonly failure: PollFailure; readonly startedMs: number }
  | { readonly kind: 'aborted' }

/** One poll: sign, send, read. Never throws and never rejects. */
export async function runPoll(
  ports: PollPorts,
  target: PollTarget,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const askedMs = ports.nowMs()
  const signed = await sign(ports.signer, target)
  if (signal.aborted) return { kind: 'aborted' }
  if (!signed.ok) return { kind: 'not-sent', failure: failureOfSigning(signed.error), startedMs: askedMs }
  const url = statusUrl(target.base, signed.value.query)
  const startedMs = ports.nowMs()
  const startedMonotonicMs = ports.clock.monotonicMs()
  const sent = await send(ports.transport, url, signed.value.headers, target.deadlineMs, signal)
  if (signal.aborted) return { kind: 'aborted' }
  const latencyMs = ports.clock.monotonicMs() - startedMonotonicMs
  const wallMs = ports.clock.wallMs()
  const result = resultOf(sent, target, wallMs)
  if (result === 'aborted') return { kind: 'aborted' }
  return {
    kind: 'sent',
    result,
    reply: sent.ok ? sent.value : undefined,
    startedMs,
    startedWallMs: wallMs - latencyMs,
    latencyMs,
    url,
    requestHeaders: signed.value.headers,
  }
}

function resultOf(
  sent: Result<HttpReply, TransportFailure>,
  { nodeId, deadlineMs, proxied }: PollTarget,
  wallMs: number,
): Result<StatusRecord, PollFailure> | 'aborted' {
  if (sent.ok) return readReply(sent.value, { nodeId, deadlineMs, wallMs })
  return sent.error.kind === 'aborted' ? 'aborted' : err(failureOfTransport(sent.error, proxied))
}

async function sign(signer: Signer, { serviceId, nodeId }: PollTarget) {
  try {
    return await signer.signStatusRequest(serviceId, nodeId)
  } catch {
    // A port that closed or a worker that died rejects; for the operator that is a signer that failed.
    return err<SignFailure>('error')
  }
}

async function send(
  transport: Transport,
  url: string,
  headers: Readonly<Record<string, string>>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Result<HttpReply, TransportFailure>> {
  try {
    return await transport({ url, headers, deadlineMs, bodyMaxBytes: DEFAULTS.bodyMaxBytes }, signal)
  } catch {
    // The port promises not to throw; if one does all the same, polling has to go on.
    return err({ kind: 'unreachable' })
  }
}

export function failureOfSigning(failure: SignFailure): PollFailure {
  switch (failure) {
    case 'no-key':
    case 'key-locked':
      return { kind: failure }
    case 'not-configured':
    case 'no-answer':
    case 'error':
      return { kind: 'signer-failed', reason: failure }
  }
}
