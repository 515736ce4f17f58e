import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alarmList } from '#test/faults/own-screen.ts'
import { attachToWorker } from '#test/support/raw-tab.ts'
import { holdPort } from './held-port.ts'
import { serveByTls, type TlsFront } from '#test/e2e/tls-front.ts'
import { diagnosisWords } from '#texts/en-diagnosis.ts'
import {
  hero,
  message,
  openMessages,
  messages,
  QUICK,
  setStage,
  statusLine,
  type Stage,
} from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { aboutTexts } from '#texts/en-about.ts'
import { settingsTexts } from '#texts/en-settings.ts'

/** A host name that browsers do not recognize as local, so that its pages are not secure contexts. */
const HOST = 'node.example'

/** Ports of pages that the browser treats as coming from the internet, over https and http. */
const [secureDoor, plainDoor] = [await holdPort(), await holdPort()]

const browser = browserForTests([
  `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
  `--ip-address-space-overrides=127.0.0.1:${secureDoor.port}=public,127.0.0.1:${plainDoor.port}=public`,
  '--ignore-certificate-errors', // The test's certificate is self-signed.
])
const portOf = (url: string): number => Number(new URL(url).port)

let stage: Stage

beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK, args: ['--allow-host', HOST, '--public'] })
})
afterAll(async () => {
  await stage.stop()
})

it('over plain http the page warns, keeps the key for the session and signs, and two tabs share one engine', async () => {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  const { port } = new URL(stage.dashboard.dashboardUrl)
  const url = `http://${HOST}:${port}/`
  await page.goto(url)
  expect(await page.evaluate(() => globalThis.isSecureContext)).toBe(false)
  await message(page, formTexts.insecure.title).waitFor()
  await page.getByText(`http://localhost:${port}/`).waitFor()
  await page
    .getByText(/In memory only, until the last tab/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  await statusLine(page)
    .getByText(/until the last tab closes/)
    .waitFor()
  stage.reference.resetStats()
  await expect.poll(() => stage.reference.stats().byStatus['200'] ?? 0).toBeGreaterThanOrEqual(4)
  expect(Object.keys(stage.reference.stats().byStatus)).toEqual(['200'])
  await expect.poll(() => messages(page).allInnerTexts()).toEqual([])
  await page.goto(`${url}#/about`)
  await page.getByText(aboutTexts.facts.cryptographies.javascript).waitFor()
  await page.getByRole('button', { name: aboutTexts.testNow }).click()
  await page.getByRole('button', { name: aboutTexts.testAgain }).waitFor()
  // The JavaScript signer works too, and the test warns that no key is stored.
  expect(await page.getByLabel('passed', { exact: true }).count()).toBe(4)
  expect(await page.getByLabel(aboutTexts.states.warned).count()).toBe(1)
  const databases = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
  // Databases of history and alarms may exist, but none of keys.
  expect(
    databases.filter((name) => !/^immune-(history-|last-readings|network|alarms|outbox)/.test(name ?? '')),
  ).toEqual([])
  const stored = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))
  // The stored server configuration has node ids that are as long as a key.
  const others = stage.nodes.reduce((text, { id }) => text.replaceAll(id, ''), stored)
  expect(others).not.toMatch(/[0-9a-f]{64}/)

  const live = (tab: Page) => statusLine(tab).getByText('Live').waitFor()
  await live(page)
  const second = await browser.openPage({ context: page.context() })
  await second.goto(url)
  await live(second)
  // Two nodes are polled once a second: ten requests of one engine take four seconds, those of two engines two.
  stage.reference.resetStats()
  const startMs = performance.now()
  for (let count = 0; count < 10; count++) await stage.reference.nextRequest()
  expect(performance.now() - startMs).toBeGreaterThan(3_000)
  await page.close()
  for (let count = 0; count < 3; count++) await stage.reference.nextRequest()
  await live(second)
})

describe('a page loaded over https', () => {
  let far: Stage
  let front: TlsFront
  beforeAll(async () => {
    far = await setStage({ nodes: 1, service: QUICK, far: HOST })
    front = await serveByTls(far.dashboard.dashboardUrl)
  })
  afterAll(async () => {
    await front.close()
    await far.stop()
  })

  it('F 27: reports that the browser blocks plain http, sends nothing, and names a working alternative', async () => {
    const page = await browser.openPage({ viewport: { width: 1440, height: 900 }, ignoreHTTPSErrors: true })
    await page.goto(`${front.url}${new URL(far.dashboard.openUrl).search}`)
    expect(await page.evaluate(() => globalThis.isSecureContext)).toBe(true)
    await page.getByRole('button', { name: 'Start watching' }).click()
    const told = message(page, `Mixed content: this page may not connect to ${far.service}`)
    await openMessages(page)
    await told.getByText('net/mixed').waitFor()
    await told.getByText(/loaded over https, so the browser blocks plain http/).waitFor()
    await told.getByText(/through the dashboard server/).waitFor()
    await statusLine(page).getByText('Waiting for the service').waitFor()
    // Not even attempts occur over several intervals, because the browser would block them anyway.
    const tried: string[] = []
    const engine = await attachToWorker(browser.itself(), 'engine-worker', ({ method, params }) => {
      if (method === 'Network.requestWillBeSent') tried.push(JSON.parse(JSON.stringify(params)).request.url)
    })
    await engine.send('Network.enable')
    const fromMs = performance.now()
    await expect.poll(() => performance.now() - fromMs).toBeGreaterThan(3.5 * QUICK.pollIntervalMs)
    expect(tried).toEqual([])
    expect(far.reference.stats().recent).toEqual([])
    // No alarm blames a node.
    await page.goto(`${front.url}#/alarms`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    const [node] = far.nodes
    expect(
      await alarmList(page)
        .getByRole('row')
        .filter({ hasText: node?.name ?? '' })
        .count(),
    ).toBe(0)
    await openMessages(page)
    await told.getByRole('link', { name: 'Open settings' }).click()
    const card = page.getByRole('region', { name: QUICK.label, exact: true })
    await card.getByRole('button', { name: settingsTexts.services.copy }).click()
    await card.getByRole('combobox', { name: settingsTexts.services.fields.via }).selectOption('proxy')
    await card.getByRole('button', { name: 'Save' }).click()
    // From now on the server sends the requests, so the browser's restriction does not apply.
    await told.waitFor({ state: 'detached' })
    await expect.poll(() => tried.length).toBeGreaterThan(1)
    expect(tried.filter((url) => !url.startsWith(front.url))).toEqual([])
  })
})

describe('a page from the internet that polls a service on this computer', () => {
  let near: Stage
  let front: TlsFront
  beforeAll(async () => {
    const args = ['--allow-host', HOST, '--public']
    near = await setStage({ nodes: 1, service: { ...QUICK, via: 'direct' }, args })
    front = await serveByTls(near.dashboard.dashboardUrl)
    plainDoor.leadTo(portOf(near.dashboard.dashboardUrl))
    secureDoor.leadTo(portOf(front.url))
  })
  afterAll(async () => {
    await plainDoor.close()
    await secureDoor.close()
    await front.close()
    await near.stop()
  })

  it.each([
    ['https', secureDoor.port],
    ['http', plainDoor.port],
  ])('F 25: over %s reports that the browser blocks access to the local network', async (scheme, port) => {
    const page = await browser.openPage({ viewport: { width: 1440, height: 900 }, ignoreHTTPSErrors: true })
    const pageOrigin = `${scheme}://${HOST}:${port}`
    await page.goto(pageOrigin)
    await page.getByRole('button', { name: 'Start watching' }).click()
    const { title, meaning, next } = diagnosisWords(
      { likely: ['local-network'], clues: [] },
      { service: QUICK.label, baseUrl: near.service, pageOrigin },
    )
    const told = message(page, title ?? 'no title')
    await openMessages(page)
    for (const words of [meaning, next]) await told.getByText(words).waitFor()
    await told.getByText(/Permission for local network access/).waitFor()
    // Repeated failures still blame no node, because the browser forbids the requests.
    await told.getByText(/\b([4-9]|\d\d) failed polls/).waitFor()
    await page.goto(`${pageOrigin}/#/alarms`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    const [node] = near.nodes
    const alarms = alarmList(page).getByRole('row')
    expect(await alarms.filter({ hasText: node?.name ?? '' }).count()).toBe(0)
    expect(near.reference.stats().recent).toEqual([])
  })
})
