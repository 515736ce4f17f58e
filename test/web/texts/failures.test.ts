import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import { readReply } from '#protocol/read-reply.ts'
import { PROXY_FAILURES } from '#protocol/transport.ts'
import { FAILURE_KINDS, sampleOf } from '#test/support/failure-samples.ts'
import { failureWords } from '#texts/en-failures.ts'
import type { FailureContext } from '#texts/failure-words.ts'

const CONTEXT: FailureContext = {
  baseUrl: 'https://node.example',
  via: 'proxy',
  pageOrigin: 'https://dash.example',
  headerNames: [],
  service: 'node.example',
  node: undefined,
}

it('a rejected signature of the dashboard server is not blamed on the user’s key or profile', () => {
  for (const kind of ['unauthorized', 'forbidden'] as const) {
    const { title, meaning, next } = failureWords({ kind }, { ...CONTEXT, credential: 'server' })
    expect(`${title} ${meaning}`, kind).toMatch(/server’s/)
    expect(`${meaning} ${next}`, kind).not.toMatch(/neither|Choose another/)
  }
})

/** The failures that may concern some nodes only, unlike those of the whole screen. */
const kinds = FAILURE_KINDS.filter((kind) => FAILURES[kind].scope !== 'screen')
const said = (failure: PollFailure, more: Partial<FailureContext> = {}) => {
  const { title, meaning, polling = '', next } = failureWords(failure, { ...CONTEXT, ...more })
  return { title, all: [title, meaning, polling, next].join(' ') }
}
const OF_EVERYBODY =
  /\b(all|every|none) (of its |of these |its )?(requests|nodes?|answers)\b|base URL|clocks disagree/i

it.each(['token', 'none'] as const)('with the credential “%s”, no key or clock is blamed', (credential) => {
  const some = said({ kind: 'unauthorized' }, { credential, siblings: 'answered', onlyNodes: 3 })
  const every = said({ kind: 'node-unknown' }, { credential, siblings: 'same' })
  expect(some.all + every.all).not.toMatch(/\b(key|clocks)\b/)
})

it.each(['node-unknown', 'node-id-invalid'] as const)('a default node has no id to check: %s', (kind) => {
  const { all } = said({ kind }, { node: 'alpha', isDefaultNode: true })
  expect(all).toContain('Set the id of this node')
})

describe.each(kinds.flatMap((kind) => (['proxy', 'direct'] as const).map((via) => [kind, via] as const)))(
  'a failure %s via %s',
  (kind, via) => {
    const failure = sampleOf(kind)
    it('names a single node, and counts several', () => {
      for (const siblings of ['answered', undefined] as const) {
        const more = { via, ...(siblings && { siblings }) }
        expect(said(failure, { ...more, node: 'alpha', onlyNodes: 1 }).title).toContain('alpha')
        expect(said(failure, { ...more, onlyNodes: 3 }).title).toMatch(
          /\b3 (nodes of node\.example|of its nodes)/,
        )
      }
    })

    it('mentions that other nodes are answered, and blames nothing they share', () => {
      const { all } = said(failure, { via, siblings: 'answered', node: 'alpha', onlyNodes: 1 })
      expect(all).toContain('requests for its other nodes')
      expect(all).not.toMatch(OF_EVERYBODY)
    })

    it('names no node when all nodes fail', () => {
      expect(said(failure, { via }).all).not.toMatch(/alpha|\d of its nodes|other nodes/)
    })
  },
)

it('an answer of an upstream proxy or web server is not blamed on the service', () => {
  const page = '502 Bad Gateway'
  const front = said({ kind: 'unreachable', hop: 'proxy', front: { status: 502, page } })
  expect(front.all).toMatch(/front of the dashboard server answers.*502, a web page titled “502 Bad Gateway”/)
  expect(front.all).not.toMatch(/service operator|dashboard is fine/)
  const portal = said({ kind: 'server-error', status: 511 }, { via: 'direct' })
  expect(portal.all).toMatch(/sign in to the network/)
  expect(portal.all).not.toMatch(/service operator|dashboard is fine/)
  const basic = { status: 401, challenge: { scheme: 'Basic', namesError: false } }
  expect(said({ kind: 'unreachable', hop: 'proxy', front: basic }).all).toMatch(
    /a request for Basic.*Authorization header/,
  )
  for (const [kind, status] of [
    ['node-unknown', '(404)'],
    ['node-id-invalid', '(400)'],
  ] as const) {
    const { title, all } = said({ kind, page: 'nginx' }, { node: 'alpha' })
    expect(title).toContain(status)
    expect(all).toMatch(/titled “nginx” arrived instead: it comes from a proxy or web server/)
  }
})

const REQUEST = { nodeId: undefined, timeoutMs: 800, wallMs: 0, metrics: METRICS }

it('each failure that the dashboard server reports has its own title', () => {
  const titles = PROXY_FAILURES.filter((name) => name !== 'view-only').map((proxyFailure) => {
    const read = readReply({ status: 502, body: '', proxyFailure }, REQUEST)
    return read.ok ? '' : said(read.error).title
  })
  expect(titles).toEqual(Array.from(new Set(titles)))
})

it.each([
  ['0', /\(429\) The service does not ask this dashboard to wait\. Polling continues/],
  ['3599', /asks this dashboard to wait 59\sm\s59\ss\./],
  ['86400', /asks this dashboard to wait 1\sh or more; the next poll is after 1\sh\./],
])('the message about a service that asks for %s s names no shorter wait', (retryAfter, words) => {
  const read = readReply({ status: 429, body: '', retryAfter }, REQUEST)
  expect(read.ok ? '' : said(read.error).all).toMatch(words)
})

it('a failed direct connection is not blamed on a dashboard server', () => {
  for (const detail of ['dns', 'no-route', 'tls', 'tls-handshake', 'not-http', 'reset', 'refused'] as const)
    expect(said({ kind: 'unreachable', hop: 'service', detail }, { via: 'direct' }).all).not.toMatch(
      /dashboard server|the dashboard /,
    )
})
