import { describe, expect, it } from 'vitest'
import { sharedTroubles } from '#alarms/shared-rules.ts'
import { severityOf } from '#evaluate/conditions.ts'
import type { Episode, NodeLive, ServiceLive } from '#fleet/live.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { serviceIdOf } from '#record/service.ts'
import {
  aged,
  episode,
  fleet,
  live,
  node,
  NOW_MS,
  reading,
  timeout,
  unreachable,
} from '#test/core/monitor/fleet.ts'
import { BASE, keyOf, service } from '#test/core/monitor/watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const OTHER = 'https://other.example'
const THIRD = 'https://third.example'
const ID = serviceIdOf(BASE)
const proxyDown: PollFailure = { kind: 'unreachable', hop: 'proxy' }
const refusedBy: PollFailure = { kind: 'unreachable', hop: 'service', detail: 'refused' }
const tls: PollFailure = { kind: 'unreachable', hop: 'service', detail: 'tls' }
const unknown: PollFailure = { kind: 'node-unknown' }

const causes = (nodes: readonly NodeLive[], services: readonly ServiceLive[] = [live()]) =>
  causesOf(fleet(nodes, services), NOW_MS)
const failing = (index: number, failure: PollFailure, misses = 2, baseUrl = BASE): NodeLive =>
  node(index, { episode: episode(failure, misses) }, baseUrl)
const polled = (
  index: number,
  failure: PollFailure,
  lastedMs = 9_000,
  agoMs = 5_000,
  more: Partial<Episode> = {},
) => node(index, { episode: { ...episode(failure, 2, lastedMs), atMs: NOW_MS - agoMs, ...more } })
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('the scope and severity of failures', () => {
  /** `count` nodes that time out, followed by the others. */
  const slow = (count: number, ...others: readonly NodeLive[]) => [
    ...upTo(count).map((index) => failing(index, timeout)),
    ...others,
  ]
  const rest = (from: number, to: number, given: Partial<NodeLive> = {}) =>
    upTo(to - from).map((index) => node(from + index, given))
  const unanswered = rest(0, 9, { answered: 1, reading: aged(40_000), nextPollMs: NOW_MS - 1 })
  const refused = failing(0, { kind: 'unauthorized' })
  const lost = (...indexes: readonly number[]) => indexes.map((index) => failing(index, unreachable))
  it.each<[string, readonly NodeLive[], ...(readonly string[])]>([
    [
      'four of five nodes for 1.5 intervals, without an answer about the fifth: the service',
      [
        ...upTo(4).map((index) => node(index, { episode: episode(timeout, 2, 22_501) })),
        node(4, { reading: aged(30_000) }),
      ],
      `net/timeout@${ID} service 4`,
    ],
    [
      'four of five nodes, before the fifth has its turn: those nodes',
      slow(4, node(4)),
      `net/timeout@${ID} node 4`,
    ],
    [
      'two of many nodes, while 14 wait and none was answered for a timeout: the service',
      [
        ...upTo(2).map((index) => node(index, { episode: episode(timeout, 1, 10_000) })),
        ...rest(2, 16, { answered: 1, nextPollMs: NOW_MS - 1, reading: aged(11_000) }),
        ...rest(16, 40, { answered: 1, reading: aged(11_000) }),
      ],
      `net/timeout@${ID} service 2`,
    ],
    [
      'three of five for 30 s, while the others are asked every 10 minutes: the service',
      [
        ...upTo(3).map((index) => node(index, { episode: episode(timeout, 2, 30_000) })),
        ...rest(3, 5, { pollIntervalMs: 600_000, reading: aged(200_000) }),
      ],
      `net/timeout@${ID} service 3`,
    ],
    [
      'one of five for 30 s, while the others are asked every 10 minutes: that node',
      [
        node(0, { episode: episode(timeout, 2, 30_000) }),
        ...rest(1, 5, { pollIntervalMs: 600_000, reading: aged(200_000) }),
      ],
      `net/timeout@${ID}/${keyOf(0)} node 1`,
    ],
    ['three of five nodes: those nodes', slow(3, node(3), node(4)), `net/timeout@${ID} node 3`],
    [
      'all polled nodes, however many are not polled yet: the service',
      slow(2, ...rest(2, 20, { reading: undefined })),
      `net/timeout@${ID} service 2`,
    ],
    [
      'the only two polled since the last answer, long ago: the service, with those that wait',
      [
        ...unanswered.slice(0, 2).map((one) => ({ ...one, episode: episode(timeout) })),
        ...unanswered.slice(2),
      ],
      `net/timeout@${ID} service 9`,
    ],
    [
      'one that fails after a hold, before the others are asked again: that node',
      [failing(0, timeout), ...unanswered.slice(1).map((one) => ({ ...one, nextPollMs: NOW_MS + 1 }))],
      `net/timeout@${ID}/${keyOf(0)} node 1`,
      `watch/overdue@${ID} node 8`,
    ],
    [
      'two that fail, while another was answered within 1.5 intervals: those nodes',
      [
        failing(0, timeout),
        failing(1, timeout),
        node(2, { answered: 1, reading: aged(22_000) }),
        ...rest(3, 9, { answered: 1, reading: aged(30_000) }),
      ],
      `net/timeout@${ID} node 2`,
    ],
    [
      'nineteen of twenty that are refused, before the last one has its turn: those nodes',
      [
        ...upTo(19).map((index) => node(index, { episode: episode(refusedBy, 2, 12_000) })),
        node(19, { answered: 1, reading: aged(20_000) }),
      ],
      `net/unreachable@${ID} node 19`,
    ],
    [
      'all that were polled since, while others wait after an older failure: the service',
      [
        ...upTo(15).map((index) => node(index, { episode: episode(refusedBy, 2, 30_000) })),
        ...upTo(5).map((index) =>
          node(15 + index, {
            episode: { ...episode({ kind: 'forbidden' }, 9, 300_000), atMs: NOW_MS - 60_000 },
          }),
        ),
      ],
      `net/unreachable@${ID} service 15`,
      `auth/403@${ID} node 5`,
    ],
    ['one of many nodes: that node', slow(1, ...rest(1, 10)), `net/timeout@${ID}/${keyOf(0)} node 1`],
    ['the only node: the service', slow(1), `net/timeout@${ID} service 1`],
    [
      'different failures: the service, with the most frequent one',
      slow(1, ...lost(1, 2, 3)),
      `net/unreachable@${ID} service 4`,
    ],
    [
      'four of five nodes, while the fifth has answered since: those nodes',
      slow(4, node(4, { reading: aged(1_000) })),
      `net/timeout@${ID} node 4`,
    ],
    [
      'nine of ten nodes, one every 15 s, while the tenth goes on: those nodes, at any time',
      [
        ...upTo(9).map((index) => node(index, { episode: episode(timeout, 2, 20_000 + 15_000 * index) })),
        node(9, { reading: aged(25_000) }),
      ],
      `net/timeout@${ID} node 9`,
    ],
    [
      'a refusal, an error and a lost connection: each node',
      [refused, failing(1, { kind: 'server-error', status: 500 }), ...lost(2)],
      `service/500@${ID}/${keyOf(1)} node 1`,
      `net/unreachable@${ID}/${keyOf(2)} node 1`,
      `auth/401@${ID}/${keyOf(0)} node 1`,
    ],
    [
      'a refusal among many lost connections: a separate cause',
      [refused, ...lost(1, 2, 3, 4)],
      `net/unreachable@${ID} service 4`,
      `auth/401@${ID}/${keyOf(0)} node 1`,
    ],
  ])('%s', (_what, nodes, ...expected) => {
    expect(causes(nodes).map(({ id, scope, nodes: keys }) => `${id} ${scope} ${keys.length}`)).toEqual(
      expected,
    )
  })

  it.each<[PollFailure['kind'], number, number, boolean, string]>([
    ['unreachable', 2, 0, false, 'warning'],
    ['unreachable', 3, 0, false, 'critical'],
    ['server-error', 1, 119_999, false, 'warning'],
    ['server-error', 1, 120_000, true, 'critical'],
    ['rate-limited', 1, 0, true, 'info'],
    ['rate-limited', 9, 9e9, true, 'info'],
    ['rate-limited', 1, 0, false, 'warning'],
    ['rate-limited', 1, 120_000, false, 'critical'],
    ['timeout', 9, 9e9, false, 'warning'],
  ])(
    '%s, %i times within %i ms, with a current answer: %s, is %s',
    (kind, misses, lastedMs, holds, severity) => {
      expect(severityOf({ kind } as PollFailure, misses, lastedMs, holds)).toBe(severity)
    },
  )

  it('a rate limit becomes a warning once the answer of one node is no longer current', () => {
    const limited = (index: number, agoMs: number) =>
      node(index, {
        reading: reading({}, { startedMs: NOW_MS - agoMs }),
        episode: episode({ kind: 'rate-limited' }),
      })
    const severity = (agoMs: number) => causes([limited(0, 5_000), limited(1, agoMs)])[0]?.severity
    expect([severity(5_000), severity(90_000)]).toEqual(['info', 'warning'])
  })

  it('a cache that repeats itself is a cause once its answer is no longer current', () => {
    const repeated = (agoMs: number) =>
      node(0, {
        reading: reading({}, { startedMs: NOW_MS - agoMs }),
        episode: episode({ kind: 'repeated' }, 3),
      })
    expect(causes([repeated(5_000)])).toEqual([])
    expect(causes([repeated(90_000)]).map(({ code }) => code)).toEqual(['service/repeated'])
  })

  it('a first failure is a cause once the last answer is no longer current, unless a retry is due soon', () => {
    const codes = (agoMs: number, waitMs: number) =>
      causes([
        node(0, {
          reading: reading({}, { startedMs: NOW_MS - agoMs }),
          answered: 1,
          nextPollMs: NOW_MS + waitMs,
          episode: episode({ kind: 'server-error', status: 503 }),
        }),
        ...[1, 2, 3, 4, 5].map((index) => node(index)),
      ]).map(({ code }) => code)
    expect(codes(5_000, 60_000)).toEqual([])
    expect(codes(90_000, 10_000)).toEqual(['watch/overdue'])
    expect(codes(90_000, 31_000)).toEqual(['service/503'])
  })
})

describe('one cause of several nodes', () => {
  it('names the node of its evidence unless all nodes share it', () => {
    const refusal = (answer: string): PollFailure => ({ kind: 'unauthorized', answer })
    const seenAt = (...nodes: readonly NodeLive[]) => causes(nodes).map((cause) => cause.seenAt)
    expect(seenAt(failing(0, refusal('no')), failing(1, refusal('no')))).toEqual([undefined])
    expect(seenAt(failing(0, refusal('no')))).toEqual([undefined])
    const newest = node(1, { episode: episode(refusal('request 7'), 2, 1_000) })
    expect(seenAt(failing(0, refusal('request 6')), newest)).toEqual([keyOf(1)])
    // The service's cause shows the most frequent failure; not all nodes have it.
    expect(seenAt(failing(0, timeout), failing(1, unreachable), failing(2, unreachable))).toEqual([keyOf(1)])
    const bothLost = causes(
      [failing(0, unreachable), failing(0, { kind: 'unreachable', hop: 'service', detail: 'dns' }, 2, OTHER)],
      [live(), live({}, OTHER)],
    )
    expect(bothLost.map(({ code, seenAt: at }) => [code, at])).toEqual([['net/network', undefined]])
  })

  it('has the earliest start since any answer, the newest failure and the highest number of misses', () => {
    const refused = (
      index: number,
      answer: string,
      misses: number,
      lastedMs: number,
      answeredAgoMs = 95_000,
    ) =>
      node(index, {
        episode: episode({ kind: 'unauthorized', answer }, misses, lastedMs),
        reading: aged(answeredAgoMs),
      })
    const [cause] = causes([
      refused(4, 'alone', 20, 200_000, 210_000),
      refused(0, 'second', 4, 40_000),
      refused(1, 'first', 9, 90_000),
      refused(2, 'last', 1, 5_000),
      refused(3, 'third', 3, 30_000),
    ])
    expect(cause).toMatchObject({
      id: `auth/401@${ID}`,
      sinceMs: NOW_MS - 90_000,
      misses: 9,
      nextPollMs: NOW_MS + 1_000,
      nodes: [4, 0, 1, 2, 3].map((index) => keyOf(index)),
      evidence: { kind: 'failure', failure: { kind: 'unauthorized', answer: 'last' } },
    })
  })
})

const changed = { changedMs: NOW_MS - 500 }
it.each([
  [
    'the newest poll',
    'refused',
    [polled(0, refusedBy, 9_000, 1_000), polled(1, proxyDown, 5_000, 4_000, changed)],
  ],
  [
    'its newest way',
    'tls',
    [
      polled(0, tls, 9_000, 2_000, changed),
      ...[1, 2].map((index) => polled(index, refusedBy, 90_000, 30_000)),
    ],
  ],
  [
    'most nodes, if none changed',
    'refused',
    [polled(0, tls, 9_000, 2_000), ...[1, 2].map((index) => polled(index, refusedBy))],
  ],
])('a service that fails in several ways is said to fail as in %s', (_what, detail, nodes) => {
  expect(causes(nodes)).toMatchObject([{ scope: 'service', evidence: { failure: { detail } } }])
})

describe('nodes unknown to their service', () => {
  const told = (unknownOnes: number, answered: number, unasked = 0) =>
    causes([
      ...upTo(unknownOnes).map((index) => failing(index, unknown)),
      ...upTo(answered).map((index) => node(unknownOnes + index)),
      ...upTo(unasked).map((index) => node(unknownOnes + answered + index, { reading: undefined })),
    ]).map(({ id, code, scope, nodes, evidence }) => {
      // No other cause covers these nodes.
      expect([code, scope]).toEqual(['node/404', 'node'])
      return [
        id.slice(id.indexOf('@') + 1),
        nodes.length,
        evidence.kind === 'failure' ? evidence.siblings : undefined,
      ]
    })

  it('are separate causes up to three, and one cause beyond that', () => {
    expect(told(3, 3)).toEqual(upTo(3).map((index) => [`${ID}/${keyOf(index)}`, 1, 'answered']))
    expect(told(4, 3)).toEqual([[ID, 4, 'answered']])
  })

  it('are one cause if they are all polled nodes, unless there is only one', () => {
    expect(told(2, 0)).toEqual([[ID, 2, 'same']])
    expect(told(2, 0, 3)).toEqual([[ID, 2, 'same']])
    expect(told(1, 0)).toEqual([[`${ID}/${keyOf(0)}`, 1, undefined]])
  })

  it('say whether another node has answered since or at the same time, unless that one fails too', () => {
    const siblings = (...others: readonly NodeLive[]) => {
      const own = node(0, { episode: episode(unknown, 2, 60_000), reading: reading({}, { startedMs: 0 }) })
      const [cause] = causes([own, ...others]).filter(({ nodes }) => nodes.includes(own.key))
      return cause?.evidence.kind === 'failure' ? cause.evidence.siblings : 'nothing'
    }
    const at = (index: number, agoMs: number, more: Partial<NodeLive> = {}) =>
      node(index, { reading: reading({}, { startedMs: NOW_MS - agoMs }), answered: 1, ...more })
    expect(siblings(at(1, 90_000), at(2, 5_000))).toBe('answered')
    expect(siblings(at(1, 5_000), node(2, { reading: undefined }))).toBe('answered')
    expect(siblings(at(1, 90_000), at(2, 80_000))).toBeUndefined()
    expect(siblings(at(1, 60_000))).toBe('answered')
    expect(siblings(at(1, 60_001))).toBeUndefined()
    expect(siblings(at(1, 90_000), at(2, 10_000, { episode: episode(timeout, 1) }))).toBeUndefined()
  })
})

it('a key that was accepted for other nodes since is refused for these nodes only, even if all others fail now', () => {
  const refused = node(0, { episode: episode({ kind: 'unauthorized' }, 9, 600_000), reading: aged(700_000) })
  const others = [1, 2].map((index) => polled(index, { kind: 'server-error', status: 500 }))
  const [cause] = causes([refused, ...others]).filter(({ code }) => code === 'auth/401')
  expect(cause).toMatchObject({ scope: 'node', severity: 'warning', evidence: { siblings: 'answered' } })
})

describe('the diagnosis of a failure', () => {
  const diagnosed = {
    look: 'net/timeout service',
    diagnosis: { likely: ['too-slow'], clues: [] },
  } as const
  it('is attached to that failure and no other', () => {
    const found = (failure: PollFailure) => causes([failing(0, failure)], [live({ diagnosed })])[0]?.evidence
    expect(found(timeout)).toMatchObject({ diagnosed })
    expect(found(unreachable)).not.toHaveProperty('diagnosed')
    expect(found({ kind: 'timeout', afterMs: 11_000, hop: 'proxy' })).not.toHaveProperty('diagnosed')
  })

  it('blames the service if the dashboard’s server is found to answer', () => {
    const clue = { kind: 'own-server', state: 'answers' } as const
    const found = {
      ...diagnosed,
      look: 'net/unreachable proxy',
      diagnosis: { likely: ['nothing-answers'], clues: [clue] },
    } as const
    const [cause] = causes([failing(0, proxyDown)], [live({ diagnosed: found })])
    expect(cause?.evidence).toMatchObject({ failure: { kind: 'unreachable', hop: 'service' } })
  })
})

describe('failures of several services', () => {
  const both = [live(), live({}, OTHER)]
  const codes = (nodes: readonly NodeLive[], services: readonly ServiceLive[]) =>
    causes(nodes, services).map(({ code, scope }) => `${scope} ${code}`)

  const three = [...both, live({}, THIRD)]
  const [lost, lostToo] = [failing(0, unreachable), failing(0, unreachable, 2, OTHER)]
  const half = (baseUrl: string) =>
    upTo(4).map((index) => (index < 2 ? failing(index, unreachable, 2, baseUrl) : node(index, {}, baseUrl)))
  it.each<[string, readonly NodeLive[], readonly ServiceLive[], ...(readonly string[])]>([
    ['none reached: this computer’s network', [lost, lostToo], both, 'screen net/network'],
    [
      'all too slow: each service',
      [failing(0, timeout), failing(0, timeout, 2, OTHER)],
      both,
      'service net/timeout',
      'service net/timeout',
    ],
    ['a third has no nodes: this computer’s network', [lost, lostToo], three, 'screen net/network'],
    [
      'a third was not asked since: this computer’s network',
      [
        ...[BASE, OTHER].map((url) => node(0, { episode: episode(unreachable, 2, 30_000) }, url)),
        node(0, { reading: aged(60_000), pollIntervalMs: 3_600_000 }, THIRD),
      ],
      three,
      'screen net/network',
    ],
    [
      'some nodes of each: those nodes',
      [...half(BASE), ...half(OTHER)],
      both,
      'node net/unreachable',
      'node net/unreachable',
    ],
    [
      'none reached, and a node unknown to its service: both causes',
      [...upTo(4).map((index) => failing(index, unreachable)), failing(4, unknown), lostToo],
      both,
      'screen net/network',
      'node node/404',
    ],
  ])('%s', (_what, nodes, services, ...expected) => {
    expect(codes(nodes, services)).toEqual(expected)
  })
})

it('a fault of the dashboard server counts no older failure of a node', () => {
  const services = [BASE, OTHER].map((baseUrl) =>
    live({ service: service({ baseUrl, via: 'proxy' }) }, baseUrl),
  )
  const older = node(9, {
    episode: episode({ kind: 'server-error', status: 500 }, 17, 600_000),
    reading: aged(700_000),
  })
  const gone = [BASE, OTHER].flatMap((url) => upTo(5).map((index) => failing(index, proxyDown, 2, url)))
  const [cause, ...others] = causes([older, ...gone], services)
  expect(cause).toMatchObject({ scope: 'screen', misses: 2, sinceMs: NOW_MS - 5_000 })
  expect([cause?.evidence, others]).toEqual([{ kind: 'failure', failure: proxyDown }, []])
})

describe('a signer that refuses', () => {
  it.each([
    'key-not-allowed',
    'profile-not-accepted',
    'text-refused',
    'chain-key',
    'not-configured',
  ] as const)('with %s is a separate cause for each service', (reason) => {
    const failure: PollFailure = { kind: 'signer-failed', reason }
    expect(told(failure, failure).map(({ nodes }) => nodes.length)).toEqual([2, 1])
  })

  const refused = (reason: 'key-not-allowed' | 'profile-not-accepted' | 'no-answer'): PollFailure => ({
    kind: 'signer-failed',
    reason,
  })
  const told = (one: PollFailure, other: PollFailure) =>
    causes([failing(0, one), failing(1, one), failing(0, other, 2, OTHER)], [live(), live({}, OTHER)])

  it('two services is one cause for each with its reason, and one alarm for all their nodes', () => {
    const shown = told(refused('key-not-allowed'), refused('profile-not-accepted'))
    expect(shown.map(({ code, scope, nodes, evidence }) => [code, scope, nodes, evidence])).toEqual([
      [
        'key/signer',
        'screen',
        [keyOf(0), keyOf(1)],
        { kind: 'failure', failure: refused('key-not-allowed') },
      ],
      [
        'key/signer',
        'screen',
        [keyOf(0, OTHER)],
        { kind: 'failure', failure: refused('profile-not-accepted') },
      ],
    ])
    expect(new Set(shown.map(({ id }) => id)).size).toBe(2)
    expect(sharedTroubles(shown)).toMatchObject([
      { kind: 'paused', nodes: [keyOf(0), keyOf(1), keyOf(0, OTHER)] },
    ])
    // Each message names its service, so equal reasons stay separate.
    expect(told(refused('key-not-allowed'), refused('key-not-allowed'))).toHaveLength(2)
  })
})

it('the order of causes is by severity, then from wide to narrow, then the oldest first', () => {
  const since = (index: number, failure: PollFailure, lastedMs: number) =>
    node(index, { episode: episode(failure, 2, lastedMs) })
  const snapshot = fleet(
    [
      since(0, unknown, 10_000),
      since(1, { kind: 'node-id-invalid' }, 20_000),
      since(2, { kind: 'wrong-node', asked: 'a', answered: 'b' }, 5_000),
      ...[3, 4, 5].map((index) => node(index)),
      failing(0, timeout, 2, OTHER),
    ],
    [live(), live({}, OTHER)],
    { behindMs: 60_000 },
  )
  expect(causesOf(snapshot, NOW_MS).map(({ code }) => code)).toEqual([
    'data/wrong-node',
    'watch/behind',
    'net/timeout',
    'node/400',
    'node/404',
  ])
})
