import { err, ok, type Result } from '#base/result.ts'

declare const serviceIdBrand: unique symbol
/**
 * A service's identity: its base URL in a form that fits into one path segment, so that
 * the same service has the same id in settings, history, the signer and the proxy's paths.
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
 * Reads a base URL as typed and returns it in its one normal form: scheme and host in lower
 * case, default port left out, no slash at the end. "host:8080" is read as http on
 * loopback and https elsewhere.
 */
export function parseBaseUrl(text: string): Result<string, BaseUrlProblem> {
  const trimmed = text.trim()
  if (trimmed === '') return err('empty')
  if (trimmed.length > LENGTH_MAX) return err('too-long')
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
  const [host] = /^(\[[^\]]*\]|[^:/]*)/.exec(trimmed) ?? ['']
  const url = parseUrl(hasScheme ? trimmed : `${isLoopbackHost(host) ? 'http' : 'https'}://${trimmed}`)
  if (url === undefined || !isPlainHost(url.hostname)) return err('not-a-url')
  // People paste the address of a working request; its query is no reason to guess.
  if (/\/node\/status\/*$/.test(url.pathname)) return err('whole-endpoint')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return err('not-http')
  if (url.username !== '' || url.password !== '') return err('has-user')
  if (url.search !== '' || url.hash !== '') return err('has-query')
  return ok(url.origin + url.pathname.replace(/\/+$/, ''))
}

/**
 * Whether a host is written with the characters of DNS names and addresses only. URL parsers let more through, such as
 * ",", ";", "*" and (Chromium) escapes, and a host ends up in a Content-Security-Policy, where those mean something.
 * An underscore is no host name by RFC 952, and is in use all the same: in DNS, and for every other container.
 */
export const isPlainHost = (host: string): boolean => /^[A-Za-z0-9_.:[\]-]+$/.test(host)

/**
 * Whether a Content-Security-Policy can name it: its grammar of a host has no underscore, and browsers leave out a
 * source that has one, so that a page could never connect to it.
 */
export const isPolicyHost = (host: string): boolean => isPlainHost(host) && !host.includes('_')

const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined // the URL parser throws a TypeError whose text differs between engines
  }
}

/** `baseUrl` in normal form. Reversible: see `baseUrlOf`. */
export const serviceIdOf = (baseUrl: string): ServiceId =>
  encodeURIComponent(baseUrl).replaceAll('~', '~7E').replaceAll('%', '~') as ServiceId

/** The base URL that an id stands for; undefined when the text is no such id. */
export function baseUrlOf(id: string): string | undefined {
  let text: string
  try {
    text = decodeURIComponent(id.replaceAll('~', '%'))
  } catch {
    return undefined // a stray "~" gives a malformed escape
  }
  const baseUrl = parseBaseUrl(text)
  return baseUrl.ok && baseUrl.value === text && serviceIdOf(text) === id ? text : undefined
}

/** Whether a name or address can only mean this computer. IPv6 with or without brackets. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i.test(host)

/** The same of a service's address. */
export const isLoopback = (baseUrl: string): boolean => isLoopbackHost(parseUrl(baseUrl)?.hostname ?? '')

/** Whether somebody on the way may answer in its name: neither https nor this computer itself. */
export const isOpenToOthers = (baseUrl: string): boolean =>
  baseUrl.startsWith('http:') && !isLoopback(baseUrl)

/** A page that came by https is not let through to plain http elsewhere; that is known before any request. */
export const isMixedContent = (pageOrigin: string, base: string): boolean =>
  pageOrigin.startsWith('https:') && base.startsWith('http:') && !isLoopback(base)

/** Where a request to a service goes: the service itself, or this server's proxy. `serverUrl`: where the dashboard is, without a slash at the end. */
export const requestBase = (serviceId: ServiceId, via: 'proxy' | 'direct', serverUrl: string): string =>
  via === 'proxy' ? `${serverUrl}/proxy/${serviceId}` : (baseUrlOf(serviceId) ?? '')
