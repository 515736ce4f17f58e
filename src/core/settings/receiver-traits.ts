import type { MessageKind } from '#receivers/kinds.ts'

/**
 * Receivers to whose address the relay or a browser sends directly. `webhook`: this dashboard's own JSON. `alertmanager`:
 * Prometheus Alertmanager's v2 API at its base URL. `ping`: a dead-man's switch, requested while watching works.
 */
export const ADDRESS_KINDS = ['webhook', 'alertmanager', 'ping'] as const
export type AddressKind = (typeof ADDRESS_KINDS)[number]

export type ReceiverKind = AddressKind | MessageKind

export const isAddressKind = (kind: string): kind is AddressKind => ADDRESS_KINDS.some((one) => one === kind)
export const isMessageKind = (kind: ReceiverKind): kind is MessageKind => !isAddressKind(kind)

/** The traits of each kind. `core/delivery` follows them; `web/texts/en-channels.ts` has the words. */
export const receiverTraits = (kind: string) => ({
  /** It gets alarms from a minimum severity on. */
  hasSeverity: kind !== 'ping',
  /** It gets a request at an interval. */
  hasInterval: kind === 'ping',
  /** It gets silences for acknowledged alarms. */
  hasSilences: kind === 'alertmanager',
  /** It has an acknowledged state; to all others, a message about it would be noise. */
  hasAcknowledgements: kind === 'pagerduty',
})

/** `relay`: sent by the dashboard's own server. `direct`: sent by the browser, which needs CORS except for `ping`. */
export const RECEIVER_WAYS = ['relay', 'direct'] as const

/** A browser connects only to hosts that the page's policy can name. */
export const UNNAMEABLE =
  'can’t be direct: the host name has an underscore, which the engine’s Content-Security-Policy can’t contain'

/** Secret and template of a webhook stay on the server. */
export const UNWRITEABLE = 'can’t be direct: only the server signs messages and renders templates'

/** Path of an Alertmanager's silences, beside that of its alerts. */
export const SILENCES_PATH = 'silences'

export function deliveryUrl({ kind, url }: { readonly kind: AddressKind; readonly url: string }): string {
  if (kind !== 'alertmanager') return url
  const base = new URL(url)
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/api/v2/alerts`
  return base.href
}
