import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request, type OutgoingHttpHeaders } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { portOf } from '#test/support/free-port.ts'

/** A reverse proxy that terminates TLS in front of the dashboard's server. */
export type TlsFront = {
  /** https, with a trailing slash. */
  readonly url: string
  /** Hash of the certificate's key, as Chromium's flag for trusted keys expects it. */
  readonly keyHash: string
  /** Switches to a certificate that expired yesterday, or back, and closes all connections. */
  readonly expire: (isExpired: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/** Serves `behind` over https, with a self-signed certificate from openssl. */
export async function serveByTls(behind: string): Promise<TlsFront> {
  const own = await certificate(2)
  const server = createServer(own, (from, to) => {
    pass(behind, from, from.headers, to)
  })
  const close = closerOf(server)
  return {
    url: `https://127.0.0.1:${await portOf(server)}/`,
    keyHash: createHash('sha256')
      .update(new X509Certificate(own.cert).publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
    expire: async (isExpired) => {
      server.setSecureContext(isExpired ? await certificate(-1) : own)
      server.closeAllConnections()
    },
    close,
  }
}

/** Serves `behind` over HTTP/2 only. */
export async function serveByHttp2(behind: string): Promise<Pick<TlsFront, 'url' | 'close'>> {
  const server = createSecureServer(await certificate(2), (from, to) => {
    const named = Object.entries(from.headers).filter(([name]) => !name.startsWith(':'))
    pass(behind, from, { ...Object.fromEntries(named), host: from.authority }, to)
  })
  const close = closerOf(server)
  return { url: `https://127.0.0.1:${await portOf(server)}/`, close }
}

/** Closes all connections, even during a handshake, because an engine polls for a moment after its page has closed. */
function closerOf(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
}

/** Headers of a single connection, which HTTP/2 forbids. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade']

type Taken = Readable & { readonly method?: string | undefined; readonly url?: string | undefined }
type Answered = Writable & {
  readonly writeHead: (status: number, headers: OutgoingHttpHeaders) => unknown
}

function pass(behind: string, from: Taken, headers: OutgoingHttpHeaders, to: Answered): void {
  const { hostname, port } = new URL(behind)
  const passed = request({ hostname, port, method: from.method, path: from.url, headers }, (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !OF_CONNECTION.includes(name))
    to.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept))
    answer.pipe(to)
  })
  passed.on('error', () => to.destroy()) // A closing page aborts its requests.
  from.pipe(passed)
}

/** A certificate with a new key that is valid for this many days from now. */
async function certificate(days: number): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-front-'))
  const [key, wanted, cert] = ['key.pem', 'request.pem', 'cert.pem'].map((name) => join(folder, name))
  if (key === undefined || wanted === undefined || cert === undefined) throw new Error('no files')
  const openssl = (flags: string) => promisify(execFile)('openssl', flags.split(' '))
  const made = 'req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=127.0.0.1'
  try {
    await openssl(`${made} -keyout ${key} -out ${wanted}`)
    await openssl(`x509 -req -days ${days} -in ${wanted} -signkey ${key} -out ${cert}`)
    return { key: await readFile(key), cert: await readFile(cert) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
