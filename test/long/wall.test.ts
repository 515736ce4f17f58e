import { mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { launchProfile } from '#test/support/launch-browser.ts'
import { QUICK, setStage, startWatching, type Stage } from '#test/e2e/stage.ts'
import { wallTexts } from '#texts/en-wall.ts'

/** The kiosk flags of the documentation, without `--kiosk`, which needs a screen. */
const KIOSK = ['--noerrdialogs', '--password-store=basic', '--autoplay-policy=no-user-gesture-required']

let stage: Stage
let profile: string
let context: BrowserContext
let page: Page

beforeAll(async () => {
  stage = await setStage({ nodes: 3, service: QUICK })
  profile = mkdtempSync(join(tmpdir(), 'wall-'))
  context = await launchProfile(profile, KIOSK)
  page = await context.newPage()
  await startWatching(page, stage)
  await page.close()
})
afterAll(async () => {
  await context.close()
  await stage.stop()
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
})

const openWall = async (rest = ''): Promise<void> => {
  page = await context.newPage()
  await page.setViewportSize({ width: 1920, height: 1080 })
  await page.goto(`${stage.dashboard.dashboardUrl}#/wall${rest}`)
}
const link = () => page.locator('.wall-link').getByText('Live', { exact: true })
const bar = () => page.locator('.wall-bar')

/** Problems of the current wall in both themes. */
async function problems(): Promise<readonly string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await axeViolations(page)))
  }
  return found
}

async function crash(): Promise<void> {
  const pid = Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'SingletonLock')))?.[1])
  const closed = new Promise<void>((done) => context.once('close', () => done()))
  process.kill(pid, 'SIGKILL')
  await closed
}

describe('a wall screen', () => {
  it('resumes by itself after a power cut, and shows no controls until it is touched', async () => {
    await openWall()
    await link().waitFor()
    await crash()
    context = await launchProfile(profile, KIOSK)
    await openWall()
    await link().waitFor()
    await page.getByText('nodes within limits').waitFor()
    expect(await page.locator('.wall button, .wall a').count()).toBe(0)
    expect(await problems()).toEqual([])
    await page.mouse.move(200, 200)
    await page.getByRole('link', { name: wallTexts.bar.leave }).waitFor()
  })

  it('shows a critical alarm until a user acknowledges it', async () => {
    const [, , silent] = stage.nodes
    if (silent === undefined) throw new Error('no third node')
    await openWall('?theme=dark&time=utc')
    await stage.reference.faults.set(silent.id, { name: 'silent-heartbeat', value: 3_600 })
    await bar().getByText('Heartbeat too old').waitFor()
    await page.getByRole('heading', { name: silent.name }).waitFor()
    // The status is the service's claim, and the wall must not confirm it.
    await page.getByText('Status, as reported').waitFor()
    expect(await problems()).toEqual([])
    await page.mouse.move(300, 300)
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await bar().waitFor({ state: 'detached' })
    // The alarm remains active, so the list contains it.
    await page.getByRole('heading', { name: 'All nodes' }).waitFor()
    await page.locator('.wall-list').getByText('Heartbeat too old').waitFor()
    expect(await page.locator('.wall-list em').first().innerText()).toMatch(/^1\sh\s00\sm$/)
    await stage.reference.faults.clear()
  })

  it('opens from the table, rotates through its nodes, and reports unknown options in its URL', async () => {
    const [first] = stage.nodes
    if (first === undefined) throw new Error('no node')
    const key = new URL(stage.nodeUrl(first)).hash.replace('#/nodes/', '')
    page = await context.newPage()
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.getByRole('link', { name: 'Wall screen' }).click()
    await page.getByRole('heading', { name: 'All nodes' }).waitFor()
    await page.goto(`${stage.dashboard.dashboardUrl}#/wall?show=fleet,${key}&every=5&colour=red`)
    await page.getByRole('heading', { name: first.name }).waitFor()
    await page.getByText('Invalid option in this URL: colour=red').waitFor()
  })
})
