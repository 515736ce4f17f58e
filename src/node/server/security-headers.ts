import { isPolicyHost } from '#record/service.ts'
import type { AddressReceiver, Receiver } from '#settings/receiver.ts'
import { receiverTraits, SILENCES_PATH, deliveryUrl } from '#settings/receiver-traits.ts'
import type { Service } from '#settings/schema.ts'

/**
 * Security headers for each kind of answer. A Worker is bound by the policy of its own script's response, so page, engine
 * Worker and signer Worker each get their own.
 */
export type Headers = Readonly<Record<string, string>>

type FileRole = 'page' | 'login' | 'engine-worker' | 'signer-worker' | 'asset' | 'other'

/** Must equal the name that `web/app` creates; the browser refuses any other policy name. */
const TRUSTED_TYPES_POLICY = 'immune-workers'

const policy = (directives: readonly string[]): string => directives.join('; ')

const PAGE_POLICY = policy([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Charts are drawn from memory when they are saved as PNG.
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  `trusted-types ${TRUSTED_TYPES_POLICY}`,
])

/** Allows a form, its style and the theme; nothing of the app. */
const LOGIN_POLICY = policy([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
])

/** The signer has the key, so nothing may leave it, not even a request to this server. */
const SIGNER_POLICY = policy([
  "default-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
])

/**
 * A policy source for exactly this path. Empty for a host that a policy cannot name or would read differently. Without the
 * query; separators of policies are escaped.
 */
export function policySource(url: string): readonly string[] {
  const { origin, hostname, pathname } = new URL(url)
  if (!isPolicyHost(hostname)) return []
  return [origin + (pathname === '/' ? '' : pathname.replaceAll(';', '%3B').replaceAll(',', '%2C'))]
}

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

/**
 * All headers of an answer must fit into nginx's default buffer of 4 KiB; otherwise every visitor would get a 502. The other
 * headers take less than 1 KiB.
 */
const SOURCES_CHARS_MAX = 2_560

export function fittingSources(sources: readonly string[]): readonly string[] {
  let left = SOURCES_CHARS_MAX
  return [...new Set(sources)].filter(({ length }) => {
    const isFitting = length < left
    if (isFitting) left -= length + 1
    return isFitting
  })
}

export const noRoom = (thing: 'service' | 'receiver'): string =>
  `exceeds the ${SOURCES_CHARS_MAX} characters of direct addresses that the engine's Content-Security-Policy can hold. Use "via": "${thing === 'service' ? 'proxy' : 'relay'}", or a shorter address`

/** `directOrigins`: origins of services that the browser polls without the proxy. */
export const enginePolicy = (directOrigins: readonly string[]): string =>
  policy([
    "default-src 'none'",
    ["connect-src 'self'", ...fittingSources(directOrigins)].join(' '),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])

/** For data: opened as a document it can do nothing. */
const INERT_POLICY = policy(["default-src 'none'", "frame-ancestors 'none'", 'sandbox'])

export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Under a page with this header, a Worker without it fails without a message.
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** Chromium warns about unknown names on every load, so this list is short. */
const PERMISSIONS = [
  ...[
    'camera',
    'microphone',
    'geolocation',
    'usb',
    'serial',
    'hid',
    'payment',
    'display-capture',
    'clipboard-read',
  ].map((feature) => `${feature}=()`),
  'publickey-credentials-get=(self)',
  'publickey-credentials-create=(self)',
  'screen-wake-lock=(self)',
].join(', ')

const ONE_YEAR_SECONDS = 31_536_000

export function roleOf(path: string): FileRole {
  if (path === '/login.html') return 'login'
  if (path === '/' || path.endsWith('.html')) return 'page'
  if (/^\/assets\/engine-worker-[^/]*\.js$/.test(path)) return 'engine-worker'
  if (/^\/assets\/signer-worker-[^/]*\.js$/.test(path)) return 'signer-worker'
  return path.startsWith('/assets/') ? 'asset' : 'other'
}

const POLICIES = {
  page: PAGE_POLICY,
  'signer-worker': SIGNER_POLICY,
  asset: INERT_POLICY,
  other: INERT_POLICY,
}

export function fileHeaders(role: FileRole, directOrigins: readonly string[]): Headers {
  if (role === 'login') return LOGIN_HEADERS
  return {
    ...COMMON_HEADERS,
    'Content-Security-Policy': role === 'engine-worker' ? enginePolicy(directOrigins) : POLICIES[role],
    ...(role === 'page' && {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': PERMISSIONS,
    }),
    // The engine Worker is not cached: its policy follows the configured services, while its name stays the same.
    'Cache-Control': role === 'asset' ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache',
  }
}

export const LOGIN_HEADERS: Headers = {
  ...COMMON_HEADERS,
  'Content-Security-Policy': LOGIN_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS,
  'Cache-Control': 'no-store',
  // With no-referrer a form's Origin is "null", the same as that of another site's form.
  'Referrer-Policy': 'same-origin',
}

/** For documents that this server creates: configuration, problems, proxied answers. Never cached. */
export const DOCUMENT_HEADERS: Headers = {
  ...COMMON_HEADERS,
  'Content-Security-Policy': INERT_POLICY,
  'Cache-Control': 'no-store',
}
