import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readBuiltFiles } from '#test/support/built-files.ts'
import { hero, QUICK, setStage, startWatching, statusLine, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'
import { FAILED_ID } from '#app/root-boundary.tsx'
import { PATHS } from '#react/routes.ts'
import { boundaryTexts } from '#texts/en-boundary.ts'
import { copyTexts } from '#texts/en-copy.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: { ...QUICK, pollIntervalMs: 2_000 } })
})
afterAll(async () => {
  await stage.stop()
})
beforeEach(async () => {
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
})

describe('a deploy', () => {
  it('F 124: does not break an open page, because the page fetches its lazy scripts early', async () => {
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
    await page.locator('path.plot-line').first().waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  })
})

describe('a component that can’t be fetched', () => {
  const failed = () => page.getByRole('region', { name: boundaryTexts.missingTitle })
  const again = () => page.getByRole('button', { name: boundaryTexts.reload })

  it.each<[string, (route: Route) => Promise<void>]>([
    ['is gone', (route) => route.abort()],
    [
      'is an HTML page',
      (route) =>
        route.fulfill({ status: 200, contentType: 'text/html', body: '<!doctype html><p>index</p>' }),
    ],
  ])(
    'F 125: that %s is replaced by a message; other components continue, and a reload restores it',
    async (_what, answer) => {
      browser.expectComplaint(/dynamically imported module|MIME type/)
      await page.route('**/assets/strip-chart-*.js', answer)
      await page.goto(stage.dashboard.dashboardUrl)
      await page.getByRole('button', { name: 'Start watching' }).click()
      await failed().waitFor()
      expect(await failed().count()).toBe(1)
      await page.getByText('Details', { exact: true }).click()
      await page
        .getByText(/dynamically imported module/)
        .first()
        .waitFor()
      // The other components are rendered and update with each answer.
      await page.getByRole('region', { name: 'Last good answer' }).waitFor()
      const answered = () =>
        statusLine(page)
          .getByText(/this session/)
          .innerText()
      const before = await answered()
      await expect.poll(answered).not.toBe(before)
      await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
      await page.unroute('**/assets/strip-chart-*.js')
      await again().click()
      await page.locator('path.plot-line').first().waitFor({ state: 'attached' })
      expect(await failed().count()).toBe(0)
    },
  )

  it('at the root does not leave a blank page', async () => {
    browser.expectComplaint(/dynamically imported module/)
    await page.route('**/assets/first-run-page-*.js', (route) => route.abort())
    await page.goto(stage.dashboard.dashboardUrl)
    await failed().waitFor()
    await page.unroute('**/assets/first-run-page-*.js')
    await again().click()
    await page.getByRole('button', { name: 'Start watching' }).waitFor()
  })
})

describe('a component that throws while it renders', () => {
  /** The number of requests to the service. */
  const asked = () =>
    Object.values(stage.reference.stats().byNode).reduce((total, { requests }) => total + requests, 0)
  const expectWatching = async () => {
    const before = asked()
    await expect.poll(asked).toBeGreaterThan(before + 1)
  }
  /** Opens the error's details and copies the report. */
  const copyReport = async (from: Locator): Promise<string> => {
    await page.context().grantPermissions(['clipboard-write'])
    await from.getByText(boundaryTexts.details, { exact: true }).click()
    const copy = from.getByRole('button', { name: new RegExp(boundaryTexts.report) })
    await copy.click()
    await expect.poll(() => copy.getAttribute('title')).toBe(copyTexts.copiedText)
    return from.locator('pre').first().innerText()
  }

  it('F 92: the root is replaced by a message with a report while polling continues, and can be retried', async () => {
    await startWatching(page, stage)
    browser.expectComplaint(/planted in the page/)
    // The router calls this function, and it renders around all pages.
    await page.addInitScript((path) => {
      let isArmed = true
      addEventListener('mended', () => (isArmed = false))
      const throwing = Object.getOwnPropertyDescriptors(String.prototype).startsWith.value
      if (throwing === undefined) throw new Error('startsWith is missing')
      Reflect.set(
        String.prototype,
        'startsWith',
        new Proxy(throwing, {
          apply: (target, text, given) => {
            if (isArmed && given[0] === path) throw new TypeError('planted in the page')
            return Reflect.apply(target, text, given)
          },
        }),
      )
    }, PATHS.wall)
    await page.reload()
    const failed = page.locator(`#${FAILED_ID}`)
    await failed.getByRole('heading', { name: boundaryTexts.rootTitle }).waitFor()
    const report = await copyReport(failed)
    expect(report).toContain('planted in the page')
    for (const { id } of stage.nodes) expect(report).not.toContain(id.slice(2))
    await expectWatching()
    await page.evaluate(() => dispatchEvent(new Event('mended')))
    await failed.getByRole('button', { name: boundaryTexts.retry }).click()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    expect(await failed.count()).toBe(0)
  })
})
