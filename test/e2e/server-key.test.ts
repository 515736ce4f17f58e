import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { launchApp } from '#test/support/launch-app.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { statusTexts } from '#texts/en-status.ts'
import { serviceIdOf } from '#record/service.ts'
import { passwordLine } from '#server/password-file.ts'
import { formsOf, leakedForms, LEAKS, listen } from './leaks.ts'
import { hero, QUICK, setStage, statusLine, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const PASSWORD = 'correct horse battery'

const browser = browserForTests()
const folder = mkdtempSync(join(tmpdir(), 'server-key-'))
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url')
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
/** Forms of the key, and the line of its file that contains it. */
const forms = [...formsOf(seed), pem.split('\n')[1] ?? '']
const passwords = join(folder, 'passwords')
const key = join(folder, 'key.pem')
const hexKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
let stage: Stage

beforeAll(async () => {
  const made = await passwordLine('op', PASSWORD, 14)
  const keysFile = join(folder, 'keys')
  writeFileSync(keysFile, `${hexKey}\n`)
  writeFileSync(passwords, made.ok ? made.value : '', { mode: 0o600 })
  writeFileSync(key, pem, { mode: 0o600 })
  // The service accepts only this key, so every answer proves its signature.
  stage = await setStage({
    nodes: 2,
    service: QUICK,
    reference: { enroll: false, keysFile },
    args: ['--password-file', passwords, '--sign-key', key, '--access-log', '-'],
  })
})
afterAll(async () => {
  await stage.stop()
  rmSync(folder, { recursive: true })
})

async function signIn(page: Page, dashboardUrl: string): Promise<void> {
  await page.goto(dashboardUrl)
  await page.getByRole('textbox', { name: 'Name' }).fill('op')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

it('a browser without a key polls services that the server signs for, and says so', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  const { dashboardUrl } = stage.dashboard
  await signIn(page, dashboardUrl)
  // Without any set-up the browser polls the nodes of the server’s configuration.
  await page.getByRole('heading', { name: 'Nodes' }).waitFor()
  const [node] = stage.nodes
  if (node === undefined) throw new Error('no node')
  await page.goto(stage.nodeUrl(node))
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  const shortKey = `${hexKey.slice(0, 4)}…${hexKey.slice(-4)}`
  await statusLine(page).getByText(shortKey).waitFor()
  await statusLine(page).getByText(statusTexts.onServer).waitFor()
  await page.goto(`${dashboardUrl}#/settings/services`)
  await page.getByText(settingsTexts.services.fields.signedByServer).waitFor()
  expect(await page.getByRole('button', { name: settingsTexts.services.copy }).count()).toBe(1)
  await page.goto(`${dashboardUrl}#/settings/key`)
  await page.getByText(settingsTexts.key.noneOnServer).waitFor()
  const ask = (query: string, path = 'node/status') =>
    page.evaluate(
      async (address) => (await fetch(address)).status,
      `/proxy/${serviceIdOf(stage.service)}/${path}${query}`,
    )
  expect(await ask(`?node_id=${node.id}`)).toBe(200)
  expect(await ask(`?node_id=${node.id}&more=1`)).toBe(403)
  expect(await ask('', 'node/keys')).toBe(403)
})

it('the server’s key is not in the browser, in the server’s answers, or in its log', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  const context = page.context()
  const said = listen(context)
  const answers: Promise<string>[] = []
  context.on('response', (response) => {
    const body = response.text().catch(() => '') // A redirect has no body.
    answers.push(body.then((text) => `${JSON.stringify(response.headers())}\n${text}`))
  })
  await signIn(page, stage.dashboard.dashboardUrl)
  const [node] = stage.nodes
  if (node === undefined) throw new Error('no node')
  await page.goto(stage.nodeUrl(node))
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  for (const path of ['/settings/key', '/settings/services', '/settings/storage', '/journal', '/wall']) {
    await page.goto(`${stage.dashboard.dashboardUrl}#${path}`)
    await page.getByRole('main').waitFor()
    expect(await leakedForms(page, said, forms), path).toEqual([])
  }
  const all = [...(await Promise.all(answers)), stage.dashboard.output()]
  expect(all.join('\n')).toContain('node/status')
  expect(await leakedForms(page, [...said, ...all], forms)).toEqual([])
  // The same search detects planted forms.
  for (const form of forms) expect(await leakedForms(page, [...all, `x${form}x`], forms)).toContain(form)
  await page.evaluate(LEAKS['database'] ?? (() => undefined), seed.toString('hex'))
  await expect.poll(() => leakedForms(page, said, forms), WAIT).not.toEqual([])
})

it('a browser without a key polls the demo too, if the server has a key', async () => {
  const app = await launchApp(['--password-file', passwords, '--sign-key', key])
  onTestFinished(async () => {
    await app.stop()
  })
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await signIn(page, app.dashboardUrl)
  await page.getByText(firstRunTexts.key.without.server).waitFor()
  expect(await page.getByText(firstRunTexts.key.makeDemo).count()).toBe(0)
  await page.getByRole('button', { name: firstRunTexts.start }).click()
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  await statusLine(page).getByText(statusTexts.onServer).waitFor()
})
