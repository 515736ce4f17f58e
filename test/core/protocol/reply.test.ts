import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { failureCode, FAILURES } from '#protocol/failure.ts'
import { httpDateMs } from '#record/clock-offset.ts'
import { failureOfTransport, readReply, retryAfterMs } from '#protocol/read-reply.ts'
import { COLLECTED_AGE_HEADER, PROXY_FAILURE_HEADER, type HttpReply } from '#protocol/transport.ts'

const RECORD = JSON.stringify({
  node_id: '0x7F3A',
  status: 'ACTIVE',
  stake_deployed: 5,
  network_participation: 0.5,
  threat_responses_executed: 7,
  last_heartbeat: 1_795_183_351,
  cryptographic_proof: '0x00',
})
const context = {
  metrics: METRICS,
  nodeId: '0x7f3a',
  timeoutMs: 10_000,
  wallMs: Date.parse('2026-11-20T14:00:00Z'),
}
const read = (reply: Partial<HttpReply>, over: Partial<typeof context> = {}) =>
  readReply({ status: 200, body: '', ...reply }, { ...context, ...over })

describe('an answer', () => {
  it('with a record about the requested node is read', () => {
    const record = read({ body: RECORD })
    expect(record.ok && record.value.status).toEqual(ok('ACTIVE'))
  })

  it('about another node is refused, with both ids', () => {
    const wrong = { kind: 'wrong-node', asked: '0xffff', answered: '0x7F3A' }
    expect(read({ body: RECORD }, { nodeId: '0xffff' })).toEqual(err(wrong))
  })

  it('about another node shows hidden characters of its id', () => {
    const body = JSON.stringify({ node_id: '0x\u202e1', status: 'ACTIVE' })
    expect(read({ body })).toMatchObject({ error: { answered: '0x⟨U+202E⟩1' } })
  })

  it('is accepted for any node if none was requested or the record names none', () => {
    expect(readReply({ status: 200, body: RECORD }, { ...context, nodeId: undefined }).ok).toBe(true)
    expect(read({ body: '{"status":"ACTIVE","stake_deployed":1}' }).ok).toBe(true)
  })

  it('from a collector has its proof marked as not collected, not as missing', () => {
    const body = '{"status":"ACTIVE","stake_deployed":1}'
    const proofOf = (reply: Partial<HttpReply>) => {
      const record = read(reply)
      return record.ok ? record.value.proof : undefined
    }
    expect(proofOf({ body, collectedAge: '3' })).toEqual(err('not-collected'))
    expect(proofOf({ body })).toEqual(err('missing'))
  })

  it.each([
    ['a usable field', '{"stake_deployed":"5","hello":1}'],
    ['anything but a status', '{"status":"ok"}'],
    ['anything but a node id', '{"node_id":"0x7f3a","error":"backend timeout"}', 'backend timeout'],
  ])('without %s is not a record', (_what, body, answer?: string) => {
    expect(read({ body })).toEqual(
      err({
        kind: 'not-a-record',
        answer,
        fields: [
          'node_id',
          'status',
          'stake_deployed',
          'network_participation',
          'threat_responses_executed',
          'last_heartbeat',
          'cryptographic_proof',
        ],
      }),
    )
  })

  it.each([
    ['', 'empty'],
    ['<!doctype html>', 'web-page'],
    ['{', 'not-json'],
    ['[]', 'not-an-object'],
  ])('%j is not JSON: %s', (body, problem) => {
    expect(read({ body })).toEqual(err({ kind: 'not-json', problem }))
  })
})

describe('a status other than 200', () => {
  it.each([
    [400, { kind: 'node-id-invalid' }],
    [401, { kind: 'unauthorized' }],
    [403, { kind: 'forbidden' }],
    [404, { kind: 'node-unknown' }],
    [429, { kind: 'rate-limited' }],
    [500, { kind: 'server-error', status: 500 }],
    [503, { kind: 'server-error', status: 503 }],
    [599, { kind: 'server-error', status: 599 }],
    [600, { kind: 'unexpected-status', status: 600 }],
    [201, { kind: 'unexpected-status', status: 201 }],
    [204, { kind: 'unexpected-status', status: 204 }],
    [206, { kind: 'unexpected-status', status: 206 }],
    [300, { kind: 'redirected' }],
    [302, { kind: 'redirected' }],
    [304, { kind: 'unexpected-status', status: 304 }],
    [399, { kind: 'redirected' }],
    [418, { kind: 'unexpected-status', status: 418 }],
  ])('%i is %j, whatever the body', (status, failure) => {
    expect(read({ status, body: '<html>' })).toMatchObject(err(failure))
    expect(read({ status })).toEqual(err(failure))
  })

  it.each([400, 404, 502])('%i with a web page reports its title', (status) => {
    const body = '<html><title>nginx</title>'
    expect(read({ status, body })).toMatchObject(err({ page: 'nginx' }))
  })

  it('from in front of the dashboard’s server is not attributed to the service', () => {
    const gone = read({ status: 502, body: '<html><title>Gone', isOfFront: true })
    expect(gone).toEqual(err({ kind: 'unreachable', hop: 'proxy', front: { status: 502, page: 'Gone' } }))
  })

  it.each([
    ['{"detail":"Signature does not verify.","title":"Unauthorized"}', 'Signature does not verify.'],
    ['{"title":"Unauthorized"}', 'Unauthorized'],
    ['{"message":"no"}', 'no'],
    ['{"error":"invalid signature"}', 'invalid signature'],
    ['{"error":{"code":7,"message":"inner"}}', 'inner'],
    ['{"detail":"","title":7,"message":"third"}', 'third'],
    ['{"detail":"a\\u202eb"}', 'a⟨U+202E⟩b'],
    [JSON.stringify({ detail: 'x'.repeat(500) }), `${'x'.repeat(120)}… (500 characters)`],
  ])('passes on the service’s words: %s', (body, answer) => {
    for (const status of [400, 401, 403, 404, 500, 418])
      expect(read({ status, body })).toMatchObject({ error: { answer } })
  })

  it.each(['{"error":null}', '{"error":{}}', '{"detail":5}', '<html>detail', '"text"'])(
    'passes on no words for %s',
    (body) => {
      const reply = read({ status: 401, body })
      expect(reply.ok ? 'a record' : reply.error).not.toHaveProperty('answer')
    },
  )
})

describe('Retry-After', () => {
  it.each([
    [undefined, undefined],
    ['60', 60_000],
    [' 0 ', 0],
    ['99999999999', 3_600_000],
    ['Fri, 20 Nov 2026 14:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 13:00:00 GMT', 0],
    ['Fri, 20 Nov 2076 13:00:00 GMT', 3_600_000],
    ['soon', undefined],
  ])('%j is %s ms', (header, waitMs) => {
    expect(retryAfterMs(header, context.wallMs)).toBe(waitMs)
  })

  it('is used with 429 and 5xx only', () => {
    expect(read({ status: 429, retryAfter: '60' })).toMatchObject({ error: { retryAfterMs: 60_000 } })
    expect(read({ status: 503, retryAfter: '7' })).toMatchObject({ error: { retryAfterMs: 7_000 } })
    const dates = { date: 'Fri, 20 Nov 2026 15:00:00 GMT', retryAfter: 'Fri, 20 Nov 2026 15:00:30 GMT' }
    expect(read({ status: 429, ...dates })).toMatchObject({ error: { retryAfterMs: 30_000 } })
    const refused = read({ status: 401, retryAfter: '7' })
    expect(refused.ok ? 'a record' : refused.error).not.toHaveProperty('retryAfterMs')
  })

  it('accepts dates only in the form that HTTP prescribes', () => {
    expect(httpDateMs('Fri, 20 Nov 2026 14:02:31 GMT')).toBe(1_795_183_351_000)
    expect(httpDateMs('x Fri, 20 Nov 2026 14:02:31 GMT')).toBeNaN()
    expect(httpDateMs('Fri, 20 Nov 2026 14:02:31 GMT x')).toBeNaN()
  })
})

describe("the dashboard's own proxy", () => {
  it.each([
    ['refused', { kind: 'unreachable', hop: 'service', detail: 'refused' }],
    ['dns', { kind: 'unreachable', hop: 'service', detail: 'dns' }],
    ['tls', { kind: 'unreachable', hop: 'service', detail: 'tls' }],
    ['reset', { kind: 'unreachable', hop: 'service', detail: 'reset' }],
    ['not-allowed', { kind: 'unreachable', hop: 'service', detail: 'not-allowed' }],
    ['timeout', { kind: 'timeout', afterMs: 10_000, hop: 'service' }],
    ['cut-off', { kind: 'cut-off', hop: 'service' }],
    ['too-large', { kind: 'too-large', limitBytes: 65_536 }],
    ['headers-too-large', { kind: 'too-large', limitBytes: DEFAULTS.headersMaxBytes, part: 'headers' }],
    ['signed-out', { kind: 'signed-out' }],
  ])('reports %s', (proxyFailure, failure) => {
    expect(read({ status: 502, proxyFailure })).toEqual(err(failure))
  })

  it('keeps the names of its headers for pages loaded before an update', () => {
    expect(PROXY_FAILURE_HEADER).toBe('X-Proxy-Failure')
    expect(COLLECTED_AGE_HEADER).toBe('X-Collected-Age')
  })

  it('is ignored if its failure is unknown', () => {
    const failed = read({ status: 502, proxyFailure: 'toString' })
    expect(failed).toEqual(err({ kind: 'server-error', status: 502 }))
  })
})

it.each([
  [{ kind: 'unreachable' }, true, { kind: 'unreachable', hop: 'proxy' }],
  [{ kind: 'unreachable' }, false, { kind: 'unreachable', hop: 'service' }],
  [{ kind: 'timeout', afterMs: 5 }, true, { kind: 'timeout', afterMs: 5, hop: 'proxy' }],
  [{ kind: 'timeout', afterMs: 5 }, false, { kind: 'timeout', afterMs: 5, hop: 'service' }],
  [{ kind: 'cut-off' }, true, { kind: 'cut-off', hop: 'proxy' }],
  [{ kind: 'cut-off', encoding: 'gzip' }, true, { kind: 'cut-off', encoding: 'gzip', hop: 'service' }],
  [{ kind: 'too-large', limitBytes: 9 }, false, { kind: 'too-large', limitBytes: 9 }],
  [{ kind: 'redirected' }, false, { kind: 'redirected' }],
] as const)('no answer at all %j, proxied %s, is %j', (failure, proxied, expected) => {
  expect(failureOfTransport(failure, proxied)).toEqual(expected)
})

describe('the table of failures', () => {
  it('gives every failure its own code', () => {
    const codes = Object.values(FAILURES).map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    for (const code of codes) expect(code).toMatch(/^(node|auth|service|net|data|key)\/[a-z0-9-]+$/)
  })

  it('names the status of a server error in its code', () => {
    expect(failureCode({ kind: 'server-error', status: 503 })).toBe('service/503')
    expect(failureCode({ kind: 'unauthorized' })).toBe('auth/401')
  })
})
