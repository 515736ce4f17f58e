import { afterAll, beforeAll, expect, it } from 'vitest'
import { hero, message, messages, QUICK, setStage, statusLine, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

/** A name that browsers do not take for this computer, so that the page is no secure context. */
const HOST = 'node.example'

const browser = browserForTests([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`])
let stage: Stage

beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK, args: ['--allow-host', HOST] })
})
afterAll(async () => {
  await stage.stop()
})

it('over plain http the key is held for the session, under a plain warning, and requests are signed all the same', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  const { port } = new URL(stage.dashboard.dashboardUrl)
  const url = `http://${HOST}:${port}/`
  await page.goto(url)
  expect(await page.evaluate(() => globalThis.isSecureContext)).toBe(false)
  await message(page, /came over plain http/).waitFor()
  await page.getByText(`http://localhost:${port}/`).waitFor()
  await page
    .getByText(/In memory only, until the last tab/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  await statusLine(page)
    .getByText(/until the last tab closes/)
    .waitFor()
  stage.reference.resetStats()
  await expect.poll(() => stage.reference.stats().byStatus['200'] ?? 0).toBeGreaterThanOrEqual(4)
  expect(Object.keys(stage.reference.stats().byStatus)).toEqual(['200'])
  expect(await messages(page).count()).toBe(0)
  await page.goto(`${url}#/settings/about`)
  await page.getByText(/^by this page’s own code/).waitFor()
  expect(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toEqual([])
  const stored = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))
  expect(stored).not.toMatch(/[0-9a-f]{64}/)
})
