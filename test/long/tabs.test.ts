import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { engineTexts } from '#texts/en-engine.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { screenProblemTexts } from '#texts/en-screen-problems.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { VERSION } from '#texts/version.ts'
import { openRawTab } from '#test/support/raw-tab.ts'
import {
  hero,
  message,
  QUICK,
  setStage,
  startWatching,
  statusLine,
  tryNow,
  WAIT,
  UNHURRIED,
  type Stage,
} from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const INTERVAL_MS = QUICK.pollIntervalMs
/** Longer than a running engine needs on a busy computer, shorter than replacing an engine takes. */
const SOON_MS = 5 * INTERVAL_MS
/** Time for a new engine to start and to read the stored state on a busy computer. */
const RESTARTED_MS = 12_000
/** Five pings of three seconds each, and the start. */
const HUNG_MS = 30_000

const browser = browserForTests([], 'own')
let stage: Stage

beforeAll(async () => {
  stage = await setStage({ nodes: 1, ...UNHURRIED })
  const watch = async (): Promise<void> => {
    for (;;) {
      await stage.reference.nextRequest()
      times.push(performance.now())
      told.splice(0).forEach((tell) => tell())
    }
  }
  void watch()
})
afterAll(async () => {
  await stage.stop()
})

/** The arrival time of each request in ms; `told` has the callbacks that wait for the next one. */
const times: number[] = []
let told: (() => void)[] = []
afterEach(() => {
  told = []
})

/** Time in ms until the next request arrives. */
async function untilNextRequest(): Promise<number> {
  const fromMs = performance.now()
  await new Promise<void>((resolve) => told.push(resolve))
  return (times.at(-1) ?? 0) - fromMs
}

/** Five requests take four intervals, or two with two engines. On a busy computer the first or last may be late. */
async function onePolls(): Promise<void> {
  const from = times.length
  for (let count = 0; count < 5; count++) await untilNextRequest()
  const seen = times.slice(from)
  expect((seen[4] ?? 0) - (seen[0] ?? 0)).toBeGreaterThan(3 * INTERVAL_MS)
}

const LIVE = shellTexts.status.live(0, 1)

const says = (page: Page) => statusLine(page).locator('b').first().textContent()

/** Waits until the page shows current values. */
const isLive = async (page: Page): Promise<void> => {
  await expect.poll(() => says(page), WAIT).toBe(LIVE)
}

function node() {
  const [first] = stage.nodes
  if (first === undefined) throw new Error('no node')
  return first
}

async function openFirst(): Promise<Page> {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(stage.dashboard.dashboardUrl)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await isLive(page)
  return page
}

async function openBeside(context: BrowserContext): Promise<Page> {
  const page = await browser.openPage({ context })
  await page.goto(stage.dashboard.dashboardUrl)
  return page
}

describe('several tabs', () => {
  it('F 118: five tabs share one engine, are live, show the same, and each may act for all', async () => {
    const first = await openFirst()
    const others = await Promise.all(Array.from({ length: 4 }, () => openBeside(first.context())))
    const [second, last] = [others[0], others.at(-1)]
    if (second === undefined || last === undefined) throw new Error('no tab')
    await Promise.all(others.map(isLive))
    await onePolls()
    await second.goto(stage.nodeUrl(node()))
    await hero(second).getByText('ACTIVE', { exact: true }).waitFor()
    await second.locator('path.plot-line').first().waitFor({ state: 'attached' })
    await stage.reference.faults.set('*', { name: 'status-503' })
    onTestFinished(() => stage.reference.faults.clear())
    for (const page of [first, second])
      await expect.poll(() => says(page), WAIT).toBe(shellTexts.status.waiting)
    // By now polls are rare, but a user can request one.
    await second.getByRole('button', { name: messageTexts.tryNow }).first().click()
    await untilNextRequest()
    await stage.reference.faults.clear()
    await expect
      .poll(async () => {
        await tryNow(second)
        return says(second)
      }, WAIT)
      .toBe(LIVE)
    await isLive(first)
    // The remaining tabs continue, whichever tab closes: first the one that started, then all but the last.
    await first.close()
    expect(await untilNextRequest()).toBeLessThan(SOON_MS)
    await Promise.all(others.slice(0, -1).map((page) => page.close()))
    expect(await untilNextRequest()).toBeLessThan(SOON_MS)
    await isLive(last)
    await onePolls()
  })

  it('F 119: continue after the engine’s tab is killed, keep a closed tab’s actions, and share no engine with private windows', async () => {
    const first = await openFirst()
    const second = await openBeside(first.context())
    await isLive(second)
    const other = await openFirst()
    expect(await message(other, engineTexts.otherVersion(VERSION)).count()).toBe(0)
    await other.context().close()
    const session = await first.context().newCDPSession(first)
    const crashed = first.waitForEvent('crash')
    session.send('Page.crash').catch(() => undefined) // A crashed page does not answer.
    await crashed
    await untilNextRequest()
    expect(await untilNextRequest()).toBeLessThan(RESTARTED_MS)
    await isLive(second)
    await onePolls()
    // An action is kept even if its tab closes at once.
    await stage.reference.faults.set('*', { name: 'status-404' })
    onTestFinished(() => stage.reference.faults.clear())
    const third = await openBeside(first.context())
    await third.goto(`${stage.dashboard.dashboardUrl}#/alarms`)
    await third.getByRole('grid').getByRole('button', { name: 'Acknowledge' }).first().click()
    await third.close()
    await second.goto(`${stage.dashboard.dashboardUrl}#/alarms`)
    const acknowledged = second.getByRole('grid').getByText(/^acknowledged at/)
    await acknowledged.first().waitFor()
    await second.reload()
    await acknowledged.first().waitFor()
  })
})

describe('a tab that can’t read the server’s configuration', () => {
  it('leaves the nodes of the other tabs watched', async () => {
    const first = await openFirst()
    const blind = await browser.openPage({ context: first.context() })
    await blind.route('**/config.json', (route) => route.abort())
    await blind.goto(stage.dashboard.dashboardUrl)
    await blind.getByText(screenProblemTexts.problem['config-unreadable'].title).first().waitFor()
    await onePolls()
    await isLive(first)
  })
})

describe('another version', () => {
  it('F 123: is named as the one that polls, and the page continues when that tab closes', async () => {
    const first = await openFirst()
    const second = await browser.openPage({ context: first.context() })
    // Another build's engine has another address. Another name has the same effect.
    await second.addInitScript(() => {
      globalThis.SharedWorker = class extends SharedWorker {
        constructor(url: string | URL, options?: WorkerOptions | string) {
          super(url, { type: 'module', name: `another build ${JSON.stringify(options)}` })
        }
      }
    })
    await second.goto(stage.dashboard.dashboardUrl)
    await message(second, engineTexts.otherVersion(VERSION)).waitFor()
    await onePolls()
    await first.close()
    await isLive(second)
    await message(second, engineTexts.otherVersion(VERSION)).waitFor({ state: 'detached' })
    await onePolls()
  })
})

describe('a browser without SharedWorker', () => {
  it('reports in the second tab that the first one polls, and continues there when the first closes', async () => {
    const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
    await page.context().addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    await startWatching(page, stage)
    const second = await openBeside(page.context())
    await message(second, engineTexts.otherTab).waitFor()
    await onePolls()
    await page.close()
    await isLive(second)
    await onePolls()
  })
})

describe('tabs that the browser freezes', () => {
  const status = `(document.querySelector('.app-shell-status')?.textContent ?? '')`

  it('F 85, 120: leave the other tab live, and are live when they wake, with one engine throughout', async () => {
    const host = browser.itself()
    const open = async () => {
      const tab = await openRawTab(host, stage.dashboard.dashboardUrl)
      const start = `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Start watching')`
      await expect
        .poll(() => tab.evaluate(`${status}.startsWith('${LIVE}') || ${start}?.disabled === false`), WAIT)
        .toBe(true)
      await tab.evaluate(`${start}?.click()`)
      await expect.poll(() => tab.evaluate(status), WAIT).toMatch(new RegExp(`^${LIVE}`))
      return tab
    }
    const frozen = [await open(), await open()]
    const seen = await open()
    await seen.activate()
    for (const tab of frozen) await tab.send('Page.setWebLifecycleState', { state: 'frozen' })
    await onePolls()
    await expect.poll(() => seen.evaluate(status), WAIT).toMatch(new RegExp(`^${LIVE}`))
    for (const tab of frozen) await tab.send('Page.setWebLifecycleState', { state: 'active' })
    await onePolls()
    for (const tab of frozen)
      await expect.poll(() => tab.evaluate(status), WAIT).toMatch(new RegExp(`^${LIVE}`))
    for (const tab of [...frozen, seen]) await tab.close()
  })
})

describe('an engine that hangs', () => {
  it('F 121: is replaced by another one, which polls alone even after the first wakes', async () => {
    const page = await openFirst()
    const session = await browser.itself().newBrowserCDPSession()
    onTestFinished(() => session.detach())
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{}] })
    const context = targetInfos.find(({ url }) => url === page.url())?.browserContextId
    const engine = targetInfos.find(
      ({ type, url, browserContextId }) =>
        type === 'shared_worker' && url.includes('engine-worker') && browserContextId === context,
    )
    if (engine === undefined) throw new Error('no engine')
    const { sessionId } = await session.send('Target.attachToTarget', {
      targetId: engine.targetId,
      flatten: false,
    })
    const send = (id: number, method: string) =>
      session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) })
    const heard: (string | undefined)[] = []
    session.on('Target.receivedMessageFromTarget', ({ message: text }) => {
      const { method }: { readonly method?: string } = JSON.parse(text)
      heard.push(method)
    })
    await send(1, 'Debugger.enable')
    await send(2, 'Debugger.pause')
    await expect.poll(() => heard).toContain('Debugger.paused')
    const from = times.length
    await expect.poll(() => times.length - from, { ...WAIT, timeout: HUNG_MS }).toBeGreaterThan(1)
    await isLive(page)
    await onePolls()
    await send(3, 'Debugger.resume')
    await expect.poll(() => heard).toContain('Debugger.resumed')
    await onePolls()
  })
})
