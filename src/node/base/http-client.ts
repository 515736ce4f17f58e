import { MINUTE_MS } from '#base/time.ts'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { Agent, buildConnector, Client, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici'
import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import { isAnswerStatus, isInterimStatus, type UnreachableDetail } from '#protocol/transport.ts'
import {
  BLOCKED_CODE,
  isHostBlocked,
  lookupWithin,
  resolveByDns,
  type Reach,
  type Resolve,
} from './address-guard.ts'
import { codeOf } from './files.ts'

export type HttpRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** For headers and body together, from dispatch. */
  readonly timeoutMs: number
  /** Bytes after this many are not read. */
  readonly bodyMaxBytes: number
  /** Default: anywhere. */
  readonly reach?: Reach
}

export type AnswerHeaders = Readonly<Partial<Record<string, string>>>

export type HttpAnswer = {
  readonly status: number
  readonly headers: AnswerHeaders
  /** The part that was read. */
  readonly body: Buffer
  readonly end: 'whole' | 'cut-off' | 'too-large'
}

/** Why no headers arrived. `gone`: the client has left. */
export type HttpFailure = UnreachableDetail | 'timeout' | 'headers-too-large' | 'gone'

export type HttpClientOptions = {
  /** Timer for timeouts. Default: the system's. */
  readonly after?: Clock['after'] | undefined
  /** Connections per origin; further requests wait while their timeout runs. Default: unlimited. */
  readonly connections?: number
  /** Default: true. False: each request has a connection of its own and is never sent twice. */
  readonly keepAlive?: boolean
  /** Whether to offer HTTP/2, which carries many requests on one connection. */
  readonly multiplexed?: boolean
  readonly resolve?: Resolve | undefined
}

/** Longer than most intervals, so that a connection also serves the next round; a service may use a shorter time. */
const KEEP_ALIVE_MS = MINUTE_MS
/** Longest time for establishing a connection. */
const CONNECT_MAX_MS = 30_000

const afterBySystem: Clock['after'] = (delayMs, run) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

export function createHttpClient(options: HttpClientOptions) {
  const { after = afterBySystem, resolve = resolveByDns } = options
  // One agent per reach, because a reused connection is not resolved again.
  const agents = new Map<Reach, Dispatcher>()
  const agentFor = (reach: Reach): Dispatcher => {
    const agent = agents.get(reach) ?? createAgent(reach, resolve, options)
    agents.set(reach, agent)
    return agent
  }
  return {
    /** Follows no redirect. Never throws. */
    send: async (request: HttpRequest, signal: AbortSignal): Promise<Result<HttpAnswer, HttpFailure>> => {
      const { reach = 'anywhere', url } = request
      if (isHostBlocked(url.hostname, reach)) return err('blocked')
      const first = await exchange(agentFor(reach), after, request, signal)
      // The service closed an idle connection at the moment of its reuse, which is not a failure.
      const last = first === 'lost' ? await exchange(agentFor(reach), after, request, signal) : first
      // The service may have processed the first request, and then refuses the second as a replay.
      const isReplay = first === 'lost' && last !== 'lost' && last.ok && REFUSED.includes(last.value.status)
      return last === 'lost' || isReplay ? err('reset') : last
    },
    close: async (): Promise<void> => {
      await Promise.all(Array.from(agents.values(), (agent) => agent.destroy()))
    },
  }
}

const REFUSED: readonly number[] = [401, 403]

/** Time per address of a name with several; Node's default of 250 ms is too short for slow networks. */
const ADDRESS_MAX_MS = 1_500

/** Names of this computer bypass a proxy, which would resolve them to itself. */
const NEVER_PROXIED = ['localhost', '127.0.0.1', '[::1]']

function createAgent(
  reach: Reach,
  resolve: Resolve,
  { connections, keepAlive = true, multiplexed = false }: HttpClientOptions,
): Dispatcher {
  const connect = buildConnector({
    allowH2: multiplexed,
    timeout: CONNECT_MAX_MS,
    autoSelectFamilyAttemptTimeout: ADDRESS_MAX_MS,
    lookup: lookupWithin(reach, resolve),
  })
  const overHttp2 = new Set<string>()
  const agentOptions: Agent.Options = {
    allowH2: multiplexed,
    connections: connections ?? null,
    pipelining: keepAlive ? 1 : 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: DEFAULTS.headersMaxBytes,
    // Each request has its own timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, done) =>
      connect(target, (...connected) => {
        // Undefined if there is an error, although its type says otherwise.
        const { alpnProtocol }: { readonly alpnProtocol?: unknown } = Object(connected[1])
        overHttp2[alpnProtocol === 'h2' ? 'add' : 'delete'](originOf(target))
        done(...connected)
      }),
  }
  const [httpProxy, httpsProxy, noProxy] = [
    fromEnv('http_proxy'),
    fromEnv('https_proxy'),
    fromEnv('no_proxy'),
  ]
  // With guarded addresses no proxy is used, because its lookups cannot be checked.
  if (reach === 'anywhere' && `${httpProxy}${httpsProxy}` !== '')
    return new EnvHttpProxyAgent({
      ...agentOptions,
      httpProxy,
      httpsProxy,
      clientFactory: (origin, clientOptions) =>
        new TunnelPool(origin, { ...clientOptions, headersTimeout: CONNECT_MAX_MS }),
      noProxy: [noProxy, ...NEVER_PROXIED].join(','),
    })
  const agent = new Agent(agentOptions)
  // Over HTTP/1.1 pipelined requests wait for each other, so only HTTP/2 gets more than one.
  agent.on('connect', ({ origin }, targets) => {
    const client = targets.at(-1)
    if (client instanceof Client && overHttp2.has(origin)) client.pipelining = connections ?? 1
  })
  return agent
}

/** An empty variable counts as one that is not set. */
const fromEnv = (name: string): string =>
  [process.env[name], process.env[name.toUpperCase()]].find((value) => value !== undefined && value !== '') ??
  ''

const NO_TUNNEL_CODE = 'ENOTUNNEL'
/** Numbers of tunnels that a proxy is opening, by host and port. */
const opening = new Map<string, number>()
const countOpening = (target: string, by: number): void => {
  const count = (opening.get(target) ?? 0) + by
  if (count === 0) opening.delete(target)
  else opening.set(target, count)
}

/**
 * Reports every failure to open a tunnel through a proxy with one code, because the errors themselves look as if the service
 * had caused them, and undici repeats the request without a pause when the proxy closes the connection.
 */
class TunnelPool extends Pool {
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    countOpening(options.path, 1)
    const answer = await super.connect(options).catch(() => undefined)
    countOpening(options.path, -1)
    if (answer?.statusCode === 200) return answer
    answer?.socket.on('error', () => undefined).destroy()
    throw Object.assign(new Error('The proxy opened no tunnel.'), { code: NO_TUNNEL_CODE })
  }
}

const originOf = ({ protocol, hostname, port }: buildConnector.Options): string =>
  new URL(`${protocol}//${hostname}${port === '' ? '' : `:${port}`}`).origin

/** The connection that carried a request, and the number of bytes it had received before. */
type Sent = { socket?: Socket; isReused: boolean; bytesRead: number }

/** Connections that have delivered an answer. */
const answered = new WeakSet<Socket>()
/** The request that undici is writing. undici's diagnostics channel reports its connection in the same turn. */
let writing: Sent | undefined

subscribe('undici:client:sendHeaders', (message) => {
  const { socket }: { readonly socket?: Socket } = Object(message)
  if (writing === undefined || socket === undefined) return
  writing.socket = socket
  writing.isReused = answered.has(socket)
  writing.bytesRead = socket.bytesRead
  writing = undefined
})

/** Whether a request failed because an idle connection was closed: only then was it not processed and may be sent again. */
function isLost({ socket, isReused, bytesRead }: Sent, error: unknown): boolean {
  const isReset = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error)) && !isBadStatus(error)
  if (socket === undefined || !isReused || !isReset) return false
  // It also carries answers to other requests.
  const isMultiplexed = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2'
  return isMultiplexed || socket.bytesRead === bytesRead
}

/** The error is never read, because the outcome is already known. */
const GIVEN_UP = new Error('given up')

/**
 * Sends one request directly through the dispatcher, because a stream and an abort signal for each answer of a few hundred
 * bytes would cost as much as all the rest.
 */
function exchange(
  agent: Dispatcher,
  after: Clock['after'],
  { method = 'GET', url, headers, body, timeoutMs, bodyMaxBytes }: HttpRequest,
  signal: AbortSignal,
): Promise<Result<HttpAnswer, HttpFailure> | 'lost'> {
  if (signal.aborted) return Promise.resolve(err('gone'))
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let isSettled = false
    let head: Pick<HttpAnswer, 'status' | 'headers'> | undefined
    const sent: Sent = { isReused: false, bytesRead: 0 }
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (outcome: Result<HttpAnswer, HttpFailure> | 'lost', isOver = false): void => {
      if (isSettled) return
      isSettled = true
      cancel()
      signal.removeEventListener('abort', onAbort)
      resolve(outcome)
      if (!isOver) controller?.abort(GIVEN_UP)
    }
    const answer = (end: HttpAnswer['end'], isOver: boolean): void => {
      if (head !== undefined) settle(ok({ ...head, body: Buffer.concat(chunks), end }), isOver)
    }
    const onAbort = (): void => settle(err('gone'))
    const target = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
    const isUnsent = (): boolean => sent.socket === undefined && opening.has(target)
    const cancel = after(timeoutMs, () => settle(err(isUnsent() ? 'no-tunnel' : 'timeout')))
    signal.addEventListener('abort', onAbort)
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...headers },
        body: body ?? null,
      },
      {
        onRequestStart: (given) => {
          controller = given
          // The request was given up before it got a connection.
          if (isSettled) given.abort(GIVEN_UP)
          else writing = sent
        },
        onResponseStart: (_, status, came) => {
          if (isInterimStatus(status)) return
          if (sent.socket !== undefined) answered.add(sent.socket)
          head = { status, headers: joined(came) }
          if (!isAnswerStatus(status)) settle(err('bad-status'))
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length
          chunks.push(chunk)
          if (bytes > bodyMaxBytes) answer('too-large', false)
        },
        onResponseEnd: () => answer('whole', true),
        onResponseError: (_, error) => {
          if (head !== undefined) answer('cut-off', true)
          else settle(isLost(sent, error) ? 'lost' : err(failureOfError(error)), true)
        },
      },
    )
  })
}

/** Headers of which only the first value counts, as in Node; repeated lines of other headers are joined. */
const ONCE = ['content-type', 'retry-after', 'age', 'date', 'content-encoding']

const joined = (came: Readonly<Record<string, string | string[] | undefined>>): AnswerHeaders =>
  Object.fromEntries(
    Object.entries(came).map(([name, value]) => [
      name,
      Array.isArray(value) ? (ONCE.includes(name) ? value[0] : value.join(', ')) : value,
    ]),
  )

/** undici's errors for an answer that changes the protocol and for one with status 100, which it does not skip. */
const isBadStatus = (error: unknown): boolean =>
  error instanceof Error && ['bad upgrade', 'bad response'].includes(error.message)

const isOfParser = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'HTTPParserError'

const isNoStatus = (error: unknown): boolean => isOfParser(error) && /\bstatus\b/.test(error.message)

const FAILURE_BY_CODE: Readonly<Record<string, HttpFailure>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  EHOSTDOWN: 'no-route',
  UND_ERR_CONNECT_TIMEOUT: 'no-route',
  EADDRNOTAVAIL: 'refused',
  EACCES: 'refused',
  EPERM: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  // No address accepted a connection; the time spent on the attempts is not a response time.
  ETIMEDOUT: 'no-route',
  UND_ERR_HEADERS_OVERFLOW: 'headers-too-large',
  // undici's error for any invalid header after Content-Length.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not-http',
  EPROTO: 'tls-handshake',
  [NO_TUNNEL_CODE]: 'no-tunnel',
  [BLOCKED_CODE]: 'blocked',
}

/**
 * TLS alerts of the other side, and answers that are not TLS; a host name that does not match the certificate is not among
 * them.
 */
const HANDSHAKE_CODE = /^ERR_SSL_/

/** Node's codes for a failed certificate or handshake; OpenSSL's codes have no common prefix. */
const TLS_CODE = /^(ERR_TLS_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/

/** Classifies an error before the headers arrived. Unknown errors count as a broken connection. */
export function failureOfError(error: unknown): HttpFailure {
  // Happy Eyeballs reports an error for each address that it tried.
  const [first] = error instanceof AggregateError ? error.errors : [error]
  const code = codeOf(first)
  if (isBadStatus(error) || isNoStatus(error)) return 'bad-status'
  if (isOfParser(error) || code.startsWith('HPE_')) return 'not-http'
  return (
    FAILURE_BY_CODE[code] ??
    (HANDSHAKE_CODE.test(code) ? 'tls-handshake' : TLS_CODE.test(code) ? 'tls' : 'reset')
  )
}
