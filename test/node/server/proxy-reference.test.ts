import { createPrivateKey, randomBytes, sign } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base64ToBytes } from '#base/bytes.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { PROFILES } from '#signing/presets.ts'
import { serviceIdOf } from '#record/service.ts'
import { parseServerConfig } from '#settings/settings.ts'
import { type SigningInput, statusUrl } from '#signing/signing-values.ts'
import { messageToSign, signedHeaders } from '#signing/status-request.ts'
import type { FaultName, FaultValue } from '#reference/faults.ts'
import { createReferenceService } from '#reference/service.ts'
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
  const headers = message.ok
    ? signedHeaders(profile, input, sign(undefined, message.value, PRIVATE_KEY))
    : message
  if (!headers.ok) throw new Error('not signed')
  return headers.value
}

async function proxiedReference(timeoutMs: number = DEFAULTS.timeoutMaxMs) {
  const reference = createReferenceService({ enroll: true })
  const { baseUrl } = await reference.listen()
  onTestFinished(reference.close)
  const config = parseServerConfig({ version: 1, services: [{ baseUrl, timeoutMs }] })
  if (!config.ok) throw new Error('not a configuration')
  const { url } = await startTestServer({ config: config.value })
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

  it('does not know every node', async () => {
    const { get } = await proxiedReference()
    expect((await get(`0x${'ab'.repeat(32)}`)).status).toBe(404)
  })

  it('tells its own time, not this server’s', async () => {
    const { reference, get } = await proxiedReference()
    const aheadMs = 3_600_000
    await reference.faults.set('*', { name: 'clock-offset', value: aheadMs })
    const { date = '' } = (await get(undefined)).headers
    expect(Math.abs(Date.parse(date) - aheadMs - Date.now())).toBeLessThan(60_000)
  })

  const answers: readonly [
    name: FaultName,
    value: FaultValue | undefined,
    status: number,
    retryAfter?: string,
  ][] = [
    ['status-400', undefined, 400],
    ['status-403-html', undefined, 403],
    ['status-429', 17, 429, '17'],
    ['status-500', undefined, 500],
    ['status-503', 9, 503, '9'],
    ['status-204', undefined, 204],
    ['status-304', undefined, 304],
    ['redirect-other', undefined, 302],
    ['early-hints', undefined, 200],
    ['html', undefined, 200],
  ]
  it.each(answers)('%s (%s) gives %i', async (name, value, status, retryAfter) => {
    const { reference, get } = await proxiedReference()
    await reference.faults.set('*', { name, ...(value === undefined ? {} : { value }) })
    const answer = await get(undefined)
    expect(answer.status).toBe(status)
    expect(answer.headers['retry-after']).toBe(retryAfter)
    expect(answer.headers.date).toBeDefined()
    expect(answer.headers.location).toBeUndefined()
    expect(answer.headers['x-proxy-failure']).toBeUndefined()
  })

  const failures: readonly [name: FaultName, failure: string, status: number, timeoutMs?: number][] = [
    ['refused', 'refused', 502],
    ['reset', 'reset', 502],
    ['not-http', 'reset', 502],
    ['truncated', 'cut-off', 502],
    ['reset-in-body', 'cut-off', 502],
    ['bad-chunk', 'cut-off', 502],
    ['hang', 'timeout', 504, DEFAULTS.timeoutMinMs],
    ['headers-then-hang', 'timeout', 504, DEFAULTS.timeoutMinMs],
    ['drip', 'timeout', 504, DEFAULTS.timeoutMinMs],
  ]
  it.each(failures)('%s is told as %s (%i)', async (name, failure, status, timeoutMs) => {
    const { reference, get } = await proxiedReference(timeoutMs)
    await reference.faults.set('*', { name })
    const answer = await get(undefined)
    expect([answer.headers['x-proxy-failure'], answer.status]).toEqual([failure, status])
    expect(answer.headers.date).toBeUndefined()
  })

  it('is there again as soon as the fault is over', async () => {
    const { reference, get } = await proxiedReference()
    await reference.faults.set('*', { name: 'refused' })
    expect((await get(undefined)).status).toBe(502)
    await reference.faults.clear()
    expect((await get(undefined)).status).toBe(200)
  })
})
