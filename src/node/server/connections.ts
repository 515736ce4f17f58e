import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

export type ConnectionLimits = {
  /** For the head of a request, from its first byte or from the beginning of the connection. */
  readonly headersMs: number
  /** How often that is looked at. */
  readonly checkEveryMs: number
  /** All together, and from one address that is not this computer's. */
  readonly most: number
  readonly mostOfOne: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 4_500,
  checkEveryMs: 500,
  most: 1_024,
  mostOfOne: 256,
}

/**
 * Bounds connections so that slow ones lock nobody out: beyond the limit the one that has waited longest without
 * a request is ended, and only where every one has a request under way the new one.
 */
export function boundConnections(server: Server | TlsServer, { most, mostOfOne }: ConnectionLimits): void {
  /** Without a request, the longest first; by address and port, since TLS wraps the socket. */
  const waiting = new Map<string, Socket>()
  const countOf = new Map<string, number>()
  let count = 0

  server.on('connection', (socket: Socket) => {
    // Gone already.
    const { remoteAddress: address, remotePort: port } = socket
    if (address === undefined || port === undefined) return void socket.destroy()
    const key = `${address} ${port}`
    const ofAddress = (countOf.get(address) ?? 0) + 1
    if (ofAddress > mostOfOne && !isThisComputer(address)) return void socket.destroy()
    if (count >= most) {
      const [oldest] = waiting
      if (oldest === undefined) return void socket.destroy()
      waiting.delete(oldest[0])
      oldest[1].destroy()
    }
    count += 1
    countOf.set(address, ofAddress)
    waiting.set(key, socket)
    socket.once('close', () => {
      count -= 1
      waiting.delete(key)
      const left = (countOf.get(address) ?? 1) - 1
      if (left > 0) countOf.set(address, left)
      else countOf.delete(address)
    })
  })
  server.on('request', ({ socket }, response) => {
    const key = `${socket.remoteAddress} ${socket.remotePort}`
    const held = waiting.get(key)
    if (held === undefined) return
    waiting.delete(key)
    response.once('close', () => {
      if (!held.destroyed) waiting.set(key, held)
    })
  })
}

const isThisComputer = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address)
