import { describe, expect, it, onTestFinished } from 'vitest'
import type { Page } from 'playwright-core'
import { createReferenceService } from '#reference/reference-service.ts'
import {
  hasPrometheus,
  hasVictoriaMetrics,
  startPrometheus,
  startVictoriaMetrics,
} from '#test/support/running-prometheus.ts'
import { collectedText } from '#test/support/collected-text.ts'
import { fleetOverviewTexts } from '#texts/en-fleet-overview.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { freePort } from '#test/support/free-port.ts'
import { hero, QUICK, setStage, startWatching } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const browser = browserForTests()
const DAYS = 60
/** The smallest number of nodes for which the screen shows the network's figures. */
const NODES = 8
const { range, chart } = nodeHistoryTexts

/** Opens a node's page for the first time, on a dashboard whose server configures this query API. */
async function openNode(port: number, url: string): Promise<Page> {
  const stage = await setStage({
    nodes: 1,
    reference: { port },
    service: QUICK,
    provided: { queryApis: [{ url, scrapeMs: 300_000 }] },
  })
  onTestFinished(stage.stop)
  const page = await browser.openPage()
  await startWatching(page, stage)
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: range.legend }).selectOption('90d')
  return page
}

const legend = (page: Page) => page.locator('.legend')

describe.skipIf(!hasPrometheus)('a node that a collector watched for two months', () => {
  it('is shown in a new browser, with the source of its history', async () => {
    const port = await freePort()
    const lengthS = DAYS * 86_400
    const kept = collectedText({
      service: `http://127.0.0.1:${port}`,
      node: createReferenceService({ nodes: 1 }).network.idOf(0),
      fromS: Math.floor(Date.now() / 1_000) - lengthS,
      lengthS,
      everyS: 300,
    })
    const { url } = await startPrometheus(undefined, 'groups: []', kept)
    const page = await openNode(port, url)
    const { all, without } = chart.source
    await legend(page)
      .getByText(all(without('Prometheus', ['Proof'])))
      .waitFor()
    // The first day has the hour of failures and the restart of the counter.
    await page.getByText(chart.showTable).click()
    const rows = page.getByRole('grid').last().getByRole('row')
    const newest = await rows.nth(1).innerText()
    await rows.nth(1).click()
    await page.keyboard.press('End')
    await expect.poll(() => rows.last().innerText()).not.toBe(newest)
  })

  it('is shown from the browser’s own history if the engine is unreachable, and the page says so', async () => {
    const page = await openNode(await freePort(), `http://127.0.0.1:${await freePort()}`)
    await legend(page)
      .getByText(chart.source.failed('Prometheus', 'It can’t be reached (refused).'))
      .waitFor()
  })
})

describe.skipIf(!hasVictoriaMetrics)('the network that a collector watched for a day', () => {
  it('has a trend in a new browser, with the source of the data', async () => {
    const port = await freePort()
    const lengthS = 86_400
    const { network } = createReferenceService({ nodes: NODES })
    const kept = Array.from({ length: NODES }, (_, place) =>
      collectedText({
        service: `http://127.0.0.1:${port}`,
        node: network.idOf(place),
        fromS: Math.floor(Date.now() / 1_000) - lengthS,
        lengthS,
        everyS: 60,
      }),
    )
    const { url } = await startVictoriaMetrics(undefined, kept.join('').replaceAll('# EOF\n', ''))
    const stage = await setStage({
      nodes: NODES,
      reference: { port },
      service: QUICK,
      provided: { queryApis: [{ name: 'Long term', url, scrapeMs: 60_000 }] },
    })
    onTestFinished(stage.stop)
    const page = await browser.openPage()
    await startWatching(page, stage)
    const { network: words } = fleetOverviewTexts
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    const figures = page.getByLabel(words.label)

    await figures.getByText(words.courseFrom('Long term')).first().waitFor()
  })
})
