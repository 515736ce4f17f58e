import { describe, expect, it } from 'vitest'
import { createNodeRules, createRuleFailures } from '#alarms/node-rules.ts'
import { sharedTroubles } from '#alarms/shared-rules.ts'
import { failureOf, type Cause, type Evidence } from '#fleet/cause.ts'
import { nodeKeyOf, type NodeLive, type ServiceLive } from '#fleet/live.ts'
import type { Clue, LikelyCause } from '#fleet/diagnosis.ts'
import { METRICS } from '#metrics/metrics.ts'
import { failureLook, type PollFailure } from '#protocol/failure.ts'
import type { UnreachableDetail } from '#protocol/transport.ts'
import { serviceIdOf } from '#record/service.ts'
import { causeAt, contextOf } from '#features/shell/cause-context.ts'
import { watchState } from '#parts/watch-state.ts'
import { alarmValue } from '#texts/en-alarms.ts'
import { causeWords } from '#texts/en-causes.ts'
import { checkText } from '#texts/en-checks.ts'
import { aged, episode, explained, fleet, live, node, NOW_MS, WALL_MS } from '#test/core/monitor/fleet.ts'
import { BASE, service } from '#test/core/monitor/watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const A = 'https://a.example'
const B = 'https://b.example'
const PLAIN_A = 'http://a.example'
const PLAIN_B = 'http://b.example'
const HERE = 'http://localhost:9000'

type Seen = {
  readonly at: string
  readonly via?: 'proxy' | 'direct'
  /** How each node's polls end; undefined: answered since the others began to fail; 'old': answered last before that. */
  readonly nodes: readonly (PollFailure | 'old' | undefined)[]
  readonly misses?: number
  readonly likely?: LikelyCause
  readonly clue?: Clue
}

const hidden: PollFailure = { kind: 'unreachable', hop: 'service' }
const told = (detail: UnreachableDetail): PollFailure => ({ kind: 'unreachable', hop: 'service', detail })
const ownDown: PollFailure = { kind: 'unreachable', hop: 'proxy' }
const ownHung: PollFailure = { kind: 'timeout', afterMs: 11_000, hop: 'proxy' }
const slow: PollFailure = { kind: 'timeout', afterMs: 10_000, hop: 'service' }
const page: PollFailure = { kind: 'not-json', problem: 'web-page' }
const unauthorized: PollFailure = { kind: 'unauthorized' }
const unknown: PollFailure = { kind: 'node-unknown' }
const ownAnswers: Clue = { kind: 'own-server', state: 'answers' }

const FAILING_MS = 30_000

function nodesOf({ at, nodes, misses = 3 }: Seen): readonly NodeLive[] {
  return nodes.map((end, index) => {
    if (end === undefined || end === 'old')
      return node(index, { reading: aged(end === 'old' ? FAILING_MS + 1_000 : 1_000) }, at)
    const failing = { reading: aged(FAILING_MS + 1_000), episode: episode(end, misses, FAILING_MS) }
    return node(index, failing, at)
  })
}

function serviceOf({ at, via = 'direct', nodes, likely, clue }: Seen): ServiceLive {
  const failure = nodes.find((end) => typeof end === 'object')
  const look = failure === undefined ? '' : failureLook(failure)
  const diagnosis = { likely: [likely ?? 'too-slow'], clues: clue === undefined ? [] : [clue] } as const
  const isProbed = likely !== undefined || clue !== undefined
  return live(
    {
      service: service({ baseUrl: at, via, label: at.replace(/^https?:\/\//, '') }),
      diagnosed: isProbed ? { look, diagnosis } : undefined,
    },
    at,
  )
}

function said(...seen: readonly Seen[]): readonly string[] {
  const snapshot = fleet(seen.flatMap(nodesOf), seen.map(serviceOf))
  const isFailure = (kind: string): boolean => ['failure', 'no-network', 'portal'].includes(kind)
  return causesOf(snapshot, NOW_MS)
    .filter(({ evidence }) => isFailure(evidence.kind))
    .map((cause) => {
      const at = cause.serviceId === serviceIdOf(seen[0]?.at ?? '') ? 'first' : 'second'
      const scope = cause.scope === 'screen' ? 'screen' : `${at} ${cause.scope}`
      const { title } = causeWords(cause, contextOf(cause, snapshot, 'http://dash.example', 'utc'))
      // Numbers and units are kept together by narrow spaces.
      return `${scope}: ${title}`.replace(/[\u00a0\u202f]/g, ' ')
    })
}

const direct = (at: string, ...nodes: Seen['nodes']): Seen => ({ at, nodes })
const proxied = (at: string, ...nodes: Seen['nodes']): Seen => ({ at, via: 'proxy', nodes })

describe('evidence → whose fault → words', () => {
  const headers: PollFailure = { kind: 'too-large', limitBytes: 16_384, part: 'headers' }
  const [a, b, here] = [direct(A, hidden), direct(B, hidden), direct(HERE, hidden)]
  const aRefused = proxied(A, told('refused'))
  const [aDns, bDns] = [proxied(A, told('dns')), proxied(B, told('dns'))]
  const [aHung, bHung] = [proxied(A, ownHung), proxied(B, ownHung)]
  const NETWORK = 'screen: No service can be reached over the network'
  const REFUSES = 'first service: a.example refuses connections'
  const NO_B = 'second service: No answer from b.example'
  const NO_HERE = 'first service: No answer from localhost:9000'
  const NO_RECORDS = ['first', 'second'].map((which) => `${which} service: The answer is not a status record`)
  const HUNG = 'The dashboard server did not answer within 11 s'
  const SLOW = 'first service: Answers from a.example take longer than'
  it.each<[string, readonly Seen[], ...(readonly string[])]>([
    ['nothing comes from any, and nobody knows why → the network', [a, b], NETWORK],
    ['one refuses, of the other nothing is known → each', [aRefused, b], REFUSES, NO_B],
    ['the dashboard’s server resolves neither name → its network', [aDns, bDns], NETWORK],
    ['it has no route to either → its network', [proxied(A, told('no-route')), bDns], NETWORK],
    ['one on this computer, two elsewhere → itself and the network', [here, a, b], NETWORK, NO_HERE],
    [
      'a probe reached one of them → each of them',
      [{ ...a, likely: 'cors' }, b],
      'first service: a.example answers, but does not allow this page to read it (CORS)',
      NO_B,
    ],
    ['the dashboard’s server says nothing at all → it', [aHung], `first service: ${HUNG}`],
    ['of two services → it, once', [aHung, bHung], `screen: ${HUNG}`],
    [
      'it refuses connections, and a service without it answers → it, once',
      [proxied(A, ownDown), proxied(B, ownDown), direct(HERE, undefined)],
      'screen: The dashboard server does not answer',
    ],
    ['it names the service as slow → the service', [proxied(A, slow)], `${SLOW} 10 s`],
    [
      'web pages in place of two plain services → a portal',
      [direct(PLAIN_A, page), direct(PLAIN_B, page)],
      'screen: A captive portal answers instead of the services',
    ],
    ['over https, where no portal can answer → each', [direct(A, page), direct(B, page)], ...NO_RECORDS],
    [
      'nothing about one node, CORS suspected, its siblings are answered → its requests',
      [{ ...direct(A, hidden, undefined, undefined), likely: 'cors' }],
      'first node: No answer from a.example about 0x0001',
    ],
    [
      'the connection about one node dropped, its siblings are answered → its requests',
      [proxied(A, told('reset'), undefined, undefined)],
      'first node: a.example drops the connection for 0x0001',
    ],
    [
      'one node is refused with a key by which its siblings are answered → that node',
      [{ ...direct(A, unauthorized, undefined, undefined), likely: 'key-not-registered' }],
      'first node: Rejected (401) for 0x0001 only',
    ],
    [
      'one node is refused, and its siblings were last answered before → not decided yet',
      [direct(A, unauthorized, 'old', 'old')],
      'first node: Signature rejected (401): 0x0001',
    ],
    [
      'headers beyond what is read',
      [proxied(A, headers)],
      'first service: The headers of the answer are larger than 16 KiB',
    ],
  ])('%s', (_what, seen, ...expected) => {
    expect(said(...seen)).toEqual(expected)
  })
})

describe('what is not said', () => {
  const words = (...seen: readonly Seen[]) => {
    const snapshot = fleet(seen.flatMap(nodesOf), seen.map(serviceOf))
    const [cause] = causesOf(snapshot, NOW_MS)
    if (cause === undefined) throw new Error('nothing is told')
    return causeWords(cause, contextOf(cause, snapshot, 'http://dash.example', 'utc'))
  }

  it('that this computer’s network is down, where the dashboard server has no network', () => {
    const [dns, route, lost] = [proxied(A, told('dns')), proxied(B, told('no-route')), direct(B, hidden)]
    expect(words(dns, route).next).toMatch(/^Check the network of the dashboard server,/)
    expect(words(dns, lost).next).toMatch(/^Check the network of this computer,/)
  })

  it('that other nodes go on, where every node gets 404', () => {
    const all = words(direct(A, unknown, unknown))
    expect(all.meaning).not.toMatch(/other nodes/i)
    expect(words(direct(A, unknown, undefined)).meaning).toMatch(/other nodes/i)
  })

  it('that answers which break off for long are a restart', () => {
    const cutOff = { kind: 'cut-off', hop: 'service' } as const
    expect(words({ at: A, nodes: [cutOff], misses: 2 }).next).toMatch(/a restart of the service/)
    expect(words({ at: A, nodes: [cutOff], misses: 9 }).next).toMatch(/too long to be a restart/)
  })

  it('what to do about CORS or a key, where siblings are answered', () => {
    const cors = words({ at: A, nodes: [hidden, undefined], likely: 'cors' })
    expect(cors.lines).toBeUndefined()
    const key = words({ at: A, nodes: [unauthorized, undefined], likely: 'key-not-registered' })
    expect(key.next).not.toMatch(/register/i)
  })
})

it.each([
  [90_000, 'fast'],
  [-90_000, 'slow'],
])('a clock that is %d ms from all others is its service’s own, and %s', (offMs, word) => {
  const all = [A, B, 'https://c.example'].map((baseUrl, place) => {
    const ms = place === 2 ? offMs : 0
    const correction = ms === 0 ? undefined : ({ ms, state: 'used' } as const)
    const offset = { lowMs: ms - 500, highMs: ms + 500 }
    return live({ service: service({ baseUrl, label: baseUrl.slice(8) }), offset, correction }, baseUrl)
  })
  const nodes = all.map((one) => node(0, { reading: aged(1_000) }, one.service.baseUrl))
  const snapshot = fleet(nodes, all)
  const titles = causesOf(snapshot, NOW_MS)
    .filter(({ evidence }) => evidence.kind === 'clock-offset')
    .map((cause) => causeWords(cause, contextOf(cause, snapshot, A, 'utc')).title.replace(/\s/g, ' '))
  expect(titles).toEqual([`The clock of c.example is 90 s ${word}`])
})

it('a default node that is watched by its id too is one node', () => {
  const byId = node(0, { episode: episode(slow, 3) })
  const own = { ...byId, key: nodeKeyOf(serviceIdOf(BASE), undefined), nodeId: undefined }
  const snapshot = fleet([byId, own, node(1), node(2)])
  const [cause] = causesOf(snapshot, NOW_MS)
  if (cause === undefined) throw new Error('nothing is said')
  const { title } = causeWords(cause, contextOf(cause, snapshot, 'http://dash.example', 'utc'))
  expect(title).toMatch(/^Answers from api\.example about 0x0001 take longer/)
})

it('a clock that was set back, and a counter that falls again and again, are called that', () => {
  const snapshot = fleet([node(0)])
  const wordsOf = (evidence: Evidence): string => {
    const cause = { evidence, nodes: [], scope: 'screen', misses: 0 } as unknown as Cause
    const { title, next } = causeWords(cause, contextOf(cause, snapshot, 'http://dash.example', 'utc'))
    return `${title}. ${next}`.replace(/[\u00a0\u202f]/g, ' ')
  }
  const gap = { fromWallMs: 7_200_000, toWallMs: 0, reason: 'clock-step' } as const
  expect(wordsOf({ kind: 'gap', gap })).toMatch(/^This computer’s clock was set back by 2 h 00 m\./)
  expect(wordsOf({ kind: 'counter-restarted', metric: 'Events', restarts: 1 })).toMatch(
    /^Events reset\..*planned/,
  )
  expect(wordsOf({ kind: 'counter-restarted', metric: 'Events', restarts: 3 })).toMatch(
    /^Events reset 3 times\. .*several servers/,
  )
})

it('refusals that alternate with answers are attributed to the service’s replicas, also on a node’s page', () => {
  const refused = (failure: PollFailure, agoMs = 5_000, from = 0) => {
    const nodes = nodesOf(direct(A, failure, undefined)).map((one, index) => ({
      ...one,
      reading: aged(agoMs),
      ...(index >= from && { endedRefusals: { kind: failure.kind, count: 2, atMs: NOW_MS - 60_000 } }),
    }))
    const snapshot = fleet(nodes, [serviceOf(direct(A, failure))])
    return causesOf(snapshot, NOW_MS).map((cause) => {
      const at = causeAt(cause, snapshot, nodes[0]?.key)
      return causeWords(at, contextOf(at, snapshot, 'http://dash.example', 'utc')).title
    })
  }
  expect(refused({ kind: 'unauthorized' })).toEqual([
    'Some replicas of a.example reject the credentials (401)',
  ])
  expect(refused({ kind: 'node-unknown' })).toEqual([
    'Some replicas of a.example don’t know every node (404)',
  ])
  expect(refused({ kind: 'node-unknown' }, 5_000, 1)).toEqual(refused({ kind: 'node-unknown' }))
  // Nothing was accepted for long.
  expect(refused({ kind: 'unauthorized' }, 90_000)).toEqual(['Signature rejected (401): 0x0001'])
})

it('a node’s page does not tell one node’s failure of all nodes of a service', () => {
  const nodes = nodesOf(direct(A, page, page, slow))
  const snapshot = fleet(nodes, [serviceOf(direct(A, page))])
  const causes = causesOf(snapshot, NOW_MS).filter(({ evidence }) => evidence.kind === 'failure')
  expect(causes).toMatchObject([{ scope: 'service', evidence: { mixed: true } }])
  for (const cause of causes) expect(causeAt(cause, snapshot, nodes[2]?.key)).toBe(cause)
})

const UNANSWERED = { id: 'service', state: 'warning', reason: 'failing' } as const
const cutOff: PollFailure = { kind: 'cut-off', hop: 'proxy' }
const ofService = { row: false, strip: false, alarms: false, banner: false }
const ofOwnServer = { row: true, strip: true, alarms: true, banner: true }

/** Where the dashboard server is blamed for the first service. */
function blamed(...seen: readonly Seen[]): typeof ofService {
  const snapshot = explained(fleet(seen.flatMap(nodesOf), seen.map(serviceOf)))
  const { causes, services } = snapshot
  const first = snapshot.nodes.values().next().value
  const of = first && services.get(first.serviceId)
  if (first === undefined || of === undefined) throw new Error('nothing is watched')
  const rules = createNodeRules(METRICS, createRuleFailures())
  const at = { awakeMs: 0, wallMs: WALL_MS }
  const found = [
    ...rules
      .evaluate({ node: first, service: of }, snapshot, [], () => undefined, at)
      .filter(({ kind }) => kind === 'unreachable'),
    ...sharedTroubles(causes).filter(({ nodes }) => nodes.includes(first.key)),
  ].map(({ kind, evaluation }) => alarmValue(kind, evaluation.value, METRICS) ?? '')
  const banners = causes
    .filter(({ nodes }) => nodes.includes(first.key))
    .flatMap((cause) => [cause, causeAt(cause, snapshot, first.key)])
    .map((cause) => causeWords(cause, contextOf(cause, snapshot, 'http://dash.example', 'utc')).title)
  const keys = { keys: [], report: undefined, failed: false }
  const isNamed = (text: string): boolean => /dashboard(’s)? server/i.test(text)
  const all = (texts: readonly string[]): boolean => {
    expect(new Set(texts.map(isNamed)).size).toBe(1)
    return texts.every(isNamed)
  }
  return {
    row: isNamed(checkText(UNANSWERED, METRICS, failureOf(first, causes))),
    strip: isNamed(watchState(snapshot, keys, 'ready', { kind: 'running' }, NOW_MS).text),
    alarms: all(found),
    banner: all(banners),
  }
}

describe.each([ownDown, ownHung, cutOff])('the dashboard server gives no answer: %j', (failure) => {
  const a = proxied(A, failure)
  it.each<[string, typeof ofService, readonly Seen[]]>([
    ['one service, the only one', ofOwnServer, [a]],
    ['one service, and it answers for another', ofService, [a, proxied(B, undefined)]],
    // The status line counts nodes as long as any service answers.
    [
      'one service, where another’s answer says nothing of it',
      { ...ofOwnServer, strip: false },
      [a, direct(B, 'old')],
    ],
    ['all services', ofOwnServer, [a, proxied(B, failure)]],
  ])('%s', (_, where, seen) => {
    expect(blamed(...seen)).toEqual(where)
  })
})

describe.each([slow, told('refused'), told('reset')])('the dashboard server reports: %j', (failure) => {
  const a = proxied(A, failure)
  it.each<[string, readonly Seen[]]>([
    ['one service', [a, proxied(B, undefined)]],
    ['all services', [a, proxied(B, failure)]],
  ])('%s', (_, seen) => {
    expect(blamed(...seen)).toEqual(ofService)
  })
})

it.each([ownDown, ownHung])('a probe of the dashboard server is answered: %j', (failure) => {
  expect(blamed({ at: A, via: 'proxy', nodes: [failure], clue: ownAnswers })).toEqual(ofService)
})

it('a failure that no cause explains yet is not blamed on the dashboard server', () => {
  const own = node(0, { episode: episode(ownHung) })
  expect(failureOf(own, [])).toEqual({ ...ownHung, hop: 'service' })
})

it('a node that gets no answer, while its service answers another with an error, fails by its service', () => {
  const error: PollFailure = { kind: 'server-error', status: 503 }
  expect(blamed(proxied(A, ownHung, error), proxied(B, undefined))).toEqual(ofService)
})

it('a row of a service that is unreachable does not blame it, because the network may be down', () => {
  const text = (failure: PollFailure) => checkText(UNANSWERED, METRICS, failure)
  expect(text({ kind: 'unreachable', hop: 'service' })).toBe('Unreachable')
  expect(text({ kind: 'timeout', afterMs: 10_000, hop: 'service' })).toMatch(/^Service: /)
})
