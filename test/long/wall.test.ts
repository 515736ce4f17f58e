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
})
