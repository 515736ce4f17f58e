import { jsonIn, membersOf } from '#base/stored.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { err, ok, type Result } from '#base/result.ts'
import { readBytes } from '#node/read-bytes.ts'
import { isBearer } from '#node/same-secret.ts'
import { demoName } from './demo-network.ts'
import type { Directory } from './directory.ts'
import { TOO_MANY_FAULTS, type FaultOrder, type FaultState } from './faults.ts'
import type { Stats } from './stats.ts'

type ControlPorts = {
  readonly token: string
  /** The port of the control address itself. */
  readonly port: () => number
  readonly faults: Pick<FaultState, 'read' | 'hasRoom' | 'list'> & {
    readonly set: (order: FaultOrder) => Promise<void>
    readonly clear: (node?: string, name?: string) => Promise<void>
  }
  readonly stats: Pick<Stats, 'snapshot' | 'reset'>
  readonly network: Pick<Directory, 'count' | 'idOf'>
  readonly clockOffsetMs: () => number
}

type Reply = readonly [status: number, body: unknown]

const failed = (status: number, error: string): Reply => [status, { error }]

const BODY_BYTES_MAX = 4_096
const NODES_PER_REPLY_MAX = 1_000

/**
 * The control address is for tests and for a user of this computer, never for a page. A page that guessed the port sends an
 * Origin, and a rebound host name its own Host; both are refused before the token is checked.
 */
export const createControlHandler =
  (ports: ControlPorts) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [status, body] = await replyTo(request, ports)
    const text = JSON.stringify(body)
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(text)),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="reference-control"' } : {}),
    })
    response.end(text)
  }

async function replyTo(request: IncomingMessage, ports: ControlPorts): Promise<Reply> {
  const refused = refusal(request, ports)
  if (refused !== undefined) return refused
  const url = new URL(request.url ?? '/', 'http://control')
  const action = `${request.method ?? 'GET'} ${url.pathname}`
  switch (action) {
    case 'GET /faults':
      return [200, ports.faults.list()]
    case 'PUT /faults':
      return setFault(await readJson(request), ports)
    case 'DELETE /faults':
      await ports.faults.clear(
        url.searchParams.get('node') ?? undefined,
        url.searchParams.get('fault') ?? undefined,
      )
      return [200, ports.faults.list()]
    case 'GET /stats':
      return [200, ports.stats.snapshot()]
    case 'DELETE /stats':
      ports.stats.reset()
      return [200, ports.stats.snapshot()]
    case 'GET /nodes':
      return nodesReply(url.searchParams, ports)
    case 'GET /clock':
      return [200, { offsetMs: ports.clockOffsetMs() }]
    case 'PUT /clock':
      return setClock(await readJson(request), ports)
    default:
      return failed(404, 'no such action; see the documentation of the reference service')
  }
}

function refusal(request: IncomingMessage, { token, port }: ControlPorts): Reply | undefined {
  const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`]
  const [host, ...more] = request.headersDistinct['host'] ?? []
  if (host === undefined || more.length > 0 || !hosts.includes(host.toLowerCase()))
    return failed(421, 'Host must be this address')
  if (request.headers.origin !== undefined) return failed(403, 'requests from pages are not allowed')
  const [authorization = '', ...others] = request.headersDistinct['authorization'] ?? []
  if (others.length > 0 || !isBearer(authorization, token))
    return failed(401, 'the control token is missing or wrong')
  return undefined
}

const NO_ROOM: Reply = failed(409, TOO_MANY_FAULTS)

async function setFault(
  read: Result<Readonly<Record<string, unknown>>, string>,
  ports: ControlPorts,
): Promise<Reply> {
  if (!read.ok) return failed(400, read.error)
  const { node = '*', fault, value } = read.value
  if (typeof node !== 'string' || typeof fault !== 'string')
    return failed(400, 'expected {"node":"*" or an id,"fault":"name","value":…}')
  const order = ports.faults.read(node, fault, value)
  if (!order.ok) return failed(400, order.error)
  if (!ports.faults.hasRoom(order.value)) return NO_ROOM
  await ports.faults.set(order.value)
  return [200, ports.faults.list()]
}

async function setClock(
  read: Result<Readonly<Record<string, unknown>>, string>,
  ports: ControlPorts,
): Promise<Reply> {
  const order = read.ok ? ports.faults.read('*', 'clock-offset', read.value['offsetMs'] ?? '') : read
  if (!order.ok) return failed(400, `expected {"offsetMs":…}: ${order.error}`)
  if (!ports.faults.hasRoom(order.value)) return NO_ROOM
  await ports.faults.set(order.value)
  return [200, { offsetMs: ports.clockOffsetMs() }]
}

function nodesReply(query: URLSearchParams, { network }: ControlPorts): Reply {
  const from = Number(query.get('from') ?? 0)
  const wanted = Number(query.get('count') ?? 100)
  const usable = Number.isInteger(from) && Number.isInteger(wanted) && from >= 0 && wanted >= 0
  if (!usable) return failed(400, 'from and count must be whole numbers')
  const count = Math.max(0, Math.min(wanted, NODES_PER_REPLY_MAX, network.count - from))
  const nodes = Array.from({ length: count }, (_, i) => ({
    id: network.idOf(from + i),
    name: demoName(from + i),
  }))
  return [200, { total: network.count, nodes }]
}

async function readJson(
  request: IncomingMessage,
): Promise<Result<Readonly<Record<string, unknown>>, string>> {
  const body = await readBytes(request, BODY_BYTES_MAX)
  if (body === undefined) return err('the body is too large')
  const members = membersOf(jsonIn(body.toString('utf8')))
  return members === undefined ? err('the body is not a JSON object') : ok(members)
}
