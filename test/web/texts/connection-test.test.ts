import { describe, expect, it } from 'vitest'
import { TEST_STEPS, type TestStep } from '#monitor/connection-test.ts'
import { failureCode, type FailureKind } from '#protocol/failure.ts'
import type { TestedService } from '#texts/failure-words.ts'
import { stepsInWords, connectionTestSummary, connectionTestTexts } from '#texts/en-connection-test.ts'
import { FAILURE_KINDS, sampleOf } from '#test/support/failure-samples.ts'
import { recordOf } from '#test/support/fleet-fixture.ts'

const CONTEXT: TestedService = {
  baseUrl: 'https://api.example.net',
  via: 'proxy',
  pageOrigin: 'http://127.0.0.1:7420',
  headerNames: ['Authorization', 'X-Node-Key'],
}
const DIRECT: TestedService = { ...CONTEXT, via: 'direct' }

/** The kinds that need several samples, one for each detail. */
const DETAILS: Partial<Record<FailureKind, readonly object[]>> = {
  'rate-limited': [{}, { retryAfterMs: 60_000 }],
  unreachable: [
    { hop: 'proxy' },
    ...[undefined, 'refused', 'dns', 'tls', 'reset', 'not-allowed', 'blocked'].map((detail) => ({ detail })),
  ],
  timeout: [{}, { hop: 'proxy' }],
  'not-json': ['empty', 'web-page', 'not-json', 'not-an-object'].map((problem) => ({ problem })),
  'signer-failed': ['chain-key', 'not-configured', 'no-answer', 'error'].map((reason) => ({ reason })),
}
const failures = FAILURE_KINDS.flatMap((kind) =>
  (DETAILS[kind] ?? [{}]).map((given) => sampleOf(kind, given)),
)
const stepOf = (step: TestStep, context = CONTEXT) =>
  stepsInWords([step], context).find(({ id }) => id === step.name)

describe('a failed step', () => {
  it('explains blocked mixed content by the schemes of page and service', () => {
    const failed: TestStep = { name: 'reached', state: 'failed', failure: { kind: 'mixed-content' } }
    const addresses = { pageOrigin: 'https://watch.example', baseUrl: 'http://far.example' }
    expect(stepOf(failed, { ...DIRECT, ...addresses })?.evidence?.items).toEqual([
      'This page: https, https://watch.example.',
      'The service: plain http, http://far.example.',
      'No request was made: a page loaded over https may connect over plain http only to this computer.',
    ])
  })

  it('has its own text for every kind of failure', () => {
    const words = failures.map((failure) => {
      const shown = stepOf({ name: 'signature', state: 'failed', failure })
      return `${shown?.title}: ${shown?.note}`
    })
    expect(new Set(words).size).toBe(failures.length)
  })

  it.each(
    TEST_STEPS.flatMap((name) => failures.map((failure) => [name, failureCode(failure), failure] as const)),
  )('shows title, code and advice (%s, %s)', (name, code, failure) => {
    for (const context of [CONTEXT, DIRECT]) {
      const shown = stepOf({ name, state: 'failed', failure }, context)
      expect(shown?.state).toBe('failed')
      expect(shown?.title.length).toBeGreaterThan(5)
      expect(shown?.note).toContain(`(${code})`)
      expect(shown?.note?.split(/[.:] /).length).toBeGreaterThan(1)
      expect(`${shown?.title} ${shown?.note}`).not.toMatch(/undefined|NaN|!|Oops/)
    }
  })

  it('keeps the service’s answer apart from its own text', () => {
    const failure = { kind: 'unauthorized', answer: 'no\u202eyek' } as const
    const shown = stepOf({ name: 'signature', state: 'failed', failure })
    expect(shown?.answer).toBe('no\u202eyek')
    expect(shown?.note).not.toContain('yek')
  })

  it('lists the required headers only if a browser hides the cause', () => {
    const hidden: TestStep = {
      name: 'reached',
      state: 'failed',
      failure: { kind: 'unreachable', hop: 'service' },
    }
    expect(stepOf(hidden, DIRECT)?.lines?.text.split('\n')).toEqual([
      'Access-Control-Allow-Origin: http://127.0.0.1:7420',
      'Access-Control-Allow-Methods: GET',
      'Access-Control-Allow-Headers: Authorization, X-Node-Key',
      'Access-Control-Expose-Headers: Date, Retry-After, Age, WWW-Authenticate',
      'Access-Control-Max-Age: 7200',
    ])
    expect(stepOf(hidden)?.lines).toBeUndefined()
  })
})

describe('a step that passed or has a warning', () => {
  const record = recordOf('{}')
  it.each<[string, TestStep, string, unknown]>([
    ['a reached service', { name: 'reached', state: 'ok', latencyMs: 3 }, 'Service reached', undefined],
    [
      'the clock offset',
      { name: 'clocks', state: 'ok', offset: { lowMs: -100, highMs: 300 } },
      'Clocks agree',
      'offset +0.10 s ± 0.20 s',
    ],
    [
      'clocks that can’t be compared',
      { name: 'clocks', state: 'ok', offset: undefined },
      'Clocks not compared',
      'The service’s time can’t be read. Requests are signed with this computer’s time.',
    ],
    [
      'clocks compared by heartbeats',
      { name: 'clocks', state: 'ok', offset: { lowMs: -12_000, highMs: 4_000 }, by: 'heartbeats' },
      'Clocks agree',
      'The time of the answers can’t be read; this computer’s clock is about 4 s (± 8 s) ahead of those of the nodes of the service, judging by their heartbeats.',
    ],
    [
      'clocks that disagree, without blaming one',
      { name: 'clocks', state: 'warning', offset: { lowMs: 40_000, highMs: 40_000 } },
      'Clocks disagree',
      expect.stringMatching(/^offset \+40\.00 s .*\. Synchronize the clock that is wrong \(NTP\)\.$/),
    ],
    [
      'which clock is wrong, judging by heartbeats',
      { name: 'clocks', state: 'warning', offset: { lowMs: 65_000, highMs: 81_000 }, by: 'heartbeats' },
      'Clocks disagree',
      expect.stringMatching(
        /this computer’s clock is about 73 s \(± 8 s\) behind those of the nodes of the service, judging by their heartbeats\. The service may reject/,
      ),
    ],
    [
      'the key',
      { name: 'key', state: 'ok', publicKey: `5f3c${'0'.repeat(56)}91a2` },
      connectionTestTexts.names.key,
      'public key 5f3c…91a2',
    ],
    [
      'a key that the request does not name',
      { name: 'key', state: 'ok', publicKey: undefined },
      connectionTestTexts.names.key,
      undefined,
    ],
    [
      'a web page in place of the service',
      { name: 'readable', state: 'warning', latencyMs: 3, status: 403, page: 'Forbidden' },
      'Web page instead of an answer (403)',
      'A web page titled “Forbidden” arrived instead: it comes from a proxy or web server, not from the service itself. Check the base URL, and any proxy in front of the service. Adding a key will not change this.',
    ],
    ['the nodes', { name: 'nodes', state: 'ok', found: 3, asked: 3, untested: 0 }, 'Nodes found', '3 of 3'],
    [
      'that only some nodes were tested',
      { name: 'nodes', state: 'ok', found: 20, asked: 20, untested: 20 },
      'Nodes found',
      '20 of 20 tested nodes; 20 more were not tested',
    ],
    ['the record', { name: 'record', state: 'ok', record, fields: 7 }, 'Record complete', '7 of 7 fields'],
    [
      'an incomplete record',
      { name: 'record', state: 'warning', record, fields: 5 },
      'Record has unusable fields',
      '5 of 7 fields are usable; the others are shown as unknown.',
    ],
  ])('reports %s', (_what, step, title, note) => {
    const shown = stepOf(step)
    expect(shown?.title).toBe(title)
    expect(shown?.note?.replaceAll(/[\u202f\u00a0]/g, ' ')).toEqual(note)
  })

  it('names three missing nodes and counts the rest', () => {
    const missing = ['0x1', '0x2', '0x3', '0x4', '0x5']
    const note = stepOf({ name: 'nodes', state: 'warning', found: 1, asked: 6, missing })?.note
    expect(note).toContain('1 of 6')
    expect(note).toContain('0x1, 0x2, 0x3 and 2 more.')
    expect(
      stepOf({ name: 'nodes', state: 'warning', found: 5, asked: 6, missing: ['0x1'] })?.note,
    ).not.toContain('more')
  })
})

describe('the connection test', () => {
  it('explains skipped key steps once, and not at all after a failure', () => {
    const skipped = (['key', 'signature', 'nodes', 'record'] as const).map(
      (name) => ({ name, state: 'skipped' }) as const,
    )
    const noted = (steps: readonly TestStep[]) =>
      stepsInWords(steps, CONTEXT).filter(({ state, note }) => state === 'waiting' && note !== undefined)
    expect(noted(skipped).map(({ id }) => id)).toEqual(['key'])
    expect(noted([{ name: 'reached', state: 'failed', failure: { kind: 'offline' } }, ...skipped])).toEqual(
      [],
    )
  })

  it.each<[keyof typeof connectionTestTexts.ended, readonly TestStep[]]>([
    ['ok', [{ name: 'reached', state: 'ok', latencyMs: 1 }]],
    [
      'partly',
      [
        { name: 'reached', state: 'ok', latencyMs: 1 },
        { name: 'key', state: 'skipped' },
      ],
    ],
    ['warned', [{ name: 'record', state: 'warning', record: recordOf('{}'), fields: 1 }]],
    [
      'failed',
      [
        { name: 'reached', state: 'failed', failure: { kind: 'offline' } },
        { name: 'key', state: 'skipped' },
      ],
    ],
  ])('has the summary for its result: %s', (key, steps) => {
    expect(connectionTestSummary(steps)).toBe(connectionTestTexts.ended[key])
  })
})
