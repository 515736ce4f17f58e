import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { journalTexts } from '#texts/en-journal.ts'
import { paletteTexts, shortcutTexts } from '#texts/en-keyboard.ts'
import { setStage, startWatching, hero, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({ nodes: 20, service: { label: 'Test service', pollIntervalMs: 15_000 } })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
  await hero(page).waitFor()
})
afterAll(async () => {
  await stage.stop()
})

const address = () => page.evaluate(() => decodeURIComponent(location.hash.slice(1)))
const box = () => page.getByRole('combobox', { name: paletteTexts.title })
/** The browser reports a dialog's close after it has hidden the dialog; a key pressed between the two is lost. */
const gone = () =>
  page.getByRole('combobox', { name: paletteTexts.title, includeHidden: true }).waitFor({ state: 'detached' })
const shortcuts = () => page.getByRole('dialog', { name: shortcutTexts.title })
const press = async (...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
/** After a load, shortcuts work once the palette, which comes with them, was opened by its button. */
const openPalette = async () => {
  await page.getByRole('button', { name: paletteTexts.title }).press('Enter')
  await box().waitFor()
  await press('Escape')
  await gone()
  await press('Control+k')
  await box().waitFor()
}
const problems = async (): Promise<readonly string[]> => {
  const found: string[] = []
  for (const [width, colorScheme] of [
    [1_440, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    found.push(...(await axeViolations(page, 'all')))
  }
  await page.setViewportSize({ width: 1_440, height: 900 })
  return found
}

describe('with the keyboard alone', () => {
  it('a user finds one of many nodes by its id, whatever has the focus', async () => {
    const node = stage.nodes[17]
    if (node === undefined) throw new Error('the service has no such node')
    await openPalette()
    // The browser's modal dialog focuses its text field.
    await page.keyboard.type(node.id.slice(0, 14))
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    expect(await page.getByRole('listbox').getByRole('option').count()).toBe(1)
    await press('Enter')
    await expect.poll(() => page.url()).toBe(stage.nodeUrl(node))
    await page.getByRole('heading', { level: 1, name: node.name }).waitFor()
    expect(await box().count()).toBe(0)
  })

  it('the journal’s search is reachable, and typing in it triggers no shortcut', async () => {
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.getByRole('grid').waitFor()
    await press('g', 'j')
    // The table of nodes has such a field too, and goes only once the journal is there.
    await page.getByRole('heading', { level: 1, name: journalTexts.title }).waitFor()
    await page.locator('main [aria-keyshortcuts="/"]').waitFor()
    await press('/')
    await page.keyboard.type('g?a')
    expect(await page.locator(':focus').inputValue()).toBe('g?a')
    expect(await shortcuts().count()).toBe(0)
    expect(await address()).toMatch(/^\/journal/)
    // The palette still opens from there, and Escape returns the focus.
    await press('Control+k')
    await box().waitFor()
    await press('Escape')
    await gone()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-keyshortcuts'))).toBe('/')
  })
})

describe('no accessibility problem', () => {
  it('with the palette, for any search result', async () => {
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.getByRole('grid').waitFor()
    await press('Control+k')
    await box().waitFor()
    expect(await problems()).toEqual([])
    await page.keyboard.type('a')
    expect(await problems()).toEqual([])
    await page.keyboard.type(' nowhere')
    await page.getByText(paletteTexts.none).waitFor()
    expect(await problems()).toEqual([])
    await press('Escape')
  })

  it('with the list of shortcuts', async () => {
    await press('?')
    await shortcuts().waitFor()
    expect(await problems()).toEqual([])
    await press('Escape')
  })
})
