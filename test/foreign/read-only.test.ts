import { expect, describe, it, onTestFinished } from 'vitest'
import { hasPrometheus, startPrometheus } from '#test/support/running-prometheus.ts'
import { createFiles, startCollect } from '#test/node/collector/running.ts'
import { runReference } from '#test/node/reference/running.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { statusTexts } from '#texts/en-status.ts'
import { launchDashboard } from '#test/support/launch-app.ts'
import { hero, messages, openMessages, statusLine } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'
import { readFileSync, writeFileSync } from 'node:fs'

const browser = browserForTests()

describe.skipIf(!hasPrometheus)('a screen that reads only from Prometheus', () => {
  it('shows the collectors’ data and its age without a key, and reports when the data ends', async () => {
    const running = await runReference({ nodes: 3 })
    const files = createFiles(running, 3, {})
    const { url } = startCollect('--config', files.config, '--key', files.key, '--port', '0')
    const prometheus = await startPrometheus(new URL(await url()).host, 'groups: []')
    const given: object = JSON.parse(readFileSync(files.config, 'utf8'))
    writeFileSync(
      files.config,
      JSON.stringify({ ...given, queryApis: [{ url: prometheus.url, scrapeMs: 1_000, live: true }] }),
    )
    const dashboard = await launchDashboard(['--config', files.config])
    onTestFinished(async () => void (await dashboard.stop()))
    const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
    const keyOf = (node: number) => nodeKeyOf(serviceIdOf(running.baseUrl), running.id(node))
    await page.goto(`${dashboard.dashboardUrl}#/nodes/${keyOf(0)}`)
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    await statusLine(page).getByText(statusTexts.noKeyNeeded).waitFor()
    // Data that no collector exports is named as such, and no message blames the service.
    await page.getByText(nodeHistoryTexts.facts.problem['not-collected']).waitFor()
    expect(await messages(page).count()).toBe(0)
    await running.service.faults.set(running.id(0), { name: 'status-401' })
    await openMessages(page)
    await messages(page)
      .getByText(/No collector reports first/)
      .first()
      .waitFor()
    await page.goto(`${dashboard.dashboardUrl}#/nodes/${keyOf(1)}`)
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  })
})
