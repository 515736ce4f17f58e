import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { passwordLine } from '#server/password-file.ts'
import { axeViolations } from '#test/support/axe.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { hero, message, messages, QUICK, setStage, statusLine, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const PASSWORD = 'correct horse battery'
const SIGNED_OUT = /Signed out of this dashboard/

const browser = browserForTests()
const folder = mkdtempSync(join(tmpdir(), 'sign-in-'))
const file = join(folder, 'passwords')
let stage: Stage

beforeAll(async () => {
  const made = await passwordLine('op', PASSWORD, 14)
  writeFileSync(file, made.ok ? made.value : '', { mode: 0o600 })
  stage = await setStage({ nodes: 2, service: QUICK, args: ['--password-file', file] })
})
afterAll(async () => {
  await stage.stop()
  rmSync(folder, { recursive: true })
})

const form = (page: Page) => ({
  name: page.getByRole('textbox', { name: 'Name' }),
  password: page.getByLabel('Password'),
  send: page.getByRole('button', { name: 'Sign in' }),
})

async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await form(page).name.fill('op')
  await form(page).password.fill(password)
  await form(page).send.click()
}

it('a dashboard with passwords asks for one, and then opens the requested page', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${stage.dashboard.dashboardUrl}#/about`)
  await form(page).send.waitFor()
  expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Sign in'])
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await form(page).name.evaluate((field) => field === document.activeElement)).toBe(true)
  await signIn(page, 'wrong horse battery')
  await page.getByRole('alert').getByText('Wrong name or password.').waitFor()
  for (const [width, colorScheme] of [
    [1_440, 'dark'],
    [390, 'light'],
    [320, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    expect(await axeViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }
  await signIn(page)
  await page.waitForURL(`${stage.dashboard.dashboardUrl}#/about`)
  await page.getByRole('link', { name: 'Nodes' }).waitFor()
})

it('a link from another site opens its page for a signed-in user', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  const { dashboardUrl } = stage.dashboard
  await page.goto(dashboardUrl)
  await signIn(page)
  await page.getByRole('button', { name: 'Start watching' }).waitFor()
  // For cookies this is another site.
  await page.goto(dashboardUrl.replace('127.0.0.1', 'localhost'))
  await form(page).send.waitFor()
  await page.evaluate((to) => location.assign(to), `${dashboardUrl}#/about`)
  await page.waitForURL(`${dashboardUrl}#/about`)
  await page.getByRole('link', { name: 'Nodes' }).waitFor()
})

it('a page whose session ended says so, shows old values, and continues after a sign-in in another tab', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(stage.dashboard.dashboardUrl)
  await signIn(page)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).getByText('Last answer').waitFor()
  const keys = () => page.evaluate(() => performance.timeOrigin)
  const loadedAt = await keys()

  // Ends the session, as another tab could.
  await page.evaluate(() => fetch('/logout', { method: 'POST' }))
  const told = message(page, SIGNED_OUT)
  await told.getByText('net/signed-out').waitFor()
  await hero(page)
    .getByText(/^as of \d\d:\d\d:\d\d, /)
    .waitFor()
  expect(await statusLine(page).getByText('Live', { exact: true }).count()).toBe(0)
  await statusLine(page).getByText(shellTexts.status.signedOut).waitFor()
  expect(await told.getByText('401').count()).toBe(0)

  const opened = page.waitForEvent('popup')
  await told.getByRole('link', { name: messageTexts.signIn }).click()
  const other = await opened
  await signIn(other)
  await other.getByText('The dashboard in the other tab resumes automatically.').waitFor()
  expect(await form(other).send.isVisible()).toBe(false)
  await messages(page).waitFor({ state: 'detached' })
  await hero(page).getByText('Last answer').waitFor()
  // The page was not reloaded and has not asked for a key.
  expect(await keys()).toBe(loadedAt)

  await page.goto(`${stage.dashboard.dashboardUrl}#/settings`)
  await page.getByText(settingsTexts.session.signedInAs('op')).waitFor()
  await page.getByRole('button', { name: settingsTexts.session.signOut }).click()
  await form(page).send.waitFor()
  await page.goto(stage.dashboard.dashboardUrl)
  await form(page).send.waitFor()
})
