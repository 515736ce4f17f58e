import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopbackHost } from '#record/service.ts'

export type HostRule = {
  /** Whether the server listens on this computer only. */
  readonly loopbackOnly: boolean
  /** Further accepted host names, in lower case. */
  readonly names: ReadonlySet<string>
}

/**
 * Whether the request is meant for this server. A page of another site can point its own host name at this computer (DNS
 * rebinding) and would then be same-origin with it, but the Host header has its name. IP addresses cannot be rebound.
 */
export function isHostAllowed(hostHeader: string | undefined, rule: HostRule): boolean {
  const name = hostNameOf(hostHeader)
  if (name === undefined) return false
  if (isLoopbackHost(name) || rule.names.has(name)) return true
  return !rule.loopbackOnly && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/** Node uses the first of several Host headers; a reverse proxy may use the last. */
export const hasOneHost = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length <= 1

function hostNameOf(hostHeader: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?$/i.exec(hostHeader ?? '')
  return match?.[1]?.toLowerCase()
}

/**
 * Whether a page of another origin sent this request. Browsers show it in Sec-Fetch-Site (not on plain http) and in Origin,
 * except for plain GETs. Other programs send neither, but foreign pages cannot use them.
 */
export function isCrossOrigin(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  if (origin === undefined || isOwnOrigin(origin, host)) return false
  // The browser's Sec-Fetch-Site is more reliable than the Host header of a reverse proxy that drops the port.
  return site === undefined || !isPortDropped(headers)
}

/** Ignores the scheme, which this server cannot know behind a proxy that ends TLS. */
export const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin !== undefined && host !== undefined && origin.replace(/^https?:\/\//, '') === host.toLowerCase()

/**
 * Whether this server's own page sent the request. Browsers send an Origin with every POST and DELETE, so a request without one
 * does not come from our page.
 */
export const isOwnPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined && !isCrossOrigin(headers)

/** Whether Host and Origin have the same host but different ports, as behind a reverse proxy that drops the port. */
export const isPortDropped = ({ origin = '', host }: IncomingHttpHeaders): boolean =>
  host !== undefined && URL.canParse(origin) && new URL(origin).hostname === host.toLowerCase()

/** Whether the request is not from another site, and is a fetch instead of a script, frame, image or page. */
export const isFetch = (headers: IncomingHttpHeaders): boolean =>
  !isCrossOrigin(headers) && [undefined, 'empty'].includes(headers['sec-fetch-dest'])
