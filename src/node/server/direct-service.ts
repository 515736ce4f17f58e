import type { Receiver } from '#settings/receiver.ts'
import type { Service } from '#settings/settings.ts'

// A Content-Security-Policy has no way to name such an address, so every request would be blocked.
const isNameless = (url: string): boolean => new URL(url).hostname.startsWith('[')

/** Why the browser can't ask a service itself; undefined when it can. */
export const directProblem = ({ via, baseUrl }: Service): string | undefined =>
  via === 'direct' && isNameless(baseUrl)
    ? 'can not be "direct" for an IPv6 address: give a host name, or "proxy"'
    : undefined

/** The same for a receiver of alarms. */
export const directReceiverProblem = ({ via, url }: Receiver): string | undefined =>
  via === 'direct' && isNameless(url)
    ? 'can not be "direct" for an IPv6 address: give a host name, or "relay"'
    : undefined
