import type { AnswerHeaders } from '#node/http-client.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { CHALLENGE_HEADER, type ProxyFailure } from '#protocol/transport.ts'
import type { Visitor } from './access.ts'
import {
  passedStatus,
  proxyFailureAnswer,
  sendAnswer,
  sendMethodNotAllowed,
  whenGone,
  type Answer,
  type Visit,
} from './send-reply.ts'
import { isFetch } from './request-guard.ts'
import type { LiveStatus } from './live-status.ts'
import type { Service } from '#settings/schema.ts'
import { profileOf, PROFILES } from '#signing/presets.ts'
import type { ServerSigner } from './signing-keys.ts'
import type { ServiceList } from './service-list.ts'
import { PROXY_DETAILS, type Upstream } from './upstream.ts'
import { isSigningHeader, type Profile } from '#signing/profile.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { statusUrl } from '#signing/signing-values.ts'

/** The sources of a status answer: the service, signed by the browser or by this server, or the collectors' values. */
export type Ways = {
  readonly ask: Upstream['ask']
  readonly signer: ServerSigner
  readonly live: LiveStatus
}

/** `headers`: those of the browser, with its signature. */
export type StatusRequest = {
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
}

/** Answers one status request of a page. */
export async function proxyStatus(
  { request, response, path, query, visitor }: Visit,
  services: ServiceList,
  ways: Ways,
) {
  // This server's own Date must not be mistaken for the service's.
  response.sendDate = false
  const { headers } = request
  if (request.method !== 'GET') return sendMethodNotAllowed(response, 'GET')
  if (!isFetch(headers)) return sendAnswer(response, failed('not-allowed'))
  const answer = await statusAnswer({ path, query, headers }, visitor, services, ways, whenGone(response))
  if (answer !== undefined) sendAnswer(response, answer)
}

/**
 * Passes a status request on to a listed service, and returns its answer; undefined if the page has gone. Has no key: the
 * browser signed for the service's own origin, or `signer` signs. Refuses any other request and follows no redirect.
 */
export async function statusAnswer(
  { path, query, headers: sent }: StatusRequest,
  { name, reach }: Visitor,
  services: ServiceList,
  { ask, signer, live }: Ways,
  gone: AbortSignal,
): Promise<Answer | undefined> {
  const target = proxyTarget(path, query)
  const listed = target === undefined ? undefined : services.find(name, target.serviceId)
  if (target === undefined || listed === undefined) return failed('not-allowed')
  const { entry: service, isNamed } = listed
  const api = isNamed ? live.apiOf(service.baseUrl) : undefined
  if (api !== undefined) {
    const collected = await live.answer(api, service, target.query)
    return collected.ok ? collected.value : failed(collected.error)
  }
  const isSignedHere = isNamed && signer.keyOf(service) !== undefined
  const signed = isSignedHere ? await signer.sign(service, target.query) : undefined
  if (signed?.ok === false) return failed('not-signed')
  const reply = await ask(
    {
      url: upstreamUrl(service, signed?.value.query ?? target.query),
      // If the server signs, the browser's signature is ignored.
      headers:
        signed === undefined
          ? upstreamHeaders(sent, service, isNamed)
          : { ...OWN_HEADERS, ...signed.value.headers },
      timeoutMs: service.timeoutMs,
      reach: isNamed ? 'anywhere' : reach,
    },
    gone,
  )
  if (!reply.ok) return reply.error === 'gone' ? undefined : failed(reply.error)
  const { status, headers, body } = reply.value
  const passed = passedStatus(status)
  return { status: passed.status, headers: { ...replyHeaders(headers), ...passed.headers }, body }
}

export const failed = (failure: ProxyFailure): Answer =>
  proxyFailureAnswer(failure, 'service', PROXY_DETAILS[failure])

type ProxyTarget = {
  readonly serviceId: string
  /** As signed, so it is passed on byte for byte; without "?". */
  readonly query: string
}

/** The target of a path and query; undefined unless they are exactly a status request with at most one node id. */
export function proxyTarget(path: string, query: string): ProxyTarget | undefined {
  const serviceId = /^\/proxy\/([^/]{1,1000})\/node\/status$/.exec(path)?.[1]
  if (serviceId === undefined) return undefined
  return /^(node_id=([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2}){0,400})?$/.test(query)
    ? { serviceId, query }
    : undefined
}

export const upstreamUrl = (service: Service, query: string): URL =>
  new URL(statusUrl(service.baseUrl, query))

/** Headers by which any signing profile may carry a signature. */
const SIGNATURE_HEADERS = /^(authorization|signature|signature-input|x-node-[a-z0-9-]+)$/

const namesOf = (profile: Profile | undefined): readonly string[] =>
  Object.keys(profile?.headers ?? {}).map((name) => name.toLowerCase())

/** An operator may try every preset before saving one. */
const SHIPPED_HEADERS: ReadonlySet<string> = new Set(
  [...Object.values(PROFILES), ...PROFILE_TRIES.map(({ profile }) => profile)].flatMap(namesOf),
)

const OWN_HEADERS = {
  accept: 'application/json',
  // Compressed answers would hide their size from the limit.
  'accept-encoding': 'identity',
  'user-agent': 'immune-node-dashboard',
} as const

/**
 * The part of the browser's request that the service gets: the headers that carry the signature, but never a cookie, an origin
 * or other browser headers. `isNamed`: the configuration names the service, so its profile may use any header.
 */
export function upstreamHeaders(
  headers: IncomingHttpHeaders,
  service: Service,
  isNamed: boolean,
): Record<string, string> {
  const named = namesOf(profileOf(service)).filter((name) => isNamed || isSigningHeader(name))
  const ofProfile = new Set([...SHIPPED_HEADERS, ...named])
  const forwarded: Record<string, string> = { ...OWN_HEADERS }
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && (SIGNATURE_HEADERS.test(name) || ofProfile.has(name)))
      forwarded[name] = value
  return forwarded
}

/**
 * `Content-Encoding` because some services compress although asked not to; the browser then decompresses under its own limit.
 */
const REPLY_HEADERS = ['date', 'retry-after', 'age', 'content-encoding']

/** Types that no browser runs as a script or style sheet of this origin. */
const HARMLESS_TYPE = /^(application\/([\w.-]+\+)?json|text\/(plain|html))\s*(;|$)/i

/** A parameter of a challenge. Excludes quoted values whose end browsers may see differently. */
const PARAMETER = String.raw`[\w-]+=(?:"[^"\\]*"|[\w.~+/-]+)`

/** The first challenge, without any that follow after a comma or on another line. */
const BEARER = new RegExp(`^Bearer(?: +${PARAMETER}(?: *, *${PARAMETER})*)?(?= *(?:,|$))`, 'i')

/** The part of the service's answer that the browser gets. The Date matters most, because it corrects ages. */
export function replyHeaders(headers: AnswerHeaders): Record<string, string> {
  const passed: Record<string, string> = {}
  const pass = (name: string, value: unknown) => {
    // Other characters cannot be set in a header, and no header needed here has them.
    if (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)) passed[name] = value
  }
  for (const name of REPLY_HEADERS) pass(name, headers[name])
  const contentType = headers['content-type']
  if (contentType !== undefined)
    pass('content-type', HARMLESS_TYPE.test(contentType) ? contentType : 'application/octet-stream')
  // With any other scheme the browser would ask the operator for a password in this dashboard's name.
  const challenge = headers['www-authenticate'] ?? ''
  const bearer = BEARER.exec(challenge)?.[0]
  pass('www-authenticate', bearer)
  if (bearer === undefined)
    pass(CHALLENGE_HEADER.toLowerCase(), /^\s*([A-Za-z0-9-]{1,32})/.exec(challenge)?.[1])
  return passed
}
