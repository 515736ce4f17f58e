import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import {
  hero,
  message,
  openMessages,
  messages,
  QUICK,
  setStage,
  startWatching,
  statusLine,
  type Stage,
} from './stage.ts'
import { readBuiltFiles } from '#test/support/built-files.ts'
import { readEverything } from './leaks.ts'
import { browserForTests } from './watched-browser.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

/** A service whose nodes all get the same faults, and a user on the page of one of them. */
beforeAll(async () => {
  stage = await setStage({ nodes: 3, service: QUICK })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
})
afterAll(async () => {
  await stage.stop()
})
afterEach(async () => {
  await stage.reference.faults.clear()
  // The button disappears with the next good poll, so the page clicks it itself.
  await page.evaluate(() => {
    for (const button of document.querySelectorAll('button'))
      if (button.textContent === 'Try now') button.click()
  })
  await hero(page).getByText('Last answer').waitFor()
  await messages(page).waitFor({ state: 'detached' })
})

const fault = (name: FaultName, value?: FaultValue): Promise<void> =>
  stage.reference.faults.set('*', { name, ...(value !== undefined && { value }) })

describe('a service that is down', () => {
  it('is reported, and recovers by itself', async () => {
    await fault('refused')
    await message(page, /refuses connections/).waitFor()
    await openMessages(page)
    await message(page, /refuses connections/)
      .getByText('all 3 nodes of Test service')
      .waitFor()
    await hero(page)
      .getByText(/^as of \d\d:\d\d:\d\d, /)
      .waitFor()
    await statusLine(page).getByText('Waiting for the service').waitFor()
    // The known heartbeat continues to age.
    const age = () => hero(page).locator('.hero-value.old').innerText()
    const before = await age()
    await expect.poll(age).not.toBe(before)
    await stage.reference.faults.clear()
    await hero(page).getByText('Last answer').waitFor()
    await messages(page).waitFor({ state: 'detached' })
    await statusLine(page).getByText('Live', { exact: true }).waitFor()
  })

  it('is reported without a layout shift below the pointer, and so is its recovery', async () => {
    const address = page.url()
    await page.evaluate(() => {
      location.hash = '/settings'
    })
    const links = page.getByRole('main').getByRole('link')
    await links.first().waitFor()
    const places = () =>
      page.evaluate(() =>
        Array.from(document.querySelectorAll('main > .page *'), (one) => one.getBoundingClientRect().top),
      )
    // The browser's own layout-shift entries, except those within messages.
    await page.evaluate(() => {
      const seen: string[] = []
      Reflect.set(globalThis, 'shifts', seen)
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          for (const { node, previousRect, currentRect } of Reflect.get(entry, 'sources') ?? [])
            if (previousRect.top !== currentRect.top && node?.parentElement?.closest('.page') != null)
              seen.push(node.textContent)
      }).observe({ type: 'layout-shift' })
    })
    const before = await places()
    expect(before.length).toBeGreaterThan(20)
    await fault('refused')
    await message(page, /refuses connections/).waitFor()
    expect(await places()).toEqual(before)
    await stage.reference.faults.clear()
    await messages(page).waitFor({ state: 'detached' })
    expect(await places()).toEqual(before)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'shifts'))).toEqual([])
    await page.goto(address)
  })

  it('keeps its last values and the start of the outage after a reload', async () => {
    // The engine stores its state for the next one within seconds.
    const keptAsFailing = async () =>
      (await page.evaluate(readEverything)).join('').match(/"failing":/g)?.length ?? 0
    await expect.poll(keptAsFailing).toBe(0)
    await fault('status-503')
    const heartbeat = hero(page).locator('.hero-value.old')
    await heartbeat.waitFor()
    const since = async () => {
      await openMessages(page)
      const said = await message(page, /503/).innerText()
      return /since \S+/.exec(said.replaceAll('\u00a0', ' '))?.[0]
    }
    const before = await since()
    await expect.poll(keptAsFailing).toBe(stage.nodes.length)
    await page.reload()
    await hero(page)
      .getByText(/^as of \d\d:\d\d:\d\d, /)
      .waitFor()
    await heartbeat.waitFor()
    await message(page, /503/).waitFor()
    expect(await since()).toBe(before)
    await stage.reference.faults.clear()
    await hero(page).getByText('Last answer').waitFor()
  })
})

/** Waits until the page has loaded all its scripts, because it cannot fetch them after its server has stopped. */
const everyPart = (other: Page) =>
  other.waitForFunction((files) => {
    const here = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.slice(1))
    return files.every((file) => here.includes(file))
  }, readBuiltFiles().laterScripts)

describe('a dashboard server', () => {
  it('F 128: that is down is reported as such, and the service is not blamed', async () => {
    const own = await setStage({ nodes: 1, service: QUICK })
    const other = await browser.openPage()
    await startWatching(other, own)
    await everyPart(other)
    await own.stop()
    await message(other, /dashboard server does not answer/).waitFor()
    await hero(other)
      .getByText(/^as of /)
      .waitFor()
  })
})
