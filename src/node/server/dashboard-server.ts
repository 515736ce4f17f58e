import { MINUTE_MS } from '#base/time.ts'
import {
  createServer,
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { listen, refuseMalformed } from '#node/listen.ts'
import { splitTarget } from '#node/request-target.ts'
import { ok, type Result } from '#base/result.ts'
import type { ServerConfig } from '#settings/schema.ts'
import { ANSWERED_BY_HEADER, isAnswerStatus, PROXY_PREFIX } from '#protocol/transport.ts'
import type { Gate } from './access.ts'
import type { AccessLog } from './access-log.ts'
import { createRateLimit } from './request-rate.ts'
import { networkOf } from '#node/address-guard.ts'
import type { HttpClientOptions } from '#node/http-client.ts'
import {
  boundConnections,
  CONNECTION_LIMITS,
  inTurn,
  timeoutsOf,
  type ConnectionLimits,
} from './connections.ts'
import { sendRefusal, type SignIn } from './sign-in.ts'
import type { Deliver } from './deliver.ts'
import { answerReceivers, answerServices } from './answer-lists.ts'
import {
  answerWatch,
  hasMetricsBearer,
  sendWatchMetrics,
  WATCH_PATH,
  type ServedWatch,
  sendHealth,
} from './answer-watch.ts'
import type { AddedServices, Owner, Receivers } from './receivers.ts'
import { BATCH_PATH } from '#protocol/batch.ts'
import { createLiveStatus } from './live-status.ts'
import { proxyStatus, type Ways } from './proxy.ts'
import { proxyBatch } from './proxy-batch.ts'
import { answerQuery, QUERY_PREFIX, type QueryApis } from './query-apis.ts'
import { RELAY_PREFIX, relayMessage } from './message-relay.ts'
import {
  foreignOrigin,
  sendJson,
  sendLimited,
  sendMethodNotAllowed,
  sendProblem,
  sendRedirect,
  sendUnlessKnown,
  problemOf,
  SERVER_ERROR,
  type Visit,
} from './send-reply.ts'
import { hasOneHost, isCrossOrigin, isHostAllowed, isOwnPage, type HostRule } from './request-guard.ts'
import { isLoopbackHost } from '#record/service.ts'
import type { ServerSigner } from './signing-keys.ts'
import type { ServiceList } from './service-list.ts'
import { roleOf } from './security-headers.ts'
import { isForServiceWorker, sendFarewell, type Pages } from './static-host.ts'
import type { WatchedTls } from './tls-files.ts'
import { createUpstream } from './upstream.ts'

/** `resolve` and `after` are for requests to services. */
export type DashboardServerOptions = Pick<HttpClientOptions, 'resolve' | 'after'> & {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Host names that the server accepts besides this computer's own. */
  readonly allowedHosts: readonly string[]
  readonly services: ServiceList
  readonly added: AddedServices
  readonly receivers: Receivers
  readonly deliver: Deliver
  /** The sources in the Content-Security-Policy of the engine's Worker. */
  readonly direct: (owner: Owner) => readonly string[]
  readonly queryApis: QueryApis
  readonly rateLimit: number
  readonly accessLog?: AccessLog | undefined
  readonly signer: ServerSigner
  /** Absent: browsers alone raise alarms. */
  readonly watch?: ServedWatch | undefined
  /** Creates the handler of all other paths. Hot reload needs the HTTP server. */
  readonly pages: (server: Server | TlsServer) => Pages | Promise<Pages>
  readonly gate: Gate
  readonly signIn: SignIn
  /** Absent: plain http. `ca`: authority of the required client certificates; absent: none is required. */
  readonly tls?: WatchedTls | undefined
  readonly limits?: ConnectionLimits
}

export type DashboardServer = {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Browsers send the cookies of all programs on a host to each of them; Node's own limit is 16 KiB. */
const HEAD_MAX_BYTES = 65_536
const BOUNDS = { keepAliveTimeout: MINUTE_MS, maxHeaderSize: HEAD_MAX_BYTES } as const
const HEAD_TOO_LARGE = `Your browser sent more than ${HEAD_MAX_BYTES / 1_024} KiB of headers, probably cookies of other programs on this host. Delete this host’s cookies, or give the dashboard its own host name.`

const BURST_SECONDS = 2
const VISITORS_MAX = 10_000
/** Bytes of an answer that count as one further request of its visitor. */
const BYTES_OF_A_REQUEST = 65_536
/** Additional cost of a changing request, because it may write a file through to the disk. */
const CHANGE_COST = 20

type HeadersOf = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Last guard against answers that a reverse proxy would treat as a change of protocol; throws. */
class AnswerOnly<Request extends IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, reason?: string | HeadersOf, headers?: HeadersOf): this {
    if (!isAnswerStatus(status)) throw new RangeError(`${status} is not a valid status`)
    return typeof reason === 'string'
      ? super.writeHead(status, reason, headers)
      : super.writeHead(status, reason)
  }
}

/** One year. Browsers then use only https; they ignore it for IP addresses. */
const HSTS = 'max-age=31536000'

export async function startDashboardServer(
  options: DashboardServerOptions,
): Promise<Result<DashboardServer, Error>> {
  const upstream = createUpstream(options)
  const limits = options.limits ?? CONNECTION_LIMITS
  const bounds = { ...timeoutsOf(limits), ...BOUNDS, ServerResponse: AnswerOnly }
  const { tls } = options
  const server = tls === undefined ? createServer(bounds) : tlsServer(tls, bounds, limits)
  // Node would drop headers after the first 2,000, such as X-Forwarded-For. Their total size is limited anyway.
  server.maxHeadersCount = 0
  boundConnections(server, limits, options.gate)
  server.on('clientError', refuseMalformed(HEAD_TOO_LARGE))
  // A later error must not end the process.
  server.on('error', () => undefined)
  const listening = await listen(server, options.host, options.port)
  if (!listening.ok) return listening
  const pages = await options.pages(server)
  const hostRule: HostRule = {
    loopbackOnly: isLoopbackHost(options.host),
    names: new Set([options.host, ...options.allowedHosts].map((name) => name.toLowerCase())),
  }
  const rate = createRateLimit(() => performance.now(), {
    most: options.rateLimit * BURST_SECONDS,
    everyMs: 1_000 / options.rateLimit,
    keysMax: VISITORS_MAX,
  })
  const live = createLiveStatus(options.queryApis, Date.now)
  const ways = { ask: upstream.ask, signer: options.signer, live }
  const { basePath } = options.gate
  const handle = inTurn((request, response) => {
    if (tls !== undefined && !isLoopbackHost(options.host))
      response.setHeader('Strict-Transport-Security', HSTS)
    const visitor = options.gate.admit(request)
    const name = typeof visitor === 'string' ? undefined : visitor.name
    const address = options.gate.addressOf(request)
    options.accessLog?.note(request, response, { address, user: name })
    const payer = `${networkOf(address)} ${name ?? ''}`
    const waitS = rate.waitS(payer)
    if (waitS > 0) return sendLimited(response, waitS)
    rate.count(payer)
    const sentBefore = request.socket.bytesWritten
    response.once('close', () =>
      rate.charge(payer, Math.floor((request.socket.bytesWritten - sentBefore) / BYTES_OF_A_REQUEST)),
    )
    // URLs on the page are relative to a folder.
    if (basePath !== '' && splitTarget(request.url).path === basePath)
      return sendRedirect(response, 308, `${basePath}/`)
    request.url = belowBase(request, basePath)
    if (isChange(request)) rate.charge(payer, CHANGE_COST)
    answer(request, response, options, { hostRule, pages, ways, visitor, payer, rate }).catch(() => {
      // A defect, or an incomplete body: the connection ends, the server continues.
      if (response.headersSent) response.destroy()
      else sendProblem(response, SERVER_ERROR)
    })
  })
  server.on('request', handle)
  return ok({
    url:
      urlOf(tls === undefined ? 'http' : 'https', options.host, listening.value) +
      basePath.replace(/^\/(.+)$/, '$1/'),
    close: () =>
      new Promise((resolve) => {
        void upstream.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

/** Each new connection uses the current files. The check takes microseconds and needs no signal and no restart. */
function tlsServer(tls: WatchedTls, timeouts: ServerOptions, limits: ConnectionLimits): TlsServer {
  const { files, changed } = tls
  const fixed = { minVersion: 'TLSv1.2' } as const
  const server = createTlsServer({
    ...timeouts,
    ...files,
    ...fixed,
    handshakeTimeout: limits.headersMs,
    requestCert: files.ca !== undefined,
    rejectUnauthorized: files.ca !== undefined,
  })
  const sockets = new Set<Socket>()
  let { ca, crl } = files
  const refresh = (): void => {
    const next = changed()
    if (next === undefined) return
    server.setSecureContext({ ...next, ...fixed })
    const isSame = ca?.equals(next.ca ?? NOTHING) !== false && crl?.equals(next.crl ?? NOTHING) !== false
    ;({ ca, crl } = next)
    // Also closes handshakes in progress, because these clients' certificates may now be revoked.
    if (!isSame) for (const socket of sockets) socket.destroy()
  }
  server.prependListener('connection', (socket: Socket) => {
    refresh()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // A client that stays connected makes no new connection at which a change would be noticed.
  server.prependListener('request', refresh)
  return server
}

const NOTHING = Buffer.alloc(0)

type Parts = {
  readonly hostRule: HostRule
  readonly pages: Pages
  readonly ways: Ways
  readonly visitor: ReturnType<Gate['admit']>
  readonly payer: string
  readonly rate: ReturnType<typeof createRateLimit>
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: DashboardServerOptions,
  { hostRule, pages, ways, visitor, payer, rate }: Parts,
) {
  const { services, receivers, direct, watch, gate } = options
  response.setHeader(ANSWERED_BY_HEADER, 'immune-node-dashboard')
  if (!hasOneHost(request)) return sendProblem(response, TWO_HOSTS)
  if (!isHostAllowed(request.headers.host, hostRule)) return sendProblem(response, WRONG_HOST)
  if (isForServiceWorker(request.headers)) return sendFarewell(response)
  // A page loaded by plain http may have been altered on the network path.
  if (gate.isHttps(request) && request.headers.origin?.startsWith('http:') === true)
    return sendProblem(response, NOT_THIS_PAGE)
  const { path, query } = splitTarget(request.url)
  const signingIn = options.signIn(request, response, path, query)
  if (signingIn !== 'not-mine') return signingIn
  if (path === '/healthz') return sendHealth(response, watch)
  if (hasMetricsBearer(path, request, watch)) return sendWatchMetrics(response, watch)
  if (typeof visitor === 'string') {
    // Styles and code of the app are public, so they need no access.
    if (visitor === 'unknown' && isSameForAll(path)) return pages(request, response, path, undefined)
    return sendRefusal(request, response, gate.access.kind, visitor)
  }
  const visit = { request, response, path, query, visitor }
  if (path === BATCH_PATH)
    return proxyBatch(visit, services, ways, (cost) => {
      const waitS = rate.waitS(payer)
      rate.charge(payer, cost)
      return waitS
    })
  if (path.startsWith(PROXY_PREFIX)) return proxyStatus(visit, services, ways)
  if (path.startsWith(QUERY_PREFIX)) return answerQuery(visit, services, options.queryApis, payer)
  if (path.startsWith(RELAY_PREFIX)) return relayMessage(visit, receivers, options.deliver)
  if (path === '/receivers') return answerReceivers(visit, receivers, direct)
  if (path === '/services') return answerServices(visit, services, options.added, direct)
  if (path === WATCH_PATH || path.startsWith(`${WATCH_PATH}/`)) return answerWatch(visit, watch)
  if (path === '/forget') return forget(visit, gate.basePath)
  if (path === '/config.json') return sendConfig(visit, services.config(visitor.mayAdd, visitor.isViewOnly))
  await pages(request, response, path, visitor.name)
}

function sendConfig({ request, response }: Visit, config: ServerConfig) {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendMethodNotAllowed(response, 'GET, HEAD')
  const { headers } = request
  // A user may open it in the address bar; a page of another site must not read it.
  if (headers['sec-fetch-site'] !== 'none' && isCrossOrigin(headers))
    return sendProblem(response, foreignOrigin('read its configuration'))
  sendUnlessKnown(request, response, config)
}

/** Excludes the page and the Workers, whose headers reveal services and receivers. */
const isSameForAll = (path: string): boolean =>
  /^\/(theme\.js|favicon\.svg|icon-[\w-]+\.png|manifest\.webmanifest)$/.test(path) || roleOf(path) === 'asset'

const TWO_HOSTS = problemOf(400, 'Bad request', 'A request must have exactly one Host header.')

const NOT_THIS_PAGE = problemOf(
  403,
  'Origin not allowed',
  'Only a page of this dashboard that was loaded over https may do this.',
)

const WRONG_HOST = problemOf(
  421,
  'Unknown host name',
  'This server does not accept that host name. Start it with --allow-host NAME.',
)

/** A batch only reads. */
const isChange = ({ method, url }: IncomingMessage): boolean =>
  method !== 'GET' && method !== 'HEAD' && url !== BATCH_PATH

/** A reverse proxy may already have removed the path. */
const belowBase = ({ url = '/' }: IncomingMessage, basePath: string): string =>
  url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : url

/** An unspecified address cannot be opened, so this returns the loopback address. */
export function urlOf(scheme: 'http' | 'https', host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `${scheme}://127.0.0.1:${port}/`
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/`
}

/**
 * `POST /forget` makes the browser clear this site's storage. After a script deletes its databases, their bytes stay in the
 * browser's files for a long time; this header removes the files. For this server's own page only, because another site could
 * sign out a wall screen with it. Below a path it clears nothing, because the header would also clear other sites on the host.
 */
function forget({ request, response }: Visit, basePath: string) {
  if (request.method !== 'POST') return sendMethodNotAllowed(response, 'POST')
  if (!isOwnPage(request.headers)) return sendProblem(response, foreignOrigin('clear its storage'))
  if (basePath !== '') return sendJson(response, 200, { cleared: [] })
  sendJson(response, 200, { cleared: ['storage'] }, { 'Clear-Site-Data': '"storage"' })
}
