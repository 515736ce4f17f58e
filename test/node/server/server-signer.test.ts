import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import { createReferenceService } from '#reference/service.ts'
import { createServerSigner } from '#server/server-signer.ts'
import { openSigningKeys } from '#server/signing-keys.ts'
import { parseServerConfig, type ServerConfig } from '#settings/settings.ts'
import { parseCommand } from '#server/arguments.ts'
import { ask, json } from './http-client.ts'
import { startTestServer, temporaryFolder } from './test-server.ts'

/** A service that knows one key, and a server that signs with it. */
async function signingServer(own: Readonly<Record<string, unknown>> = {}) {
  const folder = await temporaryFolder()
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const hexKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
  const [key, keysFile] = [join(folder, 'key.pem'), join(folder, 'keys')]
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  writeFileSync(keysFile, `${hexKey}\n`)
  const reference = createReferenceService({ enroll: false, keysFile })
  const { baseUrl } = await reference.listen()
  onTestFinished(reference.close)
  const config = parseServerConfig({ version: 1, services: [{ baseUrl, ...own }] })
  if (!config.ok) throw new Error('not a configuration')
  const keys = await openSigningKeys([key], undefined, { platform: process.platform, env: {} })
  if (!keys.ok) throw new Error(keys.error.join(' '))
  const signer = createServerSigner(keys.value, () => config.value.services, Date.now)
  const { url } = await startTestServer({ config: config.value, signer })
  const status = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(url, `/proxy/${serviceIdOf(baseUrl)}${path}`, { headers: { ...headers } })
  return { url, baseUrl, hexKey, status, nodeId: reference.network.idOf(1) }
}

describe('a server with a key', () => {
  it('signs status requests of services that its file names, whatever a browser signed', async () => {
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

  it('signs nothing but status requests', async () => {
    const { status, nodeId } = await signingServer()
    for (const path of ['/node/keys', `/node/status?node_id=${nodeId}&more=1`, '/node/status?node=1'])
      expect((await status(path)).status, path).toBe(403)
  })

  it('says itself that it could not sign: the service was not asked', async () => {
    const { status } = await signingServer()
    const answer = await status('/node/status?node_id=%0a')
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([502, 'not-signed'])
  })

  it('tells browsers that they have nothing to sign, and by which key it does', async () => {
    const { url, baseUrl, hexKey } = await signingServer({ profile: 'bearer-v1' })
    const told: ServerConfig = JSON.parse(String((await ask(url, '/config.json')).body))
    expect(told.signedByServer).toEqual([{ service: baseUrl, publicKey: hexKey }])
    expect(told.services[0]?.profile).toMatchObject({ message: { kind: 'none', signer: 'dashboard-server' } })
    expect(told.services[0]?.key).toBeUndefined()
  })

  it('leaves to browsers what another key is to sign', async () => {
    const { url, status, nodeId } = await signingServer({ key: 'ab'.repeat(32) })
    expect((await status(`/node/status?node_id=${nodeId}`)).status).toBe(401)
    const told: ServerConfig = JSON.parse(String((await ask(url, '/config.json')).body))
    expect(told.signedByServer).toBeUndefined()
  })
})

describe('--sign-key', () => {
  it('wants access control: whoever comes in has requests signed', () => {
    for (const more of [[], ['--host', '0.0.0.0', '--public'], ['--public']]) {
      const parsed = parseCommand(['serve', '--sign-key', 'k', ...more])
      expect(parsed.ok ? '' : parsed.error, more.join(' ')).toContain('--password-file')
    }
    expect(parseCommand(['serve', '--sign-key', 'k', '--password-file', 'p'])).toMatchObject({
      ok: true,
      value: { serve: { signKeys: ['k'] } },
    })
    expect(parseCommand(['serve', '--passphrase', 'p'])).toMatchObject({ ok: false })
  })
})
