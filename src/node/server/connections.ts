import type { Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { AddressList } from './address-guard.ts'

export type ConnectionLimits = {
  /** For the head of a request, from its first byte or from the beginning of the connection. */
  readonly headersMs: number
  /** For all of a request, its body included. */
  readonly requestMs: number
  /** For taking an answer once it is made, and so many of its bytes a second beside that. */
  readonly answerMs: number
  readonly answerBytesPerS: number
  /** How often all that is looked at. */
  readonly checkEveryMs: number
  /** All together, and from one address that is not this computer's. */
  readonly most: number
  readonly mostOfOne: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 4_500,
  requestMs: 30_000,
  answerMs: 30_000,
  answerBytesPerS: 16_384,
  checkEveryMs: 500,
  most: 1_024,
  mostOfOne: 256,
}

/**
 * Bounds connections so that slow ones lock nobody out: beyond the limit the one that has waited longest without
 * a request is ended, and only where every one has a request under way the new one. Who does not take an answer is ended too.
 */
export function boundConnections(
  server: Server | TlsServer,
  limits: ConnectionLimits,
  isInFront: AddressList,
): void {
  endSlowReaders(server, limits)
  const { most, mostOfOne } = limits
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
    if (ofAddress > mostOfOne && !isThisComputer(address) && !isInFront(address)) return void socket.destroy()
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

/** Node bounds how long a request may take, and not how long its answer. */
function endSlowReaders(
  server: Server | TlsServer,
  { answerMs, answerBytesPerS, checkEveryMs }: ConnectionLimits,
): void {
  /** By when each answer that was made is to be taken; undefined: it is not made yet. */
  const answers = new Map<ServerResponse, number | undefined>()
  server.on('request', (_request, response) => {
    answers.set(response, undefined)
    response.once('close', () => answers.delete(response))
  })
  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (const [response, untilMs] of answers) {
      const { socket } = response
      // Without one it waits for the answer before it.
      if (!response.writableEnded || socket === null) continue
      if (untilMs === undefined)
        answers.set(response, nowMs + answerMs + (socket.writableLength / answerBytesPerS) * 1_000)
      else if (nowMs > untilMs) socket.destroy()
    }
  }, checkEveryMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

const isThisComputer = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address)
