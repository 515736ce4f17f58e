import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchLightBrowser } from '#test/support/launch-browser.ts'
import { startStorageSite, type StorageSite } from './storage-page/site.ts'

let site: StorageSite
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startStorageSite(), launchLightBrowser()])
})
afterAll(async () => {
  await browser.close()
  await site.stop()
})

/** Opens a page with an origin of its own. `before` runs before any other script. */
async function openPage(host: string, before?: () => void): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  if (before !== undefined) await page.addInitScript(before)
  await page.goto(site.urlOf(host))
  return page
}
const WAITS = { messages: [{ id: 'n1', body: { text: 'down' } }], lost: 2, told: ['a'] }
const save = (page: Page, id: string, kept: typeof WAITS | undefined): Promise<void> =>
  page.evaluate(([to, what]) => globalThis.storagePage.saveOutbox(to, what), [id, kept] as const)
const load = (page: Page, id: string): Promise<unknown> =>
  page.evaluate((from) => globalThis.storagePage.loadOutbox(from), id)

it('keeps a receiver’s pending notifications across reloads until they are removed', async () => {
  const page = await openPage('kept')
  expect(await load(page, 'hook')).toBeUndefined()
  await save(page, 'hook', WAITS)
  await page.reload()
  expect([await load(page, 'hook'), await load(page, 'other')]).toEqual([WAITS, undefined])
  await save(page, 'hook', undefined)
  await page.reload()
  expect(await load(page, 'hook')).toBeUndefined()
})

it('does not block a deletion of all data, and works afterwards', async () => {
  const page = await openPage('deleted')
  await save(page, 'hook', WAITS)
  const other = await page.context().newPage()
  await other.goto(site.urlOf('deleted'))
  const deleted = await other.evaluate(
    () =>
      new Promise((done) => {
        const request = indexedDB.deleteDatabase('immune-outbox')
        request.addEventListener('success', () => done('deleted'))
        request.addEventListener('blocked', () => done('blocked'))
      }),
  )
  expect([deleted, await load(page, 'hook')]).toEqual(['deleted', undefined])
  await save(page, 'hook', WAITS)
  expect(await load(page, 'hook')).toEqual(WAITS)
})

it.each<[string, () => void]>([
  [
    'throws',
    () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('no', 'SecurityError')
      }
    },
  ],
  [
    'never calls back',
    () => {
      IDBFactory.prototype.open = () =>
        Object.create(IDBOpenDBRequest.prototype, {
          addEventListener: { value: () => undefined },
        }) as IDBOpenDBRequest
    },
  ],
])('lets notifications continue if the database %s', async (_how, before) => {
  const page = await openPage('broken', before)
  const [, kept] = await Promise.all([save(page, 'hook', WAITS), load(page, 'hook')])
  expect(kept).toBeUndefined()
})
