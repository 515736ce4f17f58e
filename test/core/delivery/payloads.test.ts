import { describe, expect, it } from 'vitest'
import { alertOf, testAlert } from '#delivery/alertmanager.ts'
import { testBody, webhookBody } from '#delivery/webhook.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { alarm, facts, notice } from './outgoing.ts'

const START = '2026-06-01T12:00:00.000Z'
const BEFORE = '2026-06-01T11:59:00.000Z'

const DETAILS = { facts: [{ name: 'Value', text: '3 m' }], nodes: ['aa'], nodeCount: 1 }

/** The body as received: JSON drops undefined members. */
const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body))

describe('a webhook’s message', () => {
  it('has the notification and its alarms, with times in ISO 8601', () => {
    const told = notice('n1', 'problem', [alarm('aa', { todo: 'Look at it.' })])
    expect(sent(webhookBody(told, facts, 'aa: heartbeat too old', DETAILS))).toEqual({
      version: 1,
      id: 'n1',
      kind: 'problem',
      reason: 'raised',
      severity: 'critical',
      at: START,
      group: 'heartbeat-old',
      title: 'aa: heartbeat too old',
      text: 'aa: heartbeat too old',
      link: 'https://dash.example/#/alarms/aa',
      ...DETAILS,
      count: 1,
      alarms: [
        {
          id: 'aa',
          rule: 'heartbeat-old',
          kind: 'heartbeat-old',
          severity: 'critical',
          phase: 'firing',
          title: 'aa: heartbeat too old',
          text: 'It beat 200 s ago.',
          link: 'https://dash.example/#/alarms/aa',
          since: BEFORE,
          raised: START,
          service: 'https://node.example',
          node: '0xaa',
          nodeName: 'aa',
          value: { unit: 'ms', value: 200_000 },
          limit: { unit: 'ms', value: 180_000 },
          todo: 'Look at it.',
        },
      ],
    })
  })

  it.each([
    ['<!channel> down', '&lt;！channel&gt; down'],
    ['<https://evil.example|vela>', '&lt;https:／／evil.example｜vela&gt;'],
    ['[vela](https://evil.example)', '［vela］(https:／／evil.example)'],
    ['@everyone @here a@b', '＠everyone ＠here a＠b'],
    ['*a* _b_ ~c~ `d` #e !f', '＊a＊ ＿b＿ ～c～ ｀d｀ ＃e ！f'],
    ['a\\*b', 'a＼＊b'],
    ['R&D &lt;', 'R&amp;D &amp;lt;'],
    ['one\ntwo\u2028three', 'one two three'],
    ['vela_007-b.example:8443, 98 % ≥ 3', 'vela_007-b.example:8443, 98 % ≥ 3'],
  ])('neutralizes chat markup and mentions in a name: %j', (name, text) => {
    const body = (at: string) => webhookBody(notice('n', 'problem', []), facts, at, DETAILS)
    expect(body(`critical: ${name}: too old`)['text']).toBe(`critical: ${text}: too old`)
    expect(testBody(TEST_START_MS, { text: name, link: '' })).toMatchObject({ text })
  })

  it('has the time of a clear and the number of nodes', () => {
    const over = alarm('aa', { phase: 'cleared', clearedWallMs: TEST_START_MS, nodeCount: 3 })
    const body = webhookBody(notice('n2', 'recovery', [over]), facts, '', DETAILS)
    expect(sent(body)).toMatchObject({
      kind: 'recovery',
      reason: 'cleared',
      alarms: [{ cleared: START, nodeCount: 3 }],
    })
  })

  it.each([
    [undefined, undefined],
    [{ unit: 'failure', code: 'E-401', failure: { kind: 'offline' } }, { code: 'E-401' }],
    [{ unit: 'nodes', value: 3, ofMs: 5 }, { value: 3 }],
    [{ unit: 'ratio', value: 0.5 }, { value: 0.5 }],
    [{ unit: 'per-hour', value: 2 }, { value: 2 }],
    [
      { unit: 'stake', text: '1.5', before: '2' },
      { text: '1.5', before: '2' },
    ],
    [{ unit: 'status', text: 'SLASHED' }, { text: 'SLASHED' }],
    [{ unit: 'reason', text: 'full' }, { text: 'full' }],
  ] as const)('has the value %j with %j', (value, expected) => {
    const body = webhookBody(notice('n', 'problem', [alarm('a', { value })]), facts, '', DETAILS)
    expect(Reflect.get(Object(Reflect.get(Object(sent(body)), 'alarms'))[0], 'value')).toEqual(
      value && { unit: value.unit, ...expected },
    )
  })

  it('is of kind test for a test', () =>
    expect(testBody(TEST_START_MS, { text: 'A test.', link: '' })).toEqual({
      version: 1,
      id: `test-${TEST_START_MS}`,
      kind: 'test',
      severity: 'info',
      at: START,
      title: 'A test.',
      text: 'A test.',
      link: '',
      count: 0,
      alarms: [],
    }))
})

describe('an alert', () => {
  it('has its identity as labels, and texts that may change as annotations', () =>
    expect(alertOf(alarm('aa', { todo: 'Look.' }), facts(alarm('aa')))).toEqual({
      labels: {
        alertname: 'ImmuneNodeHeartbeatOld',
        severity: 'critical',
        rule: 'heartbeat-old',
        service: 'https://node.example',
        node: '0xaa',
        alarm: 'aa',
      },
      annotations: {
        summary: 'aa: heartbeat too old',
        description: 'It beat 200 s ago.',
        node_name: 'aa',
        todo: 'Look.',
      },
      startsAt: START,
      generatorURL: 'https://dash.example/#/alarms/aa',
    }))

  it('omits empty fields, starts with the first bad evidence if there is no raise, and limits lengths', () => {
    const shown = alarm('a'.repeat(600), { raisedWallMs: undefined, todo: 'x'.repeat(3_000) })
    const alert = alertOf(shown, { title: 'T', text: '', link: 'https://dash.example/' })
    expect(alert.labels).toEqual({
      alertname: 'ImmuneNodeHeartbeatOld',
      severity: 'critical',
      rule: 'heartbeat-old',
      alarm: 'a'.repeat(512),
    })
    expect(alert.annotations).toEqual({ summary: 'T', todo: 'x'.repeat(2_048) })
    expect(alert.startsAt).toBe(BEFORE)
  })

  it('for a test ends after 5 min', () =>
    expect(testAlert(TEST_START_MS, 'A test.', 'https://dash.example/')).toEqual({
      labels: { alertname: 'ImmuneNodeDashboardTest', severity: 'info' },
      annotations: { summary: 'A test.' },
      startsAt: START,
      endsAt: '2026-06-01T12:05:00.000Z',
      generatorURL: 'https://dash.example/',
    }))
})
