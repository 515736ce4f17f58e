import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What stands before the dashboard's server and ends TLS, as a reverse proxy does. */
export type TlsFront = {
  /** https, with a slash at the end. */
  readonly url: string
  /** Of its certificate's key, as Chromium takes it to trust a key by. */
  readonly keyHash: string
  /** Takes a certificate that ended yesterday, or again the one from before. Connections begin anew. */
  readonly expire: (isExpired: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/** Serves whatever `behind` serves by https, with a certificate that openssl signs for this test. */
export async function serveByTls(behind: string): Promise<TlsFront> {
  const { hostname, port } = new URL(behind)
  const own = await certificate(2)
  const server = createServer(own, (from, to) => {
    const { method, url: path, headers } = from
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    })
    passed.on('error', () => to.destroy()) // a page that is closed ends what it asked
    from.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `https://127.0.0.1:${address.port}/`,
    keyHash: createHash('sha256')
      .update(new X509Certificate(own.cert).publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
    expire: async (isExpired) => {
      server.setSecureContext(isExpired ? await certificate(-1) : own)
      server.closeAllConnections()
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Valid for so many days from now, with a key of its own. */
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
