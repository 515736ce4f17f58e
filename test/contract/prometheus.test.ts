import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prometheusRules, rulesYaml } from '#collector/prometheus-rules.ts'
import { METRICS } from '#metrics/metrics.ts'
import { hasPrometheus, promtool } from '#test/support/running-prometheus.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import type { BuiltInChange } from '#settings/schema.ts'

const INTERVAL_S = 15
const RULES = rulesYaml(prometheusRules(METRICS, INTERVAL_S * 1_000))

function inFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const NODE = 'instance="c:1",job="immune-nodes",service="https://a.example",node="0x1"'
const SERVICE = 'instance="c:1",job="immune-nodes",service="https://a.example"'

type Case = {
  readonly series: Readonly<Record<string, string>>
  /** Seconds after the beginning at which it is on. */
  readonly on: readonly number[]
  /** And at which it is not. */
  readonly off: readonly number[]
  readonly severity?: string
}

const limit = (metric: string, side: string, severity: string, value: number) => ({
  [`immune_node_limit{${NODE},metric="${metric}",side="${side}",severity="${severity}"}`]: `${value}x60`,
})
const failing = (kind: string, values: string) => ({
  [`immune_node_failure{${NODE},kind="${kind}"}`]: values,
})

/** By alert: what makes it fire, when, and when not. A value stands for 15 seconds; `_` is none. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  ImmuneNodeUnreachable: [
    { series: failing('unreachable', '1x60'), on: [15, 300], off: [0], severity: 'warning' },
    { series: failing('not-json', '1x60'), on: [15, 300], off: [0], severity: 'critical' },
    { series: failing('timeout', '_ 1x60'), on: [30, 300], off: [15], severity: 'warning' },
    { series: failing('rate-limited', '1x60'), on: [15, 60], off: [0], severity: 'info' },
    { series: failing('timeout', '1 stale 1 stale 1 stale'), on: [], off: [0, 15, 30, 45, 60] },
    { series: failing('unauthorized', '1x60'), on: [], off: [60, 600] },
    { series: failing('no-key', '1x60'), on: [], off: [60, 600] },
  ],
  ImmuneNodeUnreachableLasting: [
    { series: failing('unreachable', '1x60'), on: [30, 300], off: [15], severity: 'critical' },
  ],
  ImmuneNodeServerErrorLasting: [
    { series: failing('server-error', '1x60'), on: [600], off: [585], severity: 'critical' },
  ],
  ImmuneNodeRateLimitedLasting: [
    { series: failing('rate-limited', '1x60'), on: [120], off: [105], severity: 'critical' },
  ],
  ImmuneNodeRejected: [
    { series: failing('node-unknown', '1x60'), on: [0], off: [], severity: 'warning' },
    { series: failing('timeout', '1x60'), on: [], off: [60] },
  ],
  ImmuneNodeKeyRejected: [
    { series: failing('unauthorized', '1x60'), on: [15], off: [0], severity: 'critical' },
    { series: failing('forbidden', '1x60'), on: [15], off: [0], severity: 'critical' },
  ],
  ImmuneNodePaused: [{ series: failing('key-locked', '1x60'), on: [15], off: [0], severity: 'critical' }],
  ImmuneNodeBlind: [
    {
      series: {
        [`immune_node_last_answer_timestamp_seconds{${NODE}}`]: '0x60',
        [`immune_node_service_poll_interval_seconds{${SERVICE}}`]: '15x60',
      },
      on: [135],
      off: [120],
      severity: 'critical',
    },
    {
      series: {
        [`immune_node_last_answer_timestamp_seconds{${NODE}}`]: '0x60',
        [`immune_node_service_poll_interval_seconds{${SERVICE}}`]: '60x60',
      },
      on: [195],
      off: [180],
      severity: 'critical',
    },
  ],
  ImmuneNodeClockSkew: [
    {
      series: { [`immune_node_service_clock_offset_seconds{${SERVICE}}`]: '-31x60' },
      on: [15],
      off: [0],
      severity: 'warning',
    },
    { series: { [`immune_node_service_clock_offset_seconds{${SERVICE}}`]: '30x60' }, on: [], off: [60] },
  ],
  ImmuneNodeRoundTooLong: [
    {
      series: { [`immune_node_service_round_seconds{${SERVICE}}`]: '62x60' },
      on: [15],
      off: [0],
      severity: 'warning',
    },
  ],
  ImmuneNodeThrottled: [
    {
      series: { 'immune_node_collector_behind_seconds{instance="c:1"}': '16x60' },
      on: [15],
      off: [0],
      severity: 'warning',
    },
    {
      series: {
        'immune_node_collector_behind_seconds{instance="c:1"}': '16x60',
        [`immune_node_service_round_seconds{${SERVICE}}`]: '62x60',
      },
      on: [],
      off: [60],
    },
  ],
  ImmuneNodeCollectorDown: [
    {
      series: { 'up{job="immune-nodes",instance="c:1"}': '0x60' },
      on: [120],
      off: [105],
      severity: 'critical',
    },
  ],
  ImmuneNodeStatusLeft: [
    {
      series: { [`immune_node_status_meaning{${NODE},state="critical"}`]: '1x60' },
      on: [15],
      off: [0],
      severity: 'critical',
    },
    { series: { [`immune_node_status_meaning{${NODE},state="ok"}`]: '1x60' }, on: [], off: [60] },
  ],
  ImmuneNodeHeartbeatOld: [
    {
      series: {
        [`immune_node_last_heartbeat_timestamp_seconds{${NODE}}`]: '0x60',
        ...limit('heartbeat', 'above', 'warning', 60),
        ...limit('heartbeat', 'above', 'critical', 10_000),
      },
      on: [90],
      off: [75],
      severity: 'warning',
    },
    {
      series: {
        [`immune_node_last_heartbeat_timestamp_seconds{${NODE}}`]: '0x60',
        ...limit('heartbeat', 'above', 'critical', 180),
      },
      on: [210],
      off: [195],
      severity: 'critical',
    },
  ],
  ImmuneNodeParticipationBelow: [
    {
      series: {
        [`immune_node_network_participation_ratio{${NODE}}`]: '0.89x60',
        ...limit('participation', 'below', 'warning', 0.9),
      },
      on: [15],
      off: [0],
      severity: 'warning',
    },
    { series: { [`immune_node_network_participation_ratio{${NODE}}`]: '0x60' }, on: [], off: [60] },
  ],
  ImmuneNodeParticipationAbove: [
    {
      series: {
        [`immune_node_network_participation_ratio{${NODE}}`]: '0.91x60',
        ...limit('participation', 'above', 'warning', 0.9),
      },
      on: [15],
      off: [0],
      severity: 'warning',
    },
  ],
  ImmuneNodeStakeBelow: [
    {
      series: {
        [`immune_node_stake_deployed{${NODE}}`]: '99x60',
        ...limit('stake', 'below', 'warning', 100),
      },
      on: [15],
      off: [0],
      severity: 'warning',
    },
  ],
  ImmuneNodeAnswerTimeAbove: [
    {
      series: {
        [`immune_node_answer_time_seconds{${NODE}}`]: '3x60',
        ...limit('answerTime', 'above', 'warning', 2),
      },
      on: [15],
      off: [0],
      severity: 'warning',
    },
  ],
  ImmuneNodeStatusDiffers: [
    {
      series: {
        'immune_node_status{service="a",node="0x1",status="ACTIVE"}': '1x60',
        'immune_node_status{service="b",node="0x1",status="ACTIVE"}': '0x60',
        'immune_node_status{service="b",node="0x1",status="IDLE"}': '1x60',
      },
      on: [30],
      off: [15],
      severity: 'warning',
    },
  ],
  ImmuneNodeStakeDiffers: [
    {
      series: {
        'immune_node_stake_deployed{service="a",node="0x1"}': '100x60',
        'immune_node_stake_deployed{service="b",node="0x1"}': '101x60',
      },
      on: [30],
      off: [15],
      severity: 'warning',
    },
  ],
  ImmuneNodeParticipationDiffers: [
    {
      series: {
        'immune_node_network_participation_ratio{service="a",node="0x1"}': '0.5x60',
        'immune_node_network_participation_ratio{service="b",node="0x1"}': '0.5x60',
      },
      on: [],
      off: [60],
    },
  ],
}

const changed = (rule: string, severity: string, delay = '') => ({
  [`immune_node_rule{${NODE},rule="${rule}",severity="${severity}",for="${delay}"}`]: '1x60',
})
const RETIRED = { [`immune_node_status_meaning{${NODE},state="critical"}`]: '1x60' }
const SCOPE = { for: 'all' } as const
const CHANGES: readonly BuiltInChange[] = [
  { rule: 'status-left', scope: SCOPE, off: true },
  { rule: 'status-left', scope: SCOPE, severity: 'info', forMs: 60_000 },
  { rule: 'unreachable', scope: SCOPE, severity: 'info' },
  { rule: 'unreachable', scope: SCOPE, forMs: 60_000 },
  { rule: 'heartbeat-old', scope: SCOPE, severity: 'critical' },
  { rule: 'blind', scope: SCOPE, off: true },
]
const HEARTBEAT = {
  [`immune_node_last_heartbeat_timestamp_seconds{${NODE}}`]: '0x60',
  ...limit('heartbeat', 'above', 'warning', 60),
  ...limit('heartbeat', 'above', 'critical', 10_000),
}

/** The rules of a configuration that changes them, by what it says of the node or its service. */
const CHANGED_CASES: Readonly<Record<string, readonly Case[]>> = {
  ImmuneNodeStatusLeft: [
    { series: RETIRED, on: [15], off: [0], severity: 'critical' },
    { series: { ...RETIRED, ...changed('status-left', 'off') }, on: [], off: [15, 300] },
    { series: { ...RETIRED, ...changed('status-left', 'info') }, on: [], off: [15, 300] },
    { series: { ...RETIRED, ...changed('unreachable', 'off') }, on: [15], off: [] },
    // Set after these rules were written.
    { series: { ...RETIRED, ...changed('status-left', 'warning') }, on: [15], off: [], severity: 'critical' },
  ],
  ImmuneNodeStatusLeftInfo: [
    { series: { ...RETIRED, ...changed('status-left', 'info') }, on: [15], off: [0], severity: 'info' },
  ],
  ImmuneNodeStatusLeftInfoAfter60s: [
    {
      series: { ...RETIRED, ...changed('status-left', 'info', '60s') },
      on: [60],
      off: [45],
      severity: 'info',
    },
  ],
  ImmuneNodeUnreachableInfo: [
    {
      series: { ...failing('unreachable', '1x60'), ...changed('unreachable', 'info') },
      on: [15, 300],
      off: [0],
      severity: 'info',
    },
  ],
  ImmuneNodeUnreachableLastingAfter60s: [
    {
      series: { ...failing('unreachable', '1x60'), ...changed('unreachable', '', '60s') },
      on: [60],
      off: [45],
      severity: 'critical',
    },
  ],
  ImmuneNodeUnreachableLasting: [
    {
      series: { ...failing('unreachable', '1x60'), ...changed('unreachable', '', '60s') },
      on: [],
      off: [300],
    },
  ],
  ImmuneNodeHeartbeatOldCritical: [
    {
      series: { ...HEARTBEAT, ...changed('heartbeat-old', 'critical') },
      on: [90],
      off: [75],
      severity: 'critical',
    },
  ],
  ImmuneNodeBlind: [
    {
      series: {
        [`immune_node_last_answer_timestamp_seconds{${NODE}}`]: '0x60',
        [`immune_node_service_poll_interval_seconds{${SERVICE}}`]: '15x60',
        [`immune_node_service_rule{${SERVICE},rule="blind",severity="off",for=""}`]: '1x60',
      },
      on: [],
      off: [135, 300],
    },
  ],
}

/** One query a case: promtool compares whole label sets, and here only presence and severity count. */
const ruleTests = (all: Readonly<Record<string, readonly Case[]>>) =>
  Object.entries(all).flatMap(([alert, cases]) =>
    cases.map(({ series, on, off, severity }) => ({
      interval: '15s',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [...on.map((at) => ({ at, is: 1 })), ...off.map((at) => ({ at, is: 0 }))].map(
        ({ at, is }) => ({
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"${severity === undefined ? '' : `,severity="${severity}"`}}) or vector(0)`,
          eval_time: `${at}s`,
          exp_samples: [{ labels: '{}', value: is }],
        }),
      ),
    })),
  )

describe.skipIf(!hasPrometheus)('rules for Prometheus', () => {
  it('are well formed, by its own tool', () => {
    const folder = inFolder({ 'rules.yml': RULES })
    expect(promtool(['check', 'rules', '--lint-fatal', join(folder, 'rules.yml')])).toMatchObject({ code: 0 })
  })

  it('fire when the dashboard’s would, and not before: each of them', () => {
    const alerts = new Set(Array.from(RULES.matchAll(/- alert: (\S+)/g), ([, name]) => name))
    expect(new Set(Object.keys(CASES))).toEqual(alerts)
    const folder = inFolder({
      'rules.yml': RULES,
      'test.yml': JSON.stringify({
        rule_files: ['rules.yml'],
        evaluation_interval: `${INTERVAL_S}s`,
        tests: ruleTests(CASES),
      }),
    })
    const { code, said } = promtool(['test', 'rules', join(folder, 'test.yml')])
    expect(said).toContain('SUCCESS')
    expect(code).toBe(0)
  })

  it('follow the changes that a configuration makes for a node or a service', () => {
    const rules = rulesYaml(prometheusRules(METRICS, INTERVAL_S * 1_000, CHANGES))
    const folder = inFolder({
      'rules.yml': rules,
      'test.yml': JSON.stringify({
        rule_files: ['rules.yml'],
        evaluation_interval: `${INTERVAL_S}s`,
        tests: ruleTests(CHANGED_CASES),
      }),
    })
    expect(promtool(['check', 'rules', '--lint-fatal', join(folder, 'rules.yml')])).toMatchObject({ code: 0 })
    expect(promtool(['test', 'rules', join(folder, 'test.yml')])).toMatchObject({
      code: 0,
      said: expect.stringContaining('SUCCESS'),
    })
  })
})
