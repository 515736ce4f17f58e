import type { Clock } from '#base/clock.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { Transport, TrySigner } from '#protocol/ports.ts'
import { PROFILE_TRIES, TRY_EVERY_MS } from '#protocol/profile-tries.ts'
import { serviceIdOf } from '#protocol/service.ts'
import { requestBase, type Service } from '#protocol/settings.ts'
import { runPoll, type PollOutcome } from './poll.ts'

type FindPorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly signTry: TrySigner['signTry']
}

export type FindDraft = {
  /** Origin of the page, for requests through the proxy; without a slash at the end. */
  readonly serverOrigin: string
  readonly service: Service
  /** Undefined asks for the node of the key. */
  readonly nodeId: string | undefined
}

/** What became of one way of signing. `failed`: an answer that says nothing about the signature, or none. */
export type FindStep = {
  readonly id: string
  readonly state: 'asking' | 'accepted' | 'refused' | 'failed'
  /** The status of the answer, where one came. */
  readonly status?: number
}

/** Resolves to false to stop before the next try. */
export type FindReport = (step: FindStep) => Promise<boolean> | boolean

/** `failed`: the rest was not tried, because it could not have shown anything. */
export type FindEnd = 'accepted' | 'none' | 'stopped' | 'failed'

/**
 * Tries each published way of signing once, one a second at most, and stops at the first that
 * is accepted. Stops as well when an answer has nothing to do with the signature: more
 * signatures would be handed out for nothing.
 */
export async function findProfile(ports: FindPorts, draft: FindDraft, report: FindReport): Promise<FindEnd> {
  for (const [index, { id }] of PROFILE_TRIES.entries()) {
    if (index > 0) await pause(ports.clock)
    if (!(await report({ id, state: 'asking' }))) return 'stopped'
    const step = stepOf(id, await tryOnce(ports, draft, id))
    const goesOn = await report(step)
    if (step.state === 'accepted' || step.state === 'failed') return step.state
    if (!goesOn) return 'stopped'
  }
  return 'none'
}

/** From the end of one try to the start of the next, so that a slow service is not hurried. */
const pause = (clock: Clock): Promise<void> =>
  new Promise((resolve) => void clock.after(TRY_EVERY_MS, resolve))

function tryOnce(
  { clock, transport, signTry }: FindPorts,
  { serverOrigin, service, nodeId }: FindDraft,
  tryId: string,
): Promise<PollOutcome> {
  const serviceId = serviceIdOf(service.baseUrl)
  const target = {
    serviceId,
    nodeId,
    base: requestBase(serviceId, service.via, serverOrigin),
    proxied: service.via === 'proxy',
    deadlineMs: service.deadlineMs,
  }
  const signer = {
    signStatusRequest: (id: typeof serviceId, node: string | undefined) => signTry(id, node, tryId),
  }
  const ports = { clock, transport, signer, nowMs: clock.monotonicMs }
  return runPoll(ports, target, new AbortController().signal)
}

function stepOf(id: string, outcome: PollOutcome): FindStep {
  if (outcome.kind !== 'sent') return { id, state: 'failed' }
  const { result, reply } = outcome
  const status = reply === undefined ? {} : { status: reply.status }
  if (result.ok) return { id, state: 'accepted', ...status }
  return { id, state: isRefusal(result.error) ? 'refused' : 'failed', ...status }
}

/** Services refuse in many ways; what counts is that the service itself answered and gave no record. */
const isRefusal = ({ kind }: PollFailure): boolean =>
  kind === 'unauthorized' ||
  kind === 'forbidden' ||
  kind === 'node-id-invalid' ||
  kind === 'node-unknown' ||
  kind === 'unexpected-status'
