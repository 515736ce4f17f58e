import { execFile } from 'node:child_process'
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
  readonly close: () => Promise<void>
}

/** Serves whatever `behind` serves by https, with a certificate that openssl signs for this test. */
export async function serveByTls(behind: string): Promise<TlsFront> {
  const { hostname, port } = new URL(behind)
  const server = createServer(await certificate(), (from, to) => {
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
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function certificate(): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-front-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const named = ['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=127.0.0.1']
    await promisify(execFile)('openssl', ['req', ...made, ...named])
    return { key: await readFile(key), cert: await readFile(cert) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
