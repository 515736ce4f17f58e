import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { takeOutcome } from '#monitor/outcome.ts'
import type { TrackedNode } from '#monitor/tracked.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { NOW_MS, reading, timeout, unreachable } from './fleet.ts'
import { sentAt, tracked } from './tracked.ts'
import { nodes } from './watch.ts'

const INTERVAL_MS = 15_000
/** A slot of the first node's grid. */
const SLOT_MS = 1_005_000
const ERROR: PollFailure = { kind: 'server-error', status: 500 }
const REFUSED: PollFailure = { kind: 'unauthorized' }
const LIMITED: PollFailure = { kind: 'rate-limited' }
const UNKNOWN: PollFailure = { kind: 'node-unknown' }

function taking(count = 1) {
  const engine = tracked({ nodes: nodes(count) })
  const answered = (startedMs: number) =>
    takeOutcome(
      engine.parts,
      engine.nodeAt(0),
      sentAt(startedMs, ok(reading().record), { reply: { status: 200, body: '' } }),
      startedMs + 20,
    )
  const failed = (
    failure: PollFailure,
    startedMs: number = NOW_MS,
    node: TrackedNode = engine.nodeAt(0),
    nowMs = startedMs + 20,
  ) => takeOutcome(engine.parts, node, sentAt(startedMs, err(failure)), nowMs)
  return { ...engine, node: engine.nodeAt(0), service: engine.serviceAt(0).asking, answered, failed }
}

describe('an answer', () => {
  it('leaves unwatched time only if it comes more than 2.5 intervals after the last', () => {
    const { node, answered } = taking()
    answered(NOW_MS)
    answered(NOW_MS + 37_500)
    expect(node.live.since['status']?.unseenMs).toBe(0)
    answered(NOW_MS + 75_001)
    expect(node.live.since['status']?.unseenMs).toBe(37_501)
  })

  it('of another default node than before says so, and adds nothing to the counter', () => {
    const { parts, samples, nodeAt } = tracked({ nodes: [{ tags: [] }] })
    const counts = { '0x0001': [1, 2], '0x0002': [900, 903] }
    const answers = Object.entries(counts).flatMap(([node_id, each]) =>
      each.map((threat_responses_executed) => reading({ node_id, threat_responses_executed }).record),
    )
    for (const [index, record] of answers.entries()) {
      const startedMs = SLOT_MS + index * INTERVAL_MS
      takeOutcome(parts, nodeAt(0), sentAt(startedMs, ok(record)), startedMs + 20)
    }
    expect(samples.map((sample) => sample['threatResponsesIncrease'])).toEqual([0, 1, 0, 3])
    expect(samples.map(({ more }) => more?.otherNode)).toEqual([
      undefined,
      undefined,
      { from: '0x0001', to: '0x0002' },
      undefined,
    ])
  })

  it.each([
    [7_499, SLOT_MS + INTERVAL_MS],
    [7_501, SLOT_MS + 2 * INTERVAL_MS],
  ])('to a poll %i ms after a slot sets the next slot at least half an interval away', (afterMs, nextMs) => {
    const { node, answered } = taking()
    answered(SLOT_MS + afterMs)
    expect(node.live.nextPollMs).toBe(nextMs)
  })
})

it.each<[PollFailure, PollFailure['kind']]>([
  [unreachable, 'offline'],
  [timeout, 'offline'],
  [{ kind: 'signed-out' }, 'offline'],
  [{ kind: 'repeated' }, 'offline'],
  [ERROR, 'unreachable'],
  [UNKNOWN, 'unreachable'],
])('a failure after %j, on a computer that reports being offline, is %s', (failure, kind) => {
  const { node, fleet, answered, failed } = taking()
  fleet.screen.offlineSinceMs = NOW_MS
  answered(NOW_MS - 1)
  failed(failure)
  expect(node.live.episode?.failure.kind).toBe(failure === unreachable ? 'offline' : failure.kind)
  failed(unreachable, NOW_MS + INTERVAL_MS)
  expect(node.live.episode?.failure.kind).toBe(kind)
})

it('an answer of a service on this computer does not show that the network works', () => {
  const { node, fleet, answered, failed } = taking()
  fleet.screen.offlineSinceMs = NOW_MS
  const { base, service } = node.service
  const local = 'http://localhost:8080'
  Object.assign(node.service, { base: local, service: { ...service, baseUrl: local } })
  answered(NOW_MS + 1)
  Object.assign(node.service, { base, service })
  failed(unreachable, NOW_MS + INTERVAL_MS)
  expect(node.live.episode?.failure.kind).toBe('offline')
})

it('without a network, the silence of a dashboard server elsewhere is not blamed on a service on its computer', () => {
  const { node, fleet, failed } = taking()
  const service = { ...node.service.service, baseUrl: 'http://localhost:8080' }
  Object.assign(node.service, { base: 'https://dashboard.example', service })
  fleet.screen.offlineSinceMs = NOW_MS
  failed({ kind: 'unreachable', hop: 'proxy' })
  expect(node.live.episode?.failure.kind).toBe('offline')
})

describe('a refusal of the key', () => {
  it('to a request from before the hold does not extend the hold', () => {
    const { fleet, service, nodeAt, failed } = taking(4)
    for (const index of [0, 1, 2]) failed(REFUSED, NOW_MS, nodeAt(index), NOW_MS + 20)
    const { hold } = service
    expect(hold).toMatchObject({ reason: 'refused', sinceMs: NOW_MS + 20 })
    const other = Array.from(fleet.nodes.values()).find((node) => node !== service.probe)
    failed(REFUSED, NOW_MS + 19, other, NOW_MS + 30)
    expect([service.refusals.count, service.hold]).toEqual([3, hold])
    failed(REFUSED, NOW_MS + 20, other, NOW_MS + 40)
    expect(service.refusals.count).toBe(4)
    expect(service.hold?.sinceMs).toBe(NOW_MS + 40)
  })
})

describe('a rate limit', () => {
  it('holds the service from the third in a row, and longer with each that follows', () => {
    const { service, nodeAt, failed } = taking(4)
    failed(LIMITED, NOW_MS, nodeAt(0))
    failed(LIMITED, NOW_MS, nodeAt(1))
    expect(service.hold).toBeUndefined()
    failed(LIMITED, NOW_MS, nodeAt(2))
    expect(service.hold).toMatchObject({ reason: 'rate-limited', untilMs: NOW_MS + 7_500 })
    failed(LIMITED, NOW_MS + 20, nodeAt(3))
    expect(service.hold?.untilMs).toBe(NOW_MS + 20 + 22_500)
  })
})
