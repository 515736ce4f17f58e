import { unreachable } from '#base/never.ts'
import type { TestStepName } from '#monitor/connection-test.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import type { Credential } from '#signing/profile-needs.ts'
import { mixedEvidence } from './en-diagnosis.ts'
import { refusalWords } from './en-connection-test-refusals.ts'
import { corsLines } from './en-unreachable.ts'
import { formatBytes, formatSpan } from './format.ts'

/** What the words about a failed step may name. */
export type TestedService = {
  readonly baseUrl: string
  readonly via: 'proxy' | 'direct'
  /** Origin of this page, as a service has to allow it. */
  readonly pageOrigin: string
  /** Names of the request headers that a direct request carries. */
  readonly headerNames: readonly string[]
  /** What requests are let in by; absent: a key. */
  readonly credential?: Credential
}

/** A step in words; `lines` are to be copied exactly. */
export type StepWords = {
  readonly title: string
  readonly note?: string
  readonly took?: string
  /** The service's own words. */
  readonly answer?: string
  readonly lines?: { readonly label: string; readonly text: string }
  /** What was seen and speaks for it, a sentence each. */
  readonly evidence?: { readonly label: string; readonly items: readonly string[] }
}

export type Failure<K extends PollFailure['kind']> = Extract<PollFailure, { readonly kind: K }>

/** What was being tried, for the failures that may come at any step. */
const TRIED: Readonly<Record<TestStepName, string>> = {
  reached: 'reaching the service',
  readable: 'reading the answer',
  clocks: 'comparing clocks',
  key: 'taking the key',
  signature: 'the signed request',
  nodes: 'asking for the nodes',
  record: 'reading the record',
}

/** A failed step: what happened, why that usually is, what to do next. */
export function stepFailureWords(
  step: TestStepName,
  failure: PollFailure,
  context: TestedService,
): StepWords {
  const { title, note, lines, evidence } = wordsOf(step, failure, context)
  const answer = 'answer' in failure ? failure.answer : undefined
  return {
    title,
    note: `${note} (${failureCode(failure)})`,
    ...(answer !== undefined && { answer }),
    ...(lines && { lines }),
    ...(evidence && { evidence }),
  }
}

export type Words = { readonly title: string; readonly note: string } & Pick<StepWords, 'lines' | 'evidence'>

function wordsOf(step: TestStepName, failure: PollFailure, context: TestedService): Words {
  switch (failure.kind) {
    case 'unreachable':
      return unreachableWords(failure, context)
    case 'timeout':
    case 'cut-off':
    case 'mixed-content':
    case 'offline':
      return networkWords(step, failure, context)
    case 'unauthorized':
    case 'forbidden':
    case 'node-unknown':
    case 'node-id-invalid':
      return refusalWords(failure, context)
    case 'rate-limited':
    case 'server-error':
    case 'unexpected-status':
    case 'redirected':
      return statusWords(failure)
    case 'not-json':
    case 'too-large':
    case 'not-a-record':
    case 'wrong-node':
      return answerWords(failure)
    case 'no-key':
    case 'no-token':
    case 'key-locked':
    case 'signer-failed':
      return keyWords(failure)
    default:
      return unreachable(failure)
  }
}

function unreachableWords({ hop, detail }: Failure<'unreachable'>, context: TestedService): Words {
  if (hop === 'proxy')
    return {
      title: 'This dashboard’s own server does not answer',
      note: 'Whether the service is up is not known. Start the dashboard again where it was started.',
    }
  switch (detail) {
    case 'refused':
      return {
        title: 'Connection refused',
        note: 'The computer is there, but nothing listens at that port. Start the service, or correct the port.',
      }
    case 'dns':
      return {
        title: 'Host name not known',
        note: 'The name leads to no computer, as seen from this dashboard’s server. Check its spelling.',
      }
    case 'tls':
      return {
        title: 'Certificate not trusted',
        note: 'It is expired, made for another name, or signed by someone unknown. Renew it, or start the dashboard with NODE_EXTRA_CA_CERTS naming its issuer’s file.',
      }
    case 'reset':
      return {
        title: 'Connection dropped',
        note: 'The service was reached and then ended the connection. Is it https where you typed http, or the other way round?',
      }
    case 'not-allowed':
      return {
        title: 'This dashboard’s server may not ask this service',
        note: 'It asks only services that it was told about. Press Test again to tell it, or add the service to its configuration file.',
      }
    case undefined:
      return context.via === 'direct' ? unknownToBrowser(context) : noAnswer
    default:
      return unreachable(detail)
  }
}

const noAnswer: Words = {
  title: 'No answer',
  note: 'The service could not be reached, and nobody said why. Check that it runs and that the network leads there.',
}

const unknownToBrowser = (context: TestedService): Words => ({
  title: 'No answer that this page may read',
  note: `The browser does not tell pages why: the service is down, it does not allow this page (CORS), or its certificate is not trusted. Open ${context.baseUrl} in a tab: if anything answers there, the service has to send the headers below. Asking through this dashboard’s server needs none of them.`,
  lines: { ...corsLines(context), label: 'Headers that the service has to send' },
})

function networkWords(
  step: TestStepName,
  failure: Failure<'timeout' | 'cut-off' | 'mixed-content' | 'offline'>,
  { baseUrl, pageOrigin }: TestedService,
): Words {
  switch (failure.kind) {
    case 'timeout':
      return {
        title: `No answer within ${formatSpan(failure.afterMs)}`,
        note:
          failure.hop === 'proxy'
            ? `This dashboard’s own server did not answer while ${TRIED[step]}. Look at the terminal in which it runs.`
            : `It took too long while ${TRIED[step]}. A firewall that drops requests does this, and so does an overloaded service; settings can allow more time.`,
      }
    case 'cut-off':
      return {
        title: 'Answer broke off',
        note: `The headers came, the rest did not, while ${TRIED[step]}. A proxy or a restarting service does this; test again.`,
      }
    case 'mixed-content':
      return {
        title: 'The browser blocks this address',
        note: `This page came over https, so it may not ask ${baseUrl}. Ask through this dashboard’s server, or put the service behind TLS.`,
        evidence: mixedEvidence(pageOrigin, baseUrl),
      }
    case 'offline':
      return {
        title: 'This computer is offline',
        note: 'Nothing can be asked. Test again when the network is back.',
      }
    default:
      return unreachable(failure)
  }
}

function statusWords(
  failure: Failure<'rate-limited' | 'server-error' | 'unexpected-status' | 'redirected'>,
): Words {
  switch (failure.kind) {
    case 'rate-limited':
      return {
        title: 'Asked to go slower: 429',
        note:
          failure.retryAfterMs === undefined
            ? 'The service named no time. Wait a minute, then test again.'
            : `The service named ${formatSpan(failure.retryAfterMs)}. Test again after that.`,
      }
    case 'server-error':
      return {
        title: `The service answers with an error: ${failure.status}`,
        note: 'It is reached but can’t answer now. Nothing is wrong with your answers here; look at the service.',
      }
    case 'unexpected-status':
      return {
        title: `Unexpected answer: ${failure.status}`,
        note: 'The interface does not describe it. Check the base URL, and what stands in front of the service.',
      }
    case 'redirected':
      return {
        title: 'Sent to another address',
        note: 'Redirects are not followed, since the signature is for this address alone. Give the address where the service really is; a sign-in page also redirects.',
      }
    default:
      return unreachable(failure)
  }
}

const BODY: Readonly<Record<Failure<'not-json'>['problem'], string>> = {
  empty: 'The body is empty.',
  'web-page': 'The body is a web page: a sign-in page, or another program at this address.',
  'not-json': 'The body is not JSON.',
  'not-an-object': 'The body is JSON, but not an object.',
}

function answerWords(failure: Failure<'not-json' | 'too-large' | 'not-a-record' | 'wrong-node'>): Words {
  switch (failure.kind) {
    case 'not-json':
      return {
        title: 'The answer is not a status record',
        note: `${BODY[failure.problem]} Check the base URL.`,
      }
    case 'too-large':
      return {
        title: `The answer is larger than ${formatBytes(failure.limitBytes)}`,
        note: 'A record has a few hundred bytes, so something else answers at this address. Check the base URL.',
      }
    case 'not-a-record':
      return {
        title: 'None of the seven fields is there',
        note: 'The answer is JSON but no status record. Check the base URL: it may be another service.',
      }
    case 'wrong-node':
      return {
        title: 'The answer is about another node',
        note: 'A cache or proxy that ignores the query may mix up answers. Its values would not be used.',
      }
    default:
      return unreachable(failure)
  }
}

const SIGNER: Readonly<Record<Failure<'signer-failed'>['reason'], string>> = {
  'chain-key':
    'This key is that of a chain wallet or validator and signs only texts with a fixed beginning, which this profile’s have not. Make a key here that may only read status, or let the profile begin with a fixed text of eight letters.',
  'not-configured': 'It was not told about this service yet. Test again.',
  'no-answer':
    'It does not answer. Reload the page; close other tabs of this dashboard if that does not help.',
  error: 'It could not sign. Reload the page and test again.',
}

function keyWords(failure: Failure<'no-key' | 'no-token' | 'key-locked' | 'signer-failed'>): Words {
  switch (failure.kind) {
    case 'no-key':
      return { title: 'No key yet', note: 'Make a key or bring yours, then test again.' }
    case 'no-token':
      return {
        title: 'No token yet',
        note: 'Save this profile, type the service’s token under it, then test again.',
      }
    case 'key-locked':
      return { title: 'The key is locked', note: 'Unlock it, then test again.' }
    case 'signer-failed':
      return { title: 'Not signed', note: SIGNER[failure.reason] }
    default:
      return unreachable(failure)
  }
}
