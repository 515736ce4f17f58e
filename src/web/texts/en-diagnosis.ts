import type { Clue, Diagnosis, LikelyCause } from '#fleet/diagnosis.ts'
import type { FailureContext } from './failure-words.ts'
import { clueWords } from './en-clues.ts'

type Words = {
  /** Where what happened can be told better than by the failure alone. */
  readonly title?: string
  /** The likely cause, as a whole sentence. */
  readonly cause: string
  readonly next: string
  /** The headers for other pages are what helps. */
  readonly needsCors?: true
}

type Named = Pick<FailureContext, 'service' | 'baseUrl' | 'pageOrigin'>

/** What probably is the matter, and what helps. */
const LIKELY: Readonly<Record<LikelyCause, (named: Named) => Words>> = {
  clock: ({ service }) => ({
    cause: `${service} refuses the time in the signature: its clock and this computer’s are too far apart.`,
    next: 'Set this computer’s clock by a time server (NTP), or the service’s if that one is wrong.',
  }),
  'key-not-registered': ({ service }) => ({
    cause: `${service} does not know this public key, or no longer.`,
    next: `Register the public key at ${service}.`,
  }),
  encoding: ({ service }) => ({
    cause: `${service} can’t read the credentials: it expects another encoding or other headers.`,
    next: 'Compare the signing profile in the settings with what the service expects: hex or base64, header names, the form of the time.',
  }),
  message: ({ service }) => ({
    cause: `${service} reads the signature, but it is not the one that it expects: another message, another address or another key.`,
    next: 'Compare the signing profile in the settings with what the service expects, and the base URL with the address under which it knows itself.',
  }),
  'header-stripped': ({ service }) => ({
    cause: `The signature does not reach ${service}: something on the way, a proxy most often, drops the header that carries it.`,
    next: 'Have the proxy in front of the service pass on the Authorization header and the others of the signing profile.',
  }),
  'in-front': ({ service }) => ({
    cause: `Something in front of ${service} refuses the request before the service sees it: a firewall or a sign-in.`,
    next: 'Ask whoever runs it to let signed requests from this dashboard through.',
  }),
  preflight: ({ service }) => ({
    title: `${service} does not let this page send signed requests`,
    cause:
      'Before such a request the browser asks for leave (OPTIONS, CORS), and that is refused or not answered; often because a sign-in stands in front of it.',
    next: `Have ${service} answer OPTIONS without a signature, with 204 and the headers below; or ask through this dashboard’s server, which needs none.`,
    needsCors: true,
  }),
  cors: ({ service, pageOrigin }) => ({
    title: `${service} answers, but does not let this page read it`,
    cause: `Its answers do not name ${pageOrigin} as a page that may read them (CORS). A proxy’s error page and a rate limit look the same.`,
    next: `Have ${service} send the headers below, on errors too; or ask through this dashboard’s server, which needs none.`,
    needsCors: true,
  }),
  'cors-signed': ({ service }) => ({
    cause: `${service} answers this page when nothing is signed, so the network and its certificate are good. Its answers to signed requests can’t be read: they lack the headers for other pages (CORS), or it just came back.`,
    next: `Have ${service} send the headers below on every answer, errors too.`,
    needsCors: true,
  }),
  'local-network': ({ baseUrl, pageOrigin }) => ({
    title: 'The browser keeps this page from the local network',
    cause: `${baseUrl} is an address of the local network or of this computer, and this page has no permission to ask there.`,
    next: pageOrigin.startsWith('https:')
      ? 'Allow it for this page in the browser’s site settings (“Local network access”), or ask through this dashboard’s server.'
      : 'A page by plain http is given no such permission: open the dashboard by https, or ask through its server.',
  }),
  'nothing-answers': ({ baseUrl }) => ({
    cause:
      'Nothing answers there: the service is down, its name leads nowhere, or its certificate is not trusted.',
    next: `Open ${baseUrl} in a tab: only the browser’s own error page tells which.`,
  }),
  'too-slow': () => ({
    cause:
      'Connections are taken or dropped without a word, and no answer comes in time: an overloaded service, or a firewall.',
    next: 'It is asked again by itself, less often; allow it more time in the settings if it is always this slow.',
  }),
  redirect: () => ({
    cause:
      'The address leads elsewhere, whoever asks: the service moved, or a sign-in stands in front of it.',
    next: 'Set the base URL to where the service really is.',
  }),
  'captive-portal': ({ baseUrl }) => ({
    cause: 'A sign-in page of this network (a captive portal) answers in place of the service.',
    next: `Open ${baseUrl} in a tab and sign in to the network; an https address can’t be answered by others.`,
  }),
  'sign-in-page': ({ service }) => ({
    cause: `A web page answers in place of the service: a sign-in in front of ${service}, or another program at this address.`,
    next: 'Check the base URL, and have status requests let through without signing in.',
  }),
}

export type DiagnosisWords = {
  readonly title?: string
  readonly meaning: string
  readonly next: string
  readonly needsCors: boolean
  /** What was seen, a sentence each. */
  readonly evidence: readonly string[]
}

export const evidenceLabel = 'How this is known'

/** Why a browser blocks a request before it is made: the page's scheme and that of the address. */
export const mixedEvidence = (pageOrigin: string, baseUrl: string): DiagnosisEvidence => ({
  label: evidenceLabel,
  items: [
    `This page came by ${schemeOf(pageOrigin)}: ${pageOrigin}.`,
    `The service’s address is ${schemeOf(baseUrl)}: ${baseUrl}.`,
    'No request was made: a page by https may ask plain http only of this computer itself.',
  ],
})

type DiagnosisEvidence = { readonly label: string; readonly items: readonly string[] }

const schemeOf = (url: string): string => (url.startsWith('https:') ? 'https' : 'plain http')

/** The likely cause in words, with the evidence. */
export function diagnosisWords({ likely, clues }: Diagnosis, context: Named): DiagnosisWords {
  const [first, ...others] = likely
  const words = LIKELY[first](context)
  const isDecided = others.length === 0
  const meaning = isDecided
    ? words.cause
    : [`Most likely: ${words.cause}`, ...others.map((other) => `Else: ${LIKELY[other](context).cause}`)].join(
        ' ',
      )
  return {
    ...(isDecided && words.title !== undefined && { title: words.title }),
    meaning,
    next: words.next,
    needsCors: likely.some((one) => LIKELY[one](context).needsCors === true),
    evidence: clues.flatMap((clue: Clue) => clueWords(clue)),
  }
}
