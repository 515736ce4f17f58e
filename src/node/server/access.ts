import { isIP } from 'node:net'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { readAddressList, type AddressList, type Reach } from '#node/address-guard.ts'
import { cookieValues } from './cookies.ts'
import type { OwnerToken } from './owner-token.ts'
import { isPassedOn } from './passed-on.ts'
import type { PasswordFile } from './password-file.ts'
import { isLoopbackHost } from '#record/service.ts'
import { createSessions, type Sessions } from './sessions.ts'

export type Access =
  /** `certificate`: clients with a certificate; the TLS handshake requires it. */
  | { readonly kind: 'this-computer' | 'public' | 'certificate' }
  /** The user name is in a header, which only the reverse proxy may set. */
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'password'; readonly accounts: PasswordFile; readonly lifeMs: number }

export type Visitor = {
  readonly name: string | undefined
  /** Messages and silences. */
  readonly maySend: boolean
  /** Services and receivers. */
  readonly mayAdd: boolean
  /** The visitor could send and add after opening the URL that this server printed at its start. */
  readonly isViewOnly: boolean
  /** Which addresses entries added in a browser may reach. */
  readonly reach: Exclude<Reach, 'anywhere'>
}

/**
 * `elsewhere`: the request does not come from the reverse proxy. `passed-on`: it came through a proxy, and none is
 * configured.
 */
export type Refusal = 'unknown' | 'elsewhere' | 'passed-on'

export type Gate = ReturnType<typeof createGate>

export type GateOptions = {
  readonly access: Access
  /** The server listens on a loopback address, answers to no other name, and trusts no reverse proxy. */
  readonly isLocal: boolean
  /** Identifies pages that may make changes on a local server; undefined: every page on this computer. */
  readonly owner: OwnerToken | undefined
  /** `local`: only pages on this computer, and only if no other computer can reach the server. */
  readonly addServices: 'local' | 'always' | 'never'
  readonly nowMs: () => number
  /** Path of the dashboard on its host: '' or, for example, "/immune". */
  readonly basePath?: string
  /** Addresses and networks of reverse proxies, whose headers are trusted. */
  readonly trustFrom?: readonly string[]
}

export function createGate({
  access,
  isLocal,
  owner,
  addServices,
  nowMs,
  basePath = '',
  trustFrom = [],
}: GateOptions) {
  const sessions = access.kind === 'password' ? createSessions(nowMs, access.lifeMs) : undefined
  const isInFront = readAddressList(trustFrom) ?? (() => false)
  const nameOf = (request: IncomingMessage): { readonly name: string | undefined } | Refusal => {
    switch (access.kind) {
      case 'this-computer':
        return isPassedOn(request) ? 'passed-on' : { name: undefined }
      case 'public':
      case 'certificate':
        return { name: undefined }
      case 'header':
        return nameByHeader(request, access.name, isInFront)
      case 'password':
        return nameBySession(request.headers, access.accounts, sessions, basePath, isHttps(request))
    }
  }
  const isHttps = ({ socket, headers }: IncomingMessage): boolean =>
    socket instanceof TLSSocket ||
    (isInFront(socket.remoteAddress ?? '') && /\bhttps\b/.test(String(headers['x-forwarded-proto'])))
  return {
    access,
    sessions,
    owner,
    basePath,
    /** Whether the request is known to have come by https, to this server or to a trusted reverse proxy. */
    isHttps,
    isInFront,
    /** The client's address for logs and limits, as a trusted reverse proxy reports it. */
    addressOf: (request: IncomingMessage): string => visitorAddress(request, isInFront),
    admit: (request: IncomingMessage): Visitor | Refusal => {
      const known = nameOf(request)
      if (typeof known === 'string') return known
      const isHere = isLocal && isLoopbackHost(hostName(request.headers)) && !isPassedOn(request)
      const isOwner = isHere && (owner === undefined || owner.renewed(request.headers) !== undefined)
      const maySend = access.kind === 'this-computer' ? isOwner : access.kind !== 'public'
      return {
        name: known.name,
        maySend,
        mayAdd: maySend && (addServices === 'always' || (addServices === 'local' && isOwner)),
        isViewOnly: access.kind === 'this-computer' && !maySend,
        reach: isHere ? 'not-link-local' : 'public',
      }
    },
  }
}

const hostName = ({ host = '' }: IncomingHttpHeaders): string => host.replace(/:\d{1,5}$/, '')

function nameByHeader(
  request: IncomingMessage,
  name: string,
  isInFront: AddressList,
): { readonly name: string } | Refusal {
  if (!isInFront(request.socket.remoteAddress ?? '')) return 'elsewhere'
  const [value = '', ...more] = request.headersDistinct[name.toLowerCase()] ?? []
  return more.length === 0 && /^[\x21-\x7e][\x20-\x7e]{0,255}$/.test(value) ? { name: value } : 'unknown'
}

function nameBySession(
  headers: IncomingHttpHeaders,
  accounts: PasswordFile,
  sessions: Sessions | undefined,
  basePath: string,
  isHttps: boolean,
): { readonly name: string } | Refusal {
  const valid = cookieValues('session', headers, basePath, isHttps).flatMap((cookie) => {
    const session = sessions?.find(cookie.token)
    return session?.isSecure === cookie.isSecure && accounts.stampOf(session.name) === session.stamp
      ? [session]
      : []
  })
  const secure = valid.filter(({ isSecure }) => isSecure)
  const [session, ...more] = secure.length > 0 ? secure : valid
  // If two sessions are valid, somebody else planted one of them, and they can't be told apart.
  return session === undefined || more.length > 0 ? 'unknown' : { name: session.name }
}

/** Some reverse proxies add the port: "192.0.2.7:4711", "[2001:db8::7]:4711". */
const withoutPort = (text: string): string =>
  text.replace(/^\[([\da-f:.]+)\](:\d{1,5})?$/i, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1')

/**
 * The client's address. If the connection comes from a reverse proxy, it is the last address in X-Forwarded-For that is not
 * itself a reverse proxy, because each server appends its peer. Clients can forge the addresses before it.
 */
function visitorAddress({ socket, headersDistinct }: IncomingMessage, isInFront: AddressList): string {
  const peer = socket.remoteAddress ?? ''
  if (!isInFront(peer)) return peer
  const named = (headersDistinct['x-forwarded-for'] ?? []).join(',').split(',')
  const visitor = named.map((one) => withoutPort(one.trim())).findLast((one) => !isInFront(one))
  return visitor !== undefined && isIP(visitor) !== 0 ? visitor : peer
}
