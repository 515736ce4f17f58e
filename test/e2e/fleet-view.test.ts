import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { filterTexts } from '#texts/en-filter.ts'
import { fleetTexts } from '#texts/en-fleet.ts'
import { fleetOverviewTexts } from '#texts/en-fleet-overview.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { savedViewTexts } from '#texts/en-saved-views.ts'
import { setStage, startWatching, WAIT, type Stage, type WatchedNode } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const NODES = 1_000
const ELEMENTS_MAX = 2_500

const browser = browserForTests()
let stage: Stage
let page: Page
/** Not in the server's file: it alone can change those. */
let own: readonly WatchedNode[] = []

beforeAll(async () => {
  stage = await setStage({
    nodes: NODES,
    watch: (nodes) => {
      own = nodes.filter(isOwn)
      return nodes.filter((node) => !isOwn(node))
    },
    service: { label: 'Large service', pollIntervalMs: 10_000, timeoutMs: 2_000 },
  })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
  const added = own.map((node) => ({ ...node, service: stage.service }))
  await page.evaluate((nodes) => {
    const settings = JSON.parse(localStorage.getItem('immune-settings') ?? '{"version":1}')
    localStorage.setItem('immune-settings', JSON.stringify({ ...settings, nodes }))
  }, added)
  await page.reload()
  await open('')
  await vi.waitUntil(() => Object.keys(stage.reference.stats().byNode).length === NODES, WAIT)
})
afterAll(async () => {
  await stage.stop()
})

const isOwn = ({ name }: WatchedNode): boolean => name.startsWith('lyra')

const open = async (query: string): Promise<void> => {
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes${query}`)
  await table().getByRole('row').nth(1).waitFor()
}
const table = () => page.getByRole('grid', { name: fleetTexts.table })
const filter = () => page.getByRole('combobox', { name: filterTexts.label })
const count = () => table().getAttribute('aria-rowcount')
const column = (id: string) => table().locator(`.body .c-${id}`).allTextContents()
const elements = () => page.evaluate(() => document.querySelectorAll('*').length)

it('finds some of a thousand nodes by a filter, which a reload keeps', async () => {
  await open('')
  await page.keyboard.press('/')
  await page.keyboard.type('name~vela status:ACTIVE')
  const names = stage.nodes.filter(({ name }) => name.includes('vela'))
  expect(names.length).toBeGreaterThan(10)
  await expect.poll(count, WAIT).toBe(String(names.length + 1))
  await page.getByText(filterTexts.count(names.length, NODES)).waitFor()
  expect((await column('node')).every((text) => text.startsWith('vela'))).toBe(true)
  await page.reload()
  await expect.poll(count, WAIT).toBe(String(names.length + 1))
  expect(await filter().inputValue()).toBe('name~vela status:ACTIVE')
  // A screenful of rows, however many nodes there are.
  expect(await elements()).toBeLessThan(ELEMENTS_MAX)
})

it('sorts them by a value, down and up', async () => {
  await open('?columns=stake')
  const stakes = async () => (await column('stake')).map((text) => Number(text.replaceAll(/[^\d]/g, '')))
  const heading = table().getByRole('columnheader', { name: 'Stake deployed' }).getByRole('button')
  await heading.click()
  await expect.poll(async () => isSorted((await stakes()).toReversed()), WAIT).toBe(true)
  const [most] = await stakes()
  await heading.click()
  await expect.poll(async () => isSorted(await stakes()), WAIT).toBe(true)
  expect((await stakes())[0]).toBeLessThan(most ?? 0)
})

const isSorted = (values: readonly number[]): boolean =>
  values.length > 5 && values.every((value, place) => place === 0 || (values[place - 1] ?? 0) <= value)

it('groups them, and says what each group has together', async () => {
  await open('')
  await page.getByRole('combobox', { name: fleetToolTexts.group.label }).selectOption({ index: 2 })
  const heading = table().locator('.grp').first()
  await expect.poll(() => heading.textContent(), WAIT).toContain('ACTIVE')
  expect(await heading.textContent()).toContain('mean participation')
})

it('selects what a filter found, tags it together, and takes it back', async () => {
  const chosen = own
  await open('?q=name~lyra')
  await expect.poll(count, WAIT).toBe(String(chosen.length + 1))
  await page.getByRole('checkbox', { name: fleetTexts.select.all }).check()
  const words = fleetToolTexts.selection
  await page.getByText(words.count(chosen.length)).waitFor()
  await page.getByRole('button', { name: words.addTag }).click()
  await page.getByRole('textbox', { name: words.tag }).fill('quiet')
  await page.keyboard.press('Enter')
  await page.getByText(words.tagged('quiet', true, chosen.length)).waitFor()
  await filter().fill('tag:quiet')
  await expect.poll(count, WAIT).toBe(String(chosen.length + 1))
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(fleetToolTexts.noneFound).waitFor()
})

it('leads from the map to a node, by keys alone', async () => {
  await open('')
  await page.getByRole('listbox', { name: fleetOverviewTexts.overview.map(NODES) }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/nodes\/.+/)
})

it('keeps a view under a name, through a reload, and opens it again', async () => {
  await open('?q=name~vela&sort=-stake')
  await page.getByRole('button', { name: fleetToolTexts.views.button }).click()
  await page.getByRole('textbox', { name: savedViewTexts.name }).fill('Large vela')
  await page.getByRole('button', { name: savedViewTexts.save }).click()
  await page.getByRole('button', { name: savedViewTexts.close }).last().click()
  await open('')
  await page.reload()
  await page.getByRole('button', { name: fleetToolTexts.views.button }).click()
  await page.getByRole('link', { name: 'Large vela' }).click()
  await page.getByRole('button', { name: fleetToolTexts.views.named('Large vela') }).waitFor()
  expect(await filter().inputValue()).toBe('name~vela')
})
