import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { hero, message, messages, QUICK, setStage, startWatching, WAIT, type Stage } from './stage.ts'
import { attachToTarget } from '#test/support/raw-tab.ts'
import { browserForTests } from './watched-browser.ts'
import { ruleTexts, documentTexts } from '#texts/en-rules.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { screenProblemTexts } from '#texts/en-screen-problems.ts'

/** Long for an engine that runs, even on a busy machine. */
const ENGINE_ANSWERS_WITHIN_MS = 10_000

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: { ...QUICK, pollIntervalMs: 2_000 } })
})
afterAll(async () => {
  await stage.stop()
})

const openPage = async (): Promise<void> => {
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
}

describe('settings', () => {
  beforeEach(openPage)

  const forgetAll = async (): Promise<void> => {
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/storage`)
    await page.getByRole('button', { name: settingsTexts.storage.forget }).click()
    await page.getByRole('dialog').getByRole('button', { name: settingsTexts.storage.forgetConfirm }).click()
    await page.getByRole('button', { name: 'Start watching' }).waitFor()
  }

  it('persist after a reload and in every tab until all data is deleted', async () => {
    await startWatching(page, stage)
    const other = await browser.openPage({ context: page.context() })
    await other.goto(stage.dashboard.dashboardUrl)
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/display`)
    await page.getByText('Light', { exact: true }).click()
    await page.getByText('High', { exact: true }).click()
    const look = (tab: Page) =>
      tab.evaluate(() => [
        document.documentElement.dataset['theme'],
        document.documentElement.dataset['contrast'],
      ])
    await expect.poll(() => look(page)).toEqual(['light', 'more'])
    await expect.poll(() => look(other)).toEqual(['light', 'more'])
    await page.reload()
    await expect.poll(() => look(page)).toEqual(['light', 'more'])
    await other.evaluate(() => Reflect.set(globalThis, 'isFromBefore', true))
    await forgetAll()
    expect(await look(page)).toEqual([undefined, undefined])
    await expect.poll(() => messages(page).allInnerTexts()).toEqual([])
    // A page from before the deletion shares no locks with new Workers, so the other tab reloads.
    await expect.poll(() => other.evaluate(() => Reflect.has(globalThis, 'isFromBefore'))).toBe(false)
    await other.getByRole('button', { name: 'Start watching' }).waitFor()
    expect(await look(other)).toEqual([undefined, undefined])
  })

  it('are deleted in the engine too, although a blocked tab keeps it alive', async () => {
    const session = await browser.itself().newBrowserCDPSession()
    const engines = async (): Promise<readonly string[]> => {
      const { targetInfos } = await session.send('Target.getTargets', { filter: [{}] })
      const { origin } = new URL(stage.dashboard.dashboardUrl)
      return targetInfos
        .filter(
          ({ type, url }) => type === 'shared_worker' && url.startsWith(origin) && url.includes('engine'),
        )
        .map(({ targetId }) => targetId)
    }
    const others = await engines()
    await startWatching(page, stage)
    const blocked = await browser.openPage({ context: page.context() })
    await blocked.goto(stage.dashboard.dashboardUrl)
    await blocked.getByText('ACTIVE', { exact: true }).first().waitFor()
    const opened = blocked.waitForEvent('dialog')
    await blocked.evaluate(() => void setTimeout(() => alert('This tab is blocked.')))
    const dialog = await opened
    onTestFinished(() => dialog.dismiss())
    const own = (await engines()).filter((id) => !others.includes(id))
    expect(own).toHaveLength(1)
    const engine = await attachToTarget(browser.itself(), own[0] ?? '')
    // The browser may give the next engine the same target, but it has another global. One that has ended never answers.
    const isFromBefore = (): Promise<boolean> =>
      Promise.race([
        engine.send('Runtime.evaluate', { expression: 'globalThis.isFromBefore', returnByValue: true }).then(
          (answer) => JSON.stringify(answer).includes('true'),
          () => false,
        ),
        once(AbortSignal.timeout(ENGINE_ANSWERS_WITHIN_MS), 'abort').then(() => false),
      ])
    await engine.send('Runtime.evaluate', { expression: 'globalThis.isFromBefore = true' })
    expect(await isFromBefore()).toBe(true)
    await forgetAll()
    await expect.poll(isFromBefore).toBe(false)
  })
})

describe('the settings document', () => {
  beforeEach(openPage)

  /** An age with five digits of days. */
  const OLD = /\d{5}\s*d/
  const settings = (section: string) => page.goto(`${stage.dashboard.dashboardUrl}#/settings/${section}`)
  const stored = (): Promise<{ readonly rules: readonly unknown[] }> =>
    page.evaluate(() => JSON.parse(localStorage.getItem('immune-settings') ?? '{"rules":[]}'))
  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(settingsTexts.saved).waitFor()
  }
  const saved = async (button: Locator): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
    return readFileSync(await file.path(), 'utf8')
  }

  it('takes effect when saved, and can be exported, undone and imported', async () => {
    const [node] = stage.nodes
    if (node === undefined) throw new Error('no node')
    await startWatching(page, stage)
    const facts = page.getByRole('region', { name: 'Last good answer' })
    const now = () => hero(page).innerText()

    await settings('units')
    await page.getByLabel(ruleTexts.fields.participation).selectOption('percent')
    await page.getByLabel(ruleTexts.fields.heartbeat).selectOption('ms')
    await page.getByLabel(ruleTexts.fields.stakeSymbol).fill('IMN')
    await page.getByLabel(ruleTexts.fields.stakeDecimals).fill('3')
    await save()
    await page.goto(stage.nodeUrl(node))
    await facts.getByText(/IMN/).waitFor()
    // Between the two readings a poll may change the values.
    await vi.waitFor(async () => {
      const raw = await page.getByRole('region', { name: /^Raw record/ }).innerText()
      const [, stake = '', participation = ''] =
        /"stake_deployed":\s*(\d+)[^]*"network_participation":\s*([\d.]+)/.exec(raw) ?? []
      const shown = (await facts.innerText()).replaceAll('\u00a0', ' ')
      // Percentages are never rounded up.
      expect(shown).toContain(`${(Math.floor(Number(participation) * 100) / 100).toFixed(2)} %`)
      const amount = /([\d,.]+) IMN/.exec(shown)?.[1]?.replaceAll(',', '')
      expect(Number(amount)).toBe(Number(stake) / 1_000)
    }, WAIT)
    // Seconds since 1970 that are read as milliseconds lie half a century in the past.
    await expect.poll(now).toMatch(OLD)

    await settings('document')
    const file = await saved(page.getByRole('button', { name: 'Export settings' }))
    expect(JSON.parse(file).rules).toEqual((await stored()).rules)
    expect(file).not.toMatch(/publicKey|seed|vault/)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText(documentTexts.undone).waitFor()
    expect((await stored()).rules).toEqual([])
    await page.goto(stage.nodeUrl(node))
    await facts.waitFor()
    await expect.poll(() => facts.innerText()).not.toContain('IMN')
    await expect.poll(now).not.toMatch(OLD)

    await settings('document')
    await page
      .getByLabel(documentTexts.import, { exact: true })
      .setInputFiles({ name: 'settings.json', mimeType: 'application/json', buffer: Buffer.from(file) })
    const dialog = page.getByRole('dialog', { name: 'Import these settings?' })
    await dialog.getByText(/units and limits/).waitFor()
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByText(settingsTexts.saved).waitFor()
    expect((await stored()).rules).toEqual(JSON.parse(file).rules)
  })

  it.each([
    ['of a later version', screenProblemTexts.problem.newer.title, { version: 99, hologram: { on: true } }],
    ['damaged', /in this browser can’t be read/, undefined],
  ])(
    'F 127: that is %s does not lock the user out, and stays available unchanged',
    async (_what, said, part) => {
      await startWatching(page, stage)
      const text =
        part === undefined
          ? '{"version":1,"services":[{"baseUrl"'
          : JSON.stringify({ ...(await stored()), ...part })
      await page.evaluate((found) => localStorage.setItem('immune-settings', found), text)
      await page.reload()
      await message(page, said).waitFor()
      await hero(page).getByText('Last answer').waitFor()
      await settings('document')
      const copies = page.getByRole('region', { name: documentTexts.copies })
      expect(await saved(copies.getByRole('button', { name: documentTexts.download }))).toBe(text)
    },
  )
})
