import type { Diagnosis, LikelyCause } from '#fleet/diagnosis.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { isLoopback, isOpenToOthers } from '#record/service.ts'

/** Who is to be looked at. */
export type Culprit =
  /** This computer's way to the network, or that of the dashboard's server where that asks. */
  | 'network'
  /** Something on the way answers in place of the services. */
  | 'portal'
  /** The dashboard's own server. */
  | 'own-server'
  | 'service'
  /** Some nodes of a service that is well otherwise. */
  | 'node'

/** What is known of one watched service, as far as it bears on whose fault a failure is. Times are on the engine's steady clock. */
export type ServiceEvidence = {
  readonly baseUrl: string
  readonly via: 'proxy' | 'direct'
  /** How (nearly) all of its polls end, or those of some of its nodes; undefined: none fails. */
  readonly failing?: {
    readonly failure: PollFailure
    readonly sinceMs: number
    readonly isWhole: boolean
    /** What probes found out about it. */
    readonly diagnosis?: Diagnosis | undefined
  }
  /** When a node that does not fail was answered last. */
  readonly answeredMs?: number | undefined
}

export type Failing = ServiceEvidence & Required<Pick<ServiceEvidence, 'failing'>>

/**
 * The one place that says whose fault a failure is, from everything that is known: how the polls end and what
 * the dashboard's server saw of that, what probes found, how the service's other nodes and the other services do,
 * and what a loopback address rules out. `others`: every other watched service.
 */
export function blame(own: Failing, others: readonly ServiceEvidence[]): Culprit {
  const lost = others.filter(isLost)
  const shared = (is: (service: ServiceEvidence) => boolean): boolean => {
    const reachable = others.filter((other) => !isLoopback(other.baseUrl))
    return is(own) && reachable.length > 0 && reachable.every(is)
  }
  const isOwnServer = isOfOwnServer(own, others)
  // Where a service that is asked without the dashboard's server is lost too, they have the network in common.
  if (shared(isLost) && !(isOwnServer && lost.every((other) => isOwnServerSilent(other)))) return 'network'
  if (shared(isForeign)) return 'portal'
  if (isOwnServer) return 'own-server'
  return own.failing.isWhole ? 'service' : 'node'
}

/** Whether a node of the same service was answered since this began. */
export const siblingsAnswered = ({ failing, answeredMs }: Failing): boolean =>
  answeredMs !== undefined && answeredMs > failing.sinceMs

/** It is not reached, and nobody knows that it was: neither the dashboard's server nor a probe saw an answer of it. A loopback address needs no network. */
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

/** Over https nobody on the way can answer in the service's name, and nobody is on the way to loopback. */
function isForeign({ baseUrl, failing }: ServiceEvidence): boolean {
  if (failing?.isWhole !== true || !isOpenToOthers(baseUrl)) return false
  const { failure } = failing
  return failure.kind === 'redirected' || (failure.kind === 'not-json' && failure.problem === 'web-page')
}

const isOwnServerSilent = ({ failing }: ServiceEvidence): boolean =>
  failing !== undefined && 'hop' in failing.failure && failing.failure.hop === 'proxy'

/** The dashboard's server said nothing, not even that it got no answer; and nothing shows that it is well. */
function isOfOwnServer(own: Failing, others: readonly ServiceEvidence[]): boolean {
  const { failing } = own
  if (!isOwnServerSilent(own) || ownServerOf(failing.diagnosis) === 'answers') return false
  const isWell = ({ via, answeredMs }: ServiceEvidence): boolean =>
    via === 'proxy' && answeredMs !== undefined && answeredMs > failing.sinceMs
  return ![own, ...others].some(isWell)
}

function ownServerOf(diagnosis: Diagnosis | undefined): 'answers' | 'silent' | undefined {
  const clue = diagnosis?.clues.find(({ kind }) => kind === 'own-server')
  return clue?.kind === 'own-server' ? clue.state : undefined
}

/** A failure as it is shown, once it is known that the dashboard's server is not to blame for it. */
const ofService = (failure: PollFailure): PollFailure =>
  'hop' in failure && failure.hop === 'proxy' ? { ...failure, hop: 'service' } : failure

export const settled = (failure: PollFailure, culprit: Culprit): PollFailure =>
  culprit === 'service' || culprit === 'node' ? ofService(failure) : failure

/** The same by what probes found alone, where nothing else is watched. */
export const settledByProbes = (failure: PollFailure, diagnosis: Diagnosis | undefined): PollFailure =>
  ownServerOf(diagnosis) === 'answers' ? ofService(failure) : failure

/** What would hold of every node of a service: one that is answered in the same way rules it out. */
const OF_ALL_NODES: readonly LikelyCause[] = [
  'clock',
  'key-not-registered',
  'encoding',
  'message',
  'header-stripped',
  'in-front',
  'preflight',
  'cors',
  'cors-signed',
  'was-readable',
  'local-network',
  'nothing-answers',
  'own-server',
  'redirect',
  'captive-portal',
  'sign-in-page',
]

/** What is left of a diagnosis where other nodes of the service are answered. */
export function diagnosisOfSome(diagnosis: Diagnosis): Diagnosis | undefined {
  const [first, ...others] = diagnosis.likely.filter((cause) => !OF_ALL_NODES.includes(cause))
  return first === undefined ? undefined : { ...diagnosis, likely: [first, ...others] }
}
