import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { grafanaDashboard } from '#collector/grafana-dashboard.ts'
import { prometheusRules, rulesYaml } from '#collector/prometheus-rules.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createFiles, startCollect } from '#test/node/collector/running.ts'
import { runReference } from '#test/node/reference/running.ts'
import {
  hasPrometheus,
  hasVictoriaMetrics,
  promtool,
  startPrometheus,
  startVictoriaMetrics,
  startVmalert,
} from './running-prometheus.ts'

const INTERVAL_S = 15
const RULES = rulesYaml(prometheusRules(METRICS, INTERVAL_S * 1_000))

function inFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
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

/** One query a case: promtool compares whole label sets, and here only presence and severity count. */
const ruleTests = Object.entries(CASES).flatMap(([alert, cases]) =>
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
        tests: ruleTests,
      }),
    })
    const { code, said } = promtool(['test', 'rules', join(folder, 'test.yml')])
    expect(said).toContain('SUCCESS')
    expect(code).toBe(0)
  })
})

describe.skipIf(!hasPrometheus)('what a collector tells of more nodes than it writes at once', () => {
  it('has nothing to mend, by its own tool', async () => {
    const running = await runReference({ nodes: 1_200 })
    const { config, key } = createFiles(running, 1_200, { proof: 'record-v1', pollIntervalMs: 5_000 })
    const { url } = startCollect('--config', config, '--key', key, '--port', '0')
    const metrics = await url()
    let text = ''
    // On a busy machine some are late with their first answer, and have their stake from the next.
    const nodesWithStake = async (): Promise<number> => {
      text = await (await fetch(metrics)).text()
      return text.match(/^immune_node_stake_deployed\{/gm)?.length ?? 0
    }
    await expect.poll(nodesWithStake, { timeout: 60_000, interval: 500 }).toBe(1_200)
    expect(promtool(['check', 'metrics'], text)).toEqual({ code: 0, said: '' })
  })
})

describe.skipIf(!hasPrometheus)('a real Prometheus', () => {
  it('reads a collector, finds nothing to mend in it, raises its alarm, and forgets a node that is gone', async () => {
    const running = await runReference({ nodes: 3 })
    const { config, key, write } = createFiles(running, 3, { proof: 'record-v1' })
    const { url, hangUp } = startCollect('--config', config, '--key', key, '--port', '0')
    const metrics = await url()
    await expect
      .poll(async () => (await fetch(metrics.replace('metrics', 'readyz'))).status, { timeout: 10_000 })
      .toBe(200)
    expect(promtool(['check', 'metrics'], await (await fetch(metrics)).text())).toEqual({ code: 0, said: '' })

    const rules = rulesYaml(prometheusRules(METRICS, 1_000))
    const { query } = await startPrometheus(new URL(metrics).host, rules)
    const count = async (expr: string) => Number((await query(`count(${expr})`))[0]?.value[1] ?? 0)
    await expect.poll(() => count('immune_node_up == 1'), { timeout: 20_000 }).toBe(3)
    await expect.poll(() => count('immune_node:heartbeat:age_seconds < 60'), { timeout: 20_000 }).toBe(3)

    const panels = grafanaDashboard(METRICS).panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({
        title,
        expr: expr.replace(/\$__rate_interval/g, '10s').replace(/\$\w+/g, '.*'),
      })),
    )
    for (const { title, expr } of panels) {
      // Nothing has failed yet.
      const least = title === 'Failed polls a second' ? 0 : 1
      await expect
        .poll(async () => (await query(expr)).length, { timeout: 20_000 })
        .toBeGreaterThanOrEqual(least)
    }

    await running.service.faults.set(running.id(0), { name: 'status-401' })
    const firing = 'ALERTS{alertname="ImmuneNodeKeyRejected",alertstate="firing"}'
    await expect.poll(() => count(firing), { timeout: 20_000 }).toBe(1)
    expect((await query(firing))[0]?.metric).toMatchObject({
      severity: 'critical',
      node: running.id(0),
      service: running.baseUrl,
    })

    write(2, { proof: 'record-v1' })
    hangUp()
    await expect.poll(() => count('immune_node_up'), { timeout: 20_000 }).toBe(2)
    expect(await count(`immune_node_stake_deployed{node="${running.id(2)}"}`)).toBe(0)
  })
})

describe.skipIf(!hasVictoriaMetrics)('a real VictoriaMetrics', () => {
  it('reads a collector as Prometheus does, answers every query of rules and dashboard, and raises an alarm by vmalert', async () => {
    const running = await runReference({ nodes: 2 })
    const { config, key } = createFiles(running, 2, { proof: 'record-v1' })
    const { url } = startCollect('--config', config, '--key', key, '--port', '0')
    const metrics = await url()
    const victoria = await startVictoriaMetrics(new URL(metrics).host)
    const { query } = victoria
    const values = async (expr: string) => (await query(expr)).map(({ value }) => Number(value[1]))
    await expect.poll(() => values('immune_node_up'), { timeout: 20_000 }).toEqual([1, 1])
    await expect
      .poll(() => values('sum by (service) (immune_node_stake_deployed) > bool 0'), { timeout: 20_000 })
      .toEqual([1])
    const exprs = [
      ...prometheusRules(METRICS, 1_000).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
      ...grafanaDashboard(METRICS).panels.flatMap(({ targets }) =>
        targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '10s').replaceAll(/\$\w+/g, '.*')),
      ),
    ]
    // One that it can't read has no result at all.
    for (const expr of exprs) expect(await query(expr), expr).toBeInstanceOf(Array)
    await running.service.faults.set(running.id(0), { name: 'status-401' })
    await expect
      .poll(() => values('immune_node_failure{kind=~"unauthorized|forbidden"} == 1'), { timeout: 20_000 })
      .toEqual([1])

    // The version of Debian does not know how long an alert keeps firing.
    const rules = rulesYaml(prometheusRules(METRICS, 1_000)).replaceAll(/^ *keep_firing_for: .*\n/gm, '')
    await startVmalert(victoria.url, rules)
    // Of the one that still answers.
    await expect
      .poll(() => values('immune_node:heartbeat:age_seconds < bool 60'), { timeout: 60_000 })
      .toEqual([1])
    const firing = 'ALERTS{alertname="ImmuneNodeKeyRejected",alertstate="firing"}'
    await expect.poll(() => values(firing), { timeout: 60_000 }).toEqual([1])
  })
})
