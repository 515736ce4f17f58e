import { describe, expect, it } from 'vitest'
import { isCurrent, stageAt } from '#fleet/assessment.ts'
import { valueNow, readingAgeMs, type NodeLive, type Reading } from '#fleet/live.ts'
import { DEFAULTS } from '#base/defaults.ts'
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
import { keyOf } from '#test/core/monitor/watch.ts'
import { causesOf } from '#test/support/evaluated.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { ScopedRule } from '#settings/effective.ts'
import type { PollFailure } from '#protocol/failure.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const HOUR_MS = 3_600_000

describe('the link of a node', () => {
  it.each<[string, Partial<NodeLive>, string]>([
    ['answered just now', { reading: aged(0) }, 'live'],
    ['missed one poll', { episode: episode(unreachable) }, 'late'],
    ['missed one poll, and old', { reading: aged(3 * INTERVAL_MS), episode: episode(unreachable) }, 'stale'],
    ['missed two polls', { episode: episode(timeout, 2) }, 'failing'],
    ['missed its first poll', { reading: undefined, episode: episode(timeout) }, 'failing'],
    ['refused', { episode: episode({ kind: 'unauthorized' }) }, 'failing'],
    ['unknown to the service', { episode: episode({ kind: 'node-unknown' }) }, 'failing'],
    ['answered by a web page', { episode: episode({ kind: 'not-json', problem: 'web-page' }) }, 'failing'],
    ['without network for one poll', { episode: episode({ kind: 'offline' }) }, 'late'],
    ['rate limited', { episode: episode({ kind: 'rate-limited' }) }, 'late'],
    ['never polled', { reading: undefined }, 'never'],
    ['without a key', { episode: episode({ kind: 'no-key' }, 0) }, 'paused'],
    [
      'of a page that may not send requests',
      { reading: undefined, episode: episode({ kind: 'mixed-content' }, 0) },
      'paused',
    ],
  ])('%s', (_what, given, expected) => {
    const { link } = stageAt(node(0, given).assessment, NOW_MS)
    expect(link).toBe(expected)
    expect(isCurrent(link)).toBe(expected === 'live' || expected === 'late')
  })

  it('ages count from the start of the request and are never negative', () => {
    expect(readingAgeMs(aged(7_000), NOW_MS)).toBe(7_000)
    expect(readingAgeMs(aged(-7_000), NOW_MS)).toBe(0)
    const heartbeat = { id: 'heartbeat', kind: 'timestamp' } as const
    const ageNow = (given: Reading) => valueNow(node(0, { reading: given }), heartbeat, NOW_MS)?.value
    expect(ageNow(aged(7_000))).toBe(11_000)
    expect(ageNow(reading({}, { ages: {} }))).toBeUndefined()
    expect(ageNow(reading({}, { ages: { heartbeat: { kind: 'unknown', aheadMs: 9_000 } } }))).toBeUndefined()
  })
})

/** In the order of display. */
const IDS = ['service', 'status', 'heartbeat', 'participation', 'stake', 'proof', 'answerTime', 'record']

describe('the condition of a node', () => {
  const heartbeat = (ageMs: number): Reading =>
    reading({}, { startedMs: NOW_MS, ages: { heartbeat: { kind: 'known', ageMs, uncertaintyMs: 0 } } })
  const criticalMs = DEFAULTS.heartbeatCriticalPeriods * DEFAULTS.heartbeatPeriodMs

  /** States without any settings. */
  const USUAL: Readonly<Record<string, string>> = {
    participation: 'ok within-limits',
    stake: 'not-checked no-limit',
    proof: 'not-checked proof-not-checked',
    answerTime: 'ok within-limits',
  }

  const unusable = (id: string) => `${id} warning unusable-field, record warning fields-missing`
  const ahead = { heartbeat: { kind: 'unknown', aheadMs: 60_000 } } as const
  const vague = { heartbeat: { kind: 'uncertain', uncertaintyMs: 31_000 } } as const
  const wrong = { kind: 'wrong', reason: 'length' } as const
  const unchecked = (reason: 'busy' | 'key') => reading({}, { proof: { kind: 'not-checked', reason } })

  it.each<[string, Reading, string, string]>([
    ['a usual record', reading(), 'ok', ''],
    ['an unknown status', reading({ status: 'DRAINING' }), 'info', 'status info unknown-word'],
    ['no status', reading({ status: 5 }), 'warning', unusable('status')],
    ['a very old heartbeat', heartbeat(criticalMs + 1), 'critical', 'heartbeat critical too-old'],
    ['clocks that disagree', reading({}, { ages: ahead }), 'info', 'heartbeat unknown clocks-disagree'],
    ['an uncertain offset', reading({}, { ages: vague }), 'info', 'heartbeat unknown clock-uncertain'],
    ['no heartbeat', reading({ last_heartbeat: 'now' }, { ages: {} }), 'warning', unusable('heartbeat')],
    ['negative participation', reading({ network_participation: -1 }), 'warning', unusable('participation')],
    ['a verified proof', reading({}, { proof: { kind: 'verified' } }), 'ok', 'proof ok proof-verified'],
    [
      'a wrong proof',
      reading({ cryptographic_proof: '0x' }, { proof: wrong }),
      'critical',
      'proof critical proof-wrong',
    ],
    ['a proof that can’t be checked', unchecked('key'), 'warning', 'proof warning proof-not-checkable'],
    ['a slow answer', reading({}, { latencyMs: 8_001 }), 'info', 'answerTime info near-timeout'],
  ])('%s', (_what, given, severity, odd) => {
    const condition = stageAt(node(0, { reading: given }).assessment, NOW_MS)
    expect(condition.severity).toBe(severity)
    expect(condition.checks.map(({ id }) => id)).toEqual(IDS)
    const others = new Map(odd.split(', ').map((each) => [each.split(' ')[0], each]))
    for (const { id, state, reason } of condition.checks)
      expect(`${id} ${state} ${reason}`).toBe(others.get(id) ?? `${id} ${USUAL[id] ?? 'ok within-limits'}`)
  })

  it.each<[string, Partial<NodeLive>, string, string]>([
    ['never polled', { reading: undefined }, 'no-data', 'unknown'],
    ['with an old reading', { reading: aged(HOUR_MS) }, 'no-data', 'unknown'],
    ['of a service that has failed twice', { episode: episode(unreachable, 2) }, 'no-data', 'warning'],
    ['of a service that is down', { episode: episode(unreachable, 3) }, 'no-data', 'critical'],
    ['of a rejected key', { episode: episode({ kind: 'unauthorized' }) }, 'no-data', 'critical'],
    ['unknown to its service', { episode: episode({ kind: 'node-unknown' }) }, 'warning', 'warning'],
    [
      'that answers for another',
      { episode: episode({ kind: 'wrong-node', asked: 'a', answered: 'b' }) },
      'critical',
      'critical',
    ],
    [
      'without network',
      { reading: undefined, episode: episode({ kind: 'offline' }, 2) },
      'no-data',
      'unknown',
    ],
  ])('%s is unknown except for the check of the service', (_what, given, severity, answers) => {
    const condition = stageAt(node(0, given).assessment, NOW_MS)
    expect(condition.severity).toBe(severity)
    expect(condition.checks[0]).toEqual({
      id: 'service',
      state: answers,
      reason: given.episode === undefined ? 'not-known' : 'failing',
    })
    expect(
      condition.checks.slice(1).every(({ state, reason }) => state === 'unknown' && reason === 'not-known'),
    ).toBe(true)
    expect(condition.checks.map(({ id }) => id)).toEqual(IDS)
  })
})

describe('the condition with operator settings', () => {
  const judged = (fields: Readonly<Record<string, unknown>>, set: Partial<ScopedRule>) => {
    const rules = [{ from: { kind: 'node', by: 'browser' }, units: {}, limits: {}, ...set } as const]
    const { checks, severity } = stageAt(node(0, { reading: reading(fields), rules }).assessment, NOW_MS)
    const odd = checks.filter(({ state }) => state !== 'ok' && state !== 'not-checked')
    return [severity, ...odd.map(({ id, state, reason }) => `${id} ${state} ${reason}`)]
  }

  it.each([
    ['good', ['ok']],
    ['warning', ['warning', 'status warning status-warning']],
    ['bad', ['critical', 'status critical status-bad']],
  ] as const)('applies a status word set to %s', (means, expected) => {
    const units = { statusWords: [{ word: 'DRAINING', means }] }
    expect(judged({ status: 'DRAINING' }, { units })).toEqual(expected)
    expect(judged({ status: 'DRAINING ' }, { units })).toEqual(['info', 'status info unknown-word'])
    expect(judged({ status: 'ACTIVE' }, { units })).toEqual(['ok'])
  })
})

describe('causes', () => {
  const codes = (snapshot: FleetSnapshot) =>
    causesOf(snapshot, NOW_MS).map(({ code, severity, scope, nodes }) => [
      code,
      severity,
      scope,
      nodes.length,
    ])
  const OTHER = 'https://other.example'

  const missed = (failure: PollFailure, misses?: number, lastedMs?: number) =>
    node(0, { episode: episode(failure, misses, lastedMs) })
  const page: PollFailure = { kind: 'not-json', problem: 'web-page' }
  it.each<[string, readonly NodeLive[], ...(readonly string[])]>([
    ['one lost packet of one node', [missed(unreachable), node(1)]],
    ['one lost packet of the only node', [missed(unreachable)]],
    ['the first poll', [{ ...missed(unreachable), reading: undefined }], 'net/unreachable warning service 1'],
    [
      'two nodes with one miss each',
      [missed(unreachable), node(1, { episode: episode(unreachable) })],
      'net/unreachable warning service 2',
    ],
    ['a web page, at once', [missed(page), node(1), node(2)], 'data/not-json critical node 1'],
  ])('%s', (_what, nodes, ...expected) => {
    expect(codes(fleet(nodes)).map((code) => code.join(' '))).toEqual(expected)
  })

  it('name the service for its rate limit, even if only one node met it', () => {
    const limited = node(0, { episode: episode({ kind: 'rate-limited', retryAfterMs: 60_000 }) })
    const hold = { reason: 'rate-limited', untilMs: NOW_MS + 60_000 } as const
    expect(codes(fleet([limited, node(1), node(2)], [live({ hold })]))).toEqual([
      ['service/429', 'info', 'service', 1],
    ])
    expect(codes(fleet([node(0), node(1)], [live({ hold })]))).toEqual([])
  })

  it('are one for the screen if the key is missing, for all services', () => {
    const nodes = [
      node(0, { episode: episode({ kind: 'no-key' }, 0), nextPollMs: undefined }),
      node(0, { episode: episode({ kind: 'no-key' }, 0), nextPollMs: undefined }, OTHER),
    ]
    const [cause, ...others] = causesOf(fleet(nodes, [live(), live({}, OTHER)]), NOW_MS)
    expect(others).toEqual([])
    expect(cause).toMatchObject({
      id: 'key/none@screen',
      code: 'key/none',
      severity: 'critical',
      scope: 'screen',
      nextPollMs: undefined,
    })
    expect(cause?.nodes).toHaveLength(2)
  })

  it.each<[string, Partial<NodeLive>, readonly unknown[]]>([
    ['a stale reading with a planned poll', {}, ['watch/overdue', 'info']],
    ['a stale reading with a poll in flight', { inFlight: true }, ['watch/overdue', 'warning']],
    ['a stale reading with a missed poll', { nextPollMs: NOW_MS - 1_000 }, ['watch/overdue', 'warning']],
    ['a first failure that is retried soon', { episode: episode(unreachable) }, ['watch/overdue', 'info']],
    [
      'a first failure that is not retried for an hour',
      {
        episode: episode({ kind: 'server-error', status: 503, retryAfterMs: HOUR_MS }),
        nextPollMs: NOW_MS + HOUR_MS,
      },
      ['service/503', 'warning'],
    ],
    [
      'a node that never answered and is long due',
      { reading: undefined, nextPollMs: NOW_MS - 60_000, inFlight: true },
      ['watch/overdue', 'warning'],
    ],
  ])('%s', (_what, given, expected) => {
    const old = node(0, { reading: aged(60_000), answered: 1, ...given })
    const fresh = [1, 2, 3, 4, 5].map((index) => node(index))
    const causes = causesOf(fleet([old, ...fresh]), NOW_MS)
    expect(causes.map(({ code, severity }) => [code, severity])).toEqual([expected])
    expect(causes[0]?.nodes).toEqual([keyOf(0)])
  })

  it('include a round that does not fit into the interval', () => {
    expect(codes(fleet([node(0)], [live()], { behindMs: INTERVAL_MS }))).toEqual([])
    const [cause] = causesOf(fleet([node(0)], [live()], { behindMs: INTERVAL_MS + 1 }), NOW_MS)
    expect(cause).toMatchObject({
      code: 'watch/behind',
      evidence: { kind: 'behind', behindMs: INTERVAL_MS + 1, intervalMs: INTERVAL_MS },
    })
    // The service answers nothing, so its own requests are late.
    const hung = [
      node(0, { reading: aged(20_000), episode: episode(timeout) }),
      node(1, { reading: aged(20_000) }),
    ]
    expect(codes(fleet(hung, [live()], { behindMs: 18_000 }))).toEqual([])
    expect(codes(fleet([...hung, node(2)], [live()], { behindMs: 18_000 }))).toHaveLength(1)
  })

  it('come most severe first, at most 50, each with a unique id', () => {
    const bases = Array.from({ length: 16 }, (_, index) => `https://s${index}.example`)
    const nodes = bases.flatMap((baseUrl) =>
      (['node-unknown', 'node-id-invalid', 'unauthorized'] as const).flatMap((kind, place) =>
        [0, 1, 2].map((index) => node(10 * place + index, { episode: episode({ kind }) }, baseUrl)),
      ),
    )
    const causes = causesOf(
      fleet(
        nodes,
        bases.map((baseUrl) => live({}, baseUrl)),
      ),
      NOW_MS,
    )
    expect(causes).toHaveLength(50)
    expect(new Set(causes.map(({ id }) => id)).size).toBe(50)
    const loudness = causes.map(({ severity }) => ['critical', 'warning', 'info', 'none'].indexOf(severity))
    expect(loudness).toEqual(loudness.toSorted((a, b) => a - b))
    expect(causes[0]?.code).toBe('auth/401')
  })
})
