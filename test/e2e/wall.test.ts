import { mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { launchProfile, LIMIT_MS } from '#test/support/launch-browser.ts'
import { QUICK, setStage, startWatching, type Stage, WAIT } from './stage.ts'
import { wallTexts } from '#texts/en-wall.ts'

/** As the documentation starts a kiosk; without a screen there is no `--kiosk`. */
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

/** In both themes, as the wall stands now. */
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
  it('watches again by itself after a power cut, and shows no control until it is touched', async () => {
    await openWall()
    await link().waitFor()
    await crash()
    context = await launchProfile(profile, KIOSK)
    await openWall()
    await link().waitFor()
    await page.getByText('All nodes within limits').waitFor()
    expect(await page.locator('.wall button, .wall a').count()).toBe(0)
    expect(await problems()).toEqual([])
    await page.mouse.move(200, 200)
    await page.getByRole('link', { name: wallTexts.bar.leave }).waitFor()
  })

  it('is taken over by a critical alarm until somebody acknowledges it', async () => {
    const [, , silent] = stage.nodes
    if (silent === undefined) throw new Error('no third node')
    await openWall('?theme=dark&time=utc')
    await stage.reference.faults.set(silent.id, { name: 'silent-heartbeat', value: 3_600 })
    await bar().getByText('Heartbeat too old').waitFor()
    await page.getByRole('heading', { name: silent.name }).waitFor()
    // It is the service's word, and nothing beside it says that we believe it.
    await page.getByText('Status, as reported').waitFor()
    expect(await problems()).toEqual([])
    await page.mouse.move(300, 300)
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await bar().waitFor({ state: 'detached' })
    // It is still on: the list has it.
    await page.getByRole('heading', { name: 'All nodes' }).waitFor()
    await page.locator('.wall-list').getByText('Heartbeat too old').waitFor()
    expect(await page.locator('.wall-list em').first().innerText()).toMatch(/^1\sh\s00\sm$/)
    await stage.reference.faults.clear()
  })

  it('is reached from the table, shows one node after the other, and says what its address does not mean', async () => {
    const [first] = stage.nodes
    if (first === undefined) throw new Error('no node')
    const key = new URL(stage.nodeUrl(first)).hash.replace('#/nodes/', '')
    page = await context.newPage()
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.getByRole('link', { name: 'Wall screen' }).click()
    await page.getByRole('heading', { name: 'All nodes' }).waitFor()
    await page.goto(`${stage.dashboard.dashboardUrl}#/wall?show=fleet,${key}&every=5&colour=red`)
    await page.getByRole('heading', { name: first.name }).waitFor()
    await page.getByText('Not understood in this URL: colour=red').waitFor()
  })
})

describe('a wall of a thousand nodes', () => {
  let many: Stage

  beforeAll(async () => {
    // A round of a thousand fits into this on a busy machine too; else the wall would say that it does not.
    many = await setStage({ nodes: 1_000, service: { ...QUICK, pollIntervalMs: 15_000 } })
  })
  afterAll(() => many.stop())

  /** What is not wholly on screen, or smaller than what is read at five metres: 3.4 % of its height. */
  const unreadable = () =>
    page.evaluate(() =>
      Array.from(document.querySelectorAll('.wall-page :is(h1, time, b, dt, dd, em, small, p, svg.mosaic)'))
        .filter(({ tagName, textContent }) => tagName === 'svg' || textContent !== '')
        .filter((element) => {
          const { top, bottom, left, right, width } = element.getBoundingClientRect()
          const isOn = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && width > 0
          const size = Number.parseFloat(getComputedStyle(element).fontSize) / innerHeight
          return !isOn || (element.tagName !== 'svg' && size < 0.0335)
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 120)),
    )

  it('shows each in a map that fills the screen, and names the worst of them, on any screen', async () => {
    page = await context.newPage()
    await page.setViewportSize({ width: 1920, height: 1080 })
    await startWatching(page, many)
    await page.goto(`${many.dashboard.dashboardUrl}#/wall?time=utc`)
    // A thousand nodes are asked over a whole interval before that is so.
    await page.getByText(wallTexts.within(1_000)).waitFor({ timeout: 2 * LIMIT_MS })
    const map = page.getByRole('img', { name: wallTexts.mosaic(1_000, 0) })
    for (const [width, height] of [
      [1920, 1080],
      [1280, 720],
      [2560, 1080],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight)
      const box = await map.boundingBox()
      expect(box?.width).toBeGreaterThan(width * 0.85)
      expect(box?.height).toBeGreaterThan(height * 0.25)
      expect(await unreadable()).toEqual([])
    }
    const odd = [100, 500, 900].flatMap((place) => many.nodes[place] ?? [])
    for (const { id } of odd) await many.reference.faults.set(id, { name: 'silent-heartbeat', value: 3_600 })
    const list = page.getByRole('listitem').filter({ hasText: 'Heartbeat too old' })
    await expect.poll(() => list.count(), WAIT).toBe(3)
    for (const { name } of odd) await list.filter({ hasText: name }).waitFor()
    await page.getByRole('img', { name: wallTexts.mosaic(1_000, 3) }).waitFor()
    expect(await unreadable()).toEqual([])
  })
})
