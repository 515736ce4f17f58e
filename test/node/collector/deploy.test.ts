import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { grafanaDashboard } from '#collector/grafana-dashboard.ts'
import { prometheusRules, rulesYaml } from '#collector/prometheus-rules.ts'
import { builtInTests } from '#alarms/built-in-rules.ts'
import { kindOf } from '#alarms/metric-values.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { conditionOf, CONDITIONS, failureSteps, type Condition } from '#evaluate/conditions.ts'
import { METRICS } from '#metrics/metrics.ts'
import { FAILURES, type FailureKind } from '#protocol/failure.ts'
import { formatted } from '#test/support/formatted.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')

it('the generated files in deploy match their definitions (npm run docs regenerates them)', async () => {
  const rules = join(DEPLOY, 'prometheus/immune-nodes.rules.yml')
  await expect(
    await formatted(rules, rulesYaml(prometheusRules(METRICS, DEFAULTS.pollIntervalMs))),
  ).toMatchFileSnapshot(rules)
  const grafana = join(DEPLOY, 'grafana/immune-nodes.json')
  await expect(
    await formatted(grafana, JSON.stringify(grafanaDashboard(METRICS), null, 2)),
  ).toMatchFileSnapshot(grafana)
})

describe('the rules for Prometheus and the table of conditions', () => {
  const INTERVAL_MS = DEFAULTS.pollIntervalMs
  const alerts = prometheusRules(METRICS, INTERVAL_MS).groups.flatMap(({ rules }) =>
    rules.flatMap((rule) => ('alert' in rule ? [rule] : [])),
  )
  const waits = (found: typeof alerts) =>
    found.map(({ labels, for: wait = '0s' }) => [labels['severity'], Number.parseInt(wait) * 1_000])
  const isOf = (kind: string, expr: string): boolean =>
    new RegExp(`kind=~"(.*\\|)?${kind}(\\|.*)?"`).test(expr)
  /** Conditions that only a browser can detect. */
  const OF_SCREEN = ['network', 'gap', 'not-saving', 'sound-blocked', 'page-blocked', 'engine-lost']
  const UNTOLD = [...OF_SCREEN, 'memory-high', 'old-version', 'page-errors', 'rule-failed']

  it.each(Object.keys(FAILURES) as FailureKind[])('agree on the severities and delays of %s', (kind) => {
    const steps = failureSteps(kind).filter(({ severity }) => severity !== 'none')
    const condition = conditionOf(kind)
    const expected = condition === 'unreachable' ? steps : [{ ...CONDITIONS[condition], afterMs: 0 }]
    expect(new Set(waits(alerts.filter(({ expr }) => isOf(kind, expr))).map(String))).toEqual(
      new Set(
        expected.map(
          ({ severity, polls, afterMs }) => `${severity},${Math.max(afterMs, (polls - 1) * INTERVAL_MS)}`,
        ),
      ),
    )
  })

  it('have the same conditions, severities, delays and limits', () => {
    for (const [kind, condition] of Object.entries(CONDITIONS)) {
      const found = alerts.filter(({ labels }) => labels['kind'] === kind)
      const { severity, polls = 1, overMs }: Condition = condition
      if (kind.startsWith('data/') || UNTOLD.includes(kind)) expect(found, kind).toEqual([])
      else if (kind !== 'unreachable')
        expect(waits(found), kind).toEqual([[severity, (polls - 1) * INTERVAL_MS]])
      if (overMs !== undefined && kind !== 'throttled')
        expect(found[0]?.expr, kind).toContain(`> ${overMs / 1_000}`)
    }
    const told = new Set(alerts.map(({ labels }) => labels['kind'] ?? ''))
    for (const metric of METRICS)
      for (const test of builtInTests(metric)) told.delete(kindOf(metric.id, test))
    for (const kind of Object.keys(CONDITIONS)) told.delete(kind)
    expect(Array.from(told)).toEqual(['collector-down'])
  })
})
