import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { changedRuleFamilies } from '#collector/changed-rules.ts'
import { prometheusRules } from '#collector/prometheus-rules.ts'
import { METRICS } from '#metrics/metrics.ts'
import { AlarmSettingsSchema } from '#settings/schema.ts'
import { aNode, aServiceLive, BASE_URL, NODE_ID, NOW_MS } from '#test/support/fleet-fixture.ts'

const changesOf = (...changes: readonly object[]) =>
  v.parse(AlarmSettingsSchema, { builtIn: changes }).builtIn

const ALL = { for: 'all' }
const TEST = { for: 'tag', tag: 'test' }
const NODE = { for: 'node', service: BASE_URL, node: NODE_ID }

describe('the series of changed rules', () => {
  const service = aServiceLive()
  const fleet = {
    nodes: [aNode({ tags: ['test'] })],
    services: new Map([[service.id, service]]),
    nowMs: NOW_MS,
  }
  const series = (...changes: readonly object[]) => {
    const { ofNodes, ofServices } = changedRuleFamilies(METRICS, () => changesOf(...changes))
    return [ofNodes, ofServices].flatMap((family) =>
      family.points(fleet).map(({ labels, value }) => {
        const { service: base, node = 'none', rule, severity, for: delay } = labels
        expect([base, value]).toEqual([BASE_URL, 1])
        return [node === NODE_ID ? 'node' : node, rule, severity, delay].join(' ')
      }),
    )
  }

  it.each<readonly [string, readonly object[], readonly string[]]>([
    ['nothing', [], []],
    ['a node', [{ rule: 'unreachable', scope: NODE, off: true }], ['node unreachable off ']],
    ['a tag', [{ rule: 'rejected', scope: TEST, severity: 'info' }], ['node rejected info ']],
    [
      'a tag and all nodes',
      [
        { rule: 'status-left', scope: ALL, forMs: 90_000 },
        { rule: 'status-left', scope: TEST, severity: 'warning' },
      ],
      ['node status-left warning 90s'],
    ],
    [
      'a node, where they restore the default',
      [
        { rule: 'unreachable', scope: TEST, off: true },
        { rule: 'unreachable', scope: NODE, off: false },
      ],
      [],
    ],
    ['another tag', [{ rule: 'unreachable', scope: { for: 'tag', tag: 'us' }, off: true }], []],
    ['a service', [{ rule: 'blind', scope: ALL, severity: 'warning' }], ['none blind warning ']],
    // Rules about the collector's own computer are changed in place and need no series.
    ['this computer', [{ rule: 'throttled', scope: ALL, off: true }], []],
  ])('have the effective settings for changes to %s', (_what, changes, expected) => {
    expect(series(...changes)).toEqual(expected)
  })
})

describe('the Prometheus rules of a configuration with changed rules', () => {
  const INTERVAL_MS = 15_000
  const alertsOf = (kind: string, ...changes: readonly object[]) =>
    prometheusRules(METRICS, INTERVAL_MS, changesOf(...changes)).groups.flatMap(({ rules }) =>
      rules.flatMap((rule) =>
        'alert' in rule && rule.labels['kind'] === kind
          ? [{ alert: rule.alert, severity: rule.labels['severity'], for: rule.for, expr: rule.expr }]
          : [],
      ),
    )

  it('exclude changed nodes from the rule and add one rule per severity and delay', () => {
    const [plain] = alertsOf('status-left')
    const [first] = alertsOf('rejected')
    expect(plain).toBeDefined()
    const series = 'on (service, node) immune_node_rule{rule="rejected",'
    expect(
      alertsOf(
        'rejected',
        { rule: 'rejected', scope: TEST, severity: 'critical' },
        { rule: 'rejected', scope: NODE, off: true, forMs: 90_000 },
      ),
    ).toEqual([
      { ...first, expr: `(${first?.expr}) unless ${series}severity=~"off||critical",for=~"|90s"}` },
      {
        alert: 'ImmuneNodeRejectedAfter90s',
        severity: 'warning',
        for: '90s',
        expr: `(${first?.expr}) and ${series}severity="",for="90s"}`,
      },
      {
        alert: 'ImmuneNodeRejectedCritical',
        severity: 'critical',
        for: undefined,
        expr: `(${first?.expr}) and ${series}severity="critical",for=""}`,
      },
      {
        alert: 'ImmuneNodeRejectedCriticalAfter90s',
        severity: 'critical',
        for: '90s',
        expr: `(${first?.expr}) and ${series}severity="critical",for="90s"}`,
      },
    ])
  })

  it('apply a changed severity to all steps and never shorten the delay of later steps', () => {
    const one = alertsOf('heartbeat-old', { rule: 'heartbeat-old', scope: ALL, severity: 'info' })
    expect(one.map(({ alert, severity }) => `${alert} ${severity}`)).toEqual([
      'ImmuneNodeHeartbeatOld critical',
      'ImmuneNodeHeartbeatOld warning',
      'ImmuneNodeHeartbeatOldUnreadable warning',
      'ImmuneNodeHeartbeatOldInfo info',
    ])
    expect(one[3]?.expr).toMatch(
      /severity="critical"} or .*severity="warning"} or immune_node_unreadable.*\) and/,
    )
    const waits = alertsOf('unreachable', { rule: 'unreachable', scope: ALL, forMs: 60_000 })
      .filter(({ alert }) => alert.endsWith('After60s'))
      .map(({ alert, for: wait }) => `${alert} ${wait}`)
      .toSorted()
    expect(waits).toEqual([
      'ImmuneNodeRateLimitedServerErrorLastingAfter60s 120s',
      'ImmuneNodeUnreachableAfter60s 60s',
      'ImmuneNodeUnreachableAfter60s 60s',
      'ImmuneNodeUnreachableAfter60s 60s',
      'ImmuneNodeUnreachableLastingAfter60s 60s',
    ])
  })

  it('join changes to services on the service label and apply those to this computer in place', () => {
    const [, blind] = alertsOf('blind', { rule: 'blind', scope: ALL, severity: 'warning' })
    expect(blind?.expr).toContain('and on (service) immune_node_service_rule{rule="blind",severity="warning"')
    expect(alertsOf('throttled', { rule: 'throttled', scope: ALL, off: true })).toEqual([])
    expect(
      alertsOf('throttled', { rule: 'throttled', scope: ALL, severity: 'info', forMs: 0 }),
    ).toMatchObject([{ alert: 'ImmuneNodeThrottledInfoAfter0s', severity: 'info', for: undefined }])
  })

  it('never have two alerts with the same name and severity', () => {
    const kinds = ['unreachable', 'status-left', 'heartbeat-old', 'blind', 'rejected', 'status-differs']
    const values = [{ off: true }, { severity: 'critical', forMs: 0 }, { severity: 'info', forMs: 60_000 }]
    const all = kinds.flatMap((rule) =>
      alertsOf(rule, ...values.map((value) => ({ rule, scope: ALL, ...value }))),
    )
    const names = all.map(({ alert, severity }) => `${alert} ${severity}`)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(kinds.length * 4)
  })
})
