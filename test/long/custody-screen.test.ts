import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { filesWith } from '#test/support/find-bytes.ts'
import { launchApp, type App } from '#test/support/launch-app.ts'
import { launchProfile } from '#test/support/launch-browser.ts'
import { tapRequests, type RequestTap } from '#test/support/request-tap.ts'
import { formsOf, leakedForms, listen } from '#test/e2e/leaks.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { keyFormatTexts } from '#texts/en-key-formats.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'

const PASSPHRASE = 'a passphrase on the screen'

const browser = browserForTests()
const folder = mkdtempSync(join(tmpdir(), 'custody-screen-'))
const newSeed = () => crypto.getRandomValues(new Uint8Array(32))
const [fromFile, pasted] = [newSeed(), newSeed()]

let app: App
let tap: RequestTap
let page: Page
/** The number of status requests so far. */
const polls = (): number => tap.seen.filter(({ url }) => url.includes('/proxy/')).length
/** The browser's console output and requests. */
let said: readonly string[]

/** All tests with an imported key share this page. */
beforeAll(async () => {
  app = await launchApp()
  tap = await tapRequests(app.dashboardUrl)
  page = await browser.openPage()
  said = listen(page.context())
  await startWatching()
})
afterAll(async () => {
  await tap.close()
  await app.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

async function startWatching(): Promise<void> {
  await page.goto(tap.url + new URL(app.openUrl).search)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await page.getByText('Active').first().waitFor()
}

const leaks = (seed: Uint8Array) => leakedForms(page, [...said, JSON.stringify(tap.seen)], formsOf(seed))

/** Imports a seed from a file into this custody, with a passphrase if it is the vault. */
async function bring(seed: Uint8Array, place: 'On this device' | 'In the vault'): Promise<void> {
  const file = join(folder, 'seed')
  writeFileSync(file, seed)
  await page.goto(`${tap.url}#/settings/key`)
  await page.getByRole('button', { name: firstRunTexts.key.bring }).click()
  await page.getByLabel('Key file').setInputFiles(file)
  await page.locator('label', { hasText: place }).click()
  if (place === 'In the vault') {
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
    await page.getByLabel(keyTexts.passphrase.again).fill(PASSPHRASE)
  }
  await page.getByRole('button', { name: keyFormatTexts.keep }).click()
  await page.getByRole('button', { name: keyFormatTexts.keep }).waitFor({ state: 'detached' })
}

it('F 117: sends no poll while the key is locked, says so, and continues after it is unlocked', async () => {
  await bring(fromFile, 'In the vault')
  expect(await leaks(fromFile)).toEqual([])
  await page.getByRole('button', { name: 'Lock now' }).first().click()
  const message = page.getByRole('heading', { name: 'The key is locked' })
  await message.waitFor()
  const before = polls()
  // Even after navigation the message remains and the page sends no request.
  await page.goto(`${tap.url}#/nodes`)
  await message.waitFor()
  await page.getByText('Active').first().waitFor()
  expect(polls()).toBe(before)
  await page.getByRole('button', { name: 'Unlock' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Passphrase').fill('not the passphrase')
  await dialog.getByRole('button', { name: 'Unlock' }).click()
  await dialog.getByText('Wrong passphrase').waitFor()
  expect(await dialog.getByLabel('Passphrase').inputValue()).toBe('')
  expect(polls()).toBe(before)
  await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
  await dialog.getByRole('button', { name: 'Unlock' }).click()
  await message.waitFor({ state: 'detached' })
  await expect.poll(() => polls()).toBeGreaterThan(before)
})

it('leaks no imported key into page, storage, console or requests', async () => {
  const isUsed = async (): Promise<void> => {
    const before = polls()
    await expect.poll(() => polls()).toBeGreaterThan(before)
  }
  await isUsed()
  await page.goto(`${tap.url}#/settings/key`)
  // The page removes a pasted key as soon as it has read it, before it is stored.
  await page.getByRole('button', { name: firstRunTexts.key.bring }).click()
  await page.getByLabel('Or paste it').evaluate((field, text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', text)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, Buffer.from(pasted).toString('hex'))
  await page.getByRole('button', { name: keyFormatTexts.keep }).waitFor()
  expect(await leaks(pasted)).toEqual([])
  await page.locator('label', { hasText: 'On this device' }).click()
  await page.getByRole('button', { name: keyFormatTexts.keep }).click()
  await page.getByRole('button', { name: keyFormatTexts.keep }).waitFor({ state: 'detached' })
  await isUsed()
  expect(await leaks(pasted)).toEqual([])

  await page.getByRole('button', { name: 'Lock now' }).first().click()
  await page.reload()
  await page.getByRole('button', { name: 'Unlock' }).first().waitFor()
  for (const seed of [fromFile, pasted]) expect(await leaks(seed)).toEqual([])
})

it('replaces a key without a refused request: the new key signs only after the service accepts it', async () => {
  await page.context().close() // Otherwise the tap would record its polls too.
  page = await browser.openPage()
  await startWatching()
  const from = tap.seen.length
  const asked = () =>
    tap.seen.slice(from).flatMap(({ url, headers, status }) => {
      const key = headers['x-node-key']
      return url.includes('/proxy/') && typeof key === 'string' ? [{ key, status }] : []
    })
  await page.goto(`${tap.url}#/settings/key`)
  await page.getByRole('button', { name: 'Replace' }).click()
  const guide = page.getByRole('region', { name: /^Replace key/ })
  await guide.getByRole('button', { name: keyTexts.replace.make }).click()
  const line = await guide
    .getByText(/keys add [0-9a-f]{64}$/)
    .first()
    .textContent()
  const next = line?.slice(-64)
  const byOld = () => asked().filter(({ key }) => key !== next)
  await expect.poll(() => byOld().length).toBeGreaterThan(0)
  const old = byOld()[0]?.key
  expect(new Set(asked().map(({ key }) => key))).toEqual(new Set([old]))
  await guide.getByRole('button', { name: /^Test/ }).click()
  await guide.getByText(keyTexts.replace.taken).waitFor()
  // The connection test signs with the new key, while polls continue with the old one.
  await expect.poll(() => asked().some(({ key }) => key === next)).toBe(true)
  const before = byOld().length
  await expect.poll(() => byOld().length).toBeGreaterThan(before)
  await guide.getByRole('button', { name: /^Use the new key for .*$/ }).click()
  await guide.getByText(keyTexts.replace.done).waitFor()
  const left = asked().length
  await expect
    .poll(
      () =>
        asked()
          .slice(left)
          .filter(({ key }) => key === next).length,
    )
    .toBeGreaterThan(0)
  await guide.getByRole('button', { name: keyTexts.replace.removeOld }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await guide.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText(`key ${next?.slice(0, 4)}…${next?.slice(-4)}`).waitFor()
  const reloaded = asked().length
  await expect.poll(() => asked().length).toBeGreaterThan(reloaded)
  expect(
    new Set(
      asked()
        .slice(reloaded)
        .map(({ key }) => key),
    ),
  ).toEqual(new Set([next]))
  expect(asked().filter(({ status }) => status !== 200)).toEqual([])
})

it('after all data is deleted, no file of the browser contains the device’s key', async () => {
  const seed = newSeed()
  const profile = join(folder, 'profile')
  let context = await launchProfile(profile)
  page = await context.newPage()
  await startWatching()
  await bring(seed, 'On this device')
  await context.close()
  await expect.poll(() => filesWith(profile, seed).length).toBeGreaterThan(0)
  context = await launchProfile(profile)
  page = await context.newPage()
  await page.goto(`${tap.url}#/settings/storage`)
  await page.getByRole('button', { name: settingsTexts.storage.forget }).click()
  const dialog = page.getByRole('dialog')
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: keyTexts.forget.backup }).click()
  const saved = readFileSync(await (await download).path(), 'utf8')
  expect(JSON.parse(saved)).toHaveProperty('nodes')
  expect(saved).not.toContain(Buffer.from(seed).toString('hex'))
  await dialog.getByRole('button', { name: settingsTexts.storage.forgetConfirm, exact: true }).click()
  await page.getByRole('button', { name: 'Start watching' }).waitFor()
  await context.close()
  // Browser processes that end late may still be deleting files.
  await expect.poll(() => filesWith(profile, seed)).toEqual([])
})
