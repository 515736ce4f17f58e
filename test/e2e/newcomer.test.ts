import { createServer, request, type Server } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SHIPPED_PACKAGES } from '#texts/shipped-packages.ts'
import { launchApp, type App } from '#test/support/launch-app.ts'
import { hero, messages, statusLine } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { aboutTexts } from '#texts/en-about.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { portOf } from '#test/support/free-port.ts'

const browser = browserForTests()

type Recorder = {
  readonly url: string
  readonly requests: { readonly path: string; readonly mode: string | undefined }[]
  readonly server: Server
}

/** A reverse proxy in front of the dashboard that records all requests and forwards them unchanged. */
async function recordBefore(dashboardUrl: string): Promise<Recorder> {
  const requests: Recorder['requests'] = []
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const mode = headers['sec-fetch-mode']
    requests.push({ path: url, mode: typeof mode === 'string' ? mode : undefined })
    const onward = request(new URL(url, dashboardUrl), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  return { url: `http://127.0.0.1:${await portOf(server)}/`, requests, server }
}

let app: App
let recorder: Recorder
let printed: string
let page: Page

beforeAll(async () => {
  app = await launchApp()
  recorder = await recordBefore(app.dashboardUrl)
  // The printed address with the recorder's port.
  printed = recorder.url + new URL(app.openUrl).search
})
afterAll(async () => {
  recorder.server.closeAllConnections()
  recorder.server.close()
  await app.stop()
})

type Stats = {
  readonly byPath: Readonly<Record<string, number>>
  readonly byNode: Readonly<Record<string, unknown>>
  readonly byStatus: Readonly<Record<string, number>>
  readonly recent: readonly { readonly origin?: string; readonly method: string }[]
}

const control = async (method: string): Promise<Stats> => {
  const headers = { Authorization: `Bearer ${app.controlToken}` }
  const answer = await fetch(new URL('stats', app.controlUrl), { method, headers })
  return answer.json()
}
const stats = () => control('GET')
const clearStats = () => control('DELETE')

const rings = (): Promise<readonly (string | null)[]> =>
  page
    .getByRole('region', { name: /^History of the node/ })
    .locator('path.plot-line, path.plot-area, path.plot-bar')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')))

/** The page shows the demo service and its answer without any input. */
async function seesTheDemo(): Promise<void> {
  const before = await browser.signerTries()
  await page.goto(printed)
  await page.getByText(firstRunTexts.service.demoAside.reached).waitFor()
  const steps = page.getByRole('list', { name: 'Steps of the connection test' })
  await steps.getByText('Service reached').waitFor()
  await expect.poll(() => steps.getByLabel('passed').count()).toBeGreaterThanOrEqual(3)
  expect(await page.getByRole('radio', { name: /Demo service/ }).isChecked()).toBe(true)
  // The signer tries to connect at its start, and the browser blocks it.
  expect((await browser.signerTries()) - before).toBe(2)
}

/** One click makes the page live: ages tick, new values arrive, and charts grow. */
async function goesLive(): Promise<void> {
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  expect(new URL(page.url()).hash).toMatch(/^#\/nodes\/.+!0x[0-9a-f]{64}$/)
  const age = () => hero(page).getByText('Last answer').innerText()
  const first = await age()
  await expect.poll(age).not.toBe(first)
  await page.locator('path.plot-line').first().waitFor({ state: 'attached' })
  const before = await rings()
  const answered = () => statusLine(page).getByText('answered').innerText()
  const count = await answered()
  await expect.poll(answered).not.toBe(count)
  await expect.poll(rings).not.toEqual(before)
  await expect.poll(() => messages(page).allInnerTexts()).toEqual([])
  await statusLine(page).getByText('Live', { exact: true }).waitFor()
}

/** The page shows all seven fields of the record, and the raw record. */
async function seesTheRecord(): Promise<void> {
  const record = page.getByRole('region', { name: /^Raw record/ })
  for (const field of [
    'node_id',
    'status',
    'stake_deployed',
    'network_participation',
    'threat_responses_executed',
    'last_heartbeat',
    'cryptographic_proof',
  ])
    await record.getByText(field).first().waitFor()
  const lanes = page.getByRole('region', { name: /^History of the node/ })
  for (const lane of [
    'Heartbeat age',
    'Participation',
    'Threat responses',
    'Stake deployed',
    'Response time',
    'Proof',
  ])
    await lanes.getByText(lane, { exact: true }).first().waitFor()
}

/** The page has the same key after a reload, without asking. */
async function findsTheKeyAgain(): Promise<void> {
  const key = await statusLine(page).getByText(/^key /).innerText()
  expect(key).toContain('stored in this browser')
  await page.reload()
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  expect(await statusLine(page).getByText(/^key /).innerText()).toBe(key)
  expect(await page.getByRole('button', { name: 'Start watching' }).count()).toBe(0)
}

/** All requests use this server, and are signed and accepted. */
async function asksThroughThisServer(): Promise<void> {
  await clearStats()
  // Each of the three nodes has been polled again.
  await expect.poll(async () => Object.keys((await stats()).byNode).length).toBe(3)
  const { byPath, byStatus, recent } = await stats()
  expect(Object.keys(byPath)).toEqual(['/node/status'])
  expect(Object.keys(byStatus)).toEqual(['200'])
  expect(recent.every(({ method, origin }) => method === 'GET' && origin === undefined)).toBe(true)
}

/** The page reports that the signer has no network, and only expected requests were sent. */
async function isToldWhatGetsOut(): Promise<void> {
  await page.goto(`${recorder.url}#/about`)
  await page.getByText(aboutTexts.facts.networks.blocked).waitFor()
  const allowed =
    /^\/(|\?token=[\w-]+|config\.json|version\.json|services|session|theme\.js|favicon[\w-]*\.(svg|ico)|assets\/[\w.-]+|proxy\/[^/]+\/node\/status(\?node_id=0x[0-9a-f]{64})?)$/
  expect(recorder.requests.filter(({ path }) => !allowed.test(path))).toEqual([])
}

/** The self-tests of signer and storage pass and leave no data. */
async function testsItself(): Promise<void> {
  const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
  await page.goto(`${recorder.url}#/about`)
  const tests = page.getByRole('region', { name: 'Self-tests' })
  const before = await browser.signerTries()
  await tests.getByRole('button', { name: aboutTexts.testNow }).click()
  await tests.getByRole('button', { name: aboutTexts.testAgain }).waitFor()
  expect(await tests.getByLabel('passed').count()).toBe(5)
  expect((await browser.signerTries()) - before).toBe(2)
  expect((await databases()).filter((name) => name?.includes('test'))).toEqual([])
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('test')))).toEqual(
    [],
  )
  const [licences] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'All licence texts' }).click(),
  ])
  await licences.getByText('Apache License').first().waitFor()
  for (const [name, version, licence] of SHIPPED_PACKAGES)
    expect(await licences.locator('body').innerText()).toContain(`${name} ${version} (${licence})`)
}

// This is one test, because a retry of one part would meet the state that its first run left.
it('a new user sees the demo, is live after one click, keeps the key, and sends requests only to this server', async () => {
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await seesTheDemo()
  await goesLive()
  await seesTheRecord()
  await findsTheKeyAgain()
  await asksThroughThisServer()
  await isToldWhatGetsOut()
  await testsItself()
})
