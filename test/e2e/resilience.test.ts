import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readBuiltFiles } from '#test/support/built-files.ts'
import { FAULT_NAMES, groupOf } from '#reference/faults.ts'
import { hero, messages, QUICK, setStage, startWatching, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

/** Every fault that changes what a record says or how it is written. */
const HOSTILE = FAULT_NAMES.filter((name) => ['record', 'members', 'payload'].includes(groupOf(name)))

beforeAll(async () => {
  stage = await setStage({ nodes: HOSTILE.length, service: { ...QUICK, pollIntervalMs: 2_000 } })
})
afterAll(async () => {
  await stage.stop()
})
beforeEach(async () => {
  await stage.reference.faults.clear()
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
})

describe('a later deploy', () => {
  it('does not break an open page: what is fetched later was here before the page called itself ready', async () => {
    await page.goto(stage.dashboard.dashboardUrl)
    const { laterScripts } = readBuiltFiles()
    expect(laterScripts.length).toBeGreaterThan(0)
    await page.waitForFunction((files) => {
      const here = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.slice(1))
      return files.every((file) => here.includes(file))
    }, laterScripts)
    await page.route('**/assets/**', (route) => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('button', { name: 'Start watching' }).click()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    await page.locator('path.pl').first().waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  })
})

describe('whatever a service sends', () => {
  it('no value takes a part of the page away', async () => {
    await startWatching(page, stage)
    for (const [place, name] of HOSTILE.entries()) {
      const node = stage.nodes[place]
      if (node !== undefined) await stage.reference.faults.set(node.id, { name })
    }
    stage.reference.resetStats()
    const asked = () => Object.values(stage.reference.stats().byNode).filter((n) => n.requests >= 2).length
    await expect.poll(asked, { timeout: 30_000 }).toBe(HOSTILE.length)
    for (const node of stage.nodes) {
      await page.goto(stage.nodeUrl(node))
      await page.getByRole('heading', { level: 1, name: node.name }).waitFor()
      await hero(page).waitFor()
      await page.getByRole('region', { name: /^What this screen saw/ }).waitFor()
      expect(await page.getByText('could not be drawn').count()).toBe(0)
    }
    await page.getByRole('link', { name: 'Nodes' }).first().click()
    await page.getByRole('grid', { name: /Watched nodes/ }).waitFor()
    expect(await page.getByText('could not be drawn').count()).toBe(0)
  })
})

describe('an address that leads nowhere', () => {
  beforeEach(async () => {
    await startWatching(page, stage)
  })

  it.each(['#/nowhere', '#/', '', '#/%E0%A4%A'])('%s leads to the table of nodes', async (hash) => {
    await page.goto(`${stage.dashboard.dashboardUrl}${hash}`)
    await page.getByRole('grid', { name: /Watched nodes/ }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/nodes')
  })

  it('of a node that nobody watches says so, and leads back', async () => {
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes/nobody!0x00`)
    await page.getByText('This node is not watched here').waitFor()
    await page.getByRole('link', { name: 'Show all nodes' }).click()
    await page.getByRole('grid', { name: /Watched nodes/ }).waitFor()
  })
})

describe('what was set', () => {
  it('holds after a reload, in every tab, until all is forgotten', async () => {
    await startWatching(page, stage)
    const other = await browser.openPage({ context: page.context() })
    await other.goto(stage.dashboard.dashboardUrl)
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/display`)
    await page.getByText('Light', { exact: true }).click()
    await page.getByText('High', { exact: true }).click()
    const look = (tab: Page) =>
      tab.evaluate(() => [
        document.documentElement.dataset['theme'],
        document.documentElement.dataset['contrast'],
      ])
    await expect.poll(() => look(page)).toEqual(['light', 'more'])
    await expect.poll(() => look(other)).toEqual(['light', 'more'])
    await page.reload()
    await expect.poll(() => look(page)).toEqual(['light', 'more'])
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/storage`)
    await page.getByRole('button', { name: 'Forget everything here' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Forget everything' }).click()
    await page.getByRole('button', { name: 'Start watching' }).waitFor()
    expect(await look(page)).toEqual([undefined, undefined])
    expect(await messages(page).count()).toBe(0)
  })

  it('without a key nothing is asked, and the screen says how to get one', async () => {
    await startWatching(page, stage)
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/key`)
    await page
      .getByRole('region', { name: 'Key', exact: true })
      .getByRole('button', { name: 'Remove' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('There is no key, so nothing is asked').first().waitFor()
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.getByRole('button', { name: 'Start watching' }).waitFor()
  })
})
