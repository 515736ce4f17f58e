import { describe, expect, it } from 'vitest'
import { longTermPath, longTermQuery, type LongTermSeries } from '#prometheus/long-term-series.ts'
import { serviceIdOf } from '#record/service.ts'
import { CONFIG_VERSION, serviceAt } from '#settings/schema.ts'
import { createFiles, startCollect } from '#test/node/collector/running.ts'
import { runReference } from '#test/node/reference/running.ts'
import { startTestServer } from '#test/node/server/test-server.ts'
import {
  hasPrometheus,
  hasVictoriaMetrics,
  startPrometheus,
  startVictoriaMetrics,
} from '#test/support/running-prometheus.ts'

const LABELS = { network: 'own' }
const SCRAPE_MS = 1_000
const WAIT = { timeout: 60_000 }

/** Reads a node's last minutes through the dashboard's server. */
async function startReader(queryUrl: string, service: string, labels: Record<string, string>) {
  const server = await startTestServer({
    config: {
      version: CONFIG_VERSION,
      services: [serviceAt(service, 'proxy')],
      nodes: [],
      rules: [],
      canAddServices: false,
    },
    queryApis: [
      { name: 'VictoriaMetrics', url: queryUrl, scrapeMs: SCRAPE_MS, days: 30, live: false, labels },
    ],
  })
  return async (node: string): Promise<LongTermSeries> => {
    const toMs = Date.now()
    const range = { fromMs: toMs - 120_000, toMs, columns: 10 }
    const path = longTermPath(serviceIdOf(service), node, longTermQuery(range, SCRAPE_MS))
    const reply = await fetch(`${server.url.slice(0, -1)}${path}`)
    expect(reply.status, await reply.clone().text()).toBe(200)
    return reply.json()
  }
}

describe.skipIf(!hasPrometheus || !hasVictoriaMetrics)(
  'data that Prometheus writes to VictoriaMetrics',
  () => {
    it('is readable by the dashboard: values and failures, but no removed nodes and no other labels', async () => {
      const running = await runReference({ nodes: 2 })
      const { config, key, write } = createFiles(running, 2)
      const { url, hangUp } = startCollect('--config', config, '--key', key, '--port', '0')
      const victoria = await startVictoriaMetrics()
      const remote = { url: `${victoria.url}/api/v1/write`, labels: LABELS }
      await startPrometheus(new URL(await url()).host, 'groups: []', undefined, remote)
      const nodesUp = async () => (await victoria.query('immune_node_up{network="own"} == 1')).length
      await expect.poll(nodesUp, WAIT).toBe(2)

      const read = await startReader(victoria.url, running.baseUrl, LABELS)
      const lineOf = async (node: string, id: string) => {
        const found = (await read(node)).metrics.find((metric) => metric.id === id)
        if (found?.kind !== 'line') throw new Error(`${id} is not a line`)
        return found.last.findLast((value) => value !== null)
      }
      const [stake] = await victoria.query(`immune_node_stake_deployed{node="${running.id(0)}"}`)
      const [, written = ''] = stake?.value ?? []
      expect(Number(written)).toBeGreaterThan(0)
      await expect.poll(() => lineOf(running.id(0), 'stake'), WAIT).toBe(Number(written))
      expect((await read(running.id(0))).upMin).not.toContain(0)

      await running.service.faults.set(running.id(0), { name: 'status-401' })
      await expect
        .poll(async () => (await read(running.id(0))).failures.some((kind) => kind === 'unauthorized'), WAIT)
        .toBe(true)
      expect((await read(running.id(0))).upMin).toContain(0)
      expect((await read(running.id(1))).upMin).not.toContain(0)

      // The collector ends the series at once; otherwise the engine would return their last values for five more minutes.
      write(1)
      hangUp()
      const nodesTold = async () => (await victoria.query('immune_node_up')).length
      await expect.poll(nodesTold, WAIT).toBe(1)

      const readOthers = await startReader(victoria.url, running.baseUrl, { network: 'other' })
      expect((await readOthers(running.id(0))).up.every((share) => share === null)).toBe(true)
    })
  },
)
