import { err, ok, type Result } from '#base/result.ts'
import {
  isMixedContent,
  isOpenToOthers,
  isPolicyHost,
  parseBaseUrl,
  type BaseUrlProblem,
  isLoopbackHost,
} from '#record/service.ts'

/** `mixed-content`: an https page must not poll a service over plain http. `underscore`: see `isPolicyHost`. */
export type AddressProblem = BaseUrlProblem | 'mixed-content' | 'underscore'

export type Address = {
  readonly baseUrl: string
  /** Requests can be read on the network path; not set for this computer itself. */
  readonly isPlain: boolean
}

/** Checks an address while it is typed, without sending a request. `pageOrigin`: origin of the page that will poll. */
export function checkAddress(
  text: string,
  via: 'proxy' | 'direct',
  pageOrigin: string,
): Result<Address, AddressProblem> {
  const parsed = parseBaseUrl(text)
  if (!parsed.ok) return parsed
  const baseUrl = parsed.value
  if (via === 'direct' && isMixedContent(pageOrigin, baseUrl)) return err('mixed-content')
  if (via === 'direct' && !isPolicyHost(new URL(baseUrl).hostname)) return err('underscore')
  return ok({ baseUrl, isPlain: isOpenToOthers(baseUrl) })
}

export type AddressSpace = 'loopback' | 'local' | 'public'

const SPACES: readonly AddressSpace[] = ['loopback', 'local', 'public']

const LOCAL =
  /^(10\.\d+\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|192\.168\.\d+\.\d+|169\.254\.\d+\.\d+|\[f[cd][0-9a-f]{2}:.*\]|\[fe[89ab][0-9a-f]:.*\]|[^.:]+|.*\.local)$/

/** Judges by the host name alone: a name that resolves to a local address counts as public, unless it looks local. */
export function addressSpaceOf(url: string): AddressSpace {
  const host = new URL(url).hostname.toLowerCase()
  if (isLoopbackHost(host) || host.endsWith('.localhost')) return 'loopback'
  return LOCAL.test(host) ? 'local' : 'public'
}

/**
 * Whether a page needs the browser's permission for requests to this address, because the address is nearer to this computer
 * than the page is.
 */
export const needsLocalPermission = (pageOrigin: string, url: string): boolean =>
  SPACES.indexOf(addressSpaceOf(url)) < SPACES.indexOf(addressSpaceOf(pageOrigin))
