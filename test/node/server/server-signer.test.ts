import { valueOf } from '#test/support/value-of.ts'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import { createReferenceService } from '#reference/reference-service.ts'
import { createServerSigner, openSigningKeys } from '#server/signing-keys.ts'
import { parseServerConfig } from '#settings/documents.ts'
import type { ServerConfig } from '#settings/schema.ts'
import { rawAnswer } from '#test/support/raw-answer.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { startTestServer, temporaryFolder, type TestServerOptions } from './test-server.ts'
import { startUpstream } from './upstream-server.ts'

/** A signer with a new key from a file. */
async function newSigner(document: object) {
  const config = valueOf(parseServerConfig({ version: 1, ...document }))
  const key = join(await temporaryFolder(), 'key.pem')
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  const keys = valueOf(await openSigningKeys([key], undefined, { platform: process.platform, env: {} }))
  const signer = createServerSigner(keys, () => config.services, Date.now)
  const hexKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
  return { config, signer, hexKey }
}

/** A service that knows one key, and a server that signs with it. */
async function signingServer(own: Readonly<Record<string, unknown>> = {}, guarded: TestServerOptions = {}) {
  const reference = createReferenceService({ enroll: false })
  const { baseUrl } = await reference.listen()
  onTestFinished(reference.close)
  const { config, signer, hexKey } = await newSigner({ services: [{ baseUrl, ...own }] })
  reference.keys.register(hexKey)
  const { url } = await startTestServer({ ...guarded, config, signer })
  const status = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(url, `/proxy/${serviceIdOf(baseUrl)}${path}`, { headers })
  return { url, baseUrl, hexKey, status, nodeId: reference.network.idOf(1), stats: reference.stats }
}

describe('a server with a key', () => {
  it('signs status requests to configured services and replaces browser signatures', async () => {
    const { status, nodeId } = await signingServer()
    const answer = await status(`/node/status?node_id=${nodeId}`)
    expect(answer.status).toBe(200)
    expect(json(answer)).toMatchObject({ node_id: nodeId })
    const foreign = await status(`/node/status?node_id=${nodeId}`, {
      authorization: 'Bearer 00',
      'x-node-key': '00',
    })
    expect(foreign.status).toBe(200)
  })

  it('answers with "not-signed" without asking the service if it cannot sign', async () => {
    const { status, stats } = await signingServer()
    const answer = await status('/node/status?node_id=%0a')
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([502, 'not-signed'])
    expect(stats().requests).toBe(0)
  })

  it('tells browsers that it signs, and with which key', async () => {
    const { url, baseUrl, hexKey } = await signingServer({ profile: 'bearer-v1' })
    const told: ServerConfig = JSON.parse(String((await ask(url, '/config.json')).body))
    expect(told.signedByServer).toEqual([{ service: baseUrl, publicKey: hexKey }])
    expect(told.services[0]?.profile).toMatchObject({ message: { kind: 'none', signer: 'dashboard-server' } })
    expect(told.services[0]?.key).toBeUndefined()
  })

  it('does not sign for a service that requires another key', async () => {
    const { url, status, nodeId } = await signingServer({ key: 'ab'.repeat(32) })
    expect((await status(`/node/status?node_id=${nodeId}`)).status).toBe(401)
    const told: ServerConfig = JSON.parse(String((await ask(url, '/config.json')).body))
    expect(told.signedByServer).toBeUndefined()
  })

  it('forwards browser signatures to a service that a browser added', async () => {
    const asked: unknown[] = []
    const added = await startUpstream((request, response) => {
      asked.push([request.url, request.headers.authorization])
      response.end('{}')
    })
    const { config, signer } = await newSigner({})
    const { url, host } = await startTestServer({ config, signer })
    const body = JSON.stringify({ service: { baseUrl: added } })
    await ask(url, '/services', { method: 'POST', headers: ownHeaders(host), body })
    const headers = { authorization: 'Bearer browser' }
    await ask(url, `/proxy/${serviceIdOf(added)}/node/status?node_id=own`, { headers })
    expect(asked).toEqual([['/node/status?node_id=own', 'Bearer browser']])
  })
})

it('a server with a key signs by each service’s profile, and no text naming another one', async () => {
  const naming = (host: string, time: string) => ({
    v: 1,
    message: { kind: 'template', template: `status of ${host} {ts.s}` },
    headers: { Authorization: 'Bearer {sig.hex}', [time]: '{ts.s}' },
  })
  const { config, signer } = await newSigner({
    services: [
      { baseUrl: 'https://a.example', profile: naming('b.example', 'X-Time') },
      { baseUrl: 'https://b.example', profile: naming('b.example', 'X-At') },
    ],
  })
  const signed = await Promise.all(config.services.map((service) => signer.sign(service, '')))
  expect(signed.map((result) => (result.ok ? Object.keys(result.value.headers) : result.error))).toEqual([
    'text-refused',
    ['Authorization', 'X-At'],
  ])
})

describe('a hand-written request to a server with a key', () => {
  /** The status of the answer to these bytes; empty if there is no answer. */
  const statusOf = async (url: string, bytes: string) => (await rawAnswer(url, bytes)).slice(9, 12)

  it('is signed only if it is a plain status request', async () => {
    const asked: string[] = []
    const listed = await startUpstream(({ method, url = '', headers }, response) => {
      asked.push(`${method} ${url} ${headers.host} ${headers.authorization === undefined ? 'un' : ''}signed`)
      response.end('{}')
    })
    const elsewhere: string[] = []
    const other = await startUpstream(({ url = '' }, response) => {
      elsewhere.push(url)
      response.end('{}')
    })
    const services = [{ baseUrl: listed, profile: 'bearer-v1' }]
    const { config, signer } = await newSigner({ services })
    const { url, host } = await startTestServer({ access: { kind: 'public' }, config, signer })
    const base = `/proxy/${serviceIdOf(listed)}`
    const status = `${base}/node/status`
    const head = (line: string, more: readonly string[] = [], hostLine = `Host: ${host}`) =>
      `${[`${line} HTTP/1.1`, hostLine, 'Connection: close', ...more].join('\r\n')}\r\n\r\n`
    const attacks: readonly string[] = [
      ...['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'].map((method) =>
        head(`${method} ${status}?node_id=0x1`),
      ),
      head(`GET ${status}?node_id=0x1`, [], 'Host: evil.example'),
      head(`CONNECT ${host}`),
      ...[
        `${base}/node/keys`,
        `${base}/node/status/`,
        `${base}/node/status/../keys`,
        `${base}/node/status%2f..%2fkeys?node_id=0x1`,
        `${base}/node/%2e%2e/keys`,
        `${base}%2fnode%2fstatus?node_id=0x1`,
        `/proxy/../proxy/${serviceIdOf(listed)}/node/status?node_id=0x1`,
        `/x/..${status}?node_id=0x1`,
        `/${status}?node_id=0x1`,
        `\\${status}?node_id=0x1`,
        `${status};a=b?node_id=0x1`,
        `${status}#?node_id=0x1`,
        `/proxy/${serviceIdOf(other)}/node/status?node_id=0x1`,
        `/proxy/${encodeURIComponent(other)}/node/status?node_id=0x1`,
        `http://${host}${status}?node_id=0x1`,
        `${listed}/node/status?node_id=0x1`,
        `${other}/node/status?node_id=0x1`,
        `${status}?node_id=0x1&node_id=0x2`,
        `${status}?node_id=0x1&more=1`,
        `${status}?more=1&node_id=0x1`,
        `${status}?node_id=0x1?node_id=0x2`,
        `${status}?node_id=0x1#x`,
        `${status}?node_id=0x1;node_id=0x2`,
        `${status}?node_id[]=0x1`,
        `${status}?NODE_ID=0x1`,
        `${status}?node%5fid=0x1`,
        `${status}?node_id=a+b`,
        `${status}?node_id=a/b`,
        `${status}?node_id=%0d%0aHost:%20evil.example`,
        `${status}?node_id=0x${'1'.repeat(399)}`,
      ].map((target) => head(`GET ${target}`)),
      // Request smuggling: an ambiguous length, and an ambiguous Host.
      head(`GET ${status}?node_id=0x1`, ['Content-Length: 5', 'Transfer-Encoding: chunked']),
      head(`GET ${status}?node_id=0x1`, [`Host: evil.example`], `Host : ${host}`),
      head(`GET ${status}?node_id=0x1`, ['Origin: https://evil.example']),
      head(`GET ${status}?node_id=0x1`, ['Sec-Fetch-Site: cross-site']),
      head(`GET ${status}?node_id=0x1`, ['Sec-Fetch-Dest: image']),
    ]
    const passed: string[] = []
    for (const bytes of attacks) {
      const answer = await statusOf(url, bytes)
      // CONNECT has no answer: the connection ends.
      if (!/^([45]|$)/.test(answer) || asked.length > 0)
        passed.push(`${bytes.split('\r\n')[0]}: ${answer} ${asked.splice(0).join()}`)
    }
    expect([passed, elsewhere]).toEqual([[], []])
    // No header redirects a request: with all of these it still reaches the service.
    const said = [
      'X-Forwarded-Host',
      'X-Original-URL',
      'X-Rewrite-URL',
      'Forwarded',
      'X-HTTP-Method-Override',
    ]
    const answer = await statusOf(
      url,
      head(
        `GET ${status}?node_id=0x1`,
        said.map((name) => `${name}: ${new URL(other).host}/node/keys`),
      ),
    )
    expect([answer, asked, elsewhere]).toEqual([
      '200',
      [`GET /node/status?node_id=0x1 ${new URL(listed).host} signed`],
      [],
    ])
  })

  it('is not signed without sign-in', async () => {
    const access = { kind: 'header', name: 'x-user' } as const
    const statusFor = async (trustFrom: readonly string[], headers: Readonly<Record<string, string>>) => {
      const { status, nodeId } = await signingServer({}, { access, trustFrom })
      return (await status(`/node/status?node_id=${nodeId}`, headers)).status
    }
    expect(await statusFor(['127.0.0.1'], { 'x-user': 'op' })).toBe(200)
    expect(await statusFor(['127.0.0.1'], {})).toBe(401)
    const forged = { 'x-user': 'op', 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' }
    expect(await statusFor(['192.0.2.1'], forged)).toBe(403)
  })
})
