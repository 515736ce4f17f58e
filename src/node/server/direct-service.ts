import type { Service } from '#protocol/settings.ts'

/** Why the browser can't ask a service itself; undefined when it can. */
export const directProblem = ({ via, baseUrl }: Service): string | undefined =>
  // A Content-Security-Policy has no way to name such an address, so every request would be blocked.
  via === 'direct' && new URL(baseUrl).hostname.startsWith('[')
    ? 'can not be "direct" for an IPv6 address: give a host name, or "proxy"'
    : undefined
