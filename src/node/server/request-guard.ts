import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopbackHost } from '#record/service.ts'

export type HostRule = {
  /** Whether the server listens on this computer only. */
  readonly loopbackOnly: boolean
  /** Further host names that it answers to, in lower case. */
  readonly names: ReadonlySet<string>
}

/**
 * Whether a request was meant for this server. A page of another site can point its own
 * name at this computer (DNS rebinding) and would then be same-origin with it; its name in
 * the Host header gives it away. An address in numbers can't be rebound.
 */
export function isHostAllowed(hostHeader: string | undefined, rule: HostRule): boolean {
  const name = hostNameOf(hostHeader)
  if (name === undefined) return false
  if (isLoopbackHost(name) || rule.names.has(name)) return true
  return !rule.loopbackOnly && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/** Node takes the first of several, a server in front maybe the last. */
export const hasOneHost = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length <= 1

function hostNameOf(hostHeader: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?$/i.exec(hostHeader ?? '')
  return match?.[1]?.toLowerCase()
}

/**
 * Whether a page of another origin sent this request. Browsers say so in Sec-Fetch-Site
 * (not on plain http), and in Origin for all but plain GETs; programs that are no browser
 * send neither and can't be used by a foreign page.
 */
export function isCrossOrigin(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  if (origin === undefined || isOwnOrigin(origin, host)) return false
  // The browser knows better than a server in front that drops the port from Host.
  return site === undefined || !isPortDropped(headers)
}

/** Compared without the scheme: behind a proxy that ends TLS this server can't know it. */
export const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin !== undefined && host !== undefined && origin.replace(/^https?:\/\//, '') === host.toLowerCase()

/** Whether this server's own page asks. Browsers send an Origin with every POST and DELETE, so its absence is no page of ours. */
export const isOwnPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined && !isCrossOrigin(headers)

/** Whether Host and Origin name the same host with different ports, as behind a server in front that drops the port. */
export const isPortDropped = ({ origin = '', host }: IncomingHttpHeaders): boolean =>
  host !== undefined && URL.canParse(origin) && new URL(origin).hostname === host.toLowerCase()

/** Whether no other site asks, and the answer is for a fetch and not a script, a frame, an image or a page. */
export const isFetch = (headers: IncomingHttpHeaders): boolean =>
  !isCrossOrigin(headers) && [undefined, 'empty'].includes(headers['sec-fetch-dest'])
