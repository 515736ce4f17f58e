import { type Service } from '#settings/schema.ts'
import { type AddressReceiver, type Receiver } from '#settings/receiver.ts'
import { receiverTraits, SILENCES_PATH, deliveryUrl } from '#settings/receiver-traits.ts'
import { policySource } from './security-headers.ts'

// A Content-Security-Policy cannot name such an address, so every request would be blocked.
const isNameless = (url: string): boolean => new URL(url).hostname.startsWith('[')

/** Why a browser cannot poll the service directly; undefined if it can. */
export const directProblem = ({ via, baseUrl }: Service): string | undefined =>
  via === 'direct' && isNameless(baseUrl)
    ? 'can’t be "direct" for an IPv6 address: use a host name, or "proxy"'
    : undefined

/** Why a browser cannot send to the receiver directly; undefined if it can. */
export const directReceiverProblem = (receiver: Receiver): string | undefined =>
  receiver.via === 'direct' && isNameless(receiver.url)
    ? 'can’t be "direct" for an IPv6 address: use a host name, or "relay"'
    : undefined

export const serviceSources = ({ via, baseUrl }: Service): readonly string[] =>
  via === 'direct' ? policySource(new URL(baseUrl).origin) : []

export const receiverSources = (receiver: Receiver): readonly string[] =>
  receiver.via === 'direct' ? pathsOf(receiver).flatMap(policySource) : []

/** A browser creates and ends an Alertmanager's silences by POST to one path. */
function pathsOf(receiver: AddressReceiver): readonly string[] {
  const url = deliveryUrl(receiver)
  return receiverTraits(receiver.kind).hasSilences ? [url, new URL(SILENCES_PATH, url).href] : [url]
}
