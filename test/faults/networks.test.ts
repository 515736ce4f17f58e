import { describe, expect } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { hero, messages, statusLine } from '#test/e2e/stage.ts'
import { faultStage } from './fault-stage.ts'

describe('a service with an unknown host name', () => {
  const NOWHERE = 'http://nowhere.invalid'
  const id = `0x${'5c'.repeat(32)}`
  const { row } = faultStage({
    others: () =>
      Promise.resolve([
        {
          service: { baseUrl: NOWHERE, label: 'Nowhere', pollIntervalMs: 1_000, timeoutMs: 800 },
          nodes: [{ id, name: 'lost' }],
        },
      ]),
  })

  row(2, { leaves: 'net/' }, async ({ page, stage, node, told }) => {
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes/${nodeKeyOf(serviceIdOf(NOWHERE), id)}`)
    await page.getByRole('heading', { level: 1, name: 'lost' }).waitFor()
    expect(await told('net/')).toMatch(/nowhere\.invalid/)
    expect(await told('net/')).toMatch(/name|DNS/)
    expect(await hero(page).getByText('Last answer').count()).toBe(0)
    await page.goto(stage.nodeUrl(node))
    await page.getByRole('heading', { level: 1, name: node.name }).waitFor()
  })
})

describe('a slow host with more nodes than fit into an interval', () => {
  const { row } = faultStage({ nodes: 120, service: { pollIntervalMs: 5_000, timeoutMs: 8_000 } })

  row(12, { of: '120 nodes polled every five seconds', meetsAll: true }, async ({ page, setAll, told }) => {
    await setAll('late', 2_000)
    await told('watch/round-too-long')
    // The cause is this screen, so no message may blame the nodes.
    expect((await messages(page).allInnerTexts()).join()).not.toMatch(/net\//)
    await statusLine(page).waitFor()
  })
})
