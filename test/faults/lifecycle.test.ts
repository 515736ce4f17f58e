import { createServer, request } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  hero,
  message,
  QUICK,
  setStage,
  startWatching,
  statusLine,
  WAIT,
  type Stage,
} from '#test/e2e/stage.ts'
import { launchBrowser, LIMIT_MS } from '#test/support/launch-browser.ts'
import { openRawTab } from '#test/support/raw-tab.ts'
import { reloadTexts } from '#texts/en-reload.ts'
import { agoInSeconds } from '#test/support/ages.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { levelWords } from '#texts/en-checks.ts'
import { alarmList, goTo, journal, openScreen, type OwnScreen } from './own-screen.ts'
import { expectHistoryKept, expectNotBlank, expectOldAndAgeing, keptSamples } from './shared-assertions.ts'
import { portOf } from '#test/support/free-port.ts'

let stage: Stage
let open: OwnScreen | undefined
beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK })
})
afterEach(async ({ task }) => {
  await stage.reference.faults.clear()
  if (task.result?.state === 'fail') await close()
})
afterAll(async () => {
  await close()
  await stage.stop()
})

/** The shared screen, live on the first node's page. A failed test closes it, so the next test opens a new one. */
async function screen(): Promise<OwnScreen> {
  open ??= await openScreen(stage)
  await open.page.goto(stage.nodeUrl(node()))
  await isLive(open.page)
  return open
}

async function close(): Promise<void> {
  await open?.browser.close()
  open = undefined
}

const node = () => {
  const [first] = stage.nodes
  if (first === undefined) throw new Error('no node')
  return first
}
const asked = (): number => stage.reference.stats().byNode[node().id.toLowerCase()]?.requests ?? 0

/** One poll per interval: no pause, no burst, one engine. */
async function keepsPace(polls = 2): Promise<void> {
  const before = asked()
  const startMs = performance.now()
  await expect.poll(asked, WAIT).toBeGreaterThan(before + polls)
  const intervals = (performance.now() - startMs) / QUICK.pollIntervalMs
  expect(asked() - before).toBeLessThanOrEqual(Math.floor(intervals) + 2)
  expect(intervals).toBeLessThan(6 * polls)
}

const isLive = (page: Page): Promise<void> => hero(page).getByText('Last answer').waitFor()
/** Fails if the page has to wait until it gives up a Worker that ended with the previous page. */
const isLiveSoon = (page: Page): Promise<void> =>
  hero(page).getByText('Last answer').waitFor({ timeout: 14_000 })

it('F 84: a hidden tab polls at full pace, although the browser throttles its timers', async () => {
  // The flag throttles a hidden page's timers to one per minute immediately, instead of after five minutes.
  const browser = await launchBrowser(['--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/1'])
  onTestFinished(() => browser.close())
  const url = stage.nodeUrl(node())
  const hidden = await openRawTab(browser, url)
  const start = `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Start watching')`
  await expect.poll(() => hidden.evaluate(`${start}?.disabled === false`), WAIT).toBe(true)
  await hidden.evaluate(`${start}.click()`)
  const status = `(document.querySelector('.app-shell-status')?.textContent ?? '')`
  await expect.poll(() => hidden.evaluate(status), WAIT).toContain(shellTexts.status.live(0, 2))
  const seen = await openRawTab(browser, 'about:blank')
  await seen.activate()
  await expect.poll(() => hidden.evaluate('document.visibilityState'), WAIT).toBe('hidden')
  await keepsPace(4)
  expect(await hidden.evaluate(status)).toContain(shellTexts.status.live(0, 2))
  await hidden.activate()
  await expect.poll(() => hidden.evaluate(status), WAIT).toContain(shellTexts.status.live(0, 2))
})

it('F 88: after a renderer crash, a reopened page has all data and continues', async () => {
  const { browser, page, context } = await openScreen(stage)
  onTestFinished(() => browser.close())
  // The most recent action must survive too.
  await stage.reference.faults.set(node().id, { name: 'silent-heartbeat', value: 3_600 })
  await goTo(page, stage, 'alarms')
  const alarm = (on: Page) => alarmList(on).getByRole('row').filter({ hasText: node().name })
  await alarm(page).getByRole('button', { name: alarmTexts.act.acknowledge, exact: true }).first().click()
  await alarm(page)
    .getByText(/^acknowledged at/)
    .first()
    .waitFor()
  const kept = await keptSamples(page)
  const session = await context.newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  session.send('Page.crash').catch(() => undefined) // A crashed page does not answer.
  await crashed
  const again = await context.newPage()
  await again.goto(stage.nodeUrl(node()))
  await isLiveSoon(again)
  await expectHistoryKept(again, kept)
  await keepsPace()
  await goTo(again, stage, 'alarms')
  await alarm(again)
    .getByText(/^acknowledged at/)
    .first()
    .waitFor()
})

const HOUR_MS = 3_600_000

/** Seconds since the last answer according to the page. Only for pages that show old values. */
const ageOf = async (page: Page): Promise<number> =>
  agoInSeconds(
    (await hero(page)
      .getByText(/^as of /)
      .textContent()) ?? '',
  )

type Frame = { readonly text: string; readonly isOld: boolean }

/** Records what each frame shows of the node until the returned function is called. */
async function framesOfHero(page: Page, from: () => Promise<void>): Promise<() => Promise<readonly Frame[]>> {
  await page.evaluate((label) => {
    const frames: Frame[] = []
    let isOver = false
    const look = (): void => {
      const part = document.querySelector(`[aria-label="${label}"]`)
      const frame = { text: part?.textContent ?? '', isOld: part?.querySelector('.hero-state.old') !== null }
      if (frames.at(-1)?.text !== frame.text || frames.at(-1)?.isOld !== frame.isOld) frames.push(frame)
      if (!isOver) requestAnimationFrame(look)
    }
    look()
    Object.assign(globalThis, {
      framesShown: () => {
        isOver = true
        return frames
      },
    })
  }, nodeTexts.hero.label)
  await from()
  return () => page.evaluate<readonly Frame[]>('framesShown()')
}

it('F 78: eight hours of sleep', async () => {
  const byMs = { wall: 8 * HOUR_MS, steady: 8 * HOUR_MS }
  const { browser, page, shiftClocks } = await openScreen(stage)
  onTestFinished(() => browser.close())
  const kept = await keptSamples(page)
  // No service answers after the wake-up yet, so that the page still shows the values from before.
  await stage.reference.faults.set('*', { name: 'hang' })
  const shown = await framesOfHero(page, () => shiftClocks(byMs))
  await expect.poll(() => ageOf(page), WAIT).toBeGreaterThanOrEqual((8 * HOUR_MS) / 1_000)
  expect(await hero(page).locator('.hero-state.old').count()).toBe(1)
  // No frame showed the earlier values as current together with an age of hours.
  const frames = await shown()
  expect(frames.filter(({ text }) => /\b[78].h/.test(text)).length).toBeGreaterThan(0)
  expect(frames.filter(({ text, isOld }) => !isOld && /\b[78].h/.test(text))).toEqual([])
  await stage.reference.faults.clear()
  await hero(page).getByText('Last answer').waitFor()
  await keepsPace()
  await goTo(page, stage, 'journal')
  await journal(page)
    .getByText(/Not watched for 8/)
    .first()
    .waitFor()
  await expectHistoryKept(page, kept)
})

it('F 87: after back and forward there is one engine, and the page is live', async () => {
  const { page } = await screen()
  const kept = await keptSamples(page)
  await page.goto('about:blank')
  await page.goBack()
  await isLiveSoon(page)
  await keepsPace()
  await page.goForward()
  await page.goBack()
  await isLiveSoon(page)
  await keepsPace()
  await expectHistoryKept(page, kept)
})

it('F 98, 99, 100: when resized, zoomed, printed or slow, the page works and keeps its pace', async () => {
  const { page, context } = await screen()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  for (let turn = 0; turn < 2; turn++)
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
      [844, 390],
      [2560, 1440],
      [360, 640],
    ] as const)
      await page.setViewportSize({ width, height })
  for (const zoom of ['0.5', '2', '1'])
    await page.evaluate((value) => (document.body.style.zoom = value), zoom)
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const media of [
    { media: 'print' },
    { media: 'screen', forcedColors: 'active' },
    { reducedMotion: 'reduce' },
    { colorScheme: 'light', forcedColors: 'none' },
  ] as const) {
    await page.emulateMedia(media)
    await expectNotBlank(page)
  }
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 20 })
  await keepsPace()
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await isLive(page)
  await expectNotBlank(page)
  expect(errors).toEqual([])
  expect(await page.getByText('Errors in this page').count()).toBe(0)
})

/** The number of nodes without data, as every page shows it. */
const withoutData = (page: Page) =>
  page
    .getByRole('list', { name: alarmTexts.annunciator.label })
    .getByRole('link')
    .filter({ hasText: levelWords['no-data'] })

it('F 122: a page whose messages are lost shows old values as old, and recovers by itself', async () => {
  const { page } = await screen()
  const live = shellTexts.status.live(0, 2)
  const says = () => statusLine(page).locator('b').first().textContent()
  await expect.poll(says, WAIT).toBe(live)
  await page.evaluate(() => {
    const post = Reflect.get(MessagePort.prototype, 'postMessage')
    Object.assign(globalThis, {
      hears: () => {
        MessagePort.prototype.postMessage = post
      },
    })
    MessagePort.prototype.postMessage = () => undefined
  })
  // The engine waits for an acknowledgement that never arrives, so the page gets no further messages.
  await expect.poll(says, WAIT).not.toBe(live)
  // By its own clock the page shows ageing values, and counts every node as without data.
  await expectOldAndAgeing(page)
  await withoutData(page).getByText('2', { exact: true }).waitFor()
  await page.evaluate('hears()')
  await isLive(page)
  await withoutData(page).getByText('0', { exact: true }).waitFor()
  await expect.poll(says, WAIT).toBe(live)
  await keepsPace()
})

it('F 122: page and engine ignore messages of another version', async () => {
  const { page, inEngine } = await screen()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  const strange = `[null, 7, 'x', [], {}, { type: 'NEXT', id: 'a' }, { type: 'APPLY', id: 'b', path: ['shutDown'], argumentList: [] },
    { id: 'c', type: 'RAW', value: { nodes: 'none' } }, { version: 99, kind: 'snapshot' }, { id: 1, type: 'GET', path: 'x' }]`
  // Every current and future channel carries these messages in addition to its own.
  const poison = `{
    const post = MessagePort.prototype.postMessage
    const sent = new WeakMap()
    globalThis.strangeSent = 0
    MessagePort.prototype.postMessage = function (...given) {
      if (!sent.has(this)) {
        sent.set(this, true)
        for (const one of ${strange}) post.call(this, one)
        strangeSent++
      }
      return post.apply(this, given)
    }
  }`
  await page.evaluate(poison)
  await inEngine(poison)
  for (const name of ['immune-pages', 'immune-engine'])
    await page.evaluate(
      `{ const channel = new BroadcastChannel('${name}'); for (const one of ${strange}) channel.postMessage(one); channel.close() }`,
    )
  await keepsPace()
  // Both sides have received them on a channel that is still in use.
  await expect.poll(() => page.evaluate('strangeSent')).toBeGreaterThan(0)
  await expect
    .poll(async () => JSON.stringify(await inEngine('strangeSent > 0')), WAIT)
    .toMatch(/"value":true/)
  await isLive(page)
  expect(await statusLine(page).locator('b').first().textContent()).toBe(shellTexts.status.live(0, 2))
  expect(errors).toEqual([])
})

/** A service worker that an older program left at this address. It answers from its cache, the version included. */
const OLD_WORKER = `
  addEventListener('install', () => skipWaiting())
  addEventListener('activate', (event) => event.waitUntil(clients.claim()))
  addEventListener('fetch', (event) => {
    const { pathname } = new URL(event.request.url)
    if (event.request.method !== 'GET' || !/^\\/($|index|assets|version)/.test(pathname)) return
    event.respondWith(caches.open('kept').then(async (kept) => {
      const found = await kept.match(event.request)
      if (found !== undefined) return found
      const answer = await fetch(event.request)
      await kept.put(event.request, answer.clone())
      return answer
    }))
  })`

it('F 126: an old service worker that serves its cache is removed', async () => {
  let build: string | undefined
  const { hostname, port } = new URL(stage.dashboard.dashboardUrl)
  const front = createServer((from, to) => {
    const { method, url: path, headers } = from
    if (path === '/old-worker.js') to.setHeader('content-type', 'text/javascript').end(OLD_WORKER)
    else if (path === '/version.json' && build !== undefined)
      to.setHeader('content-type', 'application/json').end(JSON.stringify({ build }))
    else
      from.pipe(
        request({ hostname, port, method, path, headers }, (answer) => {
          to.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(to)
        }).on('error', () => to.destroy()), // A closing page aborts its requests.
      )
  })
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  const frontPort = await portOf(front)
  const { browser } = await screen()
  // The product's policy forbids its pages to register a service worker.
  const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1440, height: 900 } })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  await startWatching(page, {
    dashboard: { ...stage.dashboard, dashboardUrl: `http://127.0.0.1:${frontPort}/` },
  })
  // The worker takes control of the page at once, which makes the page reload.
  const loadedAgain = page.waitForEvent('load')
  await page.evaluate(() => void navigator.serviceWorker.register('/old-worker.js'))
  await loadedAgain
  await isLive(page)
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
    .toBe(0)
  build = '/assets/index-another.js'
  await page.reload()
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
  await message(page, reloadTexts.newVersion).waitFor()
})
