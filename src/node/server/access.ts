import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { visitorAddress } from './visitor-address.ts'
import { readAddressList, type AddressList, type Reach } from './address-guard.ts'
import type { PasswordFile } from './password-file.ts'
import { isLoopbackHost } from './request-guard.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** Who may use this server, decided once at its start. */
export type Access =
  /** Nobody else can reach it. */
  | { readonly kind: 'this-computer' }
  /** Everybody, to read. */
  | { readonly kind: 'public' }
  /** Whoever has a client certificate; the TLS handshake asks for it. */
  | { readonly kind: 'certificate' }
  /** Whom the server in front names in a header; that server alone may. */
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'password'; readonly accounts: PasswordFile; readonly lifeMs: number }

/** What somebody who was let in may do. */
export type Visitor = {
  readonly name: string | undefined
  /** Messages and silences. */
  readonly maySend: boolean
  /** Services and receivers. */
  readonly mayAdd: boolean
  /** How far what browsers added may lead. */
  readonly reach: Exclude<Reach, 'anywhere'>
}

/** `elsewhere`: it did not come from the server in front. */
export type Refusal = 'unknown' | 'elsewhere'

export type Gate = {
  readonly kind: Access['kind']
  readonly admit: (request: IncomingMessage) => Visitor | Refusal
  /** Whose it is, for logs and limits: a server in front says for whom it asks. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Whether an address is that of a server in front. */
  readonly isInFront: AddressList
  readonly sessions: Sessions | undefined
}

export type GateOptions = {
  readonly access: Access
  /** Listens on a loopback address, and answers to no other name. */
  readonly isLocal: boolean
  /** `local`: for pages on this computer, as long as nobody else can reach the server. */
  readonly addServices: 'local' | 'always' | 'never'
  readonly nowMs: () => number
  /** Addresses and networks of servers in front, whose headers are believed. */
  readonly trustFrom?: readonly string[]
}

export function createGate({ access, isLocal, addServices, nowMs, trustFrom = [] }: GateOptions): Gate {
  const sessions = access.kind === 'password' ? createSessions(nowMs, access.lifeMs) : undefined
  const isInFront = readAddressList(trustFrom) ?? (() => false)
  const nameOf = (request: IncomingMessage): { readonly name: string | undefined } | Refusal => {
    switch (access.kind) {
      case 'this-computer':
      case 'public':
        return { name: undefined }
      case 'certificate':
        return { name: undefined }
      case 'header':
        return nameByHeader(request, access.name, isInFront)
      case 'password':
        return nameBySession(request.headers, access.accounts, sessions)
    }
  }
  return {
    kind: access.kind,
    sessions,
    isInFront,
    addressOf: (request) => visitorAddress(request, isInFront),
    admit: (request) => {
      const known = nameOf(request)
      if (typeof known === 'string') return known
      const isHere = isLocal && isPageHere(request.headers)
      const maySend = access.kind === 'this-computer' ? isHere : access.kind !== 'public'
      return {
        name: known.name,
        maySend,
        mayAdd: maySend && (addServices === 'always' || (addServices === 'local' && isHere)),
        reach: isHere ? 'not-link-local' : 'public',
      }
    },
  }
}

/** Whether the request is of a page on this computer: nobody passed it on, and its own name for this server says so. */
const isPageHere = (headers: IncomingHttpHeaders): boolean =>
  isLoopbackHost((headers.host ?? '').replace(/:\d{1,5}$/, '')) &&
  !Object.keys(headers).some((name) => /^(forwarded|x-forwarded-.*|via|x-real-ip)$/.test(name))

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
): { readonly name: string } | Refusal {
  const cookie = sessionCookie(headers)
  const session = cookie && sessions?.find(cookie.token)
  if (cookie === undefined || session === undefined || session.isSecure !== cookie.isSecure) return 'unknown'
  return accounts.stampOf(session.name) === session.stamp ? { name: session.name } : 'unknown'
}

/**
 * A browser takes the first name over https only, and for this host and every path of it only. It keeps cookies by host
 * and not by port: with its port in the name another dashboard on the same host keeps its own.
 */
export function cookieNames({ host }: IncomingHttpHeaders): {
  readonly secure: string
  readonly plain: string
} {
  const [, port] = /:(\d{1,5})$/.exec(host ?? '') ?? []
  const plain = port === undefined ? 'immune-session' : `immune-session-${port}`
  return { secure: `__Host-${plain}`, plain }
}

export function sessionCookie(
  headers: IncomingHttpHeaders,
): { readonly token: string; readonly isSecure: boolean } | undefined {
  const cookies = new Map(
    (headers.cookie ?? '').split(/;\s*/).map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=')
      return [name, value.join('=')]
    }),
  )
  const names = cookieNames(headers)
  const secure = cookies.get(names.secure)
  if (secure !== undefined) return { token: secure, isSecure: true }
  const plain = cookies.get(names.plain)
  return plain === undefined ? undefined : { token: plain, isSecure: false }
}
