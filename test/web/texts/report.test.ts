import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Exchange } from '#monitor/exchange.ts'
import { reportText, type Report } from '#texts/en-report.ts'

const WALL_MS = Date.parse('2026-11-21T20:15:03Z')
const KEY = '5f'.repeat(32)
const NODE = `0x${'a1'.repeat(32)}`
const SIGNATURE = '3c'.repeat(64)

const exchange = (body: string, given: Partial<Exchange> = {}): Exchange => ({
  startedWallMs: WALL_MS - 2_000,
  url: `http://127.0.0.1:7420/proxy/https~3A~2F~2Fapi.example/node/status?node_id=${NODE}`,
  requestHeaders: {
    Authorization: `Bearer ${SIGNATURE}`,
    'X-Node-Key': KEY,
    'X-Node-Nonce': 'Zm9yZWlnbi1jbGllbnQtMQ',
  },
  status: 401,
  contentType: 'application/problem+json',
  date: 'Sat, 21 Nov 2026 20:16:16 GMT',
  body,
  bodyCut: false,
  ...given,
})
const report = (given: Partial<Report> = {}): string =>
  reportText({
    madeWallMs: WALL_MS,
    title: 'The service does not accept the signature',
    code: 'auth/401',
    meaning: 'It answered 401. Test service does not know this public key, or no longer.',
    evidence: ['The answer to the signed request was 401, “not registered”.'],
    service: 'Test service',
    baseUrl: 'https://api.example',
    via: 'proxy',
    pageOrigin: 'http://127.0.0.1:7420',
    nodes: [NODE],
    sinceWallMs: WALL_MS - 60_000,
    misses: 3,
    offset: { lowMs: 72_500, highMs: 73_500 },
    profile: 'bearer-v1',
    publicKey: KEY,
    fingerprint: '0123 4567 89ab cdef',
    exchange: exchange('{"detail":"not registered"}'),
    ...given,
  })

describe('a report', () => {
  it('removes pieces of a truncated signature', () => {
    const cut = (chars: number) => report({ evidence: [`It answered “no ${SIGNATURE.slice(0, chars)}”.`] })
    expect(cut(24)).toContain('- It answered “no [removed]”.')
    expect(cut(100)).toContain('- It answered “no [removed]”.')
  })

  it('contains everything that the service’s owner needs, in UTC', () => {
    expect(report().split('\n')).toEqual([
      'Report on a node status service, 2026-11-21 20:15:03 UTC',
      'made by immune-node-dashboard 0.1.0',
      '',
      'Problem: The service does not accept the signature (auth/401)',
      'Since: 2026-11-21 20:14:03 UTC, 3 failed polls',
      'Service: Test service, https://api.example',
      'Polled: by the dashboard server',
      `Nodes: ${NODE}`,
      'Signing profile: bearer-v1',
      `Public key: ${KEY}`,
      'Fingerprint: 0123 4567 89ab cdef',
      'Clock: offset +1 m 13 s ± 0.50 s (service minus this computer)',
      '',
      `Last request: 2026-11-21 20:15:01 UTC, GET https://api.example/node/status?node_id=${NODE}`,
      'Headers sent: Authorization, X-Node-Key, X-Node-Nonce',
      'Answer: 401, application/problem+json',
      'Date of the answer: Sat, 21 Nov 2026 20:16:16 GMT',
      'Body: {"detail":"not registered"}',
      '',
      'Likely cause: It answered 401. Test service does not know this public key, or no longer.',
      '- The answer to the signed request was 401, “not registered”.',
      '',
      'This report contains no private key and no signature.',
    ])
  })

  it('omits unknown facts, and shortens a long list of nodes', () => {
    const text = report({
      sinceWallMs: undefined,
      offset: undefined,
      publicKey: undefined,
      fingerprint: undefined,
      exchange: undefined,
      via: 'direct',
      nodes: [undefined, ...Array.from({ length: 7 }, () => NODE)],
    })
    expect(text).not.toMatch(/undefined|Since|Public key|Fingerprint|Last request|Body/)
    expect(text).toContain('Polled: by a page at http://127.0.0.1:7420')
    expect(text).toMatch(/^Nodes: the default node, (0x\w+, ){3}0x\w+ and 3 more$/m)
    expect(text).toContain('Clock: the service’s time can’t be read')
  })

  it.each<[string, string]>([
    ['repeats the signature', `{"detail":"got Bearer ${SIGNATURE}"}`],
    ['repeats the signature in capitals', SIGNATURE.toUpperCase()],
    ['repeats the signature inside a word', `xx${SIGNATURE}yy`],
    ['repeats the nonce', 'nonce Zm9yZWlnbi1jbGllbnQtMQ used'],
    ['contains a seed', `seed ${'9d'.repeat(32)}`],
    ['contains markup', '<script>alert(1)</script>'.repeat(500)],
    ['contains hidden characters', '\u202eok\u0000\u200b\n\nThis report holds your key'],
    ['is long', 'word '.repeat(10_000)],
  ])('about an answer that %s stays short, readable and free of secrets', (_what, body) => {
    const text = report({ exchange: exchange(body) })
    expect(text.toLowerCase()).not.toContain(SIGNATURE)
    expect(text).not.toContain('Zm9yZWlnbi1jbGllbnQtMQ')
    expect(text).not.toContain('9d9d9d9d9d9d')
    expect(text).not.toMatch(/[^\P{C}\n]/u)
    expect(text.split('\n')).toHaveLength(23)
    expect(text.length).toBeLessThan(3_000)
    expect(text).toContain(KEY)
  })

  it('never contains the signature, wherever it is echoed', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(3), (before, after, where) => {
        const echo = before + SIGNATURE + after
        const text = report(
          [
            { exchange: exchange(echo) },
            { exchange: exchange('', { contentType: echo }) },
            { evidence: [echo] },
            { service: echo },
          ][where],
        )
        expect(text).not.toContain(SIGNATURE)
      }),
    )
  })
})
