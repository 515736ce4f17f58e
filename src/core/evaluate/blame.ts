import type { Diagnosis, LikelyCause } from '#fleet/diagnosis.ts'
import { isOwnServerSilent, withHop, type PollFailure } from '#protocol/failure.ts'
import { isLoopback, isOpenToOthers } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'

export type Culprit =
  /** This computer's network, or that of the dashboard server if it sends the requests. */
  | 'network'
  /** Something on the network path answers in place of the services. */
  | 'portal'
  | 'own-server'
  | 'service'
  | 'node'

/** Evidence about one watched service for locating a fault. Times are on the engine's steady clock. */
export type ServiceEvidence = Pick<Service, 'baseUrl' | 'via'> & {
  /** How its polls fail: nearly all of them, or those of some of its nodes. Undefined if none fails. */
  readonly failing?: {
    readonly failure: PollFailure
    readonly sinceMs: number
    readonly isWhole: boolean
    readonly diagnosis?: Diagnosis | undefined
  }
  /** When a node that does not fail last answered; -Infinity if none did. */
  readonly answeredMs: number
}

export type Failing = ServiceEvidence & Required<Pick<ServiceEvidence, 'failing'>>

/**
 * The only place that decides what is at fault for a failure. Uses the polls' outcomes, the dashboard server's reports, the
 * probes, the service's other nodes and other services. Loopback rules out the network. `others`: every other watched
 * service.
 */
export function blame(own: Failing, others: readonly ServiceEvidence[]): Culprit {
  const lost = others.filter(isLost)
  const shared = (is: (service: ServiceEvidence) => boolean): boolean => {
    const reachable = others.filter((other) => !isLoopback(other.baseUrl))
    return is(own) && reachable.length > 0 && reachable.every(is)
  }
  const isOwnServer = isOfOwnServer(own, others)
  // If a service that is polled without the dashboard server is unreachable too, the common cause is the network.
  if (
    shared(isLost) &&
    !(isOwnServer && lost.every(({ failing }) => failing !== undefined && isOwnServerSilent(failing.failure)))
  )
    return 'network'
  if (shared(isForeign)) return 'portal'
  if (isOwnServer) return 'own-server'
  return own.failing.isWhole ? 'service' : 'node'
}

/**
 * The service is unreachable, and neither the dashboard server nor a probe got an answer from it. A loopback address needs no
 * network.
 */
function isLost({ baseUrl, failing }: ServiceEvidence): boolean {
  if (failing?.isWhole !== true || isLoopback(baseUrl) || failing.failure.kind !== 'unreachable') return false
  const { hop, detail } = failing.failure
  if (hop === 'proxy' || detail === 'dns' || detail === 'no-route') return true
  return detail === undefined && !isReached(failing.diagnosis)
}

const REACHED: readonly LikelyCause[] = [
  'cors',
  'was-readable',
  'cors-signed',
  'preflight',
  'redirect',
  'too-slow',
]

const isReached = (diagnosis: Diagnosis | undefined): boolean =>
  diagnosis !== undefined && diagnosis.likely.every((cause) => REACHED.includes(cause))

/** Over https nothing on the network path can answer in the service's name, and loopback has no network path. */
function isForeign({ baseUrl, failing }: ServiceEvidence): boolean {
  if (failing?.isWhole !== true || !isOpenToOthers(baseUrl)) return false
  const { failure } = failing
  return failure.kind === 'redirected' || (failure.kind === 'not-json' && failure.problem === 'web-page')
}

/** The dashboard server did not answer at all, and there is no evidence that it works. */
function isOfOwnServer(own: Failing, others: readonly ServiceEvidence[]): boolean {
  const { failing } = own
  if (!isOwnServerSilent(failing.failure) || ownServerOf(failing.diagnosis) === 'answers') return false
  const isWell = ({ via, answeredMs }: ServiceEvidence): boolean =>
    via === 'proxy' && answeredMs > failing.sinceMs
  return ![own, ...others].some(isWell)
}

function ownServerOf(diagnosis: Diagnosis | undefined): 'answers' | 'silent' | undefined {
  const clue = diagnosis?.clues.find(({ kind }) => kind === 'own-server')
  return clue?.kind === 'own-server' ? clue.state : undefined
}

/** A page that was read in front of the dashboard server stays evidence, whatever other requests get. */
export const settled = (failure: PollFailure, culprit: Culprit): PollFailure =>
  (culprit === 'service' || culprit === 'node') && !('front' in failure)
    ? withHop(failure, 'service')
    : failure

/** For a service without other evidence: decides by the probes alone. */
export const settledByProbes = (failure: PollFailure, diagnosis: Diagnosis | undefined): PollFailure =>
  ownServerOf(diagnosis) === 'answers' ? withHop(failure, 'service') : failure

/** The only likely cause if other nodes of the service answer: any cause except a slow answer would affect them too. */
export const diagnosisOfSome = (diagnosis: Diagnosis): Diagnosis | undefined =>
  diagnosis.likely.includes('too-slow') ? { ...diagnosis, likely: ['too-slow'] } : undefined
