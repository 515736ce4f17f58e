import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { filesWith } from '#test/support/find-bytes.ts'
import { launchApp, type App } from '#test/support/launch-app.ts'
import { launchProfile } from '#test/support/launch-browser.ts'

const PASSPHRASE = 'a passphrase on the screen'

let app: App
let folder: string
let context: BrowserContext
let page: Page
/** Requests for a node's status so far. */
let polls = 0

beforeAll(async () => {
  app = await launchApp()
})
afterAll(async () => app.stop())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'custody-screen-'))
  await openBrowser()
  await page.getByRole('button', { name: 'Start watching' }).click()
  await page.getByText('Active').first().waitFor()
})
afterEach(async () => {
  await context.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

async function openBrowser(): Promise<void> {
  context = await launchProfile(join(folder, 'profile'))
  context.on('request', (request) => {
    if (request.url().includes('/proxy/')) polls++
  })
  page = await context.newPage()
  await page.goto(app.dashboardUrl)
}

/** Brings a seed by a file, with its place chosen and a passphrase where it is the vault. */
async function bring(seed: Uint8Array, place: 'On this device' | 'In the vault'): Promise<void> {
  const file = join(folder, 'seed')
  writeFileSync(file, seed)
  await page.goto(`${app.dashboardUrl}#/settings/key`)
  await page.getByRole('button', { name: 'Bring my Ed25519 key' }).click()
  await page.getByLabel('Key file').setInputFiles(file)
  await page.locator('label', { hasText: place }).click()
  if (place === 'In the vault') {
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
    await page.getByLabel('The same again').fill(PASSPHRASE)
  }
  await page.getByRole('button', { name: 'Keep this key' }).click()
  await page.getByRole('button', { name: 'Keep this key' }).waitFor({ state: 'detached' })
}

it('asks nothing while the key is locked, says so, and goes on when it is unlocked', async () => {
  await bring(crypto.getRandomValues(new Uint8Array(32)), 'In the vault')
  await page.getByRole('button', { name: 'Lock now' }).first().click()
  const message = page.getByRole('heading', { name: 'The key is locked, so nothing is asked' })
  await message.waitFor()
  const before = polls
  // Asked for by hand, still nothing goes out: the message stays and no request is made.
  await page.goto(`${app.dashboardUrl}#/nodes`)
  await message.waitFor()
  await page.getByText('Active').first().waitFor()
  expect(polls).toBe(before)
  await page.getByRole('button', { name: 'Unlock' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Passphrase').fill('not the passphrase')
  await dialog.getByRole('button', { name: 'Unlock' }).click()
  await dialog.getByText('This does not open it').waitFor()
  expect(await dialog.getByLabel('Passphrase').inputValue()).toBe('')
  expect(polls).toBe(before)
  await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
  await dialog.getByRole('button', { name: 'Unlock' }).click()
  await message.waitFor({ state: 'detached' })
  await expect.poll(() => polls).toBeGreaterThan(before)
})

it('forgets everything for real: a key of the device is in no file of the browser afterwards', async () => {
  const seed = crypto.getRandomValues(new Uint8Array(32))
  await bring(seed, 'On this device')
  await context.close()
  expect(filesWith(join(folder, 'profile'), seed).length).toBeGreaterThan(0)
  await openBrowser()
  await page.goto(`${app.dashboardUrl}#/settings/storage`)
  await page.getByRole('button', { name: 'Forget everything here' }).click()
  const dialog = page.getByRole('dialog')
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save settings first' }).click()
  const saved = readFileSync(await (await download).path(), 'utf8')
  expect(JSON.parse(saved)).toHaveProperty('nodes')
  expect(saved).not.toContain(Buffer.from(seed).toString('hex'))
  await dialog.getByRole('button', { name: 'Forget everything', exact: true }).click()
  await page.getByRole('button', { name: 'Start watching' }).waitFor()
  await context.close()
  expect(filesWith(join(folder, 'profile'), seed)).toEqual([])
})
