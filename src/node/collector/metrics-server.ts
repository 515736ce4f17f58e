import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { err, ok, type Result } from '#base/result.ts'
import type { Exposition, Format } from './exposition.ts'

const packed = promisify(gzip)

export type MetricsServer = { readonly url: string; readonly close: () => Promise<void> }

type MetricsServerOptions = {
  readonly host: string
  readonly port: number
  /** What a scrape has to bring; undefined: nothing. */
  readonly bearer: string | undefined
  readonly exposition: Pick<Exposition, 'render'>
  /** Undefined once it polls, else why it does not. */
  readonly notReady: () => string | undefined
}

/** A scraper sends a few hundred bytes and reads at once; who does not is let go. */
const REQUEST_MAX_MS = 10_000
const HEADERS_MAX_BYTES = 8_192
const CONNECTIONS_MAX = 64

/** Serves `/metrics`, `/healthz` and `/readyz`, and nothing else. The error is the code by which listening failed. */
export function startMetricsServer(options: MetricsServerOptions): Promise<Result<MetricsServer, string>> {
  const { host, port } = options
  const server = createServer(
    { maxHeaderSize: HEADERS_MAX_BYTES, requestTimeout: REQUEST_MAX_MS, headersTimeout: REQUEST_MAX_MS },
    (request, response) => {
      answer(options, request, response).catch(() => response.destroy()) // nobody waits for it any more
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(err('code' in error ? String(error.code) : error.message)))
    server.listen(port, host, () => {
      const { port: own }: AddressInfo | { port: number } = Object(server.address())
      resolve(
        ok({
          url: `http://${host.includes(':') ? `[${host}]` : host}:${own}/`,
          close: () =>
            new Promise((closed) => {
              server.close(() => closed())
              server.closeIdleConnections()
            }),
        }),
      )
    })
  })
}

async function answer(
  { bearer, exposition, notReady }: MetricsServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/s, '')
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return say(response.setHeader('Allow', 'GET, HEAD'), 405, 'Only GET.')
  switch (path) {
    case '/healthz':
      return say(response, 200, 'ok')
    case '/readyz': {
      const why = notReady()
      return say(response, why === undefined ? 200 : 503, why ?? 'ready')
    }
    case '/metrics': {
      if (bearer !== undefined && !isBearer(request.headers.authorization, bearer))
        return say(
          response.setHeader('WWW-Authenticate', 'Bearer'),
          401,
          'Wants the bearer that was configured.',
        )
      const { contentType, text } = await exposition.render(formatOf(request))
      response.setHeader('Content-Type', contentType)
      if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return void response.end(text)
      response.setHeader('Content-Encoding', 'gzip')
      response.end(await packed(text, { level: 1 }))
      return
    }
    default:
      return say(response, 404, 'Here are /metrics, /healthz and /readyz.')
  }
}

const say = (response: ServerResponse, status: number, text: string): void =>
  void response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    .end(`${text}\n`)

const formatOf = ({ headers }: IncomingMessage): Format =>
  /\bapplication\/openmetrics-text\b/.test(headers.accept ?? '') ? 'openmetrics' : 'prometheus'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** In the same time whatever is wrong with it. */
const isBearer = (header: string | undefined, bearer: string): boolean =>
  timingSafeEqual(digest(header ?? ''), digest(`Bearer ${bearer}`))
