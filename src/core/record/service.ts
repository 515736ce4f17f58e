import { parseUrl } from '#base/parse-url.ts'
import { err, ok, type Result } from '#base/result.ts'

declare const serviceIdBrand: unique symbol
/**
 * A service's identity: its base URL in a form that fits into one path segment. The id is the same in settings, history, the
 * signer and the proxy's paths.
 */
export type ServiceId = string & { readonly [serviceIdBrand]: true }

export type BaseUrlProblem =
  | 'empty'
  | 'not-a-url'
  | 'not-http'
  | 'has-user'
  | 'has-query'
  | 'too-long'
  | 'whole-endpoint'

const LENGTH_MAX = 300

/**
 * Reads a typed base URL and returns its normal form: lower-case scheme and host, no default port, no trailing slash.
 * "host:8080" becomes http on loopback and https elsewhere.
 */
export function parseBaseUrl(text: string): Result<string, BaseUrlProblem> {
  const trimmed = text.trim()
  if (trimmed === '') return err('empty')
  if (trimmed.length > LENGTH_MAX) return err('too-long')
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
  const [host] = /^(\[[^\]]*\]|[^:/]*)/.exec(trimmed) ?? ['']
  const url = parseUrl(hasScheme ? trimmed : `${isLoopbackHost(host) ? 'http' : 'https'}://${trimmed}`)
  if (url === undefined || !isPlainHost(url.hostname)) return err('not-a-url')
  // People paste the URL of a working request; dropping its path and query would be a guess.
  if (/\/node\/status\/*$/.test(url.pathname)) return err('whole-endpoint')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return err('not-http')
  if (url.username !== '' || url.password !== '') return err('has-user')
  if (url.search !== '' || url.hash !== '') return err('has-query')
  return ok(url.origin + url.pathname.replace(/\/+$/, ''))
}

/**
 * Whether a host has only characters of DNS names and addresses. URL parsers also accept ",", ";", "*" and (Chromium) escapes,
 * which are special in a Content-Security-Policy. Underscores are invalid by RFC 952 but common in DNS and container names.
 */
export const isPlainHost = (host: string): boolean => /^[A-Za-z0-9_.:[\]-]+$/.test(host)

/**
 * Whether a Content-Security-Policy can name the host. Its grammar has no underscore, and browsers ignore a source with one, so
 * a page could never connect to it.
 */
export const isPolicyHost = (host: string): boolean => isPlainHost(host) && !host.includes('_')

/** `baseUrl` must be in normal form. `baseUrlOf` reverses it. */
export const serviceIdOf = (baseUrl: string): ServiceId =>
  encodeURIComponent(baseUrl).replaceAll('~', '~7E').replaceAll('%', '~') as ServiceId

/** Undefined if the text is not a service id. */
export function baseUrlOf(id: string): string | undefined {
  let text: string
  try {
    text = decodeURIComponent(id.replaceAll('~', '%'))
  } catch {
    return undefined // A stray "~" gives a malformed escape.
  }
  const baseUrl = parseBaseUrl(text)
  return baseUrl.ok && baseUrl.value === text && serviceIdOf(text) === id ? text : undefined
}

/** Whether the host can only be this computer. IPv6 with or without brackets. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i.test(host)

/** Whether a service's address can only be this computer. */
export const isLoopback = (baseUrl: string): boolean => isLoopbackHost(parseUrl(baseUrl)?.hostname ?? '')

/** Whether anything on the network path may answer in its place: neither https nor this computer. */
export const isOpenToOthers = (baseUrl: string): boolean =>
  baseUrl.startsWith('http:') && !isLoopback(baseUrl)

/** Browsers block requests from an https page to plain http elsewhere; this is known before any request. */
export const isMixedContent = (pageOrigin: string, base: string): boolean =>
  pageOrigin.startsWith('https:') && isOpenToOthers(base)

/**
 * URL prefix for requests to a service: the service itself, or the proxy. `serverUrl`: the dashboard's URL without a trailing
 * slash.
 */
export const requestBase = (serviceId: ServiceId, via: 'proxy' | 'direct', serverUrl: string): string =>
  via === 'proxy' ? `${serverUrl}/proxy/${serviceId}` : (baseUrlOf(serviceId) ?? '')
