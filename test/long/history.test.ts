import { mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchLightBrowser, launchProfile } from '#test/support/launch-browser.ts'
import { keptSamples } from '#test/support/kept-samples.ts'
import { backupOf } from '#test/support/backup-file.ts'
import { hero, message, openMessages, QUICK, setStage, startWatching, type Stage } from '#test/e2e/stage.ts'
import { HISTORY_VERSION } from '#storage/storage.ts'
import { METRICS } from '#metrics/metrics.ts'
import { eventWords } from '#texts/en-events.ts'
import { historyTexts } from '#texts/en-history.ts'
import { transferTexts } from '#texts/en-transfer.ts'

let stage: Stage
let profile: string
let context: BrowserContext

beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK })
  profile = mkdtempSync(join(tmpdir(), 'history-'))
  context = await launchProfile(profile)
})
afterAll(async () => {
  await context.close()
  await stage.stop()
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
})

/** The number of polls in the node's chart. */
const shown = async (page: Page): Promise<number> =>
  Number(
    /([\d,]+)(?: polls|$|,)/.exec((await page.locator('.legend-note').textContent()) ?? '')?.[1] ??
      Number.NaN,
  )

const openNode = async (): Promise<Page> => {
  const [node] = stage.nodes
  if (node === undefined) throw new Error('no node')
  const page = await context.newPage()
  await page.goto(stage.nodeUrl(node))
  await hero(page).waitFor()
  return page
}

async function killAndOpenAgain(): Promise<void> {
  const pid = Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'SingletonLock')))?.[1])
  const closed = new Promise<void>((done) => context.once('close', () => done()))
  process.kill(pid, 'SIGKILL')
  await closed
  context = await launchProfile(profile)
}

const databaseNames = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => (await indexedDB.databases()).map(({ name = '' }) => name))

const ROWS = 48_000

/** Large enough that restoring takes several seconds. */
const largeBackup = (): string =>
  backupOf([
    JSON.stringify({
      format: 'immune-node-backup',
      version: 1,
      schema: HISTORY_VERSION,
      madeMs: 0,
      rows: ROWS,
      settings: {},
    }),
    ...Array.from({ length: ROWS }, (_, row) => JSON.stringify(['events', [row], { note: 'x'.repeat(200) }])),
  ])

const IMPORTED = 20 * 24 * 90

/** 20 days of a node with a poll every 40 seconds. It ends two days ago, so retention keeps all of it. */
function largeExport(): string {
  const startMs = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 22 * 86_400_000
  const head = {
    format: 'immune-node-history',
    version: 1,
    node: `${new URL(stage.dashboard.dashboardUrl).origin} 0x1`,
    resolution: 'samples',
    columns: ['time_ms', 'outcome', 'interval', 'status', 'answer_time'],
  }
  const rows = Array.from({ length: IMPORTED }, (_, poll) =>
    JSON.stringify([startMs + poll * 40_000, 'answered', 40_000, 'ACTIVE', 12]),
  )
  return `${JSON.stringify(head).slice(0, -1)},"rows":[\n${rows.join(',\n')}\n]}\n`
}

/** The journal entry of a restored backup, up to the number of records. */
const RESTORED = new RegExp(
  `^${eventWords({ wallMs: 0, area: 'operator', what: 'backup-restored' }, { zone: 'utc', nowMs: 0, metrics: METRICS }).title.split(':')[0]}:`,
)

describe('recorded history', () => {
  it('F 89: has every saved sample after a reload and after the browser was killed', async () => {
    const page = await context.newPage()
    await startWatching(page, stage)
    await expect.poll(() => keptSamples(page)).toBeGreaterThan(10)
    await page.close()

    const again = await openNode()
    const before = await keptSamples(again)
    await expect.poll(() => keptSamples(again)).toBeGreaterThan(before + 6)
    const acknowledged = await keptSamples(again)
    await killAndOpenAgain()
    const reopened = await openNode()
    expect(await keptSamples(reopened)).toBeGreaterThanOrEqual(acknowledged)
    // Both nodes have equally many polls, so almost half of them must be this node's.
    await expect.poll(() => shown(reopened)).toBeGreaterThanOrEqual(Math.floor(acknowledged / 2) - 2)
    expect(await message(reopened, new RegExp(`^${historyTexts.notKept('')}`)).count()).toBe(0)
    await reopened.close()
  })

  it('is complete if the browser was killed during a restore, and the page reports it', async () => {
    const page = await context.newPage()
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
    const before = await keptSamples(page)
    expect(before).toBeGreaterThan(0)
    const names = await databaseNames(page)
    const buffer = Buffer.from(largeBackup())
    await page
      .getByLabel(transferTexts.files.restore)
      .setInputFiles({ name: 'large.ndjson', mimeType: 'application/json', buffer })
    const dialog = page.getByRole('dialog', { name: transferTexts.files.restoreTitle })
    await dialog.getByRole('button', { name: transferTexts.files.restoreConfirm }).click()
    await expect
      .poll(async () => (await databaseNames(page)).filter((name) => !names.includes(name)).length)
      .toBe(1)
    await killAndOpenAgain()

    const reopened = await context.newPage()
    await reopened.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
    const { title, text } = historyTexts.cutOff.restore
    const said = message(reopened, new RegExp(title))
    await said.waitFor()
    await openMessages(reopened)
    expect(await said.textContent()).toContain(text)
    expect(await keptSamples(reopened)).toBeGreaterThanOrEqual(before)
    expect(await databaseNames(reopened)).not.toContain('immune-history-store-2')
    await reopened.close()
  })

  it('has all or nothing of an import if the browser was killed during it', async () => {
    const page = await context.newPage()
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
    const before = await keptSamples(page)
    const importing = async (on: Page) =>
      on.getByLabel(transferTexts.files.import).setInputFiles({
        name: 'large.json',
        mimeType: 'application/json',
        buffer: Buffer.from(largeExport()),
      })
    await importing(page)
    await page.getByText(/^\d+ % done$/).waitFor()
    await killAndOpenAgain()

    const reopened = await context.newPage()
    await reopened.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
    const after = (await keptSamples(reopened)) - before
    expect(after < 5_000 || after >= IMPORTED).toBe(true)
    await importing(reopened)
    await reopened.getByText(/^Imported /).waitFor()
    expect(await keptSamples(reopened)).toBeGreaterThanOrEqual(IMPORTED)
    await reopened.close()
  })

  it('moves to a new browser with a backup, from the first screen on', async () => {
    const page = await context.newPage()
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
    const before = await keptSamples(page)
    expect(before).toBeGreaterThan(0)
    const [backup] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: transferTexts.files.backup }).click(),
    ])
    const file = await backup.path()
    await page.close()

    const browser = await launchLightBrowser()
    const fresh = await browser.newPage()
    await fresh.goto(stage.dashboard.dashboardUrl)
    await fresh.getByRole('link', { name: 'Restore from a backup' }).click()
    await fresh.getByLabel(transferTexts.files.restore).setInputFiles(file)
    const dialog = fresh.getByRole('dialog', { name: transferTexts.files.restoreTitle })
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await fresh.getByText(/^Restored [\d,]+ records/).waitFor()
    expect(await keptSamples(fresh)).toBeGreaterThanOrEqual(before)
    // A backup contains no keys.
    await startWatching(fresh, stage)
    await fresh.goto(`${stage.dashboard.dashboardUrl}#/journal`)
    await fresh.getByText(RESTORED).waitFor()
    await browser.close()
  })
})
