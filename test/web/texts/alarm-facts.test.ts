import { describe, expect, it } from 'vitest'
import type { AlarmView } from '#alarms/alarm.ts'
import { NO_POLLS, type Cause, type Evidence } from '#fleet/cause.ts'
import type { Diagnosed } from '#fleet/diagnosis.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createAlarmTexts } from '#texts/alarm-message.ts'
import { causeWords } from '#texts/en-causes.ts'
import { serviceIdOf } from '#record/service.ts'
import { episode, explained, fleet, live, node } from '#test/core/monitor/fleet.ts'
import { BASE, keyOf, service } from '#test/core/monitor/watch.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { alarm, notice } from '#test/core/delivery/outgoing.ts'

const serviceId = serviceIdOf(BASE)
const named = live({ service: service({ label: 'Eurasia' }) })
const facts = createAlarmTexts(
  () =>
    explained(
      fleet(
        [
          node(0, { name: 'fra-1' }),
          node(1, { nodeId: '0x1234567890abcdef1234567890abcdef' }),
          { ...node(2), nodeId: undefined },
          node(3, { episode: episode({ kind: 'server-error', status: 500 }, 3) }),
        ],
        [named],
      ),
    ),
  'https://dash.example',
  METRICS,
)
const onNode = (index: number, given: Partial<AlarmView> = {}) =>
  alarm('a b', { subject: { kind: 'node', node: keyOf(index), serviceId }, ...given })

describe('an alarm message', () => {
  it('names the node, and links to the alarm', () => {
    expect(facts.describe(onNode(0, { todo: 'Call Ada.' }))).toEqual({
      title: 'Heartbeat too old, fra-1',
      text: 'Call Ada.',
      service: BASE,
      nodeId: '0x0001',
      nodeName: 'fra-1',
      link: 'https://dash.example/#/alarms?alarm=a%20b',
    })
  })

  it.each<[string, AlarmView]>([
    ['Heartbeat too old, 0x1234…cdef', onNode(1)],
    ['Heartbeat too old, default node', onNode(2)],
    ['Heartbeat too old, 4 nodes', onNode(0, { memberCount: 4 })],
    ['Heartbeat too old, Eurasia', alarm('s', { subject: { kind: 'service', serviceId } })],
    [
      'Heartbeat too old, Eurasia (9 nodes)',
      alarm('s', { subject: { kind: 'service', serviceId }, nodeCount: 9 }),
    ],
    ['Heartbeat too old, credentials for Eurasia', alarm('k', { subject: { kind: 'key', serviceId } })],
    ['Heartbeat too old, this dashboard', alarm('x', { subject: { kind: 'screen' } })],
  ])('is titled %s', (title, one) => {
    expect(facts.describe(one).title).toBe(title)
  })

  it('names no single node for many nodes, and no service for the dashboard', () => {
    const many = facts.describe(onNode(0, { memberCount: 4 }))
    expect(many).not.toHaveProperty('nodeId')
    expect(many).not.toHaveProperty('nodeName')
    expect(facts.describe(alarm('x', { subject: { kind: 'screen' } }))).not.toHaveProperty('service')
  })

  it('has a one-line summary', () => {
    expect(facts.summary({ ...notice('1', 'problem', [onNode(0)]), count: 3 })).toBe(
      'Critical: Heartbeat too old, fra-1 (and 2 more)',
    )
  })

  it.each([
    ['recovery', 'cleared', 'Cleared'],
    ['recovery', 'rule-off', 'Closed (rule disabled)'],
    ['reminder', 'again', 'Still critical'],
    ['reminder', 'worse', 'Now critical'],
  ] as const)('of a %s with reason %s begins with “%s”', (kind, reason, begin) => {
    const notification = { ...notice('1', kind, [onNode(0)]), reason }
    expect(facts.summary(notification)).toBe(`${begin}: Heartbeat too old, fra-1`)
  })

  const failed = { unit: 'failure', code: 'server/500' } as const
  const unreachable = { kind: 'unreachable', value: failed, limit: undefined } as const
  const twoHours = { unit: 'ms', value: 7_200_000 } as const
  it.each<[string, Parameters<typeof facts.details>[0], object]>([
    [
      'a problem',
      notice('1', 'problem', [onNode(0)]),
      {
        Value: '3 m 20 s, limit 3 m',
        Since: '2026-06-01 11:59:00 UTC, 1 m 00 s ago',
        'What this means': expect.stringContaining('report'),
        'First step': expect.any(String),
      },
    ],
    [
      'a gap in monitoring, which no metric measures',
      notice('1', 'problem', [alarm('x', { kind: 'gap', subject: { kind: 'screen' }, value: twoHours })]),
      { Value: expect.stringMatching(/^2 h 00 m/) },
    ],
    [
      'a recovery',
      notice('1', 'recovery', [onNode(0, { phase: 'cleared', clearedWallMs: TEST_START_MS + 90_000 })]),
      { Since: '2026-06-01 11:59:00 UTC', Lasted: '1 m 30 s' },
    ],
    [
      'a group',
      notice('1', 'problem', [
        alarm('g', { subject: { kind: 'service', serviceId }, nodes: [keyOf(0), keyOf(1)], nodeCount: 9 }),
      ]),
      { Nodes: 'fra-1, 0x1234…cdef and 7 more' },
    ],
    [
      'a failure with a known cause',
      notice('1', 'problem', [onNode(3, unreachable)]),
      { 'Likely cause': expect.stringContaining('500'), 'First step': expect.any(String) },
    ],
    [
      'a failure with a known cause, whose rule has instructions',
      notice('1', 'problem', [onNode(3, { ...unreachable, todo: 'Call Ada.' })]),
      { 'Likely cause': expect.stringContaining('500'), 'First step': 'Call Ada.' },
    ],
  ])('has the facts of %s', (_name, notification, expected) => {
    const { facts: all } = facts.details(notification)
    expect(Object.fromEntries(all.map(({ name, text }) => [name, text]))).toMatchObject(expected)
  })
})

describe('the computer that polls', () => {
  const watched = live({ service: service({ via: 'direct' }) })
  const failing = (detail: 'dns' | 'no-route' | 'tls'): Evidence => ({
    kind: 'failure',
    failure: { kind: 'unreachable', hop: 'service', detail },
  })
  const offset = { lowMs: 3_600_000, highMs: 3_600_000 }
  const wrongClock = (...clues: Diagnosed['diagnosis']['clues']): Evidence => ({
    kind: 'failure',
    failure: { kind: 'unauthorized' },
    diagnosed: { look: 'auth/401', diagnosis: { likely: ['clock'], clues } },
    clockSet: 'computer',
  })

  it.each<[string, Evidence, RegExp, RegExp]>([
    ['an unknown host name', failing('dns'), /The computer that polls can’t/, /This computer can’t/],
    [
      'a missing route',
      failing('no-route'),
      /network of the computer that polls/,
      /network of this computer/,
    ],
    ['an untrusted certificate', failing('tls'), /start the watch with/, /start this command with/],
    ['a wrong clock', wrongClock(), /that of the computer that polls differ/, /that of this computer differ/],
    [
      'a clock too wrong to sign without consent',
      wrongClock({ kind: 'correction', correction: { ms: 1, state: 'ask' } }, { kind: 'clocks', offset }),
      /The clock of the computer that polls is 1\sh/,
      /This computer’s clock is 1\sh/,
    ],
    [
      'a lost network',
      { kind: 'no-network', services: 2 },
      /Check the network of the computer that polls/,
      /Check the network of this computer/,
    ],
    [
      'the lost network of the dashboard server',
      { kind: 'no-network', services: 2, of: 'server' },
      /Check the network of the dashboard server/,
      /Check the network of the dashboard server/,
    ],
  ])('is not “this computer” in a message about %s', (_name, evidence, away, here) => {
    const nodes = [keyOf(0)]
    const at = { id: 'a', code: 'a', severity: 'critical', scope: 'service', serviceId, nodes } as const
    const cause: Cause = { ...at, ...NO_POLLS, evidence }
    // A clock problem of the same nodes explains no failure, even if it is listed first.
    const apart: Evidence = { kind: 'clock-offset', offset, services: 1, corrected: false }
    const snapshot = { ...fleet([node(0)], [watched]), causes: [{ ...cause, evidence: apart }, cause] }
    const value = { unit: 'failure', code: 'a' } as const
    const sent = createAlarmTexts(() => snapshot, 'https://dash.example', METRICS)
      .details(notice('1', 'problem', [onNode(0, { kind: 'unreachable', value })]))
      .facts.map(({ text }) => text)
      .join(' ')
    expect(sent).toMatch(away)
    expect(sent).not.toMatch(/this (computer|command)/i)

    const context = { ...watched.service, pageOrigin: '', headerNames: [], service: 'a', node: undefined }
    const { title, meaning, next } = causeWords(cause, { ...context, zone: 'utc' })
    expect(`${title} ${meaning} ${next}`).toMatch(here)
    expect(`${title} ${meaning} ${next}`).not.toMatch(/that polls/)
  })
})
