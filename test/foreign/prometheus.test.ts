import { describe, expect, it } from 'vitest'
import { grafanaDashboard } from '#collector/grafana-dashboard.ts'
import { prometheusRules, rulesYaml } from '#collector/prometheus-rules.ts'
import { alarmIdOf } from '#alarms/instance.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
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
} from '#test/support/running-prometheus.ts'

describe.skipIf(!hasPrometheus)('the export of a collector with more nodes than one chunk holds', () => {
  it('passes the check of promtool', async () => {
    const running = await runReference({ nodes: 1_200 })
    const { config, key } = createFiles(running, 1_200, { proof: 'record-v1', pollIntervalMs: 20_000 })
    const { url } = startCollect('--config', config, '--key', key, '--port', '0')
    const metrics = await url()
    let text = ''
    // On a busy machine some nodes answer late, and their stake appears only then.
    const nodesWithStake = async (): Promise<number> => {
      text = await (await fetch(metrics)).text()
      return text.match(/^immune_node_stake_deployed\{/gm)?.length ?? 0
    }
    await expect.poll(nodesWithStake, { timeout: 120_000, interval: 500 }).toBe(1_200)
    expect(promtool(['check', 'metrics'], text)).toEqual({ code: 0, said: '' })
  })
})

describe.skipIf(!hasPrometheus)('a real Prometheus', () => {
  it('scrapes a collector that passes promtool, fires its alert, and drops a removed node', async () => {
    const running = await runReference({ nodes: 3 })
    const { config, key, write } = createFiles(running, 3, { proof: 'record-v1' })
    const { url, hangUp } = startCollect('--config', config, '--key', key, '--port', '0')
    const metrics = await url()
    await expect
      .poll(async () => (await fetch(metrics.replace('metrics', 'readyz'))).status, { timeout: 10_000 })
      .toBe(200)
    expect(promtool(['check', 'metrics'], await (await fetch(metrics)).text())).toEqual({ code: 0, said: '' })

    const rules = rulesYaml(prometheusRules(METRICS, 1_000))
    const { query, url: engineUrl } = await startPrometheus(new URL(metrics).host, rules)
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
      // No poll has failed yet.
      const least = title === 'Failed polls per second' ? 0 : 1
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
      alarm: alarmIdOf('key-rejected', {
        kind: 'node',
        serviceId: serviceIdOf(running.baseUrl),
        node: nodeKeyOf(serviceIdOf(running.baseUrl), running.id(0)),
      }),
    })

    const alerts: { readonly data: { readonly alerts: readonly { readonly annotations: object }[] } } =
      await (await fetch(`${engineUrl}/api/v1/alerts`)).json()
    expect(alerts.data.alerts[0]?.annotations).toMatchObject({
      summary: expect.stringContaining(`: first at ${running.baseUrl}`),
    })

    write(2, { proof: 'record-v1' })
    hangUp()
    await expect.poll(() => count('immune_node_up'), { timeout: 20_000 }).toBe(2)
    expect(await count(`immune_node_stake_deployed{node="${running.id(2)}"}`)).toBe(0)
  })
})

describe.skipIf(!hasVictoriaMetrics)('a real VictoriaMetrics', () => {
  it('scrapes a collector, answers all queries of rules and dashboard, and fires an alert by vmalert', async () => {
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
    // A query that the engine can't parse has no result at all.
    for (const expr of exprs) expect(await query(expr), expr).toBeInstanceOf(Array)
    await running.service.faults.set(running.id(0), { name: 'status-401' })
    await expect
      .poll(() => values('immune_node_failure{kind=~"unauthorized|forbidden"} == 1'), { timeout: 20_000 })
      .toEqual([1])

    // Debian's version does not know keep_firing_for.
    const rules = rulesYaml(prometheusRules(METRICS, 1_000)).replaceAll(/^ *keep_firing_for: .*\n/gm, '')
    await startVmalert(victoria.url, rules)
    // Only the node that still answers has an age.
    await expect
      .poll(() => values('immune_node:heartbeat:age_seconds < bool 60'), { timeout: 60_000 })
      .toEqual([1])
    const firing = 'ALERTS{alertname="ImmuneNodeKeyRejected",alertstate="firing"}'
    await expect.poll(() => values(firing), { timeout: 60_000 }).toEqual([1])
  })
})
