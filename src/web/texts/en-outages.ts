import { unreachable } from '#base/never.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { mixedEvidence } from './en-diagnosis.ts'
import type { FailureContext, FailureWords } from './failure-words.ts'
import { formatCount, formatSpan } from './format.ts'

type NetworkFailure = Extract<
  PollFailure,
  { readonly kind: 'timeout' | 'cut-off' | 'mixed-content' | 'offline' }
>

const OTHERS_ANSWERED = 'Requests for other nodes of it are answered'

/** The nodes that a failure is about, where it is not about the whole service. */
function onlyOf({ node, onlyNodes }: FailureContext) {
  if (onlyNodes === undefined) return undefined
  return onlyNodes === 1
    ? { which: node ?? 'one node', these: 'this node is' }
    : { which: `${formatCount(onlyNodes)} of its nodes`, these: 'these nodes are' }
}

/** The service answers with an error of its own: it, or only some of its nodes. */
export function serverErrorWords(status: number, context: FailureContext): FailureWords {
  const { service } = context
  const only = onlyOf(context)
  return only === undefined
    ? {
        title: `${service} is down for a while: ${status}`,
        meaning: 'It answers, but with an error, so nobody knows how the nodes are.',
        next: 'Nothing is wrong with your key or this screen. It is asked again by itself; look at the service if it lasts.',
      }
    : {
        title: `${service} answers ${status} for ${only.which}`,
        meaning: `${OTHERS_ANSWERED}, so the service runs; nobody knows how ${only.these}.`,
        next: 'It is asked again by itself; tell whoever runs the service if it lasts.',
      }
}

/** No answer, or none that is whole. */
export function networkWords(failure: NetworkFailure, context: FailureContext): FailureWords {
  const { service, baseUrl, pageOrigin } = context
  const only = onlyOf(context)
  const answers = only === undefined ? `Answers from ${service}` : `Answers of ${service} about ${only.which}`
  switch (failure.kind) {
    case 'timeout':
      return failure.hop === 'proxy'
        ? {
            title: 'This dashboard’s own server does not answer in time',
            meaning: `The page asks ${service} through it and waited ${formatSpan(failure.afterMs)}. What the nodes do is not known.`,
            next: 'Look at the terminal in which the dashboard runs; restart it there if it hangs.',
          }
        : {
            title: `${answers} take longer than ${formatSpan(failure.afterMs)}`,
            meaning: `The last requests were given up after that time. ${only === undefined ? 'The service may be overloaded or far away.' : `${OTHERS_ANSWERED} in time.`}`,
            next: 'It is asked again by itself, less often. If it is always this slow, allow it more time in the settings.',
          }
    case 'cut-off':
      return {
        title: `${answers} break off`,
        meaning: 'The headers arrived, the rest did not. Nothing of such an answer is used.',
        next: 'A proxy or a restarting service usually causes this; it is asked again by itself.',
      }
    case 'mixed-content':
      return {
        title: `This page may not talk to ${baseUrl}`,
        meaning:
          'The page came over https, so the browser blocks plain http. Every browser does this, before any request is made.',
        next: `Let the dashboard’s server ask for you (“through this dashboard’s server” in the settings), put the service behind TLS, or open the dashboard by http instead of ${pageOrigin}.`,
        evidence: mixedEvidence(pageOrigin, baseUrl),
      }
    case 'offline':
      return {
        title: 'This computer is offline',
        meaning: 'Nothing can be asked. What you see stays marked as old until the network is back.',
        next: 'Polling goes on by itself as soon as the network is back.',
      }
    default:
      return unreachable(failure)
  }
}
