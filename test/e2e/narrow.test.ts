import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cutOff } from '#test/support/cut-off.ts'
import { QUICK, setStage, startWatching, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

/** Two phones, and a screen of 1440 by 900 at a zoom of 200 %. */
const VIEWPORTS = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 720, height: 450 },
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

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({
    nodes: 14,
    service: { ...QUICK, label: 'L'.repeat(60) },
    watch: (nodes) => nodes.map((node, n) => ({ ...node, name: NAMES[n] ?? node.name, tags: [TAG, 'eu'] })),
  })
  const [wide, words, unknown, portal] = stage.nodes
  page = await browser.openPage({ viewport: VIEWPORTS[0] ?? null, colorScheme: 'dark' })
  await startWatching(page, stage)
  for (const [node, name, value] of [
    [wide, 'status-word', 'SUSPENDED'.repeat(7)],
    [words, 'silent-heartbeat', 300],
    [unknown, 'status-404', undefined],
    [portal, 'html', undefined],
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

  it('the detail of an alarm', async () => {
    await to('/alarms')
    await page.getByRole('grid').getByRole('row').nth(2).press('Enter')
    await page.getByRole('dialog').or(page.getByRole('complementary')).first().waitFor()
    expect(await cutAtAny()).toEqual([])
  })
})

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
