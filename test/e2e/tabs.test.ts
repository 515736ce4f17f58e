import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRawTab, type RawTab } from '#test/support/raw-tab.ts'
import { hero, message, QUICK, setStage, statusLine, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const INTERVAL_MS = QUICK.pollIntervalMs
/** The next slot of a new leader, within a second. */
const SOON_MS = INTERVAL_MS + 1_000

const browser = browserForTests()
let stage: Stage

beforeAll(async () => {
  stage = await setStage({ nodes: 1, service: QUICK })
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

const FOLLOWS = 'Another tab asks; this one shows what it hears'
const follows = (page: Page) => statusLine(page).getByText(FOLLOWS)

/** What the page says is live, and of now. */
const isLive = async (page: Page): Promise<void> => {
  await expect.poll(() => statusLine(page).locator('b').first().textContent(), WAIT).toBe('Live')
}

/** When each request reached the service, in ms, and who waits for the next. */
const times: number[] = []
let told: (() => void)[] = []
afterEach(() => {
  told = []
})

/** When the next request comes. */
const nextRequest = async (): Promise<number> => {
  await new Promise<void>((resolve) => told.push(resolve))
  return times.at(-1) ?? 0
}

/** Ms from now until the next request comes. */
async function untilNextRequest(): Promise<number> {
  const fromMs = performance.now()
  return (await nextRequest()) - fromMs
}

/** Requests keep their distance, over several rounds: one tab asks. */
async function onePoller(): Promise<void> {
  const from = times.length
  for (let count = 0; count < 4; count++) await nextRequest()
  const seen = times.slice(from)
  const distances = seen.slice(1).map((atMs, place) => atMs - (seen[place] ?? 0))
  expect(Math.min(...distances)).toBeGreaterThan(INTERVAL_MS / 2)
}

describe('two tabs', () => {
  let first: Page
  let second: Page

  beforeEach(async () => {
    first = await browser.openPage({ viewport: { width: 1440, height: 900 } })
    await first.goto(stage.dashboard.dashboardUrl)
    await first.getByRole('button', { name: 'Start watching' }).click()
    await isLive(first)
    second = await browser.openPage({ context: first.context() })
    await second.goto(stage.dashboard.dashboardUrl)
    await follows(second).waitFor()
    await isLive(second)
  })

  it('ask as often as one and show the same', async () => {
    await onePoller()
    expect(await follows(first).count()).toBe(0)
    const [node] = stage.nodes
    if (node === undefined) throw new Error('no node')
    await second.goto(stage.nodeUrl(node))
    await hero(second).getByText('ACTIVE', { exact: true }).waitFor()
    // What the second tab has not seen itself, the first one tells.
    await second.locator('path.pl').first().waitFor({ state: 'attached' })
    await stage.reference.faults.set('*', { name: 'status-503' })
    await expect
      .poll(() => statusLine(second).locator('b').first().textContent(), WAIT)
      .toBe('Waiting for the service')
    // Asked more and more rarely by now, unless a person wants it.
    await second.getByRole('button', { name: 'Try now' }).click()
    await nextRequest()
    await stage.reference.faults.clear()
    await second.getByRole('button', { name: 'Try now' }).click()
    await isLive(second)
    await isLive(first)
  })

  it('change places when a person asks', async () => {
    await second.getByRole('button', { name: 'Take over here' }).click()
    await follows(first).waitFor()
    await follows(second).waitFor({ state: 'detached' })
    await onePoller()
    await isLive(first)
    await isLive(second)
  })

  it('go on at the next slot when the one that asks is closed', async () => {
    await nextRequest()
    await first.close()
    expect(await untilNextRequest()).toBeLessThan(SOON_MS)
    await follows(second).waitFor({ state: 'detached' })
    await onePoller()
    await isLive(second)
  })

  it('go on at the next slot when the one that asks crashes', async () => {
    await nextRequest()
    const session = await first.context().newCDPSession(first)
    const crashed = first.waitForEvent('crash')
    session.send('Page.crash').catch(() => undefined) // there is nobody left to answer
    await crashed
    expect(await untilNextRequest()).toBeLessThan(SOON_MS)
    await follows(second).waitFor({ state: 'detached' })
    await onePoller()
    await isLive(second)
  })

  it('go on within a second when the one that asks hangs without a word, and it follows when it is back', async () => {
    const worker = first.workers().find((one) => one.url().includes('engine-worker'))
    await nextRequest()
    const hung = worker?.evaluate((forMs) => {
      const endMs = performance.now() + forMs
      while (performance.now() < endMs);
    }, 4_000)
    expect(await untilNextRequest()).toBeLessThan(SOON_MS)
    await follows(second).waitFor({ state: 'detached' })
    await hung
    await follows(first).waitFor()
    await onePoller()
    await isLive(first)
  })
})

describe('two tabs of a browser that shares no Worker among tabs', () => {
  const PASSPHRASE = 'a passphrase of two tabs'

  it('the second shows what the first asks, its own vault locked; once it leads it asks to be unlocked, and nothing else', async () => {
    const first = await browser.openPage({ viewport: { width: 1440, height: 900 } })
    await first.context().addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    await first.goto(stage.dashboard.dashboardUrl)
    await first.getByText('Bring my Ed25519 key').click()
    const seed = Buffer.from(crypto.getRandomValues(new Uint8Array(32)))
    await first
      .getByLabel('Key file')
      .setInputFiles({ name: 'seed', mimeType: 'application/octet-stream', buffer: seed })
    await first.locator('label', { hasText: 'In the vault' }).click()
    await first.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
    await first.getByLabel('The same again').fill(PASSPHRASE)
    await first.getByRole('button', { name: 'Keep this key' }).click()
    await first.getByRole('button', { name: 'Forget it again' }).waitFor()
    await first.getByRole('button', { name: 'Start watching' }).click()
    await isLive(first)

    const second = await browser.openPage({ context: first.context() })
    await second.goto(stage.dashboard.dashboardUrl)
    await follows(second).waitFor()
    await statusLine(second).getByText(', locked').waitFor()
    await isLive(second)
    await onePoller()

    await second.getByRole('button', { name: 'Take over here' }).click()
    const warning = second.getByRole('dialog', { name: 'Take over with a locked key?' })
    await warning.getByRole('button', { name: 'Cancel' }).click()
    await follows(second).waitFor()
    await first.close()
    await message(second, 'Unlock here to take over').waitFor()
    await statusLine(second).getByText('Unlock here to take over').waitFor()
    const before = times.length
    await second.getByRole('button', { name: 'Unlock' }).first().click()
    await second.getByRole('dialog').getByLabel('Passphrase').fill(PASSPHRASE)
    expect(times.length).toBe(before)
    await second.getByRole('dialog').getByRole('button', { name: 'Unlock' }).click()
    await isLive(second)
    await message(second, 'Unlock here to take over').waitFor({ state: 'detached' })
  })
})

describe('two tabs of which the browser freezes one', () => {
  const status = `(document.querySelector('.status')?.textContent ?? '')`
  const textOf = async (tab: RawTab): Promise<string> => String(await tab.evaluate(status))

  const open = async (host: Browser): Promise<RawTab> => {
    const tab = await openRawTab(host, stage.dashboard.dashboardUrl)
    const start = `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Start watching')`
    const isUp = `${status}.startsWith('Live') || ${start}?.disabled === false`
    await expect.poll(() => tab.evaluate(isUp), WAIT).toBe(true)
    await tab.evaluate(`${start}?.click()`)
    await expect.poll(() => textOf(tab), WAIT).toMatch(/^Live/)
    return tab
  }

  it('go on within a second, and the frozen one follows when it wakes, without a request of its own', async () => {
    const host = browser.itself()
    const first = await open(host)
    const second = await open(host)
    await second.activate()
    await expect.poll(() => textOf(second), WAIT).toContain(FOLLOWS)
    await nextRequest()
    await first.send('Page.setWebLifecycleState', { state: 'frozen' })
    expect(await untilNextRequest()).toBeLessThan(SOON_MS)
    await expect.poll(() => textOf(second), WAIT).not.toContain(FOLLOWS)
    await onePoller()
    const woken = onePoller()
    await first.send('Page.setWebLifecycleState', { state: 'active' })
    await woken
    await expect.poll(() => textOf(first), WAIT).toContain(FOLLOWS)
    await expect.poll(() => textOf(first), WAIT).toMatch(/^Live/)
    await first.close()
    await second.close()
  })
})
