import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchLightBrowser } from '#test/support/launch-browser.ts'
import { startStorageSite, type StorageSite } from './storage-page/site.ts'

let site: StorageSite
let browser: Browser
let page: Page

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startStorageSite(), launchLightBrowser()])
  page = await (await browser.newContext()).newPage()
  await page.goto(site.urlOf('localhost'))
})
afterAll(async () => {
  await browser.close()
  await site.stop()
})

const keyOf = (n: number): string => String(n).repeat(64)
const put = (n: number, label: string, on = page): Promise<boolean> =>
  on.evaluate(([key, name]) => globalThis.storagePage.putKey(key, name), [keyOf(n), label] as const)
const load = (): Promise<{ readonly labels: readonly string[]; readonly reads: number }> =>
  page.evaluate(() => globalThis.storagePage.loadKeys())

it('reads a key’s bytes once, and again only after a write', async () => {
  await put(1, 'one')
  await put(2, 'two')
  expect(await load()).toEqual({ labels: ['one', 'two'], reads: 2 })
  for (let time = 0; time < 3; time++) expect(await load()).toEqual({ labels: ['one', 'two'], reads: 0 })
  const other = await page.context().newPage()
  await other.goto(site.urlOf('localhost'))
  await put(2, 'by another tab', other)
  expect(await load()).toEqual({ labels: ['one', 'by another tab'], reads: 1 })
  await page.evaluate((key) => globalThis.storagePage.removeKey(key), keyOf(1))
  expect(await load()).toEqual({ labels: ['by another tab'], reads: 0 })
  await put(1, 'one again')
  expect(await load()).toEqual({ labels: ['one again', 'by another tab'], reads: 1 })
})

it.each([0, 1_440])('keeps the choice to lock after %i minutes over a restart', async (minutes) => {
  await page.evaluate((chosen) => globalThis.storagePage.putLockMinutes(chosen), minutes)
  await page.reload()
  expect(await page.evaluate(() => globalThis.storagePage.loadLockMinutes())).toBe(minutes)
})
