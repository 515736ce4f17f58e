import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  hero,
  messages,
  openMessages,
  QUICK as QUICK_SERVICE,
  setStage,
  startWatching,
  statusLine,
} from '#test/e2e/stage.ts'
import { freePort } from '#test/support/free-port.ts'
import { serveByTls } from '#test/e2e/tls-front.ts'
import { launchLightBrowser, LIMIT_MS } from '#test/support/launch-browser.ts'
import { attachToWorker } from '#test/support/raw-tab.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { answers, faultStage, isLive, messagesDuring, type Row } from './fault-stage.ts'
import type { FaultNumber } from './matrix.ts'
import { alarmList, goTo } from './own-screen.ts'
import { expectOldAndAgeing } from './shared-assertions.ts'

type Case = readonly [number: FaultNumber, fault: FaultName, code: RegExp]

/** Broken answers whose effect depends on the browser's network stack; `test/world` tests the others. */
const LOST: readonly Case[] = [
  [3, 'reset', /net\/unreachable/],
  [8, 'truncated', /net\/cut-off/],
  [9, 'bad-gzip', /net\/cut-off|net\/unreachable|data\/not-json/],
]

/** The node's alarms in all lists, including unacknowledged ones of earlier tests. Returns to the node's page. */
async function alarmsOf({ page, stage, node }: Row): Promise<number> {
  let alarms = 0
  for (const list of ['alarms', 'alarms?list=pending', 'alarms?list=cleared']) {
    await goTo(page, stage, list)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    alarms += await alarmList(page).getByRole('row').filter({ hasText: node.name }).count()
  }
  await page.goto(stage.nodeUrl(node))
  await hero(page).getByText('Last answer').waitFor()
  return alarms
}

/** Normal network conditions. */
const QUICK = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }

/** A host name that the browser does not recognize as this computer. */
const FAR = 'node.example'
const MAP = `--host-resolver-rules=MAP ${FAR} 127.0.0.1`

describe('direct polls by the page', () => {
  const { row } = faultStage({
    far: FAR,
    browserArgs: [MAP],
    // Each poll needs a preflight, so that preflight faults take effect at once.
    always: 'preflight-each',
  })

  row(1, { of: 'directly', meetsAll: true }, async ({ setAll, told, old }) => {
    await setAll('refused')
    await told('net/unreachable')
    await old()
  })

  for (const [number, fault, code] of LOST)
    row(number, { of: `${fault}, directly`, isAskedTwice: fault === 'reset' }, async ({ set, told, old }) => {
      await set(fault)
      await told(code)
      await old()
    })

  row(15, { meetsAll: true }, async ({ page, setAll, told, old }) => {
    await setAll('refused')
    await page.context().setOffline(true)
    await told('net/offline')
    await statusLine(page).getByText('This computer is offline').waitFor()
    await old()
    await page.context().setOffline(false)
  })

  row(16, {}, async (given) => {
    await given.page.evaluate(() => dispatchEvent(new Event('offline')))
    await answers(given, 3)
    await isLive(given.page)
  })

  row(23, { of: 'hung' }, async ({ set, told, old }) => {
    await set('preflight-hang')
    await told('net/timeout')
    await old()
  })

  row(24, {}, async ({ set, told, old }) => {
    await set('status-502-no-cors')
    await told(/error page without CORS headers/)
    await old()
  })

  row(28, { of: 'directly' }, async ({ reference, set, told, old }) => {
    await set('redirect-other')
    await told(/service\/redirect|net\//)
    await old()
    expect(Object.keys(reference.stats().byPath)).toEqual(['/node/status'])
  })
})

describe('a service that does not allow this page', () => {
  const { row } = faultStage({ far: FAR, browserArgs: [MAP], always: 'preflight-each', nodes: 3 })

  row(21, { meetsAll: true }, async ({ page, setAll, told, old }) => {
    await setAll('no-cors')
    expect(await told(/Access-Control-Allow-Origin/)).toContain(new URL(page.url()).origin)
    await old()
  })

  row(22, { of: 'another origin', meetsAll: true }, async ({ page, setAll, told, old }) => {
    await setAll('wrong-origin')
    expect(await told(/Access-Control-Allow-Origin/)).toContain(new URL(page.url()).origin)
    await old()
  })
  row(22, { of: 'every origin' }, async (given) => {
    await given.set('any-origin')
    await answers(given, 4)
    await isLive(given.page)
  })

  row(23, { of: 'refused', meetsAll: true }, async ({ setAll, told, old }) => {
    await setAll('preflight-401')
    await told(/OPTIONS|preflight/)
    await old()
  })
})

describe('interference by the browser', () => {
  const { row, browser } = faultStage({ far: FAR, browserArgs: [MAP], service: { timeoutMs: 3_000 } })
  let engine: Awaited<ReturnType<typeof attachToWorker>>
  beforeAll(async () => {
    engine = await attachToWorker(browser.itself(), 'engine-worker', () => undefined)
    await engine.send('Network.enable')
  })

  row(14, { isAskedTwice: true }, async (given) => {
    const { page } = given
    const alarms = await alarmsOf(given)
    const slow = { ...QUICK, latency: 400, downloadThroughput: 50_000, uploadThroughput: 20_000 }
    const said = await messagesDuring(page, async () => {
      await engine.send('Network.emulateNetworkConditions', slow)
      for (let loss = 0; loss < 3; loss++) {
        await given.set('reset')
        await answers(given, 1)
        await given.clear()
        await answers(given, 3)
      }
      await isLive(page)
    })
    expect(await hero(page).innerText()).toMatch(/in ([4-9]\d\d|1,\d{3}).ms/)
    expect(said).toEqual([])
    await engine.send('Network.emulateNetworkConditions', QUICK)
    expect(await alarmsOf(given)).toBeLessThanOrEqual(alarms)
  })

  row(20, { meetsAll: true }, async ({ told, old }) => {
    await engine.send('Network.setBlockedURLs', { urls: [`*${FAR}*`] })
    // To the page a blocked request looks like an unreachable service, so the message must name both causes.
    await told('net/unreachable')
    await told(/a browser extension blocks/)
    await old()
    await engine.send('Network.setBlockedURLs', { urls: [] })
  })

  row(26, { meetsAll: true }, async ({ told, old }) => {
    // To the page this looks like a request that the browser holds back while it asks the user for permission.
    await engine.send('Network.emulateNetworkConditions', { ...QUICK, latency: 3_600_000 })
    await told('net/timeout')
    await old()
    await engine.send('Network.emulateNetworkConditions', QUICK)
  })
})

it('F 19: the message names an expired certificate as a possible cause, and a tab confirms it', async () => {
  const port = await freePort()
  const front = await serveByTls(`http://127.0.0.1:${port}`)
  onTestFinished(front.close)
  const baseUrl = front.url.slice(0, -1)
  const stage = await setStage({
    nodes: 1,
    reference: { port, origins: [baseUrl] },
    service: { ...QUICK_SERVICE, baseUrl, via: 'direct' },
  })
  onTestFinished(stage.stop)
  const browser = await launchLightBrowser([`--ignore-certificate-errors-spki-list=${front.keyHash}`])
  onTestFinished(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(LIMIT_MS)
  await startWatching(page, stage)
  await front.expire(true)
  await openMessages(page)
  const told = messages(page).filter({ hasText: 'net/unreachable' })
  await told.getByText(/certificate is not trusted/).waitFor()
  await told.getByText(`Open ${baseUrl}`).waitFor()
  await expectOldAndAgeing(page)
  await front.expire(false)
  await hero(page).getByText('Last answer').waitFor()
  await told.waitFor({ state: 'detached' })
})
