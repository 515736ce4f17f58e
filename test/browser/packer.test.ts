import { deflateRawSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchLightBrowser } from '#test/support/launch-browser.ts'
import type { StoragePage } from './storage-page/main.ts'
import { startStorageSite, type StorageSite } from './storage-page/site.ts'

let site: StorageSite
let browser: Browser
let page: Page

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startStorageSite(), launchLightBrowser()])
  page = await browser.newPage()
  await page.goto(site.urlOf('localhost'))
})
afterAll(async () => {
  await browser.close()
  await site.stop()
})

const inflate = (packed: Uint8Array, maxBytes: number): ReturnType<StoragePage['inflate']> =>
  page.evaluate(([bytes, max]) => globalThis.storagePage.inflate(new Blob([new Uint8Array(bytes)]), max), [
    Array.from(packed),
    maxBytes,
  ] as const)

it('decompression stops within a few MB beyond its limit', async () => {
  const packed = deflateRawSync(new Uint8Array(200_000_000))
  const { out, in: given } = await inflate(packed, 1_000_000)
  expect(out).toBeUndefined()
  // The next slice may already be in progress while the first is checked.
  expect(given).toBeLessThanOrEqual(8_192)
})

it('data that reaches the limit exactly is complete, and damaged data gives no result', async () => {
  const packed = deflateRawSync(new Uint8Array(20_000_000))
  expect(await inflate(packed, 20_000_000)).toEqual({ out: 20_000_000, in: packed.length })
  expect(await inflate(packed, 19_999_999)).toMatchObject({ out: undefined })
  expect(await inflate(packed.subarray(0, -1), 20_000_000)).toMatchObject({ out: undefined })
  expect(await inflate(new Uint8Array(), 20_000_000)).toMatchObject({ out: undefined })
})
