import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FaultName } from '#test/support/bench-faults.ts'
import {
  hero,
  message,
  openMessages,
  messages,
  QUICK,
  setStage,
  startWatching,
  statusLine,
  type Stage,
} from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { evidenceLabel } from '#texts/en-diagnosis.ts'

const FAR = 'node.example'

const browser = browserForTests([`--host-resolver-rules=MAP ${FAR} 127.0.0.1`])
let stage: Stage
let page: Page
/** Of the key that signs. */
let publicKey = ''

const said = async (title: RegExp): Promise<string> => {
  const banner = message(page, title)
  await openMessages(page)
  await banner.getByText(evidenceLabel).waitFor()
  return banner.innerText()
}
const fault = (name: FaultName, value?: number) =>
  stage.reference.faults.set('*', { name, ...(value !== undefined && { value }) })
const well = async (): Promise<void> => {
  await stage.reference.faults.clear()
  const again = page.getByRole('button', { name: 'Try now' })
  // The next poll may take the message away first.
  if ((await again.count()) > 0)
    await again
      .first()
      .click({ timeout: 5_000 })
      .catch(() => undefined)
  await hero(page).getByText('Last answer').waitFor()
  await messages(page).waitFor({ state: 'detached' })
}

/** A heartbeat comes every 15 s, so an age without the correction could not be this small, nor a negative one. */
async function agesAreRight(): Promise<void> {
  const age = hero(page).locator('.big [aria-hidden]')
  await expect.poll(() => age.innerText()).toMatch(/^1?\d\s*s\s*ago$/)
}

/** One node, through this dashboard's server, for the tests of a `describe`. */
function watchOneNode(): void {
  beforeAll(async () => {
    stage = await setStage({ nodes: 1, service: QUICK })
    page = await browser.openPage()
    await startWatching(page, stage)
  })
  afterAll(async () => {
    await stage.stop()
  })
}

describe('a service behind this dashboard’s server', () => {
  watchOneNode()

  it('whose proxy drops the signature is told as that, with what speaks for it, and nothing secret is copied', async () => {
    await fault('strip-authorization')
    const text = await said(/Signature rejected/)
    expect(text).toContain('The signature does not reach Test service')
    expect(text).toContain('An unsigned request gets the same answer.')
    await page.evaluate(() => {
      Object.defineProperty(navigator.clipboard, 'writeText', {
        value: async (copied: string) => void Reflect.set(globalThis, 'copied', copied),
      })
    })
    await page.getByRole('button', { name: 'Copy report' }).click()
    await expect.poll(() => page.evaluate(() => Reflect.get(globalThis, 'copied'))).toBeDefined()
    const report = String(await page.evaluate(() => Reflect.get(globalThis, 'copied')))
    expect(report).toContain('auth/401')
    publicKey = /Public key: ([0-9a-f]{64})/.exec(report)?.[1] ?? ''
    expect(publicKey).not.toBe('')
    expect(report).not.toMatch(/[0-9a-f]{80}/i)
    await well()
  })

  it('that does not know the key is told as that', async () => {
    stage.reference.keys.register(publicKey, '*', Date.now() - 1_000)
    const text = await said(/Signature rejected/)
    expect(text).toContain('Test service does not know this public key.')
    expect(text).toContain('The clocks agree')
    stage.reference.keys.register(publicKey)
    await well()
  })

  it('in whose place a sign-in page answers or leads away is told as that', async () => {
    await fault('html')
    const text = await said(/is not a status record/)
    expect(text).toMatch(/A web page answers instead of the service.*“Sign in”/s)
    // Nobody is on the way to this computer itself.
    expect(text).not.toContain('captive portal')
    await well()
    await fault('redirect-login')
    expect(await said(/redirects to another address/)).toContain('An unsigned request is redirected too')
    await well()
  })

  it('F 76: whose clock is another is told as that, and ages are right all the same', async () => {
    await fault('clock-offset', 45_000)
    // It may also refuse the time, since that lies before its own start.
    const banner = message(page, /(Clocks disagree by|This computer’s clock is) 4[456].s/)
    await openMessages(page)
    await banner.waitFor()
    expect(await banner.innerText()).toContain('data/clock')
    await expect.poll(() => statusLine(page).innerText()).toMatch(/clock offset \+4[45]\.\d\d.s/)
    await agesAreRight()
  })

  it('whose clock is beyond the window of signatures is asked with its own time, which is told', async () => {
    await fault('clock-offset', 73_000)
    const banner = message(page, /This computer’s clock is 7[234].s slow/)
    await openMessages(page)
    await banner.waitFor()
    expect(await banner.innerText()).toMatch(
      /Known from the Date of the answers of Test service, ± \d\.\d\d.s/,
    )
    await hero(page).getByText('Last answer').waitFor()
    await message(page, /Signature rejected/).waitFor({ state: 'detached' })
  })
})

/** A service of its own: failures of one are looked into only so often. */
describe('a service behind this dashboard’s server whose clock is an hour away', () => {
  watchOneNode()

  it('F 76, 129: is asked with its time once the operator says so', async () => {
    await fault('clock-offset', 3_600_000)
    await said(/This computer’s clock is 1.h 00.m slow/)
    await page.getByRole('button', { name: 'Sign with the service’s time' }).click()
    await hero(page).getByText('Last answer').waitFor()
    await openMessages(page)
    await message(page, /This computer’s clock is 1.h 00.m slow/)
      .getByText(/signed with the service’s/)
      .waitFor()
    await agesAreRight()
    await stage.reference.faults.clear()
  })

  it('F 76: is told as this computer being fast where it is behind, and ages are right', async () => {
    await fault('clock-offset', -3_600_000)
    await openMessages(page)
    await message(page, /This computer’s clock is (1.h 00.m|59.m 5\d.s) fast/).waitFor()
    const sign = page.getByRole('button', { name: 'Sign with the service’s time' })
    await sign.click()
    await hero(page).getByText('Last answer').waitFor()
    await agesAreRight()
    await stage.reference.faults.clear()
  })
})

describe('a service that the page asks itself', () => {
  it('is asked for leave once for each node, however often the node is polled', async () => {
    const nodes = 3
    const far = await setStage({ nodes, service: QUICK, far: FAR })
    page = await browser.openPage()
    await startWatching(page, far)
    await expect.poll(() => Object.keys(far.reference.stats().byNode).length).toBe(nodes)
    const polls = () => far.reference.stats().byStatus['200'] ?? 0
    const before = polls()
    await expect.poll(polls).toBeGreaterThan(before + 4 * nodes)
    expect(far.reference.stats().preflights).toBe(nodes)
    await page.close()
    await far.stop()
  })

  const watching = async (name: FaultName | undefined): Promise<void> => {
    stage = await setStage({ nodes: 1, service: QUICK, far: FAR })
    if (name !== undefined) await fault(name)
    page = await browser.openPage()
    await page.goto(stage.dashboard.dashboardUrl)
    await page.getByRole('button', { name: 'Start watching' }).click()
  }

  it.each<[string, FaultName, RegExp, RegExp]>([
    [
      'sends no headers for other pages',
      'no-cors',
      /answers, but does not allow this page to read it/,
      /opaque \(no-cors\) request is answered/,
    ],
    [
      'refuses OPTIONS',
      'preflight-401',
      /does not allow signed requests from this page/,
      /which needs no preflight, is answered 401/,
    ],
    [
      'does not listen',
      'refused',
      /No answer from Test service/,
      /opaque \(no-cors\) request is not answered/,
    ],
  ])('and that %s is told as that', async (_what, name, title, clue) => {
    await watching(name)
    expect(await said(title)).toMatch(clue)
    expect(stage.reference.stats().inFlight).toBe(0)
    await page.close()
    await stage.stop()
  })
})
