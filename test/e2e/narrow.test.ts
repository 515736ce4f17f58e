import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cutOff } from '#test/support/cut-off.ts'
import { backupOf } from '#test/support/backup-file.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { connectionTestTexts } from '#texts/en-connection-test.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { documentTexts } from '#texts/en-rules.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { EMPTY_SETTINGS } from '#settings/empty-settings.ts'
import { hero, openMessages, QUICK, setStage, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

/** Two phones, a screen of 1440 by 900 at a zoom of 200 %, and a tablet or half of a wide screen. */
const VIEWPORTS = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 720, height: 450 },
  { width: 1_024, height: 768 },
]

/** As long as names may be; one can be broken at spaces, the other nowhere. */
const NAMES = ['WIDE'.repeat(15), 'a name of several words '.repeat(3).slice(0, 59).trim()]
const TAG = 'frankfurt-rack-4-row-2-position1'

const SETTINGS = [
  'services',
  'signing',
  'key',
  'nodes',
  'units',
  'notifications',
  'display',
  'document',
  'storage',
]

const { files: historyFiles } = transferTexts

const browser = browserForTests()
let stage: Stage
let page: Page
/** What is cut on the first run, which is over before the tests begin. */
const firstRun = new Map<string, readonly string[]>()

beforeAll(async () => {
  stage = await setStage({
    nodes: 14,
    service: { ...QUICK, label: 'L'.repeat(60) },
    watch: (nodes) => nodes.map((node, n) => ({ ...node, name: NAMES[n] ?? node.name, tags: [TAG, 'eu'] })),
  })
  const [wide, words, unknown, portal, , , rich] = stage.nodes
  page = await browser.openPage({ viewport: VIEWPORTS[0] ?? null, colorScheme: 'dark' })
  await page.goto(stage.dashboard.dashboardUrl)
  await page.getByRole('button', { name: firstRunTexts.start }).waitFor()
  firstRun.set('before a test', await cutAtAny())
  await stage.reference.faults.set('*', { name: 'status-401' })
  await page.getByRole('button', { name: firstRunTexts.key.makeNow, exact: true }).click()
  const testAgain = page.getByRole('button', { name: connectionTestTexts.testAgain, exact: true })
  await page.getByRole('button', { name: connectionTestTexts.test, exact: true }).or(testAgain).click()
  await page.locator('.steps .evidence').waitFor()
  firstRun.set('with a failed test', await cutAtAny())
  await stage.reference.faults.clear()
  await testAgain.click()
  await page.getByText(firstRunTexts.firstAnswer.heartbeat).waitFor()
  firstRun.set('with a first answer', await cutAtAny())
  await page.getByRole('button', { name: firstRunTexts.start }).click()
  await hero(page).getByText('Last answer').waitFor()
  for (const [node, name, value] of [
    [wide, 'status-word', 'SUSPENDED'.repeat(7)],
    [words, 'silent-heartbeat', 300],
    [unknown, 'status-404', undefined],
    [portal, 'html', undefined],
    [rich, 'big', undefined],
  ] as const)
    await stage.reference.faults.set(node?.id ?? '', { name, ...(value !== undefined && { value }) })
  await page.locator('.ann .hot').first().waitFor()
}, 240_000)
afterAll(async () => {
  await stage.stop()
})

/** Goes there, and waits until nothing more comes: as many elements for ten frames, with a limit. */
const to = async (path: string): Promise<void> => {
  await page.evaluate(async (hash) => {
    location.hash = hash
    let [count, still] = [0, 0]
    for (let frame = 0; frame < 300 && still < 10; frame++) {
      await new Promise(requestAnimationFrame)
      const now = document.querySelectorAll('#root *').length
      still = now === count && now > 20 ? still + 1 : 0
      count = now
    }
  }, path)
}

/** What is cut at any of the widths, each with its width. */
async function cutAtAny(): Promise<readonly string[]> {
  const found: string[] = []
  for (const viewport of VIEWPORTS) {
    await page.setViewportSize(viewport)
    // Two frames: what measures itself draws again after the first.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    found.push(...(await cutOff(page)).map((problem) => `${viewport.width} px, ${problem}`))
  }
  return found
}

describe('nothing is cut on a phone or at a zoom of 200 %', () => {
  it.each([
    '/nodes',
    '/nodes?condition=critical',
    '/alarms',
    '/alarms/rules',
    '/journal',
    '/about',
    '/wall',
    ...SETTINGS.map((section) => `/settings/${section}`),
  ])('%s', async (path) => {
    await to(path)
    expect(await cutAtAny()).toEqual([])
  })

  it.each(['before a test', 'with a failed test', 'with a first answer'])('the first run, %s', (state) => {
    expect(firstRun.get(state)).toEqual([])
  })

  it.each([0, 1, 2, 5])('a node’s page, node %d', async (n) => {
    const node = stage.nodes[n]
    if (node === undefined) throw new Error('no node')
    await to(new URL(stage.nodeUrl(node)).hash.slice(1))
    expect(await cutAtAny()).toEqual([])
  })

  it.each([0, 1, 2, 5])('a node on the wall, node %d', async (n) => {
    const node = stage.nodes[n]
    if (node === undefined) throw new Error('no node')
    await to(new URL(stage.nodeUrl(node)).hash.slice(1).replace('/nodes/', '/wall/'))
    expect(await cutAtAny()).toEqual([])
  })

  it('every column of the journal, without scrolling sideways', async () => {
    await to('/journal')
    const grid = page.getByRole('grid')
    for (const viewport of VIEWPORTS) {
      await page.setViewportSize(viewport)
      expect(await grid.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    }
  })

  it('the detail of an alarm', async () => {
    await to('/alarms')
    await page.getByRole('grid').getByRole('row').nth(2).press('Enter')
    await page.getByRole('dialog').or(page.getByRole('complementary')).first().waitFor()
    expect(await cutAtAny()).toEqual([])
  })
})

const WIDE = { width: 1_440, height: 900 }

/** Services as a file brings them: a refused profile, a long address, a token of several lines. */
const BROUGHT = [
  {
    baseUrl: 'https://testnet.operators.example/api',
    label: 'L'.repeat(60),
    profile: {
      message: { kind: 'template', template: `status-v1\nhttps://victim.example/${'x'.repeat(200)}\n{ts.s}` },
      headers: { Authorization: 'Bearer {sig.hex}' },
    },
  },
  { baseUrl: `https://${'a-rather-long-host-name.'.repeat(3)}example:8443/interface/v1`, profile: 'rfc9421' },
  { baseUrl: 'https://plain.example', profile: 'jwt-eddsa' },
]
const SETTINGS_FILE = { ...EMPTY_SETTINGS, services: BROUGHT }

describe('a file is taken in by a dialog that shows its services whole, with its buttons in view', () => {
  it.each([
    ['a backup', 'storage', historyFiles.restore, historyFiles.restoreTitle, 'backup.ndjson'],
    ['settings', 'document', documentTexts.importPrompt, documentTexts.importTitle, 'settings.json'],
  ])('%s', async (_what, section, label, title, name) => {
    await to(`/settings/${section}`)
    const text = JSON.stringify(SETTINGS_FILE)
    const backup = backupOf([`{"settings":${text}}`])
    const buffer = Buffer.from(name.endsWith('.ndjson') ? backup : text)
    await page
      .getByLabel(label, { exact: true })
      .setInputFiles({ name, mimeType: 'application/json', buffer })
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.waitFor()
    for (const { baseUrl } of BROUGHT) await dialog.getByText(baseUrl, { exact: true }).first().waitFor()
    for (const viewport of [...VIEWPORTS, WIDE]) {
      await page.setViewportSize(viewport)
      expect(await cutOff(page)).toEqual([])
      const sideways = await dialog.evaluate(
        (element) =>
          Array.from(element.querySelectorAll('*')).filter((each) => each.scrollWidth > each.clientWidth + 1)
            .length,
      )
      expect([viewport.width, sideways]).toEqual([viewport.width, 0])
      for (const button of await dialog.getByRole('button').all()) {
        const box = await button.boundingBox()
        expect((box?.y ?? -1) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height)
        expect(box?.y).toBeGreaterThanOrEqual(0)
      }
    }
    await dialog.getByRole('button', { name: settingsTexts.cancel }).click()
  })
})

it.each([...VIEWPORTS, WIDE])(
  'what was just done stands beside the opened messages, not over them, at $width px',
  async (viewport) => {
    await page.setViewportSize(viewport)
    await to('/alarms')
    await page.getByRole('button', { name: alarmTexts.act.acknowledge, exact: true }).first().click()
    await page.locator('.toast').first().waitFor()
    await openMessages(page)
    const [toast, strip] = await page.evaluate(() =>
      ['.toasts', '.msgs.open'].map((css) => {
        const { top, bottom, left, right } = document.querySelector(css)?.getBoundingClientRect() ?? {}
        return { top, bottom, left, right }
      }),
    )
    expect(toast?.bottom).toBeLessThanOrEqual(strip?.top ?? 0)
    expect(toast?.top).toBeGreaterThan(0)
    await page.getByRole('button', { name: alarmTexts.act.undo }).first().click()
    await page.locator('.msgs > button').click()
  },
)

it('a page with room for everything does not scroll', async () => {
  await page.setViewportSize({ width: 1_440, height: 1_600 })
  for (const path of ['/settings/display', '/settings/key', '/alarms']) {
    await to(path)
    const [whole, seen] = await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement
      return [scrollHeight, clientHeight]
    })
    expect([path, whole]).toEqual([path, seen])
  }
})
