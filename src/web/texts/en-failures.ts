import { unreachable } from '#base/never.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { networkWords, serverErrorWords } from './en-outages.ts'
import { unreachableWords } from './en-unreachable.ts'
import type { FailureContext, FailureWords } from './failure-words.ts'
import { formatBytes, formatSpan } from './format.ts'

/** Every failure in words. Says what is known and how; blames nobody. */
export function failureWords(failure: PollFailure, context: FailureContext): FailureWords {
  switch (failure.kind) {
    case 'unauthorized':
    case 'forbidden':
    case 'node-unknown':
    case 'node-id-invalid':
    case 'rate-limited':
    case 'server-error':
    case 'unexpected-status':
    case 'redirected':
      return refusalWords(failure, context)
    case 'unreachable':
      return unreachableWords(failure, context)
    case 'timeout':
    case 'cut-off':
    case 'mixed-content':
    case 'offline':
      return networkWords(failure, context)
    case 'not-json':
    case 'too-large':
    case 'not-a-record':
    case 'wrong-node':
      return answerWords(failure, context)
    case 'no-key':
    case 'no-token':
    case 'key-locked':
    case 'signer-failed':
      return keyWords(failure, context)
    default:
      return unreachable(failure)
  }
}

type Of<K extends PollFailure['kind']> = Extract<PollFailure, { readonly kind: K }>

/** Refused without a signature: there is no key to register. */
const unsignedRefused = (credential: 'token' | 'none', service: string): FailureWords => ({
  title:
    credential === 'token' ? 'The service does not accept the token' : 'The service wants to know who asks',
  meaning: `It answered 401. After ${DEFAULTS.refusalsBeforeSlow} refusals it is asked only every ${formatSpan(DEFAULTS.slowAfterRefusalMs)}.`,
  next:
    credential === 'token'
      ? `Ask whoever runs ${service} for the token that is good now, and type it in the settings, under the signing profile.`
      : 'Its signing profile sends neither a signature nor a token: choose another one in the settings.',
})

const unsignedForbidden = (credential: 'token' | 'none', service: string): FailureWords => ({
  title: 'The service does not let this page read status',
  meaning: `It answered 403. ${credential === 'token' ? 'The token lacks a permission there.' : 'It lets nobody in without a permission, and nothing is sent that could have one.'} It is asked again every ${formatSpan(DEFAULTS.slowAfterRefusalMs)}.`,
  next:
    credential === 'token'
      ? `Ask whoever runs ${service} to let this token read node status.`
      : 'Choose another signing profile in the settings.',
})

type Refusal = Of<
  | 'unauthorized'
  | 'forbidden'
  | 'node-unknown'
  | 'node-id-invalid'
  | 'rate-limited'
  | 'server-error'
  | 'unexpected-status'
  | 'redirected'
>

/** The service answered, but not with a record. */
function refusalWords(failure: Refusal, context: FailureContext): FailureWords {
  const { service, node, credential = 'key' } = context
  switch (failure.kind) {
    case 'unauthorized':
      if (credential !== 'key') return unsignedRefused(credential, service)
      return {
        title: 'The service does not accept the signature',
        meaning: `It answered 401. Either it does not know this public key, or it expects another message or encoding. After ${DEFAULTS.refusalsBeforeSlow} refusals it is asked only every ${formatSpan(DEFAULTS.slowAfterRefusalMs)}, so that the key is not locked out.`,
        next: `Register the public key at ${service}; if it is registered there, compare the signing profile in the settings with what the service expects.`,
      }
    case 'forbidden':
      if (credential !== 'key') return unsignedForbidden(credential, service)
      return {
        title: 'The service knows the key but does not let it read status',
        meaning: `It answered 403. The key lacks a permission there. It is asked again every ${formatSpan(DEFAULTS.slowAfterRefusalMs)}.`,
        next: `Ask whoever runs ${service} to let this public key read node status.`,
      }
    case 'node-unknown':
      return {
        title:
          node === undefined
            ? 'The service does not know some of the nodes'
            : `The service knows no node ${node}`,
        meaning: 'It answered 404. An id may be mistyped, or a node was removed. The other nodes go on.',
        next: 'Compare the id in the settings with the one that the node prints; if every node gets this answer, the base URL may be wrong.',
      }
    case 'node-id-invalid':
      return {
        title:
          node === undefined
            ? 'The service calls some of the node ids invalid'
            : `The service calls the id of ${node} invalid`,
        meaning: 'It answered 400. The id is sent exactly as it was entered.',
        next: 'Look at the id in the settings: the service may want lower-case digits or another length.',
      }
    case 'rate-limited':
      return {
        title: 'The service asks us to go slower',
        meaning:
          failure.retryAfterMs === undefined
            ? 'It answered 429 and named no time. Polling slows down for this service and speeds up again by itself.'
            : `It answered 429 and named ${formatSpan(failure.retryAfterMs)}. Until then this service is not asked; then polling goes on by itself.`,
        next: 'If this comes back, set a longer poll interval for the service in the settings.',
      }
    case 'server-error':
      return serverErrorWords(failure.status, context)
    case 'unexpected-status':
      return {
        title: `${service} answers ${failure.status}, which its interface does not describe`,
        meaning: 'The answer is not used. Something between here and the service may have written it.',
        next: 'Check the base URL, and what stands in front of the service.',
      }
    case 'redirected':
      return {
        title: `${service} sends us to another address`,
        meaning: 'A redirect is not followed: the signature is meant for this address alone.',
        next: 'Set the base URL to where the service really is. A sign-in page in front of it also redirects.',
      }
    default:
      return unreachable(failure)
  }
}

/** What was in the body instead of a record. */
const BODY_WORDS: Readonly<Record<Of<'not-json'>['problem'], string>> = {
  empty: 'The body is empty.',
  'web-page': 'The body is a web page. A proxy or a sign-in page is in the way.',
  'not-json': 'The body is not JSON.',
  'not-an-object': 'The body is JSON, but not an object.',
}

function answerWords(
  failure: Of<'not-json' | 'too-large' | 'not-a-record' | 'wrong-node'>,
  { service }: FailureContext,
): FailureWords {
  switch (failure.kind) {
    case 'not-json':
      return {
        title: 'The answer is not a status record',
        meaning: `HTTP 200, but no record. ${BODY_WORDS[failure.problem]}`,
        next: `Open the node to see the answer as it came, and check the base URL of ${service}.`,
      }
    case 'too-large':
      return {
        title: `The answer is larger than ${formatBytes(failure.limitBytes)}`,
        meaning:
          'A status record has a few hundred bytes. Reading was stopped at the limit and nothing of it is used.',
        next: `Something else than a status service seems to answer at ${service}; check the base URL.`,
      }
    case 'not-a-record':
      return {
        title: 'The answer holds none of the seven fields',
        meaning: 'It is JSON, but not a status record. The values are not used.',
        next: 'Open the node to see the answer as it came. The service may have changed its interface, or it is another one.',
      }
    case 'wrong-node':
      return {
        title: 'The answer is about another node',
        meaning: `Asked for ${failure.asked}, got ${failure.answered}. The values are not used.`,
        next: 'A cache or a proxy that ignores the query may mix up answers; tell whoever runs the service.',
      }
    default:
      return unreachable(failure)
  }
}

const SIGNER_WORDS: Readonly<Record<Of<'signer-failed'>['reason'], string>> = {
  'chain-key':
    'This key is that of a chain wallet or validator. It signs only texts that begin with the same eight characters each time, so that none can be a transaction; this service’s signing profile has another beginning.',
  'not-configured': 'It was not told about this service, and signs for no other.',
  'no-answer': 'It does not answer.',
  error: 'It could not sign.',
}

function keyWords(
  failure: Of<'no-key' | 'no-token' | 'key-locked' | 'signer-failed'>,
  { service }: FailureContext,
): FailureWords {
  switch (failure.kind) {
    case 'no-key':
      return {
        title: 'There is no key, so nothing is asked',
        meaning: `Every request has to be signed, and this browser holds no key for ${service}.`,
        next: 'Make a key or bring yours in the settings.',
      }
    case 'no-token':
      return {
        title: 'A token is needed, so nothing is asked',
        meaning: `${service} takes a fixed token instead of signatures, and this browser holds none for it.`,
        next: 'Type the token in the settings, under the signing profile of this service.',
      }
    case 'key-locked':
      return {
        title: 'The key is locked, so nothing is asked',
        meaning: 'What was seen so far stays on screen and gets older.',
        next: 'Unlock it to go on; nothing is lost meanwhile.',
      }
    case 'signer-failed':
      if (failure.reason === 'chain-key')
        return {
          title: 'This key does not sign for this signing profile',
          meaning: SIGNER_WORDS[failure.reason],
          next: 'Make a key here that may only read status, or let the profile begin with a fixed text.',
        }
      return {
        title: 'Requests can’t be signed',
        meaning: `The part of this page that holds the key failed. ${SIGNER_WORDS[failure.reason]}`,
        next: 'Reload this page; the key is kept where it was. If it stays so, close other tabs of this dashboard first.',
      }
    default:
      return unreachable(failure)
  }
}
