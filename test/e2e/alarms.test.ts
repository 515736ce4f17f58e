import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { hero, QUICK, setStage, startWatching, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { METRICS } from '#metrics/metrics.ts'
import { alarmHelp } from '#texts/en-alarm-help.ts'
import { alarmTexts } from '#texts/en-alarms.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({ nodes: 4, service: QUICK })
  page = await browser.openPage({ viewport: { width: 1_440, height: 900 } })
  await startWatching(page, stage)
})
afterAll(async () => {
  await stage.stop()
})

const open = (route: string): Promise<unknown> => page.goto(`${stage.dashboard.dashboardUrl}#/${route}`)
const list = (): Locator => page.getByRole('grid', { name: /^Alarms/ })
const rowOf = (name: string): Locator => list().getByRole('row').filter({ hasText: name })
const tile = (name: string): Locator =>
  page.getByRole('list', { name: alarmTexts.annunciator.label }).getByRole('link').filter({ hasText: name })
const detail = (): Locator => page.getByRole('complementary')

function node(place: number) {
  const found = stage.nodes[place]
  if (found === undefined) throw new Error('no node')
  return found
}

/** What is wrong with the page as it stands. */
async function problems(): Promise<readonly string[]> {
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  )
  return [...(await axeViolations(page)), ...(sideways ? ['scrolls sideways'] : [])]
}

describe('an alarm', () => {
  it('is raised for a heartbeat that stops while the service still says ACTIVE, and counted on every page', async () => {
    await stage.reference.faults.set(node(0).id, { name: 'silent-heartbeat', value: 3_600 })
    await open('alarms')
    await rowOf(node(0).name).getByText('Heartbeat too old').waitFor()
    await tile('critical').and(page.locator('.hot')).waitFor()
    expect(await tile('critical').textContent()).toContain('1')
    await page.getByRole('link', { name: /^Alarms\s*1$/ }).waitFor()
  })

  it('says what it means and what to do, with a chart around the moment', async () => {
    await rowOf(node(0).name).getByText('Heartbeat too old').click()
    await detail()
      .getByText(alarmHelp('heartbeat-old', METRICS).steps[0] ?? '')
      .waitFor()
    await detail().getByRole('slider').waitFor()
    await detail().getByText('raised once', { exact: false }).waitFor()
    expect(await problems()).toEqual([])
  })

  it('is acknowledged by key, and that is taken back', async () => {
    await rowOf(node(0).name).focus()
    await page.keyboard.press('a')
    await rowOf(node(0).name)
      .getByText(/^acknowledged at/)
      .waitFor()
    expect(await tile('critical').and(page.locator('.hot')).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await rowOf(node(0).name).getByRole('button', { name: 'Acknowledge' }).waitFor()
  })

  it('keeps an acknowledgement over a reload', async () => {
    await rowOf(node(0).name).getByRole('button', { name: 'Acknowledge' }).click()
    await rowOf(node(0).name)
      .getByText(/^acknowledged at/)
      .waitFor()
    await page.reload()
    await rowOf(node(0).name)
      .getByText(/^acknowledged at/)
      .waitFor()
  })

  it('stands over the figures of its node', async () => {
    await page.goto(stage.nodeUrl(node(0)))
    const bar = page.getByRole('region', { name: 'Alarm', exact: true })
    await bar.getByText('Heartbeat too old').waitFor()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    expect(await problems()).toEqual([])
    await bar.getByRole('link', { name: alarmTexts.act.whatToDo }).click()
    await detail().getByText('What to do first').waitFor()
  })

  it('F 137: is put on the shelf with a reason and an end, stays countable there, and comes back', async () => {
    await rowOf(node(0).name).focus()
    await page.keyboard.press('s')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Host is being patched')
    await dialog.getByRole('button', { name: 'Shelve' }).click()
    await expect.poll(async () => (await tile('shelved').textContent())?.trim()).toContain('1')
    await rowOf(node(0).name).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^Shelved/ }).click()
    await rowOf(node(0).name)
      .getByText(/^until .*\d\d:\d\d.*: Host is being patched/)
      .waitFor()
    await rowOf(node(0).name).getByRole('button', { name: alarmTexts.act.unshelve }).click()
    await rowOf(node(0).name).waitFor({ state: 'detached' })
    await open('alarms')
    await rowOf(node(0).name).waitFor()
  })

  it('that is over before anybody saw it waits to be seen', async () => {
    await stage.reference.faults.set(node(1).id, { name: 'status-404' })
    await rowOf(node(1).name).getByText('Node rejected').waitFor()
    await stage.reference.faults.clear()
    // What was asked before that is answered as it was.
    await expect.poll(() => stage.reference.stats().inFlight).toBe(0)
    await page.goto(stage.nodeUrl(node(1)))
    // Whoever opens a node has it asked.
    await hero(page).getByText('Last answer').waitFor()
    await open('alarms?list=cleared')
    await rowOf(node(1).name).getByRole('button', { name: alarmTexts.act.see }).click()
    await rowOf(node(1).name).waitFor({ state: 'detached' })
  })

  it('can be worked with on a phone: a card a row, its details over the page', async () => {
    await stage.reference.faults.set(node(2).id, { name: 'status-404' })
    await page.setViewportSize({ width: 390, height: 844 })
    await open('alarms')
    await rowOf(node(2).name).getByText('Node rejected').click()
    const drawer = page.getByRole('dialog', { name: 'Node rejected' })
    await drawer.getByText('What to do first').waitFor()
    expect(await problems()).toEqual([])
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    // The page's own: what the driver knows of its address comes later.
    expect(await page.evaluate(() => location.hash)).not.toContain('alarm=')
    expect(await problems()).toEqual([])
    await page.setViewportSize({ width: 1_440, height: 900 })
  })
})

describe('the journal', () => {
  const entries = (): Locator => page.getByRole('grid', { name: /^Event/ })

  it('has what happened and what was done, and is narrowed by kind, node and words', async () => {
    await open('journal')
    await entries()
      .getByText(/^Acknowledged: Heartbeat too old/)
      .first()
      .waitFor()
    await entries()
      .getByText(/^Shelved: Heartbeat too old, “Host is being patched”/)
      .waitFor()
    await page.getByRole('textbox', { name: 'Search' }).fill('patched')
    await page.keyboard.press('Enter')
    await entries()
      .getByText(/^Acknowledged:/)
      .first()
      .waitFor({ state: 'detached' })
    await expect.poll(() => entries().getByText('“Host is being patched”').count()).toBe(1)
    await page.getByRole('textbox', { name: 'Search' }).fill('')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Service', exact: true }).click()
    await entries()
      .getByText(/^No usable answer: node not found/)
      .first()
      .waitFor()
    await entries()
      .getByText(/^Acknowledged:/)
      .first()
      .waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByLabel('Node', { exact: true }).selectOption({ label: node(1).name })
    await entries()
      .getByText(/^Acknowledged after clearing:/)
      .first()
      .waitFor()
    await entries().getByText(node(0).name).first().waitFor({ state: 'detached' })
    expect(await problems()).toEqual([])
  })

  it('is written to a file as it is narrowed', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^immune_journal_\d{4}-\d\d-\d\dT\d{4}Z\.csv$/)
    const [head, ...lines] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(head).toBe('\ufefftime,service_time,area,what,node,service,words,facts')
    expect(lines.some((line) => line.includes('alarm-end-acknowledged'))).toBe(true)
    expect(lines.every((line) => line.includes(node(1).id))).toBe(true)
  })

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    await open('journal')
    await entries()
      .getByText(/^Acknowledged:/)
      .first()
      .waitFor()
    expect(await problems()).toEqual([])
    await page.setViewportSize({ width: 1_440, height: 900 })
  })
})
