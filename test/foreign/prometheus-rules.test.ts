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
  /** Seconds after the start at which the alert fires. */
  readonly on: readonly number[]
  /** Seconds after the start at which it does not fire. */
  readonly off: readonly number[]
  readonly severity?: string
}

type Series = Case['series']

/** A metric of the node with further labels; `ofService` has one of its service. */
const ofNode = (metric: string, values: string, labels = ''): Series => ({
  [`immune_node_${metric}{${NODE}${labels}}`]: values,
})
const ofService = (metric: string, values: string, labels = ''): Series => ({
  [`immune_node_service_${metric}{${SERVICE}${labels}}`]: values,
})
const limit = (metric: string, side: string, severity: string, value: number): Series =>
  ofNode('limit', `${value}x60`, `,metric="${metric}",side="${side}",severity="${severity}"`)
const failing = (kind: string, values = '1x60'): Series => ofNode('failure', values, `,kind="${kind}"`)
const meaning = (state: string): Series => ofNode('status_meaning', '1x60', `,state="${state}"`)
const unreadable = (metric: string): Series => ofNode('unreadable', '1x60', `,metric="${metric}"`)
/** The same metric from two services. */
const differing = (metric: string, a: string, b: string): Series => ({
  [`immune_node_${metric}{service="a",node="0x1"}`]: a,
  [`immune_node_${metric}{service="b",node="0x1"}`]: b,
})

/** Fires this many seconds after the start, and not one sample earlier. */
const from = (seconds: number, severity: string, ...series: readonly Series[]): Case => ({
  series: Object.assign({}, ...series),
  on: [seconds],
  off: seconds === 0 ? [] : [seconds - INTERVAL_S],
  severity,
})
const never = (...series: readonly Series[]): Case => ({
  series: Object.assign({}, ...series),
  on: [],
  off: [15, 60, 300, 600],
})
const BEHIND = { 'immune_node_collector_behind_seconds{instance="c:1"}': '16x60' }
const SILENT = ofNode('last_answer_timestamp_seconds', '0x60')
const BEAT = ofNode('last_heartbeat_timestamp_seconds', '0x60')
const SOON = [limit('heartbeat', 'above', 'warning', 60), limit('heartbeat', 'above', 'critical', 10_000)]
const WORDS = {
  'immune_node_status{service="a",node="0x1",status="ACTIVE"}': '1x60',
  'immune_node_status{service="b",node="0x1",status="ACTIVE"}': '0x60',
  'immune_node_status{service="b",node="0x1",status="IDLE"}': '1x60',
}

/** For each alert: the series, when it fires, and when not. Each value stands for 15 seconds; `_` is a missing one. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  ImmuneNodeUnreachable: [
    { series: failing('unreachable'), on: [15, 300], off: [0], severity: 'warning' },
    { series: failing('not-json'), on: [15, 300], off: [0], severity: 'critical' },
    { series: failing('timeout', '_ 1x60'), on: [30, 300], off: [15], severity: 'warning' },
    { series: failing('rate-limited'), on: [15, 60], off: [0], severity: 'info' },
    { series: failing('timeout', '1 stale 1 stale 1 stale'), on: [], off: [0, 15, 30, 45, 60] },
    never(failing('unauthorized')),
    never(failing('no-key')),
  ],
  ImmuneNodeUnreachableLasting: [
    { series: failing('unreachable'), on: [30, 300], off: [15], severity: 'critical' },
  ],
  ImmuneNodeRateLimitedServerErrorLasting: [
    from(120, 'critical', failing('server-error')),
    from(120, 'critical', failing('rate-limited')),
  ],
  ImmuneNodeRejected: [from(0, 'warning', failing('node-unknown')), never(failing('timeout'))],
  ImmuneNodeKeyRejected: [
    from(15, 'critical', failing('unauthorized')),
    from(15, 'critical', failing('forbidden')),
  ],
  ImmuneNodePaused: [from(15, 'critical', failing('key-locked'))],
  ImmuneNodeBlind: [
    from(135, 'critical', SILENT, ofService('poll_interval_seconds', '15x60')),
    from(195, 'critical', SILENT, ofService('poll_interval_seconds', '60x60')),
  ],
  ImmuneNodeClockSkew: [
    from(15, 'warning', ofService('clock_offset_seconds', '-31x60')),
    never(ofService('clock_offset_seconds', '30x60')),
  ],
  ImmuneNodeRoundTooLong: [from(15, 'warning', ofService('round_seconds', '62x60'))],
  ImmuneNodeThrottled: [from(15, 'warning', BEHIND), never(BEHIND, ofService('round_seconds', '62x60'))],
  ImmuneNodeCollectorDown: [from(120, 'critical', { 'up{job="immune-nodes",instance="c:1"}': '0x60' })],
  ImmuneNodeStatusLeft: [from(15, 'critical', meaning('critical')), never(meaning('ok'))],
  ImmuneNodeStatusLeftUnreadable: [from(120, 'warning', unreadable('status'))],
  ImmuneNodeHeartbeatOldUnreadable: [
    from(120, 'warning', unreadable('heartbeat')),
    never(unreadable('status')),
  ],
  ImmuneNodeProofWrong: [
    from(15, 'critical', ofNode('proof_valid', '0x60')),
    never(ofNode('proof_valid', '1x60')),
  ],
  ImmuneNodeHeartbeatOld: [
    from(90, 'warning', BEAT, ...SOON),
    from(210, 'critical', BEAT, limit('heartbeat', 'above', 'critical', 180)),
  ],
  ImmuneNodeParticipationBelow: [
    from(
      15,
      'warning',
      ofNode('network_participation_ratio', '0.89x60'),
      limit('participation', 'below', 'warning', 0.9),
    ),
    never(ofNode('network_participation_ratio', '0x60')),
  ],
  ImmuneNodeParticipationAbove: [
    from(
      15,
      'warning',
      ofNode('network_participation_ratio', '0.91x60'),
      limit('participation', 'above', 'warning', 0.9),
    ),
  ],
  ImmuneNodeStakeBelow: [
    from(15, 'warning', ofNode('stake_deployed', '99x60'), limit('stake', 'below', 'warning', 100)),
  ],
  ImmuneNodeAnswerTimeAbove: [
    from(15, 'warning', ofNode('answer_time_seconds', '3x60'), limit('answerTime', 'above', 'warning', 2)),
  ],
  ImmuneNodeStatusDiffers: [from(30, 'warning', WORDS)],
  ImmuneNodeStakeDiffers: [from(30, 'warning', differing('stake_deployed', '100x60', '101x60'))],
  ImmuneNodeParticipationDiffers: [never(differing('network_participation_ratio', '0.5x60', '0.5x60'))],
}

const changed = (rule: string, severity: string, delay = ''): Series =>
  ofNode('rule', '1x60', `,rule="${rule}",severity="${severity}",for="${delay}"`)
const RETIRED = meaning('critical')
const SCOPE = { for: 'all' } as const
const CHANGES: readonly BuiltInChange[] = [
  { rule: 'status-left', scope: SCOPE, off: true },
  { rule: 'status-left', scope: SCOPE, severity: 'info', forMs: 60_000 },
  { rule: 'unreachable', scope: SCOPE, severity: 'info' },
  { rule: 'unreachable', scope: SCOPE, forMs: 60_000 },
  { rule: 'heartbeat-old', scope: SCOPE, severity: 'critical' },
  { rule: 'blind', scope: SCOPE, off: true },
]
const AFTER_60S = changed('unreachable', '', '60s')

/** Cases for rules that a configuration changes. Each includes the metrics that export the changes. */
const CHANGED_CASES: Readonly<Record<string, readonly Case[]>> = {
  ImmuneNodeStatusLeft: [
    from(15, 'critical', RETIRED),
    never(RETIRED, changed('status-left', 'off')),
    never(RETIRED, changed('status-left', 'info')),
    from(15, 'critical', RETIRED, changed('unreachable', 'off')),
    // A change that the configuration got after the rules were generated.
    from(15, 'critical', RETIRED, changed('status-left', 'warning')),
  ],
  ImmuneNodeStatusLeftInfo: [from(15, 'info', RETIRED, changed('status-left', 'info'))],
  ImmuneNodeStatusLeftInfoAfter60s: [from(60, 'info', RETIRED, changed('status-left', 'info', '60s'))],
  ImmuneNodeUnreachableInfo: [from(15, 'info', failing('unreachable'), changed('unreachable', 'info'))],
  ImmuneNodeUnreachableLastingAfter60s: [from(60, 'critical', failing('unreachable'), AFTER_60S)],
  ImmuneNodeUnreachableLasting: [never(failing('unreachable'), AFTER_60S)],
  ImmuneNodeHeartbeatOldCritical: [from(90, 'critical', BEAT, ...SOON, changed('heartbeat-old', 'critical'))],
  ImmuneNodeBlind: [
    never(
      SILENT,
      ofService('poll_interval_seconds', '15x60'),
      ofService('rule', '1x60', ',rule="blind",severity="off",for=""'),
    ),
  ],
}

/** One query per case, because promtool compares whole label sets, and only presence and severity matter here. */
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
  it('pass the lint of promtool', () => {
    const folder = inFolder({ 'rules.yml': RULES })
    expect(promtool(['check', 'rules', '--lint-fatal', join(folder, 'rules.yml')])).toMatchObject({ code: 0 })
  })

  it('fire when the dashboard’s own rules would, and not earlier', () => {
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

  it('follow the configuration’s changes for a node or a service', () => {
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
