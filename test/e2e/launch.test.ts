import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { launchApp, launchDashboard } from '#test/support/launch-app.ts'
import { screenProblemTexts } from '#texts/en-screen-problems.ts'
import { browserForTests } from './watched-browser.ts'

const browser = browserForTests()

it('one command starts dashboard and service on free ports, prints their addresses, and ends on a signal', async () => {
  const app = await launchApp()
  const addresses = [app.dashboardUrl, app.referenceUrl, app.controlUrl]
  for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/$/)
  expect(new Set(addresses).size).toBe(3)
  const page = await fetch(app.dashboardUrl)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  const refused = await fetch(new URL('node/status', app.referenceUrl))
  expect(refused.status).toBe(401)
  expect(await app.stop()).toBe(0)
})

it('offers the requested number of demo nodes', async () => {
  const app = await launchApp(['--nodes', '1000'])
  const offered: unknown = await (await fetch(new URL('config.json', app.dashboardUrl))).json()
  expect(offered).toMatchObject({ demo: { nodes: { length: 1_000 }, service: { pollIntervalMs: 10_000 } } })
  expect(await app.stop()).toBe(0)
})

it('the printed address permits changes, even after a restart; other pages are view-only and say what to open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'owner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const first = await launchDashboard(['--data', folder])
  const page = await browser.openPage()
  await page.context().clearCookies()
  const hint = page.getByRole('heading', { name: screenProblemTexts.problem['view-only'].title })
  const mayAdd = (at: Page) =>
    at.evaluate(async () => Reflect.get(await (await fetch('/config.json')).json(), 'canAddServices'))
  await page.goto(first.dashboardUrl)
  await hint.waitFor()
  expect(await mayAdd(page)).toBe(false)
  await page.goto(first.openUrl)
  await page.getByRole('heading').first().waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect([await hint.count(), await mayAdd(page)]).toEqual([0, true])
  expect(await page.evaluate(() => document.cookie)).toBe('')
  await first.stop()
  const again = await launchDashboard(['--data', folder, '--port', new URL(first.dashboardUrl).port])
  expect(again.openUrl).toBe(first.openUrl)
  expect(await mayAdd(page)).toBe(true)
  await again.stop()
})
