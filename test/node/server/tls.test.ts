import { execFile } from 'node:child_process'
import { readFile, rename, writeFile } from 'node:fs/promises'
import https from 'node:https'
import { join } from 'node:path'
import { TLSSocket, type ConnectionOptions } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { openTlsFiles, type TlsFiles } from '#server/tls-files.ts'
import { valueOf } from '#test/support/value-of.ts'
import { certificate, startTestServer, temporaryFolder } from './test-server.ts'

const run = promisify(execFile)

const unchanging = (files: TlsFiles) => ({ files, changed: () => undefined })

const get = (
  url: string,
  options: https.RequestOptions & Pick<ConnectionOptions, 'session'>,
): Promise<number | string> =>
  new Promise((resolve) => {
    const request = https.get(url, { agent: false, ...options }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', (error) => resolve('code' in error ? String(error.code) : 'failed'))
  })

/** The files of this certificate, as the server watches them. */
async function openedFiles(
  { cert, key }: Awaited<ReturnType<typeof certificate>>,
  more: { readonly caFile?: string; readonly crlFile?: string } = {},
) {
  const folder = await temporaryFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await writeFile(certFile, cert)
  await writeFile(keyFile, key)
  const reports: string[] = []
  const tls = valueOf(openTlsFiles({ certFile, keyFile, ...more }, (line) => reports.push(line)))
  if (tls === undefined) throw new Error('no files')
  return { certFile, keyFile, tls, reports }
}

const REFUSED = /^(ERR_SSL|ECONNRESET|EPIPE)/

it('https refuses sign-in from an http page and sets a __Host- cookie', async () => {
  const own = await certificate('server')
  const accounts = { count: () => 1, verify: () => Promise.resolve(true), stampOf: () => 'stamp' }
  const { url, host } = await startTestServer({
    access: { kind: 'password', accounts, lifeMs: 1_000 },
    tls: unchanging(own),
  })
  const signIn = (origin: string) =>
    new Promise<readonly [number, readonly string[]]>((resolve, reject) => {
      const options = { method: 'POST', agent: false, ca: own.cert, headers: { origin } }
      https
        .request(`${url}login`, options, (response) => {
          response.resume()
          resolve([response.statusCode ?? 0, response.headers['set-cookie'] ?? []])
        })
        .on('error', reject)
        .end('name=op&password=x')
    })
  expect(await signIn(`http://${host}`)).toEqual([403, []])
  expect(await signIn(`https://${host}`)).toEqual([303, [expect.stringMatching(/^__Host-.*; Secure$/)]])
})

it('https with a client authority refuses clients without one of its certificates', async () => {
  const [server, client, stranger] = await Promise.all([
    certificate('server'),
    certificate('client'),
    certificate('stranger'),
  ])
  const { url } = await startTestServer({
    access: { kind: 'certificate' },
    tls: unchanging({ ...server, ca: client.cert }),
  })
  expect(url).toMatch(/^https:/)
  const ca = server.cert
  expect(await get(`${url}config.json`, { ca })).toMatch(REFUSED)
  expect(await get(`${url}config.json`, { ca, ...client })).toBe(200)
  expect(await get(`${url}config.json`, { ca, ...stranger })).toMatch(REFUSED)
})

it('TLS is off without files, and invalid files are reported at once', async () => {
  expect(openTlsFiles(undefined, () => undefined)).toEqual({ ok: true, value: undefined })
  const [one, other] = [await certificate('one'), await certificate('other')]
  const folder = await temporaryFolder()
  const paths = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const said = () => {
    const opened = openTlsFiles(paths, () => undefined)
    return opened.ok ? [] : opened.error
  }
  await writeFile(paths.certFile, one.cert)
  expect(said()).toEqual([expect.stringMatching(/^TLS: ENOENT: no such file.*key\.pem'\.$/)])
  await writeFile(paths.keyFile, other.key)
  expect(said()).toEqual([expect.stringMatching(/^TLS: .*mismatch.*\.$/i)])
  await writeFile(paths.keyFile, one.key)
  expect(said()).toEqual([])
})

it('https without a client authority requests no certificate', async () => {
  const own = await certificate('server')
  const shown: unknown[] = []
  const { url } = await startTestServer({
    tls: unchanging(own),
    pages: () => async (request, response) => {
      if (request.socket instanceof TLSSocket) shown.push(request.socket.getPeerCertificate())
      response.end()
    },
  })
  expect(await get(url, { ca: own.cert })).toBe(200)
  expect(await get(url, { ca: own.cert, ...own })).toBe(200)
  expect(shown).toEqual([{}, {}])
})

it('a renewed certificate is loaded without a restart, and an invalid one ignored', async () => {
  const [old, renewed] = [await certificate('old'), await certificate('renewed')]
  const { certFile, keyFile, tls, reports } = await openedFiles(old)
  const { url } = await startTestServer({ tls })
  const seen = async () => [await get(url, { ca: old.cert }), await get(url, { ca: renewed.cert })]
  expect(await seen()).toEqual([200, expect.any(String)])
  // Only the certificate is written so far, and does not match the key yet.
  await writeFile(certFile, renewed.cert)
  expect(await seen()).toEqual([200, expect.any(String)])
  await writeFile(certFile, 'no certificate, and longer than that')
  expect(await seen()).toEqual([200, expect.any(String)])
  expect(reports).toHaveLength(2)
  for (const line of reports) expect(line).toContain('stays in use')
  await writeFile(certFile, renewed.cert)
  await writeFile(keyFile, renewed.key)
  expect(await seen()).toEqual([expect.any(String), 200])
  expect(reports.slice(2)).toEqual([expect.stringContaining('was reloaded')])
})

/** A new authority that issues and revokes certificates of clients. */
async function authority() {
  const folder = await temporaryFolder()
  const file = (name: string) => join(folder, name)
  const openssl = (...args: readonly string[]) => run('openssl', [...args], { cwd: folder })
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await writeFile(
    file('ca.cnf'),
    '[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=1\ncertificate=ca.pem\nprivate_key=ca.key\n',
  )
  await writeFile(file('index'), '')
  await openssl('req', '-x509', ...ec, '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=ca')
  const client = async (name: string, serial: number) => {
    await openssl('req', ...ec, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', String(serial), '-days', '1']
    await openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.pem`)
    return { cert: await readFile(file(`${name}.pem`)), key: await readFile(file(`${name}.key`)) }
  }
  const revoke = async (...names: readonly string[]) => {
    for (const name of names) await openssl('ca', '-config', 'ca.cnf', '-revoke', `${name}.pem`)
    await openssl('ca', '-config', 'ca.cnf', '-gencrl', '-out', 'crl.new')
    await rename(file('crl.new'), file('crl.pem'))
  }
  return { caFile: file('ca.pem'), crlFile: file('crl.pem'), client, revoke }
}

async function forCertificates(more: { readonly caFile: string; readonly crlFile?: string }) {
  const own = await certificate('server')
  const { tls } = await openedFiles(own, more)
  const { url } = await startTestServer({ access: { kind: 'certificate' }, tls })
  return { url: `${url}config.json`, ca: own.cert }
}

/** An agent that keeps one connection open. */
function keptOpen(): https.Agent {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

it('revoking a certificate closes its open connection and prevents new ones', async () => {
  const { caFile, crlFile, client, revoke } = await authority()
  const [one, other] = [await client('one', 1), await client('other', 2)]
  await revoke()
  const { url, ca } = await forCertificates({ caFile, crlFile })
  const agent = keptOpen()
  expect(await get(url, { ca, ...one, agent })).toBe(200)
  expect(await get(url, { ca, ...one, agent })).toBe(200)
  await revoke('one')
  expect(await get(url, { ca, ...one, agent })).toMatch(REFUSED)
  expect(await get(url, { ca, ...one })).toMatch(REFUSED)
  expect(await get(url, { ca, ...other })).toBe(200)
})

it('replacing the authority closes connections of the old one and voids their TLS sessions', async () => {
  const [before, after] = [await authority(), await authority()]
  const one = await before.client('one', 1)
  const { url, ca } = await forCertificates({ caFile: before.caFile })
  const agent = keptOpen()
  let session: Buffer | undefined
  expect(await get(url, { ca, ...one, agent, maxVersion: 'TLSv1.2' })).toBe(200)
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    await new Promise<void>((resolve) => {
      const request = https.get(url, { ca, ...one, agent: false, maxVersion }, (response) => {
        response.resume().once('end', () => resolve())
      })
      request.on('socket', (socket) => {
        if (socket instanceof TLSSocket) socket.on('session', (given) => (session = given))
      })
    })
  expect(session).toBeDefined()
  expect(await get(url, { ca, ...one, session, agent: false })).toBe(200)
  await writeFile(before.caFile, await readFile(after.caFile))
  expect(await get(url, { ca, ...one, agent, maxVersion: 'TLSv1.2' })).toMatch(REFUSED)
  expect(await get(url, { ca, ...one, session, agent: false })).toMatch(REFUSED)
  expect(await get(url, { ca, ...(await after.client('two', 1)) })).toBe(200)
})
