import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { networkOf } from '#node/address-guard.ts'
import { isLoopbackHost } from '#record/service.ts'

export const CONNECTION_LIMITS = {
  /** For the head of a request, from its first byte or from the start of the connection. */
  headersMs: 4_500,
  /** For a whole request, including its body. */
  requestMs: 30_000,
  /**
   * For a body after its head (`bodyMs`) and for reading a finished answer (`answerMs`), each plus one second per `bytesPerS`
   * bytes.
   */
  bodyMs: 4_500,
  answerMs: 30_000,
  bytesPerS: 16_384,
  checkEveryMs: 500,
  /** Maximum number of connections in total, and from one visitor's network. */
  most: 1_024,
  mostOfOne: 256,
}

export type ConnectionLimits = Readonly<typeof CONNECTION_LIMITS>

/** The limits that Node itself enforces. */
export const timeoutsOf = ({ headersMs, requestMs, checkEveryMs }: ConnectionLimits) =>
  ({
    requestTimeout: requestMs,
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkEveryMs,
  }) satisfies ServerOptions

/** The client of a request, and whether a connection belongs to a reverse proxy, which carries requests of many clients. */
export type Visitors = {
  readonly isInFront: (address: string) => boolean
  readonly addressOf: (request: IncomingMessage) => string
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly beganMs: number
  readonly bytesBefore: number
  /** Deadline for reading the answer; undefined until the answer is complete. */
  readByMs: number | undefined
}

type Connection = {
  readonly socket: Socket
  /** The network that the connection counts for; undefined: none. */
  network: string | undefined
  /** Requests without a complete answer, oldest first. */
  readonly exchanges: Set<Exchange>
}

/**
 * The order in which connections are closed to make room: first those with an incomplete request, then idle ones, then those
 * that do not read an answer. A connection whose answer is being produced stays.
 */
const CLOSED_IN_ORDER = ['incomplete', 'idle', 'untaken'] as const

function phaseOf({ exchanges }: Connection): (typeof CLOSED_IN_ORDER)[number] | 'working' {
  const [first] = exchanges
  const last = [...exchanges].at(-1)
  if (first === undefined || last === undefined) return 'idle'
  if (!last.request.complete) return 'incomplete'
  return first.response.writableEnded || first.response.writableNeedDrain ? 'untaken' : 'working'
}

/** Open connections, the least recently used first. By address and port, because TLS wraps the socket. */
type Connections = Map<string, Connection>

/** Closes one connection of the network, or of any. False: each of them is waiting for an answer. */
function makeRoom(connections: Connections, network?: string): boolean {
  for (const phase of CLOSED_IN_ORDER)
    for (const [key, connection] of connections) {
      if (network !== undefined && connection.network !== network) continue
      if (phaseOf(connection) !== phase) continue
      connection.socket.destroy()
      connections.delete(key)
      return true
    }
  return false
}

/**
 * Limits connections so that slow ones do not lock others out. At a limit an older connection is closed; a new one is refused
 * only if every older one is waiting for an answer. Sending a body or reading an answer too slowly closes the connection.
 */
export function boundConnections(
  server: Server | TlsServer,
  limits: ConnectionLimits,
  { isInFront, addressOf }: Visitors,
): void {
  const connections: Connections = new Map()
  const hasRoomFor = (network: string): boolean => {
    const own = Array.from(connections.values()).filter((connection) => connection.network === network)
    return own.length < limits.mostOfOne || makeRoom(connections, network)
  }
  const moveToEnd = (key: string, connection: Connection): void => {
    if (connections.delete(key)) connections.set(key, connection)
  }

  server.on('connection', (socket: Socket) => {
    // The client has already left.
    const { remoteAddress: address, remotePort: port } = socket
    if (address === undefined || port === undefined) return void socket.destroy()
    const network = isThisComputer(address) || isInFront(address) ? undefined : networkOf(address)
    if (network !== undefined && !hasRoomFor(network)) return void socket.destroy()
    if (connections.size >= limits.most && !makeRoom(connections)) return void socket.destroy()
    const key = `${address} ${port}`
    const connection: Connection = { socket, network, exchanges: new Set() }
    connections.set(key, connection)
    socket.once('close', () => {
      if (connections.get(key) === connection) connections.delete(key)
    })
  })

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const peer = socket.remoteAddress ?? ''
    const key = `${peer} ${socket.remotePort}`
    const connection = connections.get(key)
    if (connection === undefined) return
    // A connection of a reverse proxy counts for its client while requests are open.
    const visitor = isInFront(peer) ? addressOf(request) : peer
    if (visitor !== peer) {
      const network = networkOf(visitor)
      if (connection.network !== network && !hasRoomFor(network)) return void socket.destroy()
      connection.network = network
    }
    const exchange: Exchange = {
      request,
      response,
      beganMs: performance.now(),
      bytesBefore: socket.bytesRead,
      readByMs: undefined,
    }
    connection.exchanges.add(exchange)
    moveToEnd(key, connection)
    response.once('close', () => {
      connection.exchanges.delete(exchange)
      if (visitor !== peer && connection.exchanges.size === 0) connection.network = undefined
      moveToEnd(key, connection)
    })
  })

  const timer = setInterval(() => {
    for (const { exchanges } of connections.values())
      for (const exchange of exchanges) if (isLate(exchange, limits)) exchange.request.socket.destroy()
  }, limits.checkEveryMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** Node limits a request only by a fixed time, and does not limit its answer. */
function isLate(exchange: Exchange, { bodyMs, answerMs, bytesPerS }: ConnectionLimits): boolean {
  const { request, response, beganMs, bytesBefore } = exchange
  const nowMs = performance.now()
  const allowedMs = (bytes: number): number => (bytes / bytesPerS) * 1_000
  if (!request.complete && nowMs > beganMs + bodyMs + allowedMs(request.socket.bytesRead - bytesBefore))
    return true
  const { socket } = response
  // A pipelined request without a socket waits for the previous answer.
  if (!response.writableEnded || socket === null) return false
  exchange.readByMs ??= nowMs + answerMs + allowedMs(socket.writableLength)
  return nowMs > exchange.readByMs
}

/** A connection with more pipelined requests is closed; browsers do not pipeline. */
const PIPELINED_MAX = 32

/** Handles the requests of a connection one after the other, so that the cost of each is known before the next starts. */
export function inTurn(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const waiting = new WeakMap<Socket, { last: ServerResponse; count: number }>()
  return (request, response) => {
    const { socket } = request
    const before = waiting.get(socket)
    waiting.set(socket, { last: response, count: (before?.count ?? 0) + 1 })
    response.once('close', () => {
      const now = waiting.get(socket)
      if (now !== undefined) now.count -= 1
    })
    if (before === undefined || before.count === 0) return handle(request, response)
    if (before.count > PIPELINED_MAX) return void socket.destroy()
    before.last.once('close', () => {
      if (!socket.destroyed) handle(request, response)
    })
  }
}

/** A dual-stack socket reports IPv4 peers as IPv6 addresses. */
const isThisComputer = (address: string): boolean => isLoopbackHost(address.replace(/^::ffff:/, ''))
