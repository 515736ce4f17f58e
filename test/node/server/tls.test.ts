import { writeFile } from 'node:fs/promises'
import https from 'node:https'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { openTlsFiles, type TlsFiles } from '#server/tls-files.ts'
import { certificate, startTestServer, temporaryFolder } from './test-server.ts'

const unchanging = (files: TlsFiles) => ({ files, changed: () => undefined })

const get = (url: string, options: https.RequestOptions): Promise<number | string> =>
  new Promise((resolve) => {
    const request = https.get(url, { agent: false, ...options }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', (error) => resolve('code' in error ? String(error.code) : 'failed'))
  })

const REFUSED = /^(ERR_SSL|ECONNRESET|EPIPE)/

it('https asks for a client’s certificate of the named authority, and lets in nobody without', async () => {
  const own = await certificate('server')
  const { url } = await startTestServer({
    access: { kind: 'certificate' },
    tls: unchanging({ ...own, ca: own.cert }),
  })
  expect(url).toMatch(/^https:/)
  expect(await get(`${url}config.json`, { ca: own.cert, ...own })).toBe(200)
  expect(await get(`${url}config.json`, { ca: own.cert })).toMatch(REFUSED)
})

it('https takes no sign-in from a page of plain http, and its cookie is for https', async () => {
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

it('https lets in nobody with a certificate of another authority than the named one', async () => {
  const [server, client, stranger] = await Promise.all(['server', 'client', 'stranger'].map(certificate))
  if (server === undefined || client === undefined || stranger === undefined)
    throw new Error('no certificate')
  const { url } = await startTestServer({
    access: { kind: 'certificate' },
    tls: unchanging({ ...server, ca: client.cert }),
  })
  const ca = server.cert
  expect(await get(`${url}config.json`, { ca, ...client })).toBe(200)
  expect(await get(`${url}config.json`, { ca, ...stranger })).toMatch(REFUSED)
})

it('no TLS is asked for without files, and files that can not be used are told at once', async () => {
  expect(openTlsFiles(undefined, () => undefined)).toEqual({ ok: true, value: undefined })
  const [one, other] = await Promise.all(['one', 'other'].map(certificate))
  if (one === undefined || other === undefined) throw new Error('no certificate')
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

it('another authority for clients is taken from its file, too', async () => {
  const [one, other] = await Promise.all(['one', 'other'].map(certificate))
  if (one === undefined || other === undefined) throw new Error('no certificate')
  const folder = await temporaryFolder()
  const [certFile, keyFile, caFile] = ['cert.pem', 'key.pem', 'ca.pem'].map((name) => join(folder, name))
  if (certFile === undefined || keyFile === undefined || caFile === undefined) throw new Error('no files')
  await writeFile(certFile, one.cert)
  await writeFile(keyFile, one.key)
  await writeFile(caFile, one.cert)
  const reports: string[] = []
  const opened = openTlsFiles({ certFile, keyFile, caFile }, (line) => reports.push(line))
  if (!opened.ok || opened.value === undefined) throw new Error('not read')
  expect(opened.value.files).toEqual({ ...one, ca: one.cert })
  expect(opened.value.changed()).toBeUndefined()
  await writeFile(caFile, Buffer.concat([other.cert, one.cert]))
  expect(opened.value.changed()?.ca).toEqual(Buffer.concat([other.cert, one.cert]))
  expect(opened.value.changed()).toBeUndefined()
  expect(reports).toEqual([`TLS: ${certFile} was read again; new connections use it.`])
})

it('https without an authority asks for none', async () => {
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

it('takes a renewed certificate without a restart, and keeps the old one while the new is no good', async () => {
  const [old, renewed] = await Promise.all(['old', 'renewed'].map(certificate))
  if (old === undefined || renewed === undefined) throw new Error('no certificate')
  const folder = await temporaryFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const write = async ({ cert, key }: { readonly cert: Buffer | string; readonly key?: Buffer }) => {
    await writeFile(certFile, cert)
    if (key !== undefined) await writeFile(keyFile, key)
  }
  await write(old)
  const reports: string[] = []
  const tls = openTlsFiles({ certFile, keyFile }, (line) => reports.push(line))
  if (!tls.ok || tls.value === undefined) throw new Error('not read')
  const { url } = await startTestServer({ tls: tls.value })
  const seen = async () => [await get(url, { ca: old.cert }), await get(url, { ca: renewed.cert })]
  expect(await seen()).toEqual([200, expect.any(String)])
  // The first of the two is written: it does not fit the key yet.
  await write({ cert: renewed.cert })
  expect(await seen()).toEqual([200, expect.any(String)])
  await write({ cert: 'no certificate, and longer than that' })
  expect(await seen()).toEqual([200, expect.any(String)])
  expect(reports).toHaveLength(2)
  for (const line of reports) expect(line).toContain('stays in use')
  await write(renewed)
  expect(await seen()).toEqual([expect.any(String), 200])
  expect(reports.slice(2)).toEqual([expect.stringContaining('was read again')])
})
