import type { Clue, Diagnosis, LikelyCause } from '#fleet/diagnosis.ts'
import type { FailureContext } from './failure-words.ts'
import { pollingComputer } from './en-clock.ts'
import { clueWords } from './en-clues.ts'

type Words = {
  /** Replaces the failure's title if the cause is known better. */
  readonly title?: string
  readonly cause: string
  readonly next: string
  /** The remedy is a setting shared by all nodes of the service. */
  readonly isShared?: true
  /** The remedy is CORS headers on the service. */
  readonly needsCors?: true
}

type Named = Pick<FailureContext, 'service' | 'baseUrl' | 'pageOrigin' | 'isAway'>

const LIKELY: Readonly<Record<LikelyCause, (named: Named) => Words>> = {
  clock: (named) => ({
    cause: `${named.service} rejects the time in the signature: its clock and that of ${pollingComputer(named)} differ too much.`,
    next: `Synchronize the clock of ${pollingComputer(named)} (NTP), or the service’s if that one is wrong.`,
  }),
  'key-not-registered': ({ service }) => ({
    cause: `${service} does not know this public key.`,
    next: `Register the public key with ${service}.`,
  }),
  encoding: ({ service }) => ({
    cause: `${service} can’t read the credentials: it expects a different encoding or different headers.`,
    next: 'Compare the signing profile in the settings with what the service expects: encoding, header names, time format.',
  }),
  message: ({ service }) => ({
    cause: `${service} reads the signature, but expects a different message, address or key.`,
    next: 'Compare the signing profile and the base URL in the settings with what the service expects.',
    isShared: true,
  }),
  'header-stripped': ({ service }) => ({
    cause: `The signature does not reach ${service}: a proxy probably drops its header.`,
    next: 'Configure the proxy in front of the service to forward the headers of the signing profile.',
  }),
  repeated: ({ service }) => ({
    cause: `${service} received this request more than once: its nonce was used before. The key and the signature are not at fault.`,
    next: `Ask the operator of ${service} whether a proxy or load balancer repeats requests, and how its servers share used nonces.`,
  }),
  'in-front': ({ service }) => ({
    cause: `A firewall or a sign-in page in front of ${service} rejects the request.`,
    next: `Ask the operator of ${service} to let signed requests from this dashboard through.`,
  }),
  preflight: ({ service }) => ({
    title: `${service} does not allow signed requests from this page (CORS)`,
    cause:
      'The preflight request (OPTIONS) is rejected or not answered, often because of a sign-in page in front of the service.',
    next: `Configure ${service} to answer OPTIONS without a signature, with 204 and the headers below; or connect through the dashboard server, which needs no CORS headers.`,
    needsCors: true,
  }),
  cors: ({ service, pageOrigin }) => ({
    title: `${service} answers, but does not allow this page to read it (CORS)`,
    cause: `Answers from ${service} do not allow ${pageOrigin}. A proxy’s error page or a rate limit looks the same.`,
    next: `Configure ${service} to send the headers below, on errors too; or connect through the dashboard server, which needs no CORS headers.`,
    needsCors: true,
  }),
  'was-readable': ({ service }) => ({
    cause: `This page could read answers from ${service} before. Now the service drops connections, its CORS headers changed, or a proxy or gateway in front of it answers with an error page that this page may not read.`,
    next: `Check the service and any proxy in front of it. Open the address in a tab: if it shows a status record, configure ${service} to send the headers below.`,
    needsCors: true,
  }),
  'cors-signed': ({ service }) => ({
    cause: `${service} answers unsigned requests, so network and certificate are fine. Its answers to signed requests can’t be read: they lack CORS headers, or the service was down when the signed request was sent.`,
    next: `Configure ${service} to send the headers below on every answer, including errors.`,
    needsCors: true,
  }),
  'local-network': ({ baseUrl, pageOrigin }) => ({
    title: 'Local network access blocked by the browser',
    cause: `${baseUrl} is on the local network or on this computer, and this page has no permission for it.`,
    next: pageOrigin.startsWith('https:')
      ? 'Allow “Local network access” in the browser’s site settings, or connect through the dashboard server.'
      : 'Pages loaded over plain http can’t get that permission: open the dashboard over https, or connect through the dashboard server.',
  }),
  'nothing-answers': ({ baseUrl }) => ({
    cause:
      'Nothing answers: the service is down, its host name is not found, its certificate is not trusted, or a browser extension blocks the request.',
    next: `Open ${baseUrl} in a tab: the browser’s error page names the cause.`,
  }),
  'own-server': (named) => ({
    title: 'The dashboard server does not answer',
    cause: 'The dashboard server does not answer at all, so the state of the service is unknown.',
    next: `Check that the dashboard server is running and that ${pollingComputer(named)} can reach it.`,
  }),
  'too-slow': () => ({
    cause: 'No answer in time: the service is overloaded, or a firewall drops packets.',
    next: 'If it is always this slow, set a longer timeout in the settings.',
    isShared: true,
  }),
  redirect: () => ({
    cause: 'The answers are redirects: the service moved, or a sign-in page is in front of it.',
    next: 'Set the base URL to the new address.',
    isShared: true,
  }),
  'captive-portal': ({ baseUrl }) => ({
    cause: 'A captive portal (this network’s sign-in page) answers instead of the service.',
    next: `Open ${baseUrl} in a tab and sign in to the network. If the service supports https, use an https base URL.`,
  }),
  'sign-in-page': ({ service }) => ({
    cause: `A web page arrives instead of the service’s answer: it comes from a sign-in page in front of ${service}, or from another program at this address.`,
    next: 'Check the base URL, and let status requests through without sign-in.',
    isShared: true,
  }),
}

export const evidenceLabel = 'Evidence'

export const mixedEvidence = (pageOrigin: string, baseUrl: string): DiagnosisEvidence => ({
  label: evidenceLabel,
  items: [
    `This page: ${schemeOf(pageOrigin)}, ${pageOrigin}.`,
    `The service: ${schemeOf(baseUrl)}, ${baseUrl}.`,
    'No request was made: a page loaded over https may connect over plain http only to this computer.',
  ],
})

type DiagnosisEvidence = { readonly label: string; readonly items: readonly string[] }

const schemeOf = (url: string): string => (url.startsWith('https:') ? 'https' : 'plain http')

export function diagnosisWords({ likely, clues }: Diagnosis, context: Named) {
  const [first, ...others] = likely
  const words = LIKELY[first](context)
  const isDecided = others.length === 0
  const meaning = isDecided
    ? words.cause
    : `Possible causes, most likely first: ${likely
        .map((one, index) => `(${index + 1}) ${LIKELY[one](context).cause}`)
        .join(' ')}`
  return {
    ...(isDecided && words.title !== undefined && { title: words.title }),
    meaning,
    next: words.next,
    isShared: words.isShared === true,
    needsCors: likely.some((one) => LIKELY[one](context).needsCors === true),
    evidence: clues.flatMap((clue: Clue) => clueWords(clue)),
  }
}
