import { afterAll, describe, expect } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { createReferenceService, type ReferenceService } from '#reference/service.ts'
import { freePort } from '#test/support/free-port.ts'
import { hero, messages, statusLine, type WatchedNode } from '#test/e2e/stage.ts'
import { faultStage, type Row } from './fault-stage.ts'

/** Services that are not on this computer, as far as the browser can tell. */
const [FAR, OTHER] = ['node.example', 'other.example']

describe('a service whose name is not found', () => {
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

describe('two services on a network that this computer loses', () => {
  let other: ReferenceService
  const { row } = faultStage({
    far: FAR,
    browserArgs: [`--host-resolver-rules=MAP ${FAR} 127.0.0.1, MAP ${OTHER} 127.0.0.1`],
    others: async () => {
      const port = await freePort()
      const baseUrl = `http://${OTHER}:${port}`
      other = createReferenceService({
        enroll: true,
        port,
        nodes: 2,
        seed: 'other',
        origins: [baseUrl],
      })
      await other.listen()
      const nodes: WatchedNode[] = [0, 1].map((n) => ({ id: other.network.idOf(n), name: `other-${n}` }))
      return [
        { service: { baseUrl, via: 'direct', label: 'Other', pollIntervalMs: 1_000, timeoutMs: 800 }, nodes },
      ]
    },
  })
  afterAll(async () => {
    await other.close()
  })

  /** The same to both services, until `also` has seen what is said of it. */
  const both = async (given: Row, name: 'refused' | 'html', also: () => Promise<void>): Promise<void> => {
    await Promise.all([given.setAll(name), other.faults.set('*', { name })])
    await also()
    await given.old()
    await other.faults.clear()
  }

  row(17, { meetsAll: true }, async (given) => {
    await both(given, 'refused', async () => {
      await given.told(/network of this computer|this computer’s network/i)
      await expect.poll(() => messages(given.page).count()).toBe(1)
    })
  })

  row(18, { meetsAll: true }, async (given) => {
    await both(given, 'html', async () => {
      await given.told(/captive portal|sign-in|web page/i)
      await expect.poll(() => messages(given.page).count()).toBe(1)
    })
  })
})

describe('a slow host with more nodes than an interval has room for', () => {
  const { row } = faultStage({ nodes: 300, service: { pollIntervalMs: 5_000, timeoutMs: 8_000 } })

  row(12, { of: '300 of them, each five seconds', meetsAll: true }, async ({ page, setAll, told }) => {
    await setAll('late', 2_000)
    await told('watch/round-too-long')
    // It is this screen that can't keep up: none of them is said to be late, or down.
    expect((await messages(page).allInnerTexts()).join()).not.toMatch(/net\//)
    await statusLine(page).waitFor()
  })
})
