import { MESSAGE_KINDS, type MessageKind } from '#receivers/kind-ids.ts'

/**
 * Receivers with an address that the relay or a browser sends to as it is. `webhook`: JSON of this dashboard's own
 * form. `alertmanager`: Prometheus Alertmanager's v2 API at its base URL. `ping`: a dead-man's switch, asked while
 * watching works.
 */
export const ADDRESS_KINDS = ['webhook', 'alertmanager', 'ping'] as const
export type AddressKind = (typeof ADDRESS_KINDS)[number]

export const RECEIVER_KINDS = [...ADDRESS_KINDS, ...MESSAGE_KINDS] as const
export type ReceiverKind = (typeof RECEIVER_KINDS)[number]

export const isMessageKind = (kind: ReceiverKind): kind is MessageKind =>
  MESSAGE_KINDS.some((one) => one === kind)

type ReceiverTraits = {
  /** Below its address; absent: the address itself. */
  readonly apiPath?: string
  /** Whether it is sent alarms from a severity on, */
  readonly hasSeverity: boolean
  /** is asked at an interval, */
  readonly hasInterval: boolean
  /** is sent silences for what was acknowledged here, */
  readonly hasSilences: boolean
  /** and has a state for what was acknowledged; of all others a message about it would only be noise. */
  readonly hasAcknowledgements?: true
}

const MESSAGES: ReceiverTraits = { hasSeverity: true, hasInterval: false, hasSilences: false }

const ADDRESS_TRAITS: Readonly<Record<AddressKind, ReceiverTraits>> = {
  webhook: MESSAGES,
  alertmanager: { apiPath: 'api/v2/alerts', hasSeverity: true, hasInterval: false, hasSilences: true },
  ping: { hasSeverity: false, hasInterval: true, hasSilences: false },
}

/** What a kind can be sent. How it is sent is in `core/delivery`, its words in `web/texts/en-channels.ts`. */
export const receiverTraits = (kind: ReceiverKind): ReceiverTraits =>
  isMessageKind(kind)
    ? { ...MESSAGES, ...(kind === 'pagerduty' && { hasAcknowledgements: true }) }
    : ADDRESS_TRAITS[kind]

/** `relay`: sent by the dashboard's own server. `direct`: sent by the browser, which needs CORS. */
export const RECEIVER_WAYS = ['relay', 'direct'] as const

/** A browser connects only to hosts that the page's policy can name. */
export const UNNAMEABLE =
  'can’t be direct: the host has an underscore, which the page’s Content-Security-Policy can’t name'

/** Secret and template of a webhook stay on the server. */
export const UNWRITEABLE = 'can’t be direct: only the server signs messages and renders templates'

/** Where an Alertmanager's silences are made, below where its alerts go. */
export const SILENCES_PATH = 'silences'
/** What the address of one of them begins with. */
export const SILENCE_PATH = 'silence/'

export function deliveryUrl({ kind, url }: { readonly kind: AddressKind; readonly url: string }): string {
  const { apiPath } = ADDRESS_TRAITS[kind]
  if (apiPath === undefined) return url
  const base = new URL(url)
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/${apiPath}`
  return base.href
}
