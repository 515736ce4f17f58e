import * as v from 'valibot'
import { textFingerprint } from '#base/fingerprint.ts'
import { err, ok, type Result } from '#base/result.ts'
import { isPlainHost, isPolicyHost } from '#record/service.ts'
import { parseBy, type DocumentProblem } from './document-problem.ts'
import { Label } from './fields.ts'

/**
 * Where alarms are sent to. `webhook`: JSON of this dashboard's own form. `alertmanager`: Prometheus
 * Alertmanager's v2 API at its base URL. `ping`: a dead-man's switch, asked while watching works.
 */
export const RECEIVER_KINDS = ['webhook', 'alertmanager', 'ping'] as const

export type ReceiverKind = (typeof RECEIVER_KINDS)[number]

type ReceiverTraits = {
  /** Below its address; absent: the address itself. */
  readonly apiPath?: string
  /** Whether it is sent alarms from a severity on, */
  readonly hasSeverity: boolean
  /** is asked at an interval, */
  readonly hasInterval: boolean
  /** and is sent silences for what was acknowledged here. */
  readonly hasSilences: boolean
}

/** What each kind can be sent. How it is sent is in `core/alarms/outbox.ts`, its words in `web/texts/en-channels.ts`. */
export const RECEIVER_TRAITS: Readonly<Record<ReceiverKind, ReceiverTraits>> = {
  webhook: { hasSeverity: true, hasInterval: false, hasSilences: false },
  alertmanager: { apiPath: 'api/v2/alerts', hasSeverity: true, hasInterval: false, hasSilences: true },
  ping: { hasSeverity: false, hasInterval: true, hasSilences: false },
}

/** `relay`: sent by the dashboard's own server. `direct`: sent by the browser, which needs CORS. */
export const RECEIVER_WAYS = ['relay', 'direct'] as const

export type ReceiverUrlProblem = 'empty' | 'not-a-url' | 'not-http' | 'has-user' | 'too-long'

const URL_CHARS_MAX = 2_000

/** Reads the address of a receiver as typed; path and query are its own business, a fragment is never sent. */
export function parseReceiverUrl(text: string): Result<string, ReceiverUrlProblem> {
  const trimmed = text.trim()
  if (trimmed === '') return err('empty')
  if (trimmed.length > URL_CHARS_MAX) return err('too-long')
  let url: URL
  try {
    url = new URL(trimmed)
  } catch {
    return err('not-a-url') // its TypeError's text differs between engines
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return err('not-http')
  if (!isPlainHost(url.hostname)) return err('not-a-url')
  if (url.username !== '' || url.password !== '') return err('has-user')
  url.hash = ''
  return ok(url.href)
}

const ReceiverUrl = v.pipe(
  v.string(),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseReceiverUrl(dataset.value)
    if (parsed.ok) return parsed.value
    addIssue({ message: 'is not the address of a receiver: give http(s)://host[:port]/path, without user' })
    return NEVER
  }),
)

export const ReceiverSchema = v.pipe(
  v.strictObject({
    kind: v.picklist(RECEIVER_KINDS),
    url: ReceiverUrl,
    name: v.optional(Label),
    via: v.optional(v.picklist(RECEIVER_WAYS), 'relay'),
  }),
  v.forward(
    v.check(
      ({ url, via }) => via === 'relay' || isPolicyHost(new URL(url).hostname),
      'can’t be direct: the host has an underscore, which the page’s Content-Security-Policy can’t name',
    ),
    ['via'],
  ),
)
export type Receiver = v.InferOutput<typeof ReceiverSchema>

export const RECEIVERS_MAX = 16
export const ReceiversSchema = v.pipe(v.array(ReceiverSchema), v.maxLength(RECEIVERS_MAX))

export const parseReceiver = (input: unknown): Result<Receiver, readonly DocumentProblem[]> =>
  parseBy(ReceiverSchema, input)

/** A receiver's name in addresses and in what is kept: its address itself may be a secret. */
export const receiverIdOf = ({ kind, url }: Pick<Receiver, 'kind' | 'url'>): string =>
  textFingerprint(`${kind} ${url}`)

/** A receiver without its address, as every page of this server may see it. */
export type OfferedReceiver = Pick<Receiver, 'kind' | 'name' | 'via'> & {
  readonly id: string
  /** Host and port, so that a person knows which it is. */
  readonly host: string
  /** `file`: by the person who runs the server; `added`: from a browser. */
  readonly from: 'file' | 'added'
  /** The whole address, where the browser itself has to know it. */
  readonly url?: string
}

/** Where an Alertmanager's silences are made, below where its alerts go. */
export const SILENCES_PATH = 'silences'
/** What the address of one of them begins with. */
export const SILENCE_PATH = 'silence/'

/** The address that is asked. */
export function deliveryUrl({ kind, url }: Pick<Receiver, 'kind' | 'url'>): string {
  const { apiPath } = RECEIVER_TRAITS[kind]
  if (apiPath === undefined) return url
  const base = new URL(url)
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/${apiPath}`
  return base.href
}
