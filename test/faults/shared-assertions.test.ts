import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hero, setStage, startWatching, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'
import { agoInSeconds } from '#test/support/ages.ts'
import { boundaryTexts } from '#texts/en-boundary.ts'
import {
  expectHistoryKept,
  expectLive,
  expectNotBlank,
  expectOldAndAgeing,
  expectWithinBudget,
  keptSamples,
} from './shared-assertions.ts'

/** What every row asserts is shown here to fail, on a page that was broken for it. */
const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({
    nodes: 2,
    service: { label: 'Test service', pollIntervalMs: 1_000, timeoutMs: 800 },
  })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
})
afterAll(async () => {
  await stage.stop()
})

/** The node's page as it is, drawn anew. */
const opened = async (): Promise<Page> => {
  await stage.reference.faults.clear()
  const [first] = stage.nodes
  if (first === undefined) throw new Error('no node')
  await page.goto(stage.nodeUrl(first))
  await page.reload()
  await hero(page).getByText('Last answer').waitFor()
  return page
}

it('a page without text, or with a part that was not drawn, is blank', async () => {
  await expectNotBlank(await opened())
  await page.evaluate((title) => {
    const failed = document.createElement('p')
    failed.textContent = title
    document.querySelector('main')?.append(failed)
  }, boundaryTexts.title)
  await expect(expectNotBlank(page)).rejects.toThrow(/to be \+?0/)
  await page.evaluate(() => {
    const heading = document.createElement('h1')
    heading.textContent = 'Node'
    document.querySelector('main')?.replaceChildren(heading)
  })
  await expect(expectNotBlank(page)).rejects.toThrow(/greater than/)
})

it('an age that stands still is none, and neither is one beside a live value', async () => {
  await opened()
  page.setDefaultTimeout(2_000)
  await expect(expectOldAndAgeing(page)).rejects.toThrow(/Timeout/)
  page.setDefaultTimeout(20_000)
  await stage.reference.faults.set('*', { name: 'status-404' })
  await expectOldAndAgeing(page)
  // The age as text that nothing changes any more.
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('main *'))
      if (one.textContent.startsWith('as of ')) one.replaceWith(one.cloneNode(true))
  })
  await expect(expectOldAndAgeing(page, { timeout: 3_000 })).rejects.toThrow(/greater than/)
})

it('ages are read in whatever unit they are written', () => {
  expect(agoInSeconds('as of 09:20:11, 12 s ago')).toBe(12)
  expect(agoInSeconds('1 m 05 s ago')).toBe(65)
  expect(agoInSeconds('2 h 03 m ago')).toBe(7_380)
  expect(agoInSeconds('1 d 2 h ago')).toBe(93_600)
  expect(agoInSeconds('ago')).toBeNaN()
})

it('one request more than the interval allows is over the budget, and so are two at once', () => {
  const asked = {
    requests: 5,
    elapsedMs: 4_200,
    intervalMs: 1_000,
    requestsPerPoll: 1,
    probes: 0,
    triesByHand: 0,
    inFlightOfNode: 1,
    probesAtOnce: 0,
    inFlight: 4,
  }
  expectWithinBudget(asked)
  expect(() => expectWithinBudget({ ...asked, requests: 6 })).toThrow()
  expect(() => expectWithinBudget({ ...asked, inFlightOfNode: 2 })).toThrow()
  expect(() => expectWithinBudget({ ...asked, inFlight: 5 })).toThrow()
})

it('a history with fewer samples than before has lost some', async () => {
  await opened()
  await expect.poll(() => keptSamples(page)).toBeGreaterThan(3)
  const before = await keptSamples(page)
  await expectHistoryKept(page, before)
  // As the page sees it once the browser has thrown the databases away.
  await page.evaluate(() => {
    indexedDB.databases = () => Promise.resolve([])
  })
  await expect(expectHistoryKept(page, before)).rejects.toThrow(/greater than or equal/)
  await expect(expectHistoryKept(page, 0)).rejects.toThrow()
})

it('a node with an old value is not live', async () => {
  await opened()
  const [first, second] = stage.nodes
  if (first === undefined || second === undefined) throw new Error('no nodes')
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  await expectLive(page, first.name)
  await stage.reference.faults.set(second.id, { name: 'status-404' })
  await page.getByRole('row').filter({ hasText: second.name }).locator('.old').first().waitFor()
  await expect(expectLive(page, second.name, { timeout: 3_000 })).rejects.toThrow(/to be \+?0/)
  await expectLive(page, first.name)
})
