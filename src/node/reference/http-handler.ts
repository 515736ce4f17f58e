import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#base/clock.ts'
import { splitTarget } from '#node/request-target.ts'
import { corsHeaders, preflightHeaders, type OriginPattern } from './cors.ts'
import { isNodeId } from './directory.ts'
import { acting, type ActiveFault, type FaultState, type SentHeaders } from './faults.ts'
import openApiDocument from './openapi.json' with { type: 'json' }
import { problemAnswer, send, type Answer } from './problem.ts'
import { readQuery } from './strict-verify.ts'
import { STATUS_PATH, type StatusEndpoint } from './status-endpoint.ts'
import type { Stats } from './stats.ts'

type HandlerPorts = {
  readonly status: StatusEndpoint
  readonly faults: FaultState
  readonly stats: Stats
  readonly clock: Clock
  readonly nowMs: () => number
  readonly allowedOrigins: readonly OriginPattern[]
  readonly requestHeaders: readonly string[]
  /** The node of a registered key (hex), for requests that name no node. */
  readonly nodeOfKey: (keyHex: string) => string | undefined
}

type Target = ReturnType<typeof splitTarget>

export const createHandler =
  (ports: HandlerPorts) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = splitTarget(request.url)
    const origin = request.headers.origin
    const node = aboutNode(request, target, ports)
    const method = request.method ?? 'GET'
    const ended = ports.stats.begin({ method, path: target.path, node, origin })
    response.once('close', () => ended(response.headersSent ? response.statusCode : undefined))

    const met = target.path === STATUS_PATH ? ports.faults.meet(node) : []
    const answer = await answerTo(request, target, met, ports)
    if (answer === undefined) return
    response.sendDate = false // Node would send the computer's time.
    const full = {
      ...answer,
      headers: { ...commonHeaders(ports.nowMs()), ...cors(origin, met, ports), ...answer.headers },
    }
    // Bodies are ignored; the rest of one must not be read as the next request.
    if (hasBody(request)) full.headers['Connection'] = 'close'
    const [way] = method === 'OPTIONS' ? [] : acting(met, 'deliver')
    const delivery = { request, response, answer: full, clock: ports.clock }
    if (way === undefined) send(delivery)
    else way.act(delivery, Number(way.use.value))
  }

/** Undefined for a request that is never answered. */
async function answerTo(
  request: IncomingMessage,
  { path, query }: Target,
  met: readonly ActiveFault[],
  ports: HandlerPorts,
): Promise<Answer | undefined> {
  const method = request.method ?? 'GET'
  const page = ports.faults.pageAt(path)
  if (page !== undefined) return page
  if (path !== STATUS_PATH && path !== '/openapi.json') return problemAnswer('path-not-found')
  if (method === 'OPTIONS') return preflightAnswer(request, met, ports)
  if (method !== 'GET' && method !== 'HEAD') return problemAnswer('method-not-allowed')
  if (path === '/openapi.json') return documentAnswer()
  const [instead] = acting(met, 'instead')
  if (instead !== undefined) {
    const { value } = instead.use
    const url = request.url ?? '/'
    return instead.act({ value: Number(value), text: String(value), url, nowMs: ports.nowMs() })
  }
  return ports.status({ method, query, headers: arrivedHeaders(request, met) }, met)
}

function preflightAnswer(
  request: IncomingMessage,
  met: readonly ActiveFault[],
  { requestHeaders }: HandlerPorts,
): Answer | undefined {
  const rights = preflightHeaders(requestHeaders)
  const asksForRights = request.headers['access-control-request-method'] !== undefined
  const answer = {
    status: 204,
    headers: { Allow: 'GET, HEAD, OPTIONS', ...(asksForRights && rights) },
    body: new Uint8Array(),
  }
  return acting(met, 'preflight').reduce<Answer | undefined>(
    (before, { act }) => before && act(before),
    answer,
  )
}

/** The headers as received: a fault may have dropped some on the way. */
const arrivedHeaders = ({ headersDistinct }: IncomingMessage, met: readonly ActiveFault[]): SentHeaders =>
  acting(met, 'request').reduce<SentHeaders>((headers, { act }) => act(headers), headersDistinct)

const documentAnswer = (): Answer => ({
  status: 200,
  headers: { 'Content-Type': 'application/vnd.oai.openapi+json;version=3.1' },
  body: Buffer.from(JSON.stringify(openApiDocument)),
})

const commonHeaders = (nowMs: number): Record<string, string> => ({
  Date: new Date(nowMs).toUTCString(),
  'Cache-Control': 'no-store',
  Vary: 'Origin',
  'X-Content-Type-Options': 'nosniff',
})

function cors(
  origin: string | undefined,
  met: readonly ActiveFault[],
  { allowedOrigins }: HandlerPorts,
): Record<string, string> {
  const headers = corsHeaders(origin, allowedOrigins)
  return acting(met, 'cors').reduce<Record<string, string>>((all, { act }) => ({ ...act(all) }), headers)
}

/** The node is read before the signature is checked, because faults apply first. */
function aboutNode(
  request: IncomingMessage,
  { path, query }: Target,
  ports: HandlerPorts,
): string | undefined {
  if (path !== STATUS_PATH) return undefined
  const named = readQuery(query)?.find(({ name }) => name === 'node_id')?.value
  if (named !== undefined) return isNodeId(named) ? named.toLowerCase() : undefined
  const [keyHex] = request.headersDistinct['x-node-key'] ?? []
  return keyHex === undefined ? undefined : ports.nodeOfKey(keyHex.toLowerCase())
}

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
