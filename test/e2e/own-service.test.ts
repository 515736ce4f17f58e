import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { filesOf } from '#test/support/source-tree.ts'
import { hero, messages, QUICK, setStage, startWatching, statusLine, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import type { KeyFileProblem } from '#protocol/key-kinds.ts'
import { createBenchService } from '#test/support/bench-service.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { fleetTexts } from '#texts/en-fleet.ts'
import { connectionTestTexts } from '#texts/en-connection-test.ts'
import { diagnosisWords } from '#texts/en-diagnosis.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { keyFileProblem, keyFormatTexts } from '#texts/en-key-formats.ts'
import { settingsTexts } from '#texts/en-settings.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

/** A service that accepts only registered keys, and a dashboard without configuration. */
beforeAll(async () => {
  stage = await setStage({ nodes: 3, reference: { enroll: false } })
})
afterAll(async () => {
  await stage.stop()
})
afterEach(async () => stage.reference.faults.clear())

const openFirstRun = async (): Promise<void> => {
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(stage.dashboard.dashboardUrl)
}

/** A key created without our code. */
function foreignKey(): { readonly seedHex: string; readonly publicHex: string } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { seedHex: pkcs8.subarray(-32).toString('hex'), publicHex: spki.subarray(-32).toString('hex') }
}

const address = () => page.getByRole('textbox', { name: 'Base URL' })
const nodes = () => page.getByRole('textbox', { name: 'Nodes' })
const steps = () => page.getByRole('list', { name: 'Steps of the connection test' })
const start = () => page.getByRole('button', { name: 'Start watching' })
const directly = () => page.getByText('Directly', { exact: true })

const giveAddress = async (text: string): Promise<void> => {
  await address().fill(text)
  await address().blur()
}

const bringKey = async (seedHex: string): Promise<void> => {
  await page.getByText(firstRunTexts.key.bring).click()
  await page.getByLabel('Key file').setInputFiles({
    name: 'node.key',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(seedHex, 'hex'),
  })
  await page.getByRole('button', { name: keyFormatTexts.keep }).click()
  await page.getByRole('button', { name: formTexts.key.undo }).waitFor()
}

describe('the user’s own service', () => {
  beforeEach(openFirstRun)

  it('is polled through this server with a registered key from a file, for the valid lines of a list', async () => {
    const { seedHex, publicHex } = foreignKey()
    stage.reference.keys.register(publicHex)
    await giveAddress(stage.service)
    await steps().getByText('Service reached').waitFor()
    await bringKey(seedHex)
    await page.getByText(publicHex, { exact: true }).waitFor()
    await steps().getByText('Signature accepted').waitFor()
    await page.getByText('Connection test passed').waitFor({ state: 'attached' })

    const [first] = stage.nodes
    await nodes().fill(`${first?.id} alpha\n7f3a\n0xzz\n${first?.id} again`)
    await page.getByText('3 lines ignored:').waitFor()
    for (const words of [
      /an id begins with 0x/,
      formTexts.nodes.problems['not-hex'],
      formTexts.nodes.problems.repeated,
    ])
      await page.getByText(words).first().waitFor()
    // A CSV file works too.
    const csv = stage.nodes.map(({ id, name }) => `${id},${name}`).join('\r\n')
    await page
      .locator('input[accept*=csv]')
      .setInputFiles({ name: 'nodes.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await page.getByText(/^3 nodes\./).waitFor()
    await steps().getByText('Record complete').waitFor()

    await start().click()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    await page.getByRole('heading', { level: 1, name: first?.name ?? 'no node' }).waitFor()
    const key = `${publicHex.slice(0, 4)}…${publicHex.slice(-4)}`
    await statusLine(page).getByText(key).waitFor()
    await expect.poll(() => messages(page).allInnerTexts()).toEqual([])
    await page.getByRole('link', { name: 'Nodes' }).first().click()
    const table = page.getByRole('grid', { name: /Watched nodes/ })
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('4')
  })

  it('that does not know the key: the page shows how to register it, and polls the default node without a list', async () => {
    const own = stage.nodes[1]
    await giveAddress(stage.service)
    await page.getByRole('button', { name: firstRunTexts.key.makeNow }).click()
    await steps().getByText('Signature rejected (401)').waitFor()
    await steps()
      .getByText(/does not know this public key/)
      .first()
      .waitFor()
    const line = await page.getByText(/^npm run reference -- keys add [0-9a-f]{64}$/).innerText()
    stage.reference.keys.register(line.slice(-64), own?.id)
    await page.getByRole('button', { name: connectionTestTexts.testAgain }).click()
    await steps().getByText('Record complete').waitFor()
    await start().click()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    await page
      .getByRole('region', { name: /^Raw record/ })
      .getByText(String(own?.id))
      .waitFor()
  })

  it('is polled directly once it allows this origin, by an engine that may connect to nothing else', async () => {
    const { faults } = stage.reference
    await faults.set('*', { name: 'no-cors' })
    await directly().click()
    await giveAddress(stage.service)
    const origin = new URL(stage.dashboard.dashboardUrl).origin
    const named = { service: 'the service', baseUrl: stage.service, pageOrigin: origin }
    const { title } = diagnosisWords({ likely: ['cors'], clues: [] }, named)
    await steps().getByText(String(title)).waitFor()
    const lines = page.getByText(`Access-Control-Allow-Origin: ${origin}`)
    await lines.waitFor()
    const said = await lines.innerText()
    for (const header of ['Authorization', 'X-Node-Key', 'X-Node-Timestamp', 'X-Node-Nonce', 'Retry-After'])
      expect(said).toContain(header)

    await faults.clear()
    await faults.set('*', { name: 'preflight-401' })
    const { seedHex, publicHex } = foreignKey()
    stage.reference.keys.register(publicHex)
    await bringKey(seedHex)
    await steps()
      .getByText(/preflight request \(OPTIONS\) is rejected/)
      .first()
      .waitFor()

    await faults.clear()
    await page.getByRole('button', { name: connectionTestTexts.testAgain }).click()
    await steps().getByText('Record complete').waitFor()
    stage.reference.resetStats()
    await start().click()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    const { recent } = stage.reference.stats()
    expect(new Set(recent.map((seen) => seen.origin))).toEqual(new Set([origin]))
    const [engine] = filesOf('dist/web/assets').filter((file) => /^engine-worker-[^/]*\.js$/.test(file))
    const script = new URL(`assets/${engine ?? ''}`, stage.dashboard.dashboardUrl)
    const policy = (await fetch(script)).headers.get('content-security-policy')
    expect(policy).toContain(`connect-src 'self' ${stage.service}`)
  })
})

describe('wrong input', () => {
  beforeAll(openFirstRun)

  it('such as an address without a server is reported as refused connections', async () => {
    await giveAddress('http://127.0.0.1:9')
    await steps().getByText('refuses connections').waitFor()
  })

  it.each<[string, KeyFileProblem]>([
    ['', { reason: 'empty' }],
    ['hello', { reason: 'unknown' }],
    ['ab'.repeat(33), { reason: 'wrong-length', seen: 'hex', bytes: 33 }],
    ['ab'.repeat(64), { reason: 'public-half-differs', kind: 'seed-and-public' }],
  ])('in a key file ("%s") is rejected with a reason', async (content, problem) => {
    await page.getByText(firstRunTexts.key.bring).click()
    const buffer = Buffer.from(content)
    await page.getByLabel('Key file').setInputFiles({ name: 'key.txt', mimeType: 'text/plain', buffer })
    await page.getByText(keyFileProblem(problem)).waitFor()
  })
})

it('four clicks from the nodes page add a second service with key and nodes', async () => {
  const first = await setStage({ nodes: 1, service: QUICK })
  const second = createBenchService({ enroll: true, port: 0, origins: [], nodes: 2 })
  try {
    const { baseUrl } = await second.listen()
    page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
    await startWatching(page, first)
    await page.goto(`${first.dashboard.dashboardUrl}#/nodes`)
    await page.getByRole('link', { name: fleetTexts.addService }).click()
    await address().fill(baseUrl)
    await page.getByRole('button', { name: settingsTexts.services.add }).click()
    const { host } = new URL(baseUrl)
    await page.getByRole('button', { name: consentTexts.allow(host) }).click()
    // While the dialog is open, the page behind it accepts no input.
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await steps().getByText('Signature accepted').waitFor()
    const ids = [0, 1].map((n) => second.network.idOf(n))
    await page.getByRole('textbox', { name: settingsTexts.nodes.addTo(host) }).fill(ids.join('\n'))
    second.resetStats()
    await page.getByRole('button', { name: settingsTexts.nodes.addThese(2, 0) }).click()
    await expect
      .poll(() => {
        const asked = second.stats().recent.map(({ node }) => node)
        return ids.every((id) => asked.includes(id))
      }, WAIT)
      .toBe(true)
    await page.getByRole('link', { name: settingsTexts.services.next.show }).click()
    await page.getByText(fleetTexts.summary(3, 2)).waitFor()
  } finally {
    await second.close()
    await first.stop()
  }
})
