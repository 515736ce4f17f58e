import { describe, expect, it } from 'vitest'
import { longTermPath, longTermQuery, type LongTermSeries } from '#prometheus/long-term-series.ts'
import type { LongTermNetwork } from '#prometheus/long-term-network.ts'
import { serviceIdOf } from '#record/service.ts'
import { type QueryApiSource, CONFIG_VERSION, serviceAt } from '#settings/schema.ts'
import { collectedText } from '#test/support/collected-text.ts'
import { startTestServer } from '#test/node/server/test-server.ts'
import {
  hasPrometheus,
  hasVictoriaMetrics,
  startPrometheus,
  startVictoriaMetrics,
} from '#test/support/running-prometheus.ts'

const SERVICE = 'https://a.example'
const NODE = '0x1'
const HOUR_S = 3_600
const EVERY_S = 60
/** Two past days, aligned to whole days. */
const FROM_S = Math.floor(Date.now() / 86_400_000) * 86_400 - 3 * 86_400
const LENGTH_S = 48 * HOUR_S

const twoDays = () =>
  collectedText({ service: SERVICE, node: NODE, fromS: FROM_S, lengthS: LENGTH_S, everyS: EVERY_S })

const QUERY = longTermQuery(
  { fromMs: FROM_S * 1_000, toMs: (FROM_S + LENGTH_S) * 1_000, columns: 96 },
  EVERY_S * 1_000,
)

async function askThrough(url: string, more: Partial<QueryApiSource> = {}, query = QUERY) {
  const server = await startTestServer({
    config: {
      version: CONFIG_VERSION,
      services: [serviceAt(SERVICE, 'proxy')],
      nodes: [],
      rules: [],
      canAddServices: false,
    },
    queryApis: [
      { name: 'Prometheus', url, scrapeMs: EVERY_S * 1_000, days: 30, live: false, labels: {}, ...more },
    ],
  })
  const path = longTermPath(serviceIdOf(SERVICE), NODE, query)
  return fetch(`${server.url.slice(0, -1)}${path}`)
}

/** Assertions about these days that every engine must meet. */
async function expectTwoDays(reply: Response) {
  expect(reply.status, await reply.clone().text()).toBe(200)
  const series: LongTermSeries = await reply.json()
  expect(series).toMatchObject({ stepMs: HOUR_S * 500, count: 96 })
  const line = (id: string) => {
    const found = series.metrics.find((each) => each.id === id)
    if (found?.kind !== 'line') throw new Error(`${id} is not a line`)
    return found
  }
  const at = (hour: number) => hour * 2
  // A minute counts at the end of its step, so the first minute of a period belongs to the step before.
  expect(series.upMin.slice(at(10), at(11))).toEqual([0, 0])
  expect(series.upMin.slice(at(1), at(9))).toEqual(Array.from({ length: 16 }, () => 1))
  expect(series.failures[at(10)]).toBe('timeout')
  expect(series.failures[at(12)]).toBeNull()
  expect(series.upMin.slice(at(20) + 1, at(22) - 1)).toEqual([null, null])
  expect(line('participation').last[at(20) + 1]).toBeNull()
  expect(line('participation').min[at(5) - 1]).toBe(0.5)
  expect(line('participation').max[at(5) - 1]).toBe(0.97)
  expect(line('stake').last[at(12)]).toBe(1_250)
  expect(line('stake').last.at(-1)).toBe(1_300)
  expect(line('answerTime').max[at(3)]).toBe(250)
  expect(line('heartbeat').max[at(3)]).toBe(12_000)
  const threats = series.metrics.find(({ id }) => id === 'threatResponses')
  if (threats?.kind !== 'bars') throw new Error('no bars')
  expect(threats.increase.slice(at(1), at(9))).toEqual(Array.from({ length: 16 }, () => 30))
  expect(threats.increase[at(20) + 1]).toBeNull()
  // An increase during the gap is in no step but is not lost.
  expect(threats.unwatched.flatMap((each) => each ?? [])).toEqual([121])
  expect(threats.restarts.map((count) => (count ?? 0) > 0).filter(Boolean)).toHaveLength(1)
  const afterRestart = threats.increase.slice(at(30), at(48))
  expect(Math.max(...afterRestart.map((each) => each ?? 0))).toBeLessThanOrEqual(31)
}

/** Two identical nodes: totals count both, and averages and ratios equal those of one. */
async function expectNetwork(url: string) {
  const services = [serviceAt(SERVICE, 'proxy')]
  const server = await startTestServer({
    config: { version: CONFIG_VERSION, services, nodes: [], rules: [], canAddServices: false },
    queryApis: [{ name: 'P', url, scrapeMs: EVERY_S * 1_000, days: 30, live: false, labels: {} }],
  })
  // Steps begin half a minute after a scrape.
  const fromMs = (FROM_S + EVERY_S / 2) * 1_000
  const asked = new URLSearchParams({ from: String(fromMs), step: '3600000', steps: '48' })
  const reply = await fetch(`${server.url}query/network?${asked}`)
  expect(reply.status, await reply.clone().text()).toBe(200)
  const { lines }: LongTermNetwork = await reply.json()
  const line = (id: string) => lines.find((each) => each.id === id)
  expect(line('stake')?.value[3]).toBe(2_500)
  expect(line('stake')?.nodes[3]).toBe(2)
  expect(line('stake')?.value[20]).toBeNull()
  expect(line('participation')?.value[3]).toBeCloseTo(0.97)
  expect(line('threatResponses')?.value[3]).toBeCloseTo(120, 0)
  expect(line('heartbeat')?.value[3]).toBe(1)
  // No node has a good status, which differs from no node with a known status.
  expect(line('status')?.value.slice(3, 8)).toEqual([1, 1, 0, 1, 1])
  expect(line('status')?.value[20]).toBeNull()
}

const twoNodes = (): string =>
  [NODE, '0x2']
    .map((node) =>
      collectedText({ service: SERVICE, node, fromS: FROM_S, lengthS: LENGTH_S, everyS: EVERY_S }),
    )
    .join('')
    .replaceAll('# EOF\n', '')
    .concat('# EOF\n')

describe.skipIf(!hasPrometheus)('a node’s history in Prometheus', () => {
  it('is read in steps, with failures, gaps and restarts', async () => {
    const { url } = await startPrometheus(undefined, 'groups: []', twoDays())
    await expectTwoDays(await askThrough(url))
  })

  it('is aggregated over all nodes', async () => {
    const { url } = await startPrometheus(undefined, 'groups: []', twoNodes())
    await expectNetwork(url)
  })

  it('is empty for other labels, and a refused query quotes the engine’s error', async () => {
    const { url } = await startPrometheus(undefined, 'groups: []', twoDays())
    const none: LongTermSeries = await (await askThrough(url, { labels: { cluster: 'other' } })).json()
    expect(none.upMin.every((each) => each === null)).toBe(true)
    const wrong = await askThrough(`${url}/no-such-path`)
    expect(wrong.status).toBe(502)
    expect(await wrong.json()).toMatchObject({ detail: expect.stringContaining('404') })
  })
})

describe.skipIf(!hasVictoriaMetrics)('a node’s history in VictoriaMetrics', () => {
  it('is aggregated over all nodes', async () => {
    const { url } = await startVictoriaMetrics(undefined, twoNodes())
    await expectNetwork(url)
  })

  it.each([1, 90, 400])('is read with one query for %i days', async (days) => {
    const { url } = await startVictoriaMetrics(undefined, twoDays())
    const toMs = (FROM_S + LENGTH_S) * 1_000
    const range = { fromMs: toMs - days * 86_400_000, toMs, columns: 1_000 }
    const reply = await askThrough(url, {}, longTermQuery(range, EVERY_S * 1_000))
    expect(reply.status, await reply.clone().text()).toBe(200)
  })

  it('reads the same as that in Prometheus', async () => {
    const { url } = await startVictoriaMetrics(undefined, twoDays())
    await expectTwoDays(await askThrough(url))
  })
})
