import { type Service } from '#settings/schema.ts'
import { type AddressReceiver, type Receiver } from '#settings/receiver.ts'
import { receiverTraits, SILENCES_PATH, deliveryUrl } from '#settings/receiver-traits.ts'
import { policySource } from './security-headers.ts'

// A Content-Security-Policy cannot name such an address, so every request would be blocked.
const isNameless = (url: string): boolean => new URL(url).hostname.startsWith('[')

/** Why a browser cannot connect to it directly; undefined if it can. */
export function directProblem(entry: Service | Receiver): string | undefined {
  if (entry.via !== 'direct') return undefined
  const [url, other] = 'baseUrl' in entry ? [entry.baseUrl, 'proxy'] : [entry.url, 'relay']
  return isNameless(url) ? `can’t be "direct" for an IPv6 address: use a host name, or "${other}"` : undefined
}

export const serviceSources = ({ via, baseUrl }: Service): readonly string[] =>
  via === 'direct' ? policySource(new URL(baseUrl).origin) : []

export const receiverSources = (receiver: Receiver): readonly string[] =>
  receiver.via === 'direct' ? pathsOf(receiver).flatMap(policySource) : []

/** A browser creates and ends an Alertmanager's silences by POST to one path. */
function pathsOf(receiver: AddressReceiver): readonly string[] {
  const url = deliveryUrl(receiver)
  return receiverTraits(receiver.kind).hasSilences ? [url, new URL(SILENCES_PATH, url).href] : [url]
}
