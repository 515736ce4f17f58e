import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import { readStatusRecord } from '#metrics/status-record.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { askStatus, newNonce, NO_CREDENTIALS, signedHeaders, testKey, type Ask } from './client.ts'
import { runReference, VIEWER } from './running.ts'

const STRANGER = testKey(2)
const seconds = (ms: number): number => Math.floor(ms / 1_000)

describe('a signed request', () => {
  it('returns the record of the requested node', async () => {
    const { baseUrl, id } = await runReference()
    const reply = await askStatus(baseUrl, { key: VIEWER, query: `node_id=${id(3)}` })
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.json())).toEqual([
      'node_id',
      'status',
      'stake_deployed',
      'network_participation',
      'threat_responses_executed',
      'last_heartbeat',
      'cryptographic_proof',
    ])
    expect(reply.json()['node_id']).toBe(id(3))
    const parsed = parseJsonRecord(reply.text)
    const record = parsed.ok ? readStatusRecord(parsed.value, METRICS) : undefined
    expect(record?.stake.ok && record.heartbeat.ok && record.proof.ok).toBe(true)
  })

  it('without a node id returns the first node of its key', async () => {
    const { baseUrl, service, id } = await runReference()
    const key = testKey(3)
    service.keys.register(key.hex, `${id(5)},${id(2)}`)
    expect((await askStatus(baseUrl, { key })).json()['node_id']).toBe(id(5))
    expect((await askStatus(baseUrl, { key: VIEWER })).json()['node_id']).toBe(id(0))
  })

  it('may write ids, key and signature in upper case', async () => {
    const { baseUrl, id } = await runReference()
    const query = `node_id=0x${id(1).slice(2).toUpperCase()}`
    const headers = signedHeaders(baseUrl, { key: VIEWER, query })
    const reply = await askStatus(baseUrl, {
      key: VIEWER,
      query,
      headers: {
        ...headers,
        Authorization: `bearer ${(headers['Authorization'] ?? '').slice(7).toUpperCase()}`,
        'X-Node-Key': VIEWER.hex.toUpperCase(),
      },
    })
    expect([reply.status, reply.json()['node_id']]).toEqual([200, id(1)])
  })

  it('is valid for each configured origin and no other', async () => {
    const { baseUrl } = await runReference({ origins: ['https://nodes.example'] })
    const { port } = new URL(baseUrl)
    const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, 'https://nodes.example']
    for (const origin of origins) expect((await askStatus(baseUrl, { key: VIEWER, origin })).status).toBe(200)
    for (const origin of ['https://other.example', `http://127.0.0.1`, `https://127.0.0.1:${port}`]) {
      const headers = { Host: new URL(origin).host, 'X-Forwarded-Host': new URL(origin).host }
      const reply = await askStatus(baseUrl, { key: VIEWER, origin, headers })
      expect([reply.status, reply.json()['code']]).toEqual([401, 'signature-invalid'])
    }
  })

  it.each([
    ['in another order', 'b=2&a=1', 'a=1&b=2', 200],
    ['with a space as %20', 'a=x%20y', 'a=x%20y', 200],
    ['with a plus signed as %2B', 'a=x+y', 'a=x%2By', 200],
    ['with a plus signed as a space', 'a=x+y', 'a=x%20y', 401],
    ['with a slash as %2F', 'a=x%2Fy', 'a=x%2Fy', 200],
    ['with an unescaped slash', 'a=x/y', 'a=x%2Fy', 200],
    ['with lower-case escapes', 'a=x%2fy', 'a=x%2Fy', 200],
    ['with characters that encodeURIComponent keeps', "a=(x)*'!", 'a=%28x%29%2A%27%21', 200],
    ['with an equals sign in a value', 'a=x=y', 'a=x%3Dy', 200],
    ['without a value', 'flag', 'flag=', 200],
    ['with a letter outside ASCII', 'a=%C3%A9', 'a=%C3%A9', 200],
    ['that was not signed', 'a=1', '', 401],
    ['of which one value was signed', 'a=1&a=2', 'a=1', 401],
  ])('is checked with its query %s', async (_, query, signedQuery, status) => {
    const { baseUrl } = await runReference()
    expect((await askStatus(baseUrl, { key: VIEWER, query, signedQuery })).status).toBe(status)
  })
})

/** Each row omits or breaks one thing; the code names the check that catches it. */
const MALFORMED = '401 credentials-malformed'
const INVALID = '401 signature-invalid'
type Refused = readonly [
  what: string,
  ask: Partial<Ask> & { readonly signed?: Partial<Ask> },
  verdict: string,
]
const REFUSED: readonly Refused[] = [
  ['has no credentials', { headers: NO_CREDENTIALS }, '401 credentials-missing'],
  ['has no Authorization', { headers: { Authorization: undefined } }, '401 credentials-missing'],
  ['has no key', { headers: { 'X-Node-Key': undefined } }, MALFORMED],
  ['has no time', { headers: { 'X-Node-Timestamp': undefined } }, MALFORMED],
  ['has no nonce', { headers: { 'X-Node-Nonce': undefined } }, MALFORMED],
  ['has a signature of 127 digits', { headers: { Authorization: `Bearer ${'a'.repeat(127)}` } }, MALFORMED],
  ['has a Basic authorization', { headers: { Authorization: `Basic ${'a'.repeat(128)}` } }, MALFORMED],
  ['has a word before Bearer', { headers: { Authorization: `x Bearer ${'a'.repeat(128)}` } }, MALFORMED],
  [
    'has a word after its signature',
    { headers: { Authorization: `Bearer ${'a'.repeat(128)} x` } },
    MALFORMED,
  ],
  ['has a key after 0x', { headers: { 'X-Node-Key': `0x${VIEWER.hex}` } }, MALFORMED],
  ['has a key of 66 digits', { headers: { 'X-Node-Key': `${VIEWER.hex}aa` } }, MALFORMED],
  ['has a time of 13 digits', { headers: { 'X-Node-Timestamp': '1780315200000' } }, MALFORMED],
  ['has a time with decimals', { headers: { 'X-Node-Timestamp': '1.5' } }, MALFORMED],
  ['has the time 0', { headers: { 'X-Node-Timestamp': '0' } }, '401 time-outside-window'],
  ['has a nonce of 23 characters', { nonce: 'a'.repeat(23) }, MALFORMED],
  ['has two nonces joined with a comma', { nonce: `${'a'.repeat(22)}, b` }, MALFORMED],
  ['has a key of 63 digits', { headers: { 'X-Node-Key': 'a'.repeat(63) } }, MALFORMED],
  ['has a time with a sign', { headers: { 'X-Node-Timestamp': '+1' } }, MALFORMED],
  ['has a time with a leading zero', { headers: { 'X-Node-Timestamp': '01780315200' } }, MALFORMED],
  ['has a nonce of 21 characters', { nonce: 'a'.repeat(21) }, MALFORMED],
  ['has a nonce of other characters', { nonce: 'a/+a'.repeat(5) + 'aa' }, MALFORMED],
  [
    'repeats Authorization',
    { headers: { Authorization: [`Bearer ${'a'.repeat(128)}`, `Bearer ${'b'.repeat(128)}`] } },
    MALFORMED,
  ],
  ['repeats its key', { headers: { 'X-Node-Key': [VIEWER.hex, VIEWER.hex] } }, MALFORMED],
  ['repeats its nonce', { headers: { 'X-Node-Nonce': ['a'.repeat(22), 'a'.repeat(22)] } }, MALFORMED],
  ['joins two keys with a comma', { headers: { 'X-Node-Key': `${VIEWER.hex}, ${VIEWER.hex}` } }, MALFORMED],
  ['is signed for another path', { signed: { path: '/node/other' } }, INVALID],
  ['is signed with POST', { signed: { method: 'POST' } }, INVALID],
  ['is signed by a key other than the one it names', { headers: { 'X-Node-Key': STRANGER.hex } }, INVALID],
  ['names a nonce other than the signed one', { headers: { 'X-Node-Nonce': 'A'.repeat(22) } }, INVALID],
  ['has a nonce that is not the base64url of 16 bytes', { nonce: 'b'.repeat(22) }, MALFORMED],
  ['is signed by an unregistered key', { key: STRANGER }, '401 key-not-registered'],
  ['has a broken escape', { query: 'node_id=%zz' }, '400 query-malformed'],
  [
    'names the same node twice',
    { query: `node_id=0x${'a'.repeat(64)}&node_id=0x${'a'.repeat(64)}` },
    '400 node-id-repeated',
  ],
  ['names an empty node', { query: 'node_id=' }, '400 node-id-invalid'],
  ['names a node without 0x', { query: `node_id=${'a'.repeat(64)}` }, '400 node-id-invalid'],
  ['names a node of 63 digits', { query: `node_id=0x${'a'.repeat(63)}` }, '400 node-id-invalid'],
  ['names an unknown node', { query: `node_id=0x${'a'.repeat(64)}` }, '404 node-not-found'],
]

describe('a request is refused when it', () => {
  it.each(REFUSED)('%s', async (_, { signed, ...change }, verdict) => {
    const { baseUrl } = await runReference()
    const headers =
      signed === undefined ? {} : { headers: signedHeaders(baseUrl, { key: VIEWER, ...signed }) }
    const reply = await askStatus(baseUrl, { key: VIEWER, ...change, ...headers })
    expect(`${reply.status} ${String(reply.json()['code'])}`).toBe(verdict)
  })

  it('is dated more than 60 s before or after now', async () => {
    const clock = createFakeClock()
    const { baseUrl } = await runReference({ clock })
    await clock.advance(3_600_000)
    const now = seconds(clock.wallMs())
    const verdict = async (timestamp: number): Promise<unknown> =>
      (await askStatus(baseUrl, { key: VIEWER, timestamp })).json()['code'] ?? 'taken'
    expect(await Promise.all([-61, -60, 60, 61].map((off) => verdict(now + off)))).toEqual([
      'time-outside-window',
      'taken',
      'taken',
      'time-outside-window',
    ])
  })

  it('was signed before the service started, since it may have used that nonce', async () => {
    const clock = createFakeClock()
    const { baseUrl } = await runReference({ clock })
    const started = seconds(clock.wallMs())
    const early = await askStatus(baseUrl, { key: VIEWER, timestamp: started - 1 })
    expect([early.status, early.json()['code']]).toEqual([401, 'signed-before-start'])
    expect((await askStatus(baseUrl, { key: VIEWER, timestamp: started })).status).toBe(200)
  })

  it('is a replay of an accepted request', async () => {
    const clock = createFakeClock()
    const { baseUrl } = await runReference({ clock })
    const ask = { key: VIEWER, timestamp: seconds(clock.wallMs()) + 60, nonce: newNonce() }
    expect((await askStatus(baseUrl, ask)).status).toBe(200)
    await clock.advance(119_000)
    const again = await askStatus(baseUrl, ask)
    expect([again.status, again.json()['code']]).toEqual([401, 'nonce-used'])
  })

  it('reuses a nonce with another timestamp', async () => {
    const { baseUrl } = await runReference()
    const now = seconds(Date.now())
    const nonce = newNonce()
    expect((await askStatus(baseUrl, { key: VIEWER, nonce, timestamp: now + 1 })).status).toBe(200)
    expect((await askStatus(baseUrl, { key: VIEWER, nonce, timestamp: now + 2 })).status).toBe(401)
  })

  it('is signed by a key whose registration has expired', async () => {
    const clock = createFakeClock()
    const { baseUrl, service } = await runReference({ clock })
    const key = testKey(4)
    service.keys.register(key.hex, '*', clock.wallMs() + 60_000)
    const ask = async (): Promise<unknown> =>
      (await askStatus(baseUrl, { key, timestamp: seconds(clock.wallMs()) })).json()['code'] ?? 'taken'
    expect(await ask()).toBe('taken')
    await clock.advance(60_000)
    expect(await ask()).toBe('taken')
    await clock.advance(1)
    expect(await ask()).toBe('key-expired')
  })

  it("names another key's node, with the same answer as for an unknown node", async () => {
    const { baseUrl, service, id } = await runReference()
    const key = testKey(5)
    service.keys.register(key.hex, id(1))
    const foreign = await askStatus(baseUrl, { key, query: `node_id=${id(2)}` })
    const nowhere = await askStatus(baseUrl, { key, query: `node_id=0x${'c'.repeat(64)}` })
    expect([foreign.status, foreign.text]).toEqual([404, nowhere.text])
    expect((await askStatus(baseUrl, { key, query: `node_id=${id(1)}` })).status).toBe(200)
  })
})

describe('nonces', () => {
  it('of refused requests are not stored, so that a third party cannot use up a nonce', async () => {
    const { baseUrl } = await runReference()
    const ask: Ask = { key: VIEWER, nonce: newNonce(), timestamp: seconds(Date.now()) }
    const spoiled = { ...ask, headers: { Authorization: `Bearer ${'00'.repeat(64)}` } }
    expect((await askStatus(baseUrl, spoiled)).status).toBe(401)
    expect((await askStatus(baseUrl, ask)).status).toBe(200)
  })

  it('belong to a key: two keys may use the same one', async () => {
    const { baseUrl, service } = await runReference()
    service.keys.register(STRANGER.hex)
    const nonce = newNonce()
    expect((await askStatus(baseUrl, { key: VIEWER, nonce })).status).toBe(200)
    expect((await askStatus(baseUrl, { key: STRANGER, nonce })).status).toBe(200)
  })

  it('over the limit are answered with 429 until older ones expire', async () => {
    const clock = createFakeClock()
    const { baseUrl } = await runReference({ clock, noncesMax: 2 })
    const ask = () => askStatus(baseUrl, { key: VIEWER, timestamp: seconds(clock.wallMs()) })
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    const full = await ask()
    expect([full.status, full.headers['retry-after']]).toEqual([429, '30'])
    await clock.advance(60_000)
    expect((await ask()).status).toBe(429)
    await clock.advance(1_000)
    expect((await ask()).status).toBe(200)
  })

  it.each([
    ['a minute', 60_000],
    ['ten minutes', 600_000],
    ['an hour', 3_600_000],
    ['two days', 172_800_000],
  ])('stay used when the clock is set back by %s', async (_name, byMs) => {
    const clock = createFakeClock()
    const { baseUrl } = await runReference({ clock })
    const ask: Ask = { key: VIEWER, nonce: newNonce(), timestamp: seconds(clock.wallMs()) }
    const fresh = () => askStatus(baseUrl, { key: VIEWER, timestamp: seconds(clock.wallMs()) })
    expect((await askStatus(baseUrl, ask)).status).toBe(200)
    await clock.advance(byMs)
    expect((await fresh()).status).toBe(200)
    clock.stepWall(-byMs)
    expect((await askStatus(baseUrl, ask)).status).toBe(401)
    await clock.advance(61_000)
    // Requests signed now are still accepted.
    expect((await fresh()).status).toBe(200)
  })
})

describe('enrolment', () => {
  it('registers and logs each new key with a valid signature, up to 32', async () => {
    const lines: string[] = []
    const { baseUrl } = await runReference({ enroll: true, log: (line) => lines.push(line) })
    const statuses: number[] = []
    for (let i = 0; i < 33; i++) statuses.push((await askStatus(baseUrl, { key: testKey(100 + i) })).status)
    expect(statuses).toEqual([...Array.from({ length: 32 }, () => 200), 401])
    expect(lines).toHaveLength(32)
    expect(lines[0]).toContain(testKey(100).hex)
    expect((await askStatus(baseUrl, { key: testKey(100) })).status).toBe(200)
  })

  it('registers no key with an invalid signature', async () => {
    const lines: string[] = []
    const { baseUrl } = await runReference({ enroll: true, log: (line) => lines.push(line) })
    const reply = await askStatus(baseUrl, { key: STRANGER, origin: 'https://other.example' })
    expect([reply.json()['code'], lines]).toEqual(['signature-invalid', []])
  })

  it('registers no key of small order, for which one signature verifies any message', async () => {
    const { baseUrl } = await runReference({ enroll: true })
    const headers = {
      'X-Node-Key': `01${'00'.repeat(31)}`,
      Authorization: `Bearer 01${'00'.repeat(63)}`,
    }
    const reply = await askStatus(baseUrl, { key: VIEWER, headers })
    expect([reply.status, reply.json()['code']]).toEqual([401, 'signature-invalid'])
  })

  it('is refused on a host other than loopback', async () => {
    await expect(runReference({ enroll: true, host: '0.0.0.0' })).rejects.toThrow(
      '--enroll works on loopback',
    )
  })
})
