import type { ProofVerdict } from '#proof/proof-statement.ts'
import { describe, expect, it } from 'vitest'
import { recordOf } from '#test/support/fleet-fixture.ts'
import type { NodeLive, Reading, ServiceLive, WatchGap } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { episode, fleet, live, LONG_ROUND, node, NOW_MS, reading, WALL_MS } from '#test/core/monitor/fleet.ts'
import { BASE, keyOf } from '#test/core/monitor/watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const ID = serviceIdOf(BASE)
const causes = (nodes: readonly NodeLive[], given: Partial<ServiceLive> = {}) =>
  causesOf(fleet(nodes, [live(given)]), NOW_MS)

describe('odd answers', () => {
  const said = (fields: object, more: Partial<Reading> = {}) => ({ reading: reading({ ...fields }, more) })
  const proof = (verdict: ProofVerdict) => said({}, { proof: verdict })
  const wrong = { kind: 'wrong', reason: 'mismatch' } as const
  const lacking = { kind: 'not-checked', reason: 'member', at: 'height' } as const
  const ofFuture = { kind: 'unknown', aheadMs: 60_000 } as const
  const unproven = { ...ofFuture, unchecked: true } as const
  const AHEAD = { kind: 'timestamp-ahead', metric: 'Heartbeat', aheadMs: 60_000 }
  const beating = (heartbeat: NonNullable<Reading['ages']['heartbeat']>) => said({}, { ages: { heartbeat } })
  const sinceStatus = { status: { sinceMs: NOW_MS - 7_000, sinceWallMs: WALL_MS - 7_000, unseenMs: 0 } }
  const restarted = { increase: 1, unwatched: 0, restarts: 1, lastRestartWallMs: WALL_MS - 1_000 }
  const fast = { lowMs: 30_001, highMs: 30_900 }
  const slow = { lowMs: -50_000, highMs: -30_001 }
  const ofOne = { kind: 'clock-offset', services: 1, corrected: false }
  const bad = (field: string, heading: string, problem: string) => ({ field, heading, problem })
  it.each<[string, object, name: string, evidence: object, service?: object]>([
    [
      'fields that cannot be used',
      said({ stake_deployed: undefined, cryptographic_proof: 'zz' }),
      'data/field/field stake_deployed:missing cryptographic_proof:not-hex',
      {
        kind: 'bad-fields',
        fields: [
          bad('stake_deployed', 'Stake deployed', 'missing'),
          bad('cryptographic_proof', 'Proof', 'not-hex'),
        ],
      },
    ],
    [
      'participation that cannot be read',
      said({ network_participation: -1 }),
      'data/field/field network_participation:negative',
      { kind: 'bad-fields', fields: [bad('network_participation', 'Participation', 'negative')] },
    ],
    [
      'an unknown word',
      { ...said({ status: 'DRAINING' }), since: sinceStatus },
      'data/status/status DRAINING',
      { kind: 'unknown-status', metric: 'Status', status: 'DRAINING' },
    ],
    [
      'participation beyond its unit',
      said({ network_participation: 101.5 }),
      'data/unit/unit participation',
      { kind: 'out-of-unit', metric: 'Participation', text: '101.5' },
    ],
    ['a wrong proof', proof(wrong), 'data/proof/proof mismatch ', { kind: 'proof', verdict: wrong }],
    [
      'a proof over nothing',
      proof(lacking),
      'data/proof/proof member height',
      { kind: 'proof', verdict: lacking },
    ],
    ['a heartbeat ahead', beating(ofFuture), 'data/clock/ahead heartbeat', AHEAD],
    [
      'a heartbeat ahead of an unchecked clock',
      beating(unproven),
      'data/clock/ahead heartbeat',
      { ...AHEAD, unchecked: true },
    ],
    [
      'a counter that restarted',
      { counters: { threatResponses: restarted } },
      'data/counter/counter threatResponses',
      { kind: 'counter-restarted', metric: 'Threat responses', restarts: 1 },
    ],
    ['a cache', said({}, { cachedForS: 30 }), 'data/cached/cached', { kind: 'cached', forS: 30 }],
    ['a clock offset', {}, 'data/clock/offset', { ...ofOne, offset: fast }, { offset: fast }],
    [
      'a clock offset found from heartbeats',
      {},
      'data/clock/offset',
      { ...ofOne, offset: slow, by: 'heartbeats' },
      { heartbeatOffset: slow },
    ],
  ])('%s: one cause for all nodes, with the evidence', (_what, given, name, evidence, serviceGiven = {}) => {
    const found = causes([node(0, given), node(1, given)], serviceGiven)
    expect(found.map(({ code, id }) => id.replace(`${code}@${ID}`, code))).toEqual([name])
    expect(found[0]).toMatchObject({ serviceId: ID, nodes: [keyOf(0), keyOf(1)], misses: 0 })
    expect(found[0]?.evidence).toEqual(evidence)
  })

  it('with different figures show those of the first node, and name it', () => {
    const ahead = (index: number, aheadMs: number) => node(index, beating({ kind: 'unknown', aheadMs }))
    const seen = (...nodes: readonly NodeLive[]) =>
      causes(nodes).map(({ evidence, seenAt }) => [evidence, seenAt])
    expect(seen(ahead(0, 60_000), ahead(1, 60_000))).toEqual([[AHEAD, undefined]])
    expect(seen(ahead(0, 60_000), ahead(1, 90_000), ahead(2, 60_000))).toEqual([[AHEAD, keyOf(0)]])
  })

  it('with different words or fields are separate causes', () => {
    const words = causes([
      node(0, { reading: reading({ status: 'DRAINING' }) }),
      node(1, { reading: reading({ status: 'LEAVING' }) }),
      node(2, { reading: reading({ status: 'DRAINING' }) }),
    ])
    expect(words.map(({ nodes }) => nodes)).toEqual([[keyOf(0), keyOf(2)], [keyOf(1)]])
    const fields = causes([
      node(0, { reading: reading({ stake_deployed: -1 }) }),
      node(1, { reading: reading({ stake_deployed: 'much' }) }),
      node(2, { reading: reading({ status: undefined }) }),
    ])
    expect(fields.map(({ nodes }) => nodes)).toEqual([[keyOf(0)], [keyOf(1)], [keyOf(2)]])
    expect(new Set(fields.map(({ id }) => id)).size).toBe(3)
  })

  it('have the start of an unknown word and of a counter restart', () => {
    const [word] = causes([node(0, { ...said({ status: 'DRAINING' }), since: sinceStatus })])
    expect(word?.sinceWallMs).toBe(WALL_MS - 7_000)
    const [counter] = causes([node(0, { counters: { threatResponses: restarted } })])
    expect(counter?.sinceWallMs).toBe(WALL_MS - 1_000)
  })

  it.each([
    ['an unknown word', { status: 'DRAINING' }],
    ['a field that can’t be used', { stake_deployed: 'much' }],
  ])('are no cause once the answer is no longer current: %s', (_what, given) => {
    const codes = (agoMs: number) =>
      causes([node(0, { ...said(given, { startedMs: NOW_MS - agoMs }), answered: 1 })]).map(
        ({ code }) => code,
      )
    expect(codes(5_000)).toHaveLength(1)
    expect(codes(900_000)).toEqual(['watch/overdue'])
  })

  it.each([
    ['two values', '"status":"INACTIVE"', { ambiguous: ['status'] }],
    ['one value twice', '"status":"ACTIVE","error":null', undefined],
    ['no error', '"error":0', undefined],
    ['an error', '"error":"replica behind"', { ambiguous: [], error: 'replica behind' }],
    ['an error object', '"error":{"code":7}', { ambiguous: [], error: '{"code":7}' }],
    ['a deep error', `"error":${'['.repeat(9_000)}${']'.repeat(9_000)}`, { ambiguous: [], error: '…' }],
  ])('include duplicate members that differ and errors in a record: %s', (_what, rest, odd) => {
    const body = `{"status":"ACTIVE",${rest}}`
    const found = causes([node(0, { reading: { ...reading(), record: recordOf(body) } })])
    const evidence = found.find(({ code }) => code === 'data/record-odd')?.evidence
    expect(evidence).toEqual(odd && { kind: 'odd-record', ...odd })
  })

  it('from a cache explain why there is nothing newer', () => {
    const old = reading({}, { startedMs: NOW_MS - 900_000, cachedForS: 890 })
    expect(causes([node(0, { reading: old })])).toMatchObject([{ code: 'data/cached', severity: 'warning' }])
  })

  it('with a heartbeat ahead of an unchecked clock are explained by its known offset', () => {
    const told = (unchecked: boolean, heartbeatOffset: ServiceLive['heartbeatOffset']) =>
      causes([node(0, beating(unchecked ? unproven : ofFuture))], { heartbeatOffset }).map(
        ({ evidence }) => evidence.kind,
      )
    const apart = { lowMs: 50_000, highMs: 60_000 }
    expect(told(true, apart)).toEqual(['clock-offset'])
    expect(told(false, apart).toSorted()).toEqual(['clock-offset', 'timestamp-ahead'])
    expect(told(true, { lowMs: 0, highMs: 60_000 })).toEqual(['timestamp-ahead'])
  })
})

describe('monitoring itself', () => {
  const gap: WatchGap = { fromWallMs: WALL_MS - 9_000, toWallMs: WALL_MS, reason: 'asleep' }

  it.each([
    [599_999, ['watch/asleep']],
    [600_000, []],
  ])('shows a gap for 10 min: after %d ms', (laterMs, expected) => {
    const found = causesOf(fleet([], [live()], { gaps: [gap] }), NOW_MS + laterMs)
    expect(found.map(({ id }) => id)).toEqual(expected)
    if (found.length > 0) expect(found[0]?.evidence).toEqual({ kind: 'gap', gap })
  })

  it('shows a gap from a clock set ahead as a clock step', () => {
    const code = (set: WatchGap['set']) =>
      causesOf(fleet([], [live()], { gaps: [{ ...gap, ...(set && { set }) }] }), NOW_MS).map(({ id }) => id)
    expect([code(undefined), code('maybe'), code('ahead')]).toEqual([
      ['watch/asleep'],
      ['watch/asleep'],
      ['watch/clock-step'],
    ])
  })

  const old = (index: number, given: Partial<NodeLive> = {}, baseUrl = BASE) =>
    node(index, { reading: reading({}, { startedMs: NOW_MS - 900_000 }), answered: 1, ...given }, baseUrl)

  it('shows whether a collector’s values came too old, in which case more answers do not help', () => {
    const collected = (index: number, collectedMs: number) =>
      old(index, { reading: { ...reading({}, { startedMs: NOW_MS - collectedMs }), collectedMs } })
    const late = { code: 'watch/overdue', severity: 'warning', evidence: { collectedMs: 300_000 } }
    expect(causes([collected(0, 300_000), collected(1, 200_000)])).toMatchObject([late])
    const [mixed] = causes([collected(0, 300_000), old(1, { nextPollMs: NOW_MS + 1 })])
    expect(mixed?.evidence).not.toHaveProperty('collectedMs')
  })

  it('shows overdue nodes with their shortest interval and their next planned poll', () => {
    const told = (...plans: readonly (number | undefined)[]) =>
      causes(
        plans.map((nextPollMs, index) => old(index, { nextPollMs, pollIntervalMs: 60_000 - 10_000 * index })),
      )
    expect(told(NOW_MS + 9_000, NOW_MS + 5_000)).toMatchObject([
      {
        id: `watch/overdue@${ID}`,
        severity: 'info',
        nextPollMs: NOW_MS + 5_000,
        evidence: { kind: 'overdue', intervalMs: 50_000 },
      },
    ])
    expect(told(undefined, NOW_MS + 5_000)).toMatchObject([
      { severity: 'warning', nextPollMs: NOW_MS + 5_000 },
    ])
    expect(told(NOW_MS + 5_000, NOW_MS)).toMatchObject([
      { severity: 'warning', scope: 'service', nextPollMs: NOW_MS },
    ])
    expect(causes([old(0), node(1)])).toMatchObject([{ code: 'watch/overdue', scope: 'node' }])
    expect(told(undefined)[0]?.nextPollMs).toBeUndefined()
  })

  it('attributes a round that is too long to the nodes of its own service', () => {
    const other = 'https://other.example'
    const found = causesOf(
      fleet([old(0), old(0, {}, other)], [live({ round: LONG_ROUND }), live({}, other)]),
      NOW_MS,
    )
    expect(found.map(({ id, nodes }) => [id, nodes])).toEqual([
      [`watch/round-too-long@${ID}`, [keyOf(0)]],
      [`watch/overdue@${serviceIdOf(other)}`, [keyOf(0, other)]],
    ])
    const down = node(0, { episode: episode({ kind: 'unreachable', hop: 'service' }, 9) })
    const codes = causesOf(fleet([down], [live({ round: LONG_ROUND })]), NOW_MS).map(({ code }) => code)
    expect(codes).toEqual(['net/unreachable'])
  })
})

describe('the proof of a record', () => {
  const told = (given: Parameters<typeof reading>[0], verdict: ProofVerdict | undefined) =>
    causes([node(0, { reading: reading(given, verdict === undefined ? {} : { proof: verdict }) })]).map(
      ({ code, severity }) => [code, severity],
    )

  it('is critical if wrong, even in a record that lacks a field', () => {
    const wrong: ProofVerdict = { kind: 'wrong', reason: 'other-node' }
    expect(told({}, wrong)).toEqual([['data/proof', 'critical']])
    expect(told({ stake_deployed: null }, wrong)).toEqual([
      ['data/proof', 'critical'],
      ['data/field', 'warning'],
    ])
  })

  it('is a warning if it cannot be checked, unless a bad field explains it', () => {
    const unchecked: ProofVerdict = { kind: 'not-checked', reason: 'member', at: 'stake_deployed' }
    expect(told({}, unchecked)).toEqual([['data/proof', 'warning']])
    expect(told({ stake_deployed: null }, unchecked)).toEqual([['data/field', 'warning']])
  })

  it.each([undefined, { kind: 'verified' }, { kind: 'not-checked', reason: 'busy' }] as const)(
    'is no cause: %j',
    (verdict) => {
      expect(told({}, verdict)).toEqual([])
    },
  )
})
