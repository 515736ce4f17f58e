import { createPrivateKey, sign } from 'node:crypto'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hexToBytes } from '#base/bytes.ts'
import { createCollector, type CollectorPorts } from '#collector/collector.ts'
import { createHttpTransport } from '#node/http-transport.ts'
import type { UsableKey } from '#keys/signing-key.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { MetricRegistry, RecordMetric } from '#metrics/metric.ts'
import { systemClock } from '#platform/system-clock.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { parseServerConfig } from '#settings/documents.ts'
import type { ServerConfig } from '#settings/schema.ts'
import { testKey } from '#test/node/reference/client.ts'
import { runReference, VIEWER, type Running } from '#test/node/reference/running.ts'
import { valueOf } from '#test/support/value-of.ts'

/** The key that the reference service has registered. */
function viewerKey(): UsableKey {
  const { privateKey } = testKey(1)
  const publicKey = hexToBytes(VIEWER.hex)
  if (publicKey === undefined) throw new Error('no key')
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  return {
    publicKey,
    family: 'plain',
    accepts: () => true,
    sign: async (message) => new Uint8Array(sign(null, message, key)),
    forget: () => undefined,
  }
}

const configOf = (running: Running, count: number, more: object = {}): ServerConfig => {
  const services = [{ baseUrl: running.baseUrl, pollIntervalMs: 1_000, ...more }]
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: running.id(index),
    name: `node\\\n"${index}"`,
    tags: ['eu', 'a'],
  }))
  return valueOf(parseServerConfig({ version: 1, services, nodes }))
}

function start(more: Partial<CollectorPorts> = {}) {
  const transport = createHttpTransport(systemClock, 16)
  const key = viewerKey()
  const errors: unknown[] = []
  const collector = createCollector({
    clock: systemClock,
    transport: transport.send,
    keys: { find: () => key },
    tokens: new Map(),
    inFlightMax: 16,
    metrics: METRICS,
    onError: (error) => errors.push(error),
    ...more,
  })
  onTestFinished(async () => {
    collector.stop()
    await transport.close()
    expect(errors).toEqual([])
  })
  const text = () => textOf(collector.exposition.render('prometheus').parts)
  /** The values of a metric, by node. */
  const values = async (name: string): Promise<ReadonlyMap<string, number>> => {
    const lines = (await text()).split('\n').filter((line) => line.startsWith(`${name}{`))
    return new Map(
      lines.map((line) => [/node="([^"]*)"/.exec(line)?.[1] ?? line, Number(line.split(' ').at(-1))]),
    )
  }
  const untilAll = (count: number) =>
    vi.waitFor(() => expect(collector.progress()).toEqual({ nodes: count, polled: count }), 10_000)
  return { collector, text, values, untilAll }
}

const UPTIME: RecordMetric<'uptime', 'gauge'> = {
  id: 'uptime',
  kind: 'gauge',
  unit: 'ms',
  heading: 'Uptime',
  help: 'For how long the node has been up.',
  field: 'stake_deployed',
  exportName: 'uptime',
  prometheusName: 'immune_node_uptime_seconds',
  settings: [],
}

describe('the exposition of a collector', () => {
  it('has every metric of the registry with its name, help and type', async () => {
    const running = await runReference({ nodes: 3 })
    const { collector, text, untilAll } = start()
    collector.configure(configOf(running, 3, { proof: 'record-v1' }))
    await untilAll(3)
    const told = await text()
    for (const { prometheusName, help, kind } of METRICS) {
      const type = kind === 'counter' ? 'counter' : 'gauge'
      expect(told).toContain(`# TYPE ${prometheusName} ${type}\n`)
      expect(told).toContain(`# HELP ${prometheusName} ${help}`)
      const points = told.split('\n').filter((line) => line.startsWith(`${prometheusName}{`))
      expect(
        points.filter((line) => !line.endsWith(' 0')),
        prometheusName,
      ).toHaveLength(3)
      for (const point of points) expect(point).toContain(`service="${running.baseUrl}",node="0x`)
    }
    expect(told).toMatch(/^immune_node_nodes\{class="ok"\} 3$/m)
    expect(told).toContain('name="node\\\\\\n\\"0\\"",tags="a,eu"} 1')
  })

  it('includes a metric added only to the registry, with durations in seconds', async () => {
    const running = await runReference({ nodes: 1 })
    const metrics: MetricRegistry = [...METRICS, UPTIME]
    const { collector, values, untilAll } = start({ metrics })
    collector.configure(configOf(running, 1))
    await untilAll(1)
    const [stake] = (await values('immune_node_stake_deployed')).values()
    expect((await values('immune_node_uptime_seconds')).get(running.id(0))).toBe((stake ?? 0) / 1_000)
  })

  it.each<[FaultName, string]>([
    ['status-503', 'server-error'],
    ['status-401', 'unauthorized'],
    ['reset', 'unreachable'],
    ['html', 'not-json'],
  ])('counts %s by failure kind and shows the nodes as down', async (fault, kind) => {
    const running = await runReference({ nodes: 2 })
    const { collector, text, values, untilAll } = start()
    collector.configure(configOf(running, 2))
    await untilAll(2)
    expect(Array.from((await values('immune_node_up')).values())).toEqual([1, 1])
    await running.service.faults.set('*', { name: fault })
    await vi.waitFor(
      async () => expect(Array.from((await values('immune_node_up')).values())).toEqual([0, 0]),
      10_000,
    )
    expect(await text()).toMatch(
      new RegExp(`immune_node_poll_failures_total\\{service="${running.baseUrl}",kind="${kind}"\\} [1-9]`),
    )
  })

  it('drops stale values of a failing node, and every series of a removed node', async () => {
    const running = await runReference({ nodes: 2 })
    let aheadMs = 0
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs }
    const { collector, text, values, untilAll } = start({ clock })
    collector.configure(configOf(running, 2))
    await untilAll(2)
    await running.service.faults.set('*', { name: 'status-503' })
    await vi.waitFor(
      async () => expect(Array.from((await values('immune_node_up')).values())).toEqual([0, 0]),
      10_000,
    )
    expect((await values('immune_node_stake_deployed')).size).toBe(2)
    aheadMs = 10_000
    expect((await values('immune_node_stake_deployed')).size).toBe(0)
    expect((await values('immune_node_status')).size).toBe(0)
    expect((await values('immune_node_last_answer_timestamp_seconds')).size).toBe(2)
    collector.configure(configOf(running, 1))
    expect(await text()).not.toContain(running.id(1))
    expect((await values('immune_node_up')).size).toBe(1)
  })

  it('counts each poll once and sums poll durations in seconds', async () => {
    const running = await runReference({ nodes: 2 })
    await running.service.faults.set('*', { name: 'late', value: 250 })
    const { collector, text, untilAll } = start()
    collector.configure(configOf(running, 2))
    await untilAll(2)
    collector.stop()
    const told = await text()
    const count = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} ([\\d.]+)$`, 'm').exec(told)?.[1])
    expect(count('immune_node_polls_total')).toBe(count('immune_node_poll_duration_seconds_count'))
    expect(count('immune_node_polls_total')).toBe(running.service.stats().requests)
    const sum = count('immune_node_poll_duration_seconds_sum')
    expect(sum).toBeGreaterThan(0.4)
    expect(sum).toBeLessThan(200)
  })

  it('keeps the samples of each metric together for 1,200 nodes and yields to the event loop', async () => {
    const COUNT = 1_200
    const running = await runReference({ nodes: COUNT })
    const { collector } = start()
    collector.configure(configOf(running, COUNT))
    let turns = 0
    let next = setImmediate(function turn() {
      turns++
      next = setImmediate(turn)
    })
    let told = ''
    for await (const part of collector.exposition.render('openmetrics').parts) told += part
    clearImmediate(next)
    const lines = told.split('\n')
    expect(lines.filter((line) => line.startsWith('immune_node_info{'))).toHaveLength(COUNT)
    const types = lines.filter((line) => line.startsWith('# TYPE '))
    expect(new Set(types).size).toBe(types.length)
    // Both formats require the samples of a metric to follow its metadata.
    const families = told.split(/^# HELP /m).slice(1)
    for (const family of families) {
      const name = family.slice(0, family.indexOf(' '))
      const strange = family.split('\n').filter((line) => !/^(?:# |$)/.test(line) && !line.startsWith(name))
      expect(strange).toEqual([])
    }
    expect(turns).toBeGreaterThan(2 * METRICS.length)
    const classes = Array.from(told.matchAll(/^immune_node_nodes\{class="[\w-]+"\} (\d+)$/gm), ([, count]) =>
      Number(count),
    )
    expect(classes.reduce((sum, count) => sum + count)).toBe(COUNT)
  })

  it('aborts a scrape that throws and reports the error', async () => {
    const running = await runReference({ nodes: 1 })
    const found: unknown[] = []
    const defect = new Error('a defect')
    const limits = () => {
      throw defect
    }
    const { collector, text, untilAll } = start({
      metrics: [...METRICS, { ...UPTIME, limits }],
      onError: (error) => found.push(error),
    })
    collector.configure(configOf(running, 1))
    await untilAll(1)
    await expect(text()).rejects.toThrow(defect)
    expect(found).toEqual([defect])
  })

  it('names counters as each format requires: OpenMetrics and the text format', async () => {
    const running = await runReference({ nodes: 1 })
    const { collector, untilAll } = start()
    collector.configure(configOf(running, 1))
    await untilAll(1)
    const open = collector.exposition.render('openmetrics')
    const plain = collector.exposition.render('prometheus')
    const [openText, plainText] = [await textOf(open.parts), await textOf(plain.parts)]
    expect(open.contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(openText).toMatch(/# EOF\n$/)
    expect(openText).toContain(
      '# TYPE immune_node_threat_responses counter\nimmune_node_threat_responses_total{',
    )
    expect(plain.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(plainText).toContain(
      '# TYPE immune_node_threat_responses_total counter\nimmune_node_threat_responses_total{',
    )
  })
})
