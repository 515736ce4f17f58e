import { DEFAULTS } from '#base/defaults.ts'
import { unreachable } from '#base/result.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { Diagnosis } from '#fleet/diagnosis.ts'
import type { AnswerWords } from '#protocol/answer-words.ts'
import type { FailureKind, PollFailure } from '#protocol/failure.ts'
import type { Credential } from '#signing/profile-needs.ts'
import { pollingComputer } from './en-clock.ts'
import { saidWords } from './en-clues.ts'
import { diagnosisWords, evidenceLabel, mixedEvidence } from './en-diagnosis.ts'
import type { FailureContext, FailureWords } from './failure-words.ts'
import { capitalized, formatBytes, formatCount, formatSpan, joined } from './format.ts'

type Of<K extends FailureKind> = Extract<PollFailure, { readonly kind: K }>

type Words = FailureWords & {
  /** Replaces `next` if the service's other nodes answer, because nothing shared is then at fault. */
  readonly nextOfSome?: string
  /** The failure concerns the dashboard's own server, not the nodes. */
  readonly isOwn?: true
}

export function failureWords(
  failure: PollFailure,
  context: FailureContext,
  diagnosis?: Diagnosis,
): FailureWords {
  const { nextOfSome, isOwn, ...words } = wordsOfAll(failure, context, diagnosis)
  return context.onlyNodes === undefined || isOwn === true ? words : wordsOfSome(words, nextOfSome, context)
}

/** If only some nodes fail, the texts name them and blame nothing that all nodes share. */
function wordsOfSome(
  words: FailureWords,
  nextOfSome: string | undefined,
  context: FailureContext,
): FailureWords {
  const { node, onlyNodes = 1, siblings } = context
  const names = [onlyOf(context), node, `${formatCount(onlyNodes)} nodes`]
  const isNamed = names.some((name) => name !== undefined && words.title.includes(name))
  const title = isNamed ? words.title : `${words.title}: ${whoOf(context)}`
  if (siblings !== 'answered') return { ...words, title }
  const isSaid = `${words.meaning} ${words.polling ?? ''}`.includes(OTHERS_ANSWERED)
  return {
    ...words,
    title,
    meaning: isSaid ? words.meaning : `${words.meaning} ${OTHERS_ANSWERED}`,
    next: nextOfSome ?? words.next,
  }
}

/** The affected nodes, if not the whole service is affected. */
export const whoOf = ({ node, service, onlyNodes = 1 }: FailureContext): string =>
  onlyNodes === 1 ? (node ?? 'one node') : `${formatCount(onlyNodes)} nodes of ${service}`

const LOOK_INTO_LOGS =
  'Check the log of the service, or of a load balancer in front of it, for these requests.'

function wordsOfAll(failure: PollFailure, context: FailureContext, diagnosis: Diagnosis | undefined): Words {
  const plain = plainWords(failure, context)
  const isRefused = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  // Probe results about a rejected request concern keys and signatures, which this service does not use.
  if (diagnosis === undefined || (isRefused && (context.credential ?? 'key') !== 'key')) return plain
  const { title, meaning, next, isShared, needsCors, evidence } = diagnosisWords(diagnosis, context)
  return {
    title: title ?? plain.title,
    meaning,
    next,
    ...(isShared && { nextOfSome: LOOK_INTO_LOGS }),
    ...(plain.isOwn && { isOwn: true }),
    ...(needsCors && { lines: corsLines(context) }),
    evidence: { label: evidenceLabel, items: evidence },
  }
}

function plainWords(failure: PollFailure, context: FailureContext): Words {
  const { service, baseUrl, pageOrigin } = context
  switch (failure.kind) {
    case 'unauthorized':
      return unauthorizedWords(context)
    case 'forbidden':
      return forbiddenWords(context)
    case 'node-unknown':
    case 'node-id-invalid':
      return nodeWords(failure, context)
    case 'rate-limited':
      return rateLimitedWords(failure)
    case 'server-error':
      return serverErrorWords(failure, context)
    case 'unexpected-status':
      return {
        title: `Unexpected HTTP status ${failure.status} from ${service}`,
        meaning: 'The service’s API does not define this status. The answer is not used.',
        next: 'Check the base URL, and any proxy in front of the service.',
        nextOfSome: LOOK_INTO_LOGS,
      }
    case 'redirected':
      return {
        title: `${service} answers with a redirect`,
        meaning: 'Redirects are not followed: the signature is valid for this address only.',
        next: 'Set the base URL to the new address. A sign-in page in front of the service also redirects.',
        nextOfSome: LOOK_INTO_LOGS,
      }
    case 'unreachable':
      return unreachableWords(failure, context)
    case 'timeout':
      return timeoutWords(failure, context)
    case 'cut-off':
      return cutOffWords(failure, context)
    case 'mixed-content':
      return {
        title: `Mixed content: this page may not connect to ${baseUrl}`,
        meaning:
          'The page was loaded over https, so the browser blocks plain http before any request is made.',
        next: `Connect through the dashboard server, put the service behind TLS, or open the dashboard over http instead of ${pageOrigin}.`,
        evidence: mixedEvidence(pageOrigin, baseUrl),
      }
    case 'offline':
    case 'signed-out':
      return SCREEN[failure.kind]
    case 'repeated':
      return {
        title: `A cache answers instead of ${service}`,
        meaning:
          'The answer repeats or predates an earlier one, so it does not count as a new reading. The last values stay, with their true age.',
        next: 'Disable caching of node status in front of the service.',
      }
    case 'not-json':
    case 'too-large':
    case 'not-a-record':
    case 'wrong-node':
      return answerWords(failure, context)
    case 'no-key':
    case 'no-token':
    case 'key-locked':
      return NO_KEY[failure.kind](service)
    case 'signer-failed':
      return SIGNER_FAILED[failure.reason](service)
    default:
      return unreachable(failure)
  }
}

const SCREEN: Readonly<Record<'offline' | 'signed-out', FailureWords>> = {
  offline: {
    title: 'This computer is offline',
    meaning: 'The service can’t be reached.',
    polling: 'Polling resumes automatically.',
    next: 'Check this computer’s network.',
  },
  'signed-out': {
    title: 'Signed out of this dashboard',
    meaning:
      'The dashboard server answers signed-in users only. The values shown are old; the key stays in this browser.',
    polling: 'Polling resumes automatically.',
    next: 'Sign in; the sign-in page opens in a new tab.',
  },
}

const RETRIES = 'Polls are retried automatically.'
const SLOWED = `After ${DEFAULTS.refusalsBeforeSlow} rejections, the dashboard polls one node at a time, less and less often, but at least every ${formatSpan(DEFAULTS.slowAfterRefusalMs)}`

/** Other nodes are answered with the same credentials, so these are valid. */
function refusedForSome(title: string, context: FailureContext, only: string): Words {
  const { service, credential = 'key', onlyNodes = 1 } = context
  const nodes = onlyNodes === 1 ? only : `these ${formatCount(onlyNodes)} nodes`
  const what = {
    key: 'the key',
    server: 'the server’s key',
    token: 'the token',
    none: 'requests without credentials',
  }[credential]
  return {
    title: `${title} for ${whoOf(context)} only`,
    meaning: `${OTHERS_ANSWERED} So it accepts ${what}${isSigned(credential) ? ', and the clocks and the signing profile are right' : ''}.`,
    polling: RETRIES,
    next: `Ask the operator of ${service} whether ${what} may read the status of ${nodes}.`,
  }
}

/** The affected nodes, if the other nodes are known to answer. */
const onlyThese = (context: FailureContext): string | undefined =>
  context.siblings === 'answered' ? onlyOf(context) : undefined

type Refusal = (service: string) => Pick<Words, 'title' | 'meaning' | 'next'>

const UNAUTHORIZED: Readonly<Record<Credential, Refusal>> = {
  token: (service) => ({
    title: 'Token rejected (401)',
    meaning: 'The service does not accept this token.',
    next: `Get a valid token from the operator of ${service} and enter it in the settings, under the signing profile; compare the header with the one that the service expects.`,
  }),
  none: () => ({
    title: 'Authentication required (401)',
    meaning: 'The signing profile sends neither a signature nor a token.',
    next: OTHER_PROFILE,
  }),
  key: (service) => ({
    title: 'Signature rejected (401)',
    meaning:
      'The service does not know this public key or expects a different message or encoding, or the clocks disagree.',
    next: `Register the public key with ${service}. If it is registered, compare the signing profile in the settings with what the service expects.`,
  }),
  server: (service) => ({
    title: 'The server’s signature was rejected (401)',
    meaning:
      'The dashboard server signs these requests. The service does not know the server’s public key or expects a different message or encoding, or the clocks disagree.',
    next: `Register the server’s public key, which the settings show, with ${service}. If it is registered, compare the server’s clock and signing profile with what the service expects.`,
  }),
}

const isSigned = (credential: Credential): boolean => credential === 'key' || credential === 'server'

function unauthorizedWords(context: FailureContext): Words {
  const { service, credential = 'key' } = context
  const only = onlyThese(context)
  if (only !== undefined) return refusedForSome('Rejected (401)', context, only)
  const polling = isSigned(credential) ? `${SLOWED}, to avoid a lockout.` : `${SLOWED}.`
  return { ...UNAUTHORIZED[credential](service), polling }
}

const OTHER_PROFILE = 'Choose another signing profile in the settings.'

function forbiddenWords(context: FailureContext): Words {
  const { service, credential = 'key' } = context
  const only = onlyThese(context)
  if (only !== undefined) return refusedForSome('Not permitted (403)', context, only)
  const what = { key: 'public key', server: 'server’s public key', token: 'token', none: undefined }[
    credential
  ]
  return {
    title: 'Not permitted (403)',
    meaning:
      what === undefined
        ? 'The service requires a permission, and the signing profile sends neither a signature nor a token.'
        : `The service accepts the ${what} but does not let it read node status.`,
    polling: `${SLOWED}.`,
    next:
      what === undefined
        ? OTHER_PROFILE
        : `Ask the operator of ${service} to let this ${what} read node status.`,
  }
}

function nodeWords(
  { kind, page }: Of<'node-unknown' | 'node-id-invalid'>,
  { node, service, baseUrl, siblings, credential, isDefaultNode }: FailureContext,
): Words {
  if (page !== undefined)
    return {
      title: `Web page instead of an answer from ${service} (${kind === 'node-unknown' ? 404 : 400})`,
      meaning: ofPage(page),
      polling: RETRIES,
      next: `Check that the service is running and that ${baseUrl} is its base URL.`,
      nextOfSome: LOOK_INTO_LOGS,
    }
  if (siblings === 'same')
    return {
      title:
        kind === 'node-unknown'
          ? `${service} knows none of these nodes (404)`
          : `${service} rejects every node id (400)`,
      meaning: 'The service gives this answer for every node, so a single id is not the cause.',
      next: `Check the base URL ${baseUrl}: it may point to another network, or have the wrong path.${credential === 'none' ? '' : ' The credentials may also have no access to any node there.'}`,
    }
  if (isDefaultNode)
    return {
      title:
        kind === 'node-unknown'
          ? `${service} finds no node for this key (404)`
          : `${service} expects a node id (400)`,
      meaning: 'This node has no id in the settings, so the request names none.',
      next: 'Set the id of this node in the settings.',
    }
  const [ids, owned] = node === undefined ? ['these ids', 'nodes’'] : ['this id', 'node’s']
  const others = siblings === 'answered' ? { polling: OTHERS_ANSWERED } : {}
  return kind === 'node-unknown'
    ? {
        title: node === undefined ? 'Nodes not found (404)' : `Node ${node} not found (404)`,
        meaning: `The service does not know ${ids}.`,
        ...others,
        next: `Compare ${ids} with the ${owned} own configuration.`,
      }
    : {
        title: node === undefined ? 'Node ids rejected (400)' : `Id of ${node} rejected (400)`,
        meaning: 'Ids are sent exactly as entered.',
        ...others,
        next: `Check ${ids} in the settings: the service may expect lower-case hex or a different length.`,
      }
}

const rateLimitedWords = ({ retryAfterMs }: Of<'rate-limited'>): FailureWords => ({
  title: 'Rate limited (429)',
  ...waitWords(retryAfterMs),
  next: 'If this repeats, set a longer poll interval in the settings.',
})

function waitWords(askedMs: number | undefined): Pick<FailureWords, 'meaning' | 'polling'> {
  if (askedMs === undefined)
    return {
      meaning: 'The service did not say how long to wait.',
      polling: 'Polling slows down and recovers automatically.',
    }
  if (askedMs === 0)
    return {
      meaning: 'The service does not ask this dashboard to wait.',
      polling: 'Polling continues at its interval.',
    }
  return {
    meaning:
      askedMs < DEFAULTS.retryAfterMaxMs
        ? `The service asks this dashboard to wait ${formatSpan(askedMs)}.`
        : `The service asks this dashboard to wait ${formatSpan(askedMs)} or more; the next poll is after ${formatSpan(DEFAULTS.retryAfterMaxMs)}.`,
    polling: 'Polling then resumes automatically.',
  }
}

/** The affected nodes, if not the whole service is affected. */
function onlyOf({ node, onlyNodes }: FailureContext): string | undefined {
  if (onlyNodes === undefined) return undefined
  return onlyNodes === 1 ? (node ?? 'one node') : `${formatCount(onlyNodes)} of its nodes`
}

const OTHERS_ANSWERED = 'The service answers requests for its other nodes.'

function answersOf(context: FailureContext): string {
  const only = onlyOf(context)
  return only === undefined
    ? `Answers from ${context.service}`
    : `Answers from ${context.service} about ${only}`
}

/** The meaning for some nodes of an otherwise healthy service, or for the whole service. */
const meaningFor = (context: FailureContext, ofAll: string): string =>
  onlyOf(context) === undefined
    ? ofAll
    : context.siblings === 'answered'
      ? OTHERS_ANSWERED
      : `The state of ${context.onlyNodes === 1 ? 'this node' : 'these nodes'} is unknown.`

const ALL_BREAK_OFF = 'The headers arrive, but the rest does not. The answer is not used.'

function cutOffWords({ hop, encoding }: Of<'cut-off'>, context: FailureContext): Words {
  if (hop === 'proxy')
    return {
      isOwn: true,
      title: 'Answers from the dashboard server are incomplete',
      meaning: 'The state of the service is unknown.',
      polling: RETRIES,
      next: 'Check the log of the dashboard server, and any proxy in front of it.',
    }
  if (encoding !== undefined)
    return {
      title: `${answersOf(context)} can’t be decompressed`,
      meaning: `They are marked as compressed (Content-Encoding: ${toVisibleText(encoding)}), but the body is not compressed, or is incomplete.`,
      polling: RETRIES,
      next: 'Tell the service operator. The usual cause is a proxy in front of the service that recompresses answers.',
    }
  return {
    title: `${answersOf(context)} are incomplete`,
    meaning: onlyOf(context) === undefined ? ALL_BREAK_OFF : `${ALL_BREAK_OFF} ${meaningFor(context, '')}`,
    polling: RETRIES,
    next:
      context.misses !== undefined && context.misses >= LASTING_MISSES
        ? 'Check any proxy in front of the service, and its compression. This has lasted too long to be a restart.'
        : 'Usual causes: a proxy, or a restart of the service.',
  }
}

/** After this many failed polls, a restart is no longer likely. */
const LASTING_MISSES = 3

/** RFC 6585. Captive networks answer with this status before sign-in; services do not. */
const NETWORK_SIGN_IN = 511

function serverErrorWords({ status, page }: Of<'server-error'>, context: FailureContext): Words {
  const { service, baseUrl, via } = context
  const only = onlyOf(context)
  if (status === NETWORK_SIGN_IN)
    return {
      title: `The network requires a sign-in before it connects to ${service} (511)`,
      meaning: 'A captive portal answers instead of the service.',
      polling: RETRIES,
      next:
        via === 'proxy'
          ? 'Sign in to the network of the dashboard server.'
          : `Open ${baseUrl} in a tab and sign in to the network.`,
    }
  return {
    title:
      only === undefined
        ? `${service} answers with HTTP ${status}`
        : `${service} answers with HTTP ${status} for ${only}`,
    meaning: joined(' ', [
      page !== undefined && ofPage(page),
      meaningFor(context, 'The state of its nodes is unknown.'),
    ]),
    polling: RETRIES,
    next: 'The fault is in the service or in a proxy in front of it. If this persists, tell the service operator.',
  }
}

function timeoutWords({ hop, afterMs }: Of<'timeout'>, context: FailureContext): Words {
  if (hop === 'proxy')
    return {
      isOwn: true,
      title: `The dashboard server did not answer within ${formatSpan(afterMs)}`,
      meaning: 'The state of the service is unknown.',
      next: 'Check the log of the dashboard server; restart it if it hangs.',
    }
  return {
    title: `${answersOf(context)} take longer than ${formatSpan(afterMs)}`,
    meaning: meaningFor(
      context,
      'The service may be overloaded or far away, or a firewall may drop requests.',
    ),
    polling: 'Polls are retried automatically, less often.',
    next: 'If it is always this slow, set a longer timeout in the settings.',
    nextOfSome: LOOK_INTO_LOGS,
  }
}

const NOT_SIGNED: Words = {
  isOwn: true,
  title: 'The dashboard server could not sign the request',
  meaning:
    'Its configuration tells it to sign for this service, but the profile or the key does not allow that. No request was sent to the service.',
  polling: RETRIES,
  next: 'Check the key and the signing profile in the server’s configuration.',
}

const LIMITED: Words = {
  isOwn: true,
  title: 'The dashboard server rate-limits this browser',
  meaning:
    'This browser sends more requests than the server accepts from one client. No request was sent to the service.',
  polling: RETRIES,
  next: 'Start the server with a higher --rate-limit, watch fewer nodes here, or set a longer poll interval.',
}

const noTunnel = (context: FailureContext): Words => ({
  isOwn: true,
  title: `${context.service} can’t be reached through the proxy in HTTPS_PROXY or HTTP_PROXY`,
  meaning: `${capitalized(connectingProgram(context))} sends requests through that proxy. The proxy can’t be reached, refuses the request, or can’t reach the service. The state of the service is unknown.`,
  polling: RETRIES,
  next: `Check that the proxy is running and that its address is right. Ask its administrator whether it requires a login or blocks ${context.baseUrl}. If no proxy is needed, add the host to NO_PROXY and restart ${connectingProgram(context)}.`,
})

const notCollected = (service: string): Words => ({
  title: `No collector reports ${service}`,
  meaning:
    'The collector that supplies the values gets no answer itself, has stopped, or is no longer scraped.',
  polling: RETRIES,
  next: 'Check the collector and the Prometheus that scrapes it; immune_node_failure shows why the collector gets no answer.',
})

const queryFailed = (service: string): Words => ({
  title: `The query API for ${service} does not answer`,
  meaning: 'The dashboard server reads the service’s values there. The state of the service is unknown.',
  polling: RETRIES,
  next: 'Check the query API that the configuration names under queryApis: its address, credentials and load.',
})

const badStatus = (service: string): Words => ({
  title: `${service} answers with an invalid HTTP status`,
  meaning: 'The status is outside 200 to 599, or “100 Continue” came before it. The answer is not used.',
  next: 'Check the base URL, and any proxy in front of the service.',
  nextOfSome: LOOK_INTO_LOGS,
})

/** No answer at all. Browsers hide the reason; the dashboard's own server reports it. */
function unreachableWords({ hop, detail, front }: Of<'unreachable'>, context: FailureContext): Words {
  const { service } = context
  const only = onlyThese(context)
  if (detail === 'not-collected') return notCollected(only === undefined ? service : whoOf(context))
  if (detail === 'query-failed') return queryFailed(service)
  if (detail === 'bad-status') return badStatus(service)
  if (detail === 'limited') return LIMITED
  if (detail === 'no-tunnel') return noTunnel(context)
  if (detail === 'not-signed') return NOT_SIGNED
  // The dashboard server refuses these for a whole service.
  if (detail === 'not-allowed' || detail === 'blocked') return CONNECTION[detail](context)
  if (only !== undefined && hop !== 'proxy') return unreachableForSome(only, detail, context)
  if (front !== undefined) return frontWords(front)
  if (hop === 'proxy')
    return {
      isOwn: true,
      title: 'The dashboard server does not answer',
      meaning: 'The state of the service is unknown.',
      polling: 'Polling resumes automatically.',
      next: `Check that the dashboard server is running and that ${pollingComputer(context)} can reach it.`,
    }
  if (detail !== undefined) return CONNECTION[detail](context)
  return context.via === 'direct' ? hiddenWords(context) : noAnswer(context)
}

type ConnectionDetail = Exclude<
  NonNullable<Of<'unreachable'>['detail']>,
  'not-collected' | 'query-failed' | 'bad-status' | 'limited' | 'no-tunnel' | 'not-signed'
>

/** The party that connects to the service. A page only learns that no answer came. */
const connecting = (context: FailureContext): string =>
  context.via === 'proxy' ? 'the dashboard server' : pollingComputer(context)

/** The program that connects to the service, if it is not a browser. */
function connectingProgram({ via, isAway }: FailureContext): string {
  if (via === 'proxy') return 'the dashboard server'
  return isAway === true ? 'the watch' : 'this command'
}

const CONNECTION: Readonly<Record<ConnectionDetail, (context: FailureContext) => Words>> = {
  refused: ({ service, baseUrl }) => ({
    title: `${service} refuses connections`,
    meaning: 'The host is up, but nothing listens on that port.',
    next: `Start the service, or correct the port in ${baseUrl}.`,
  }),
  'no-route': (context) => ({
    title: `No network route to ${context.service}`,
    meaning: `${capitalized(connecting(context))} has no route to the service’s address, or nothing there accepts a connection in time.`,
    polling: RETRIES,
    next: `Check the network of ${connecting(context)}, including any VPN, and the address in ${context.baseUrl}.`,
  }),
  dns: (context) => ({
    title: `Host name of ${context.service} can’t be resolved`,
    meaning: `${capitalized(connecting(context))} can’t resolve it: there is no such name, or the DNS server does not answer.`,
    next: `Check the spelling of ${context.baseUrl}, and DNS.`,
  }),
  tls: (context) => ({
    title: `Certificate of ${context.service} not trusted`,
    meaning: `It has expired, is for another name, or comes from an issuer that ${connecting(context)} does not trust. The request was not sent.`,
    next: `Renew the certificate, or start ${connectingProgram(context)} with NODE_EXTRA_CA_CERTS set to the issuer’s certificate file.`,
  }),
  'tls-handshake': ({ service, baseUrl }) => ({
    title: `No TLS connection to ${service}`,
    meaning:
      'Something answers on that port, but the TLS handshake fails: it speaks plain http, requires a client certificate, or uses a different TLS version.',
    polling: RETRIES,
    next: `Check the scheme (http or https) and the port in ${baseUrl}, and which certificates and TLS versions the service requires.`,
  }),
  'not-http': ({ service, baseUrl }) => ({
    title: `${service} does not answer with valid HTTP`,
    meaning:
      'It answers with a different protocol, or with headers that HTTP does not allow, such as a control character, a bare line feed, a folded header line or two Content-Length headers.',
    polling: RETRIES,
    next: `Check the scheme (http or https) and the port in ${baseUrl}; if they are right, tell the service operator.`,
  }),
  reset: ({ service }) => ({
    title: `${service} drops the connection`,
    meaning: 'The service was reached, but closed the connection without an answer. It may be restarting.',
    polling: RETRIES,
    next: 'Check the scheme (http or https) in the base URL, and any proxy in between.',
  }),
  'not-allowed': ({ service, baseUrl }) => ({
    isOwn: true,
    title: `${service} not allowed by the dashboard server`,
    meaning: `The dashboard server connects only to services on its list, and ${baseUrl} is not on it.`,
    next: 'Save the service again in the settings, or add it to the server configuration.',
  }),
  blocked: ({ service, baseUrl }) => ({
    isOwn: true,
    title: `The dashboard server does not connect to the address of ${service}`,
    meaning: `${baseUrl} resolves to a private, loopback or link-local address, or to one in the server’s own network.`,
    next: 'Add the service to the server configuration.',
  }),
}

/** A proxy between this page and the dashboard's server, which marks all of its own answers. */
const frontWords = (front: AnswerWords): Words => ({
  isOwn: true,
  title: 'Something in front of the dashboard server answers in its place',
  meaning: `It answered with ${saidWords(front)}. The state of the service is unknown.`,
  polling: RETRIES,
  next:
    front.challenge === undefined
      ? 'Check the dashboard server and the proxy in front of it.'
      : 'Sign in there. If that sign-in uses the Authorization header, which carries the signature, configure it to use a cookie instead.',
})

/** Explains a web page that arrived in place of the service's answer. */
export const ofPage = (page: string): string =>
  `A web page${page === '' ? '' : ` titled “${page}”`} arrived instead: it comes from a proxy or web server, not from the service itself.`

/** Other nodes answer at the same URL, through the same browser and with the same headers. */
function unreachableForSome(
  only: string,
  detail: Of<'unreachable'>['detail'],
  { service, via }: FailureContext,
): Words {
  const hidden = 'An error page without CORS headers looks the same to a browser.'
  const words = {
    polling: RETRIES,
    next: LOOK_INTO_LOGS,
  }
  // The service was reached, so more than the missing answer is known.
  if (detail === 'not-http')
    return {
      title: `${service} does not answer with valid HTTP for ${only}`,
      meaning: OTHERS_ANSWERED,
      ...words,
    }
  if (detail === 'reset')
    return {
      title: `${service} drops the connection for ${only}`,
      meaning: `The service was reached, but closed the connection without an answer. ${OTHERS_ANSWERED}`,
      ...words,
    }
  return {
    title: `No answer from ${service} about ${only}`,
    meaning: via === 'direct' && detail === undefined ? `${OTHERS_ANSWERED} ${hidden}` : OTHERS_ANSWERED,
    ...words,
  }
}

const noAnswer = ({ service }: FailureContext): Words => ({
  title: `No answer from ${service}`,
  meaning: 'It could not be reached; the cause is unknown.',
  polling: RETRIES,
  next: 'Check that the service is running and reachable over the network.',
})

const hiddenWords = (context: FailureContext): Words => ({
  title: `No answer from ${context.service}`,
  meaning:
    'The browser does not tell pages why. Possible causes: the service is down, it does not allow this page (CORS), or its certificate is not trusted.',
  next: `Open ${context.baseUrl} in a tab. If it answers there, it must send the headers below; requests through the dashboard server need none of them.`,
  lines: corsLines(context),
})

const corsLines = ({ pageOrigin, headerNames }: FailureContext) => ({
  label: 'Headers that the service must send',
  text: corsHeaders(pageOrigin, headerNames),
})

/** The headers with which a service permits a page's requests with these headers, one per line. */
export const corsHeaders = (pageOrigin: string, headerNames: readonly string[]): string =>
  [
    `Access-Control-Allow-Origin: ${pageOrigin}`,
    'Access-Control-Allow-Methods: GET',
    `Access-Control-Allow-Headers: ${headerNames.join(', ')}`,
    'Access-Control-Expose-Headers: Date, Retry-After, Age, WWW-Authenticate',
    'Access-Control-Max-Age: 7200',
  ].join('\n')

const BODY: Readonly<Record<Of<'not-json'>['problem'], string>> = {
  empty: 'The body is empty.',
  'web-page':
    'The body is a web page: it comes from a sign-in page, or from another program at this address.',
  'not-json': 'The body is not JSON.',
  'not-an-object': 'The body is JSON, but not an object.',
}

function answerWords(
  failure: Of<'not-json' | 'too-large' | 'not-a-record' | 'wrong-node'>,
  { service }: FailureContext,
): Words {
  const look = {
    next: `Check the base URL of ${service}; the node’s page shows the answer.`,
    nextOfSome: 'The node’s page shows the answer; tell the service operator.',
  }
  switch (failure.kind) {
    case 'not-json':
      return { title: 'The answer is not a status record', meaning: BODY[failure.problem], ...look }
    case 'too-large':
      return {
        title: `The ${failure.part === 'headers' ? 'headers of the answer are' : 'answer is'} larger than ${formatBytes(failure.limitBytes)}`,
        meaning:
          failure.part === 'headers'
            ? 'The dashboard server stops reading at that size; the body may be fine.'
            : 'A status record is a few hundred bytes long. The answer is not used.',
        ...(failure.part === 'headers'
          ? { next: `Configure ${service}, or the proxy in front of it, to send fewer headers or cookies.` }
          : { next: `Check the base URL of ${service}.`, nextOfSome: 'Tell the service operator.' }),
      }
    case 'not-a-record':
      return {
        title: 'The answer lacks the fields of a status record',
        meaning:
          'It is JSON, but at most one of the record’s seven fields is usable. It may be an error message, or come from a different service or a changed API.',
        ...look,
      }
    case 'wrong-node':
      return {
        title: 'The answer is about another node',
        meaning: `Requested ${failure.asked}, got ${failure.answered}. The values are not used.`,
        next: 'Tell the service operator: a cache or proxy that ignores the query may mix up answers.',
      }
    default:
      return unreachable(failure)
  }
}

type Stopped = (service: string) => Words

const NO_KEY: Readonly<Record<'no-key' | 'no-token' | 'key-locked', Stopped>> = {
  'no-key': (service) => ({
    title: 'No key',
    meaning: `This browser has no key for ${service}.`,
    polling: 'Polling is stopped.',
    next: 'Generate or import one in the settings.',
  }),
  'no-token': (service) => ({
    title: 'Token needed',
    meaning: `${service} uses a token instead of signatures, and this browser has none for it.`,
    polling: 'Polling is stopped.',
    next: 'Enter the token in the settings, below the saved signing profile.',
  }),
  'key-locked': () => ({
    title: 'The key is locked',
    meaning: 'Requests can’t be signed.',
    polling: 'Polling is stopped; the data shown gets older.',
    next: 'Unlock the key.',
  }),
}

const signerBroken =
  (meaning: string): Stopped =>
  () => ({
    title: 'Requests can’t be signed',
    meaning,
    next: 'Reload this page. If that does not help, close this dashboard’s other tabs and reload again.',
  })

const SIGNER_FAILED: Readonly<Record<Of<'signer-failed'>['reason'], Stopped>> = {
  'key-not-allowed': (service) => ({
    title: 'No key was chosen for this service',
    meaning: `A key signs only for the services that it was chosen for, and no key was chosen for ${service}.`,
    next: 'Choose a key for it.',
  }),
  'profile-not-accepted': (service) => ({
    title: 'The signing profile is not allowed yet',
    meaning: `The profile of ${service} came with a file or was changed. The key does not sign with it until you allow it here.`,
    next: 'Review what it signs, then allow it.',
  }),
  'text-refused': (service) => ({
    title: 'The signer refuses the signing profile',
    meaning: `For ${service}, the signed text or a header contains the address of another service, a fixed time or a character that could hide text; or the profile uses the service’s address, but the signed text does not contain it.`,
    next: 'Change the profile.',
  }),
  'chain-key': () => ({
    title: 'This key does not sign with this signing profile',
    meaning:
      'Wallet and validator keys sign only messages that begin with eight fixed characters, so that none can be a transaction.',
    next: 'Generate a read-only key here, or begin the profile’s message with at least eight fixed characters and do not hash it.',
  }),
  'not-configured': signerBroken('The signer does not know this service.'),
  'no-answer': signerBroken('The signer does not answer.'),
  error: signerBroken('The signer failed.'),
}
