import type { Clock } from '#base/clock.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { correctionOf } from '#signing/status-request.ts'
import type { ClockOffset } from '#record/clock-offset.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { Signer } from '#signing/signer.ts'
import { PROFILE_TRIES, TRY_EVERY_MS } from '#signing/profile-tries.ts'
import { requestBase, serviceIdOf, type ServiceId } from '#record/service.ts'
import type { TestDraft } from './connection-test.ts'
import { offsetOfReply } from './reply-clock.ts'
import { attempt, targetFor, type Attempt, type PollPorts } from './poll.ts'

type FindPorts = Pick<PollPorts, 'clock' | 'transport' | 'signer'> & {
  /** How far the clock of a watched service is ahead, if its answers showed it. The answer to each attempt refines it. */
  readonly offset?: ((id: ServiceId) => ClockOffset | undefined) | undefined
}

/** `nodeId` undefined: the default node. */
export type FindDraft = Pick<TestDraft, 'serverUrl' | 'service'> & { readonly nodeId: string | undefined }

/**
 * Result of one profile. `failed`: no answer, or one that says nothing about the signature. `withheld`: not sent, because the
 * key may not sign this.
 */
export type FindStep = {
  readonly id: string
  readonly state: 'asking' | 'accepted' | 'refused' | 'withheld' | 'failed'
  readonly status?: number
}

/** Resolves to false to stop before the next attempt. */
export type FindReport = (step: FindStep) => Promise<boolean> | boolean

/**
 * `failed`: the remaining profiles were not tried, because they could not have shown anything. `clock`: the same, because the
 * service's time differs by more than the signer corrects without the operator's consent.
 */
export type FindEnd = 'accepted' | 'none' | 'stopped' | 'failed' | 'clock'

/**
 * Tries each published profile once, at most one per second, and stops at the first that the service accepts, or at an answer
 * that has nothing to do with the signature, because further signatures would be exposed for nothing. Signs with the service's
 * time if that is known to differ, so that no profile is rejected for the time alone.
 */
export async function findProfile(ports: FindPorts, draft: FindDraft, report: FindReport): Promise<FindEnd> {
  let offset = ports.offset?.(serviceIdOf(draft.service.baseUrl))
  /** Headers that CORS is known to allow. */
  const passed = new Set<string>()
  for (const [index, { id, profile }] of PROFILE_TRIES.entries()) {
    if (index > 0) await pause(ports.clock)
    if (!(await report({ id, state: 'asking' }))) return 'stopped'
    const outcome = await tryOnce(ports, draft, id, offset && correctionOf(offset))
    const step = stepOf(id, outcome)
    const goesOn = await report(step)
    if (outcome.kind === 'time-not-allowed') return 'clock'
    if (outcome.kind === 'sent') offset = offsetOfReply(outcome) ?? offset
    const headers = Object.keys(profile.headers)
    if (outcome.kind === 'sent' && outcome.reply !== undefined) for (const name of headers) passed.add(name)
    const hasOthers = headers.some((name) => !passed.has(name))
    if (step.state === 'accepted') return 'accepted'
    if (step.state === 'failed' && !(hasOthers && isSilent(outcome, draft))) return 'failed'
    if (!goesOn) return 'stopped'
  }
  return passed.size > 0 ? 'none' : 'failed'
}

/**
 * A cross-origin browser request is not sent if CORS does not allow a header, and the browser does not report why. The next
 * profile may use other headers.
 */
const isSilent = (outcome: Attempt, { service }: FindDraft): boolean =>
  service.via === 'direct' &&
  outcome.kind === 'sent' &&
  outcome.reply === undefined &&
  !outcome.result.ok &&
  outcome.result.error.kind === 'unreachable'

/** The pause runs from the end of one attempt to the start of the next, so that a slow service is not hurried. */
const pause = (clock: Clock): Promise<void> =>
  new Promise((resolve) => void clock.after(TRY_EVERY_MS, resolve))

/** One attempt, because a second signature, as a poll would make after a refusal, would only be exposed for nothing. */
function tryOnce(
  { clock, transport, signer }: FindPorts,
  { serverUrl, service, nodeId }: FindDraft,
  tryId: string,
  correctionMs: number | undefined,
): Promise<Attempt> {
  const base = requestBase(serviceIdOf(service.baseUrl), service.via, serverUrl)
  const trying: Signer = {
    signStatusRequest: (id, node, byMs) => signer.signStatusRequest(id, node, byMs, { tryId }),
  }
  return attempt(
    { clock, transport, signer: trying, nowMs: clock.monotonicMs },
    { ...targetFor(service, base, nodeId), correctionMs, metrics: METRICS },
    new AbortController().signal,
  )
}

function stepOf(id: string, outcome: Attempt): FindStep {
  if (outcome.kind === 'not-sent') {
    const { failure } = outcome
    const isWithheld = failure.kind === 'signer-failed' && failure.reason === 'chain-key'
    return { id, state: isWithheld ? 'withheld' : 'failed' }
  }
  if (outcome.kind !== 'sent') return { id, state: 'failed' }
  const { result, reply } = outcome
  const status = reply && { status: reply.status }
  if (result.ok) return { id, state: 'accepted', ...status }
  return { id, state: REFUSALS.includes(result.error.kind) ? 'refused' : 'failed', ...status }
}

/** Services refuse in many ways. What counts is that the service itself answered without a record. */
const REFUSALS: readonly PollFailure['kind'][] = [
  'unauthorized',
  'forbidden',
  'node-id-invalid',
  'node-unknown',
  'unexpected-status',
]
