import { valueOf } from '#test/support/value-of.ts'
import { createPrivateKey, randomBytes, sign } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base64ToBytes } from '#base/bytes.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { PROFILES } from '#signing/presets.ts'
import { serviceIdOf } from '#record/service.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { type SigningInput, statusUrl } from '#signing/signing-values.ts'
import { messageToSign, signedHeaders } from '#signing/status-request.ts'
import { createReferenceService } from '#reference/reference-service.ts'
import { ask, json } from './http-client.ts'
import { startTestServer } from './test-server.ts'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PRIVATE_KEY = createPrivateKey({
  key: Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
})
const PUBLIC_KEY = publicKeyOf()

function publicKeyOf() {
  const { x = '' } = PRIVATE_KEY.export({ format: 'jwk' })
  const bytes = base64ToBytes(x)
  if (bytes === undefined) throw new Error('no public key')
  return bytes
}

/** Headers of a request that was signed for the service's own origin, as the browser signs it. */
function signed(baseUrl: string, nodeId: string | undefined) {
  const profile = PROFILES['bearer-v1']
  if (profile === undefined) throw new Error('no profile')
  const input: SigningInput = {
    baseUrl,
    nodeId,
    publicKey: PUBLIC_KEY,
    nowMs: Date.now(),
    nonce: randomBytes(16),
  }
  const message = messageToSign(profile, input)
  return valueOf(
    message.ok ? signedHeaders(profile, input, sign(undefined, message.value, PRIVATE_KEY)) : message,
  )
}

async function proxiedReference(timeoutMs: number = DEFAULTS.timeoutMaxMs) {
  const reference = createReferenceService({ enroll: true })
  const { baseUrl } = await reference.listen()
  onTestFinished(reference.close)
  const config = valueOf(parseServerConfig({ version: 1, services: [{ baseUrl, timeoutMs }] }))
  const { url } = await startTestServer({ config: config })
  const get = (nodeId: string | undefined, withKey = true) => {
    const { query, headers } = signed(baseUrl, nodeId)
    const target = statusUrl(`/proxy/${serviceIdOf(baseUrl)}`, query)
    return ask(url, target, { headers: withKey ? { ...headers } : {} })
  }
  return { reference, get }
}

describe('the real reference service behind the proxy', () => {
  it('accepts a signature for its own origin and reports the node', async () => {
    const { reference, get } = await proxiedReference()
    const nodeId = reference.network.idOf(1)
    const answer = await get(nodeId)
    expect(answer.status).toBe(200)
    expect(json(answer)).toMatchObject({ node_id: nodeId })
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect((await get(undefined)).status).toBe(200)
  })

  it('refuses an unsigned request, with its challenge', async () => {
    const { get } = await proxiedReference()
    const answer = await get(undefined, false)
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    expect(answer.headers.date).toBeDefined()
  })

  it('tells its own time, not this server’s', async () => {
    const { reference, get } = await proxiedReference()
    const aheadMs = 3_600_000
    await reference.faults.set('*', { name: 'clock-offset', value: aheadMs })
    const { date = '' } = (await get(undefined)).headers
    expect(Math.abs(Date.parse(date) - aheadMs - Date.now())).toBeLessThan(60_000)
  })
})
