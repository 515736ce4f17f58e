import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { grafanaDashboard } from '#collector/grafana-dashboard.ts'
import { prometheusRules, rulesYaml } from '#collector/prometheus-rules.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { METRICS } from '#metrics/metrics.ts'
import { formatted } from '#test/support/formatted.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')

describe('what deploy holds for other programs', () => {
  it('is what the definitions say now (npm run docs writes it anew)', async () => {
    const rules = join(DEPLOY, 'prometheus/immune-nodes.rules.yml')
    await expect(
      await formatted(rules, rulesYaml(prometheusRules(METRICS, DEFAULTS.pollIntervalMs))),
    ).toMatchFileSnapshot(rules)
    const grafana = join(DEPLOY, 'grafana/immune-nodes.json')
    await expect(
      await formatted(grafana, JSON.stringify(grafanaDashboard(METRICS), null, 2)),
    ).toMatchFileSnapshot(grafana)
  })
})
