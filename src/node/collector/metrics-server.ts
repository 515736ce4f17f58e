import { MINUTE_MS } from '#base/time.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock } from '#base/clock.ts'
import { ok, type Result } from '#base/result.ts'
import { listen } from '#node/listen.ts'
import { splitTarget } from '#node/request-target.ts'
import { isBearer } from '#node/same-secret.ts'
import { boundConnections, CONNECTION_LIMITS, timeoutsOf } from '#server/connections.ts'
import { hasOneHost, isHostAllowed } from '#server/request-guard.ts'
import { isLoopbackHost } from '#record/service.ts'
import type { Exposition, Format } from './exposition.ts'

export type MetricsServer = {
  readonly url: string
  /** Resolves once the scrapes in progress have ended. It has no limit of its own: the command line ends the process. */
  readonly close: () => Promise<void>
}

type MetricsServerOptions = {
  readonly clock: Clock
  readonly host: string
  readonly port: number
  /** The token that scrapes must send; undefined: none. */
  readonly bearer: string | undefined
  readonly exposition: Pick<Exposition, 'render'>
  /** Undefined while it works, otherwise the reason why it does not. */
  readonly unhealthy?: () => string | undefined
  /** Undefined once every node was polled, otherwise the reason why it is not ready. */
  readonly notReady: () => string | undefined
}

/** A scraper sends a few hundred bytes and reads at once; other connections are closed. */
const LIMITS = { ...CONNECTION_LIMITS, requestMs: 10_000, most: 64, mostOfOne: 32 }
const HEADERS_MAX_BYTES = 8_192
/** Longest time for reading one scrape. Prometheus gives up after ten seconds by default. */
const SCRAPE_MAX_MS = MINUTE_MS
/** Maximum number of concurrent scrapes, because polls wait for parts of each. */
const SCRAPES_MAX = 8
/** After this time the slowest reader may be closed to make room for another. */
const SLOW_AFTER_MS = 1_000

/** Buffered ahead of the reader, because a process that polls without a pause is slow to serve the next part. */
const AHEAD_BYTES = 1_048_576

export async function startMetricsServer(
  options: MetricsServerOptions,
): Promise<Result<MetricsServer, Error>> {
  const { host, port } = options
  const scrape = createScrape(options)
  const server = createServer(
    {
      maxHeaderSize: HEADERS_MAX_BYTES,
      ...timeoutsOf(LIMITS),
      highWaterMark: AHEAD_BYTES,
    },
    (request, response) => {
      answer(options, scrape, request, response).catch(() => response.destroy()) // A failed answer has no reader left.
    },
  )
  boundConnections(server, LIMITS, {
    isInFront: () => false,
    addressOf: ({ socket }) => socket.remoteAddress ?? '',
  })
  const listening = await listen(server, host, port)
  if (!listening.ok) return listening
  return ok({
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening.value}/`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeIdleConnections()
      }),
  })
}

async function answer(
  { host, bearer, notReady, unhealthy = () => undefined }: MetricsServerOptions,
  scrape: ReturnType<typeof createScrape>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!hasOneHost(request)) return sendText(response, 400, 'A request must have exactly one Host header.')
  // A page of another site can point its own host name at this computer. On other addresses the valid names depend on the
  // network.
  if (isLoopbackHost(host) && !isHostAllowed(request.headers.host, LOOPBACK_ONLY))
    return sendText(response, 421, 'On loopback, Host must be a name of this computer.')
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendText(response.setHeader('Allow', 'GET, HEAD'), 405, 'Use GET or HEAD.')
  switch (splitTarget(request.url).path) {
    case '/healthz':
      return sendState(response, unhealthy(), 'ok')
    case '/readyz':
      return sendState(response, notReady(), 'ready')
    case '/metrics':
      if (bearer === undefined || isBearer(request.headers.authorization, bearer))
        return scrape(request, response)
      response.setHeader('WWW-Authenticate', 'Bearer')
      return sendText(response, 401, 'Send the configured bearer token.')
    default:
      return sendText(response, 404, 'Use /metrics, /healthz or /readyz.')
  }
}

const LOOPBACK_ONLY = { loopbackOnly: true, names: new Set<string>() }

/** Writes as fast as the client reads, so that a slow reader costs little memory. */
function createScrape({ clock, exposition }: Pick<MetricsServerOptions, 'clock' | 'exposition'>) {
  const open = new Map<ServerResponse, number>()
  const bytesPerMs = (response: ServerResponse, beganMs: number): number => {
    const { socket } = response
    return socket === null
      ? 0
      : (socket.bytesWritten - socket.writableLength) / (clock.monotonicMs() - beganMs)
  }
  const endSlowest = (): void => {
    const slow = [...open].filter(
      ([response, beganMs]) => response.writableNeedDrain && clock.monotonicMs() - beganMs >= SLOW_AFTER_MS,
    )
    const [slowest] = slow.toSorted((a, b) => bytesPerMs(...a) - bytesPerMs(...b))
    slowest?.[0].destroy()
    if (slowest !== undefined) open.delete(slowest[0])
  }
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (open.size >= SCRAPES_MAX) endSlowest()
    if (open.size >= SCRAPES_MAX)
      return sendText(
        response.setHeader('Retry-After', '5'),
        503,
        `${SCRAPES_MAX} scrapes are already in progress.`,
      )
    const { contentType, parts } = exposition.render(formatOf(request))
    response.setHeader('Content-Type', contentType).setHeader('Vary', 'Accept, Accept-Encoding')
    const isPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (isPacked) response.setHeader('Content-Encoding', 'gzip')
    if (request.method === 'HEAD') return void response.end()
    const endWait = clock.after(SCRAPE_MAX_MS, () => response.destroy())
    open.set(response, clock.monotonicMs())
    try {
      if (isPacked)
        await pipeline(parts, new PassThrough({ highWaterMark: AHEAD_BYTES }), createPacker(), response)
      else await pipeline(parts, response)
    } finally {
      open.delete(response)
      endWait()
    }
  }
}

/** Few large steps, because each waits for the rest of the process. */
const createPacker = () => createGzip({ level: 1, chunkSize: AHEAD_BYTES / 4 })

const sendState = (response: ServerResponse, why: string | undefined, good: string): void =>
  sendText(response, why === undefined ? 200 : 503, why ?? good)

const sendText = (response: ServerResponse, status: number, text: string): void =>
  void response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    .end(`${text}\n`)

const formatOf = ({ headers }: IncomingMessage): Format =>
  /\bapplication\/openmetrics-text\b/.test(headers.accept ?? '') ? 'openmetrics' : 'prometheus'
