import { execFileSync } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createSocketServer, type Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { portOf } from '#test/support/free-port.ts'
import { certificate, temporaryFolder } from './test-server.ts'

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void

/** A service for answers that the reference service does not give; closed after the test. */
export async function startUpstream(answerer: Answerer): Promise<string> {
  const server = createServer(answerer)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await portOf(server)}`
}

/** A service that answers in raw bytes. */
export async function startSocketUpstream(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // These tests make the other side reset connections.
    socket.on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${await portOf(server)}`
}

/** A service with a self-signed certificate. */
export async function startSelfSignedUpstream(
  answerer: Answerer = (_request, response) => void response.end('{}'),
): Promise<string> {
  const server = createTlsServer(await certificate('localhost'), answerer)
  onTestFinished(() => void server.close())
  return `https://127.0.0.1:${await portOf(server)}`
}

/** A service whose certificate expired yesterday. */
export async function startExpiredUpstream(): Promise<string> {
  const folder = await temporaryFolder()
  const [key, request, cert] = ['key.pem', 'request.pem', 'cert.pem'].map((name) => join(folder, name))
  if (key === undefined || request === undefined || cert === undefined) throw new Error('no files')
  const openssl = (flags: string, ...more: readonly string[]) =>
    execFileSync('openssl', [...flags.split(' '), ...more], { stdio: 'ignore' })
  openssl(
    'req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost',
    '-keyout',
    key,
    '-out',
    request,
  )
  openssl('x509 -req -days -1', '-in', request, '-signkey', key, '-out', cert)
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
    response.end('{}'),
  )
  onTestFinished(() => void server.close())
  return `https://127.0.0.1:${await portOf(server)}`
}
