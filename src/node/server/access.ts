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

/** The access control of this server, fixed at its start. */
export type Access =
  | { readonly kind: 'this-computer' }
  | { readonly kind: 'public' }
  /** Clients with a certificate; the TLS handshake asks for it. */
  | { readonly kind: 'certificate' }
  /** The name in a header, which only the server in front may set. */
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'password'; readonly accounts: PasswordFile; readonly lifeMs: number }

/** The rights of a visitor with access. */
export type Visitor = {
  readonly name: string | undefined
  /** Messages and silences. */
  readonly maySend: boolean
  /** Services and receivers. */
  readonly mayAdd: boolean
  /** It could send and add by the address that this server printed at its start. */
  readonly isViewOnly: boolean
  /** How far what browsers added may lead. */
  readonly reach: Exclude<Reach, 'anywhere'>
}

/** `elsewhere`: it did not come from the server in front. `passed-on`: it came through one, and none is configured. */
export type Refusal = 'unknown' | 'elsewhere' | 'passed-on'

export type Gate = ReturnType<typeof createGate>

export type GateOptions = {
  readonly access: Access
  /** Listens on a loopback address, answers to no other name, and trusts no server in front. */
  readonly isLocal: boolean
  /** Whose pages may change something, where the server is local; undefined: every page on this computer. */
  readonly owner: OwnerToken | undefined
  /** `local`: for pages on this computer, as long as no other can reach the server. */
  readonly addServices: 'local' | 'always' | 'never'
  readonly nowMs: () => number
  /** Where the dashboard is on its host: '' or such as "/immune". */
  readonly basePath?: string
  /** Addresses and networks of servers in front, whose headers are believed. */
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
        return { name: undefined }
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
    kind: access.kind,
    sessions,
    owner,
    basePath,
    /** Whether it is known to have come by https: to this server, or to one in front that it trusts. */
    isHttps,
    isInFront,
    /** Whose it is, for logs and limits: a server in front says for whom it asks. */
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
  // Of two valid sessions one was set by somebody else, and they look the same.
  return session === undefined || more.length > 0 ? 'unknown' : { name: session.name }
}

/** Some servers in front write the port too: "192.0.2.7:4711", "[2001:db8::7]:4711". */
const withoutPort = (text: string): string =>
  text.replace(/^\[([\da-f:.]+)\](:\d{1,5})?$/i, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1')

/**
 * Who asks: the address of the connection. Where that is a server in front, the last address in X-Forwarded-For
 * that is not itself in front: each server adds its peer. Clients can write what stands before it.
 */
function visitorAddress({ socket, headersDistinct }: IncomingMessage, isInFront: AddressList): string {
  const peer = socket.remoteAddress ?? ''
  if (!isInFront(peer)) return peer
  const named = (headersDistinct['x-forwarded-for'] ?? []).join(',').split(',')
  const visitor = named.map((one) => withoutPort(one.trim())).findLast((one) => !isInFront(one))
  return visitor !== undefined && isIP(visitor) !== 0 ? visitor : peer
}
