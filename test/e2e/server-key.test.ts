import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { settingsTexts } from '#texts/en-settings.ts'
import { statusTexts } from '#texts/en-status.ts'
import { serviceIdOf } from '#record/service.ts'
import { passwordLine } from '#server/password-file.ts'
import { hero, QUICK, setStage, statusLine, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const PASSWORD = 'correct horse battery'

const browser = browserForTests()
const folder = mkdtempSync(join(tmpdir(), 'server-key-'))
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const hexKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
let stage: Stage

beforeAll(async () => {
  const made = await passwordLine('op', PASSWORD, 14)
  const [passwords, key, keysFile] = [
    join(folder, 'passwords'),
    join(folder, 'key.pem'),
    join(folder, 'keys'),
  ]
  writeFileSync(keysFile, `${hexKey}\n`)
  writeFileSync(passwords, made.ok ? made.value : '', { mode: 0o600 })
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  // The service knows this one key, so that an answer is one to its signature.
  stage = await setStage({
    nodes: 2,
    service: QUICK,
    reference: { enroll: false, keysFile },
    args: ['--password-file', passwords, '--sign-key', key],
  })
})
afterAll(async () => {
  await stage.stop()
  rmSync(folder, { recursive: true })
})

it('a browser without any key watches what the server signs for, and says so', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  const { dashboardUrl } = stage.dashboard
  await page.goto(dashboardUrl)
  await page.getByRole('textbox', { name: 'Name' }).fill('op')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // There is nothing to set up: the nodes of the server’s file are watched at once.
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
  const ask = (query: string, path = 'node/status') =>
    page.evaluate(
      async (address) => (await fetch(address)).status,
      `/proxy/${serviceIdOf(stage.service)}/${path}${query}`,
    )
  expect(await ask(`?node_id=${node.id}`)).toBe(200)
  expect(await ask(`?node_id=${node.id}&more=1`)).toBe(403)
  expect(await ask('', 'node/keys')).toBe(403)
})
