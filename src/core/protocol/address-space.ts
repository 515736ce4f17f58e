import { isLoopbackHost } from '#record/service.ts'

/** How far away an address is: this computer, the local network, or anywhere. */
export type AddressSpace = 'loopback' | 'local' | 'public'

const SPACES: readonly AddressSpace[] = ['loopback', 'local', 'public']

const LOCAL =
  /^(10\.\d+\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|192\.168\.\d+\.\d+|169\.254\.\d+\.\d+|\[f[cd][0-9a-f]{2}:.*\]|\[fe[89ab][0-9a-f]:.*\]|[^.:]+|.*\.local)$/

/** By the host alone: a name that leads to an address of the local network counts as public, unless it looks local. */
export function addressSpaceOf(url: string): AddressSpace {
  const host = new URL(url).hostname.toLowerCase()
  if (isLoopbackHost(host) || host.endsWith('.localhost')) return 'loopback'
  return LOCAL.test(host) ? 'local' : 'public'
}

/** Whether a page needs the browser's permission to ask there: the target is nearer to this computer than the page. */
export const needsLocalPermission = (pageOrigin: string, url: string): boolean =>
  SPACES.indexOf(addressSpaceOf(url)) < SPACES.indexOf(addressSpaceOf(pageOrigin))
