import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { hero, setStage, startWatching, UNHURRIED, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { METRICS } from '#metrics/metrics.ts'
import { alarmHelp } from '#texts/en-alarm-help.ts'
import { alarmTexts } from '#texts/en-alarms.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({ nodes: 4, ...UNHURRIED })
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

/** Problems of the current page. */
async function problems(): Promise<readonly string[]> {
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  )
  return [...(await axeViolations(page)), ...(sideways ? ['scrolls sideways'] : [])]
}

describe('an alarm', () => {
  it('is raised if the heartbeat stops although the service reports ACTIVE, and is counted on every page', async () => {
    await stage.reference.faults.set(node(0).id, { name: 'silent-heartbeat', value: 3_600 })
    await open('alarms')
    await rowOf(node(0).name).getByText('Heartbeat too old').waitFor()
    await tile('critical').and(page.locator('.filled')).waitFor()
    expect(await tile('critical').textContent()).toContain('1')
    await page.getByRole('link', { name: /^Alarms\s*1$/ }).waitFor()
  })

  it('shows its meaning, the remedy, and a chart around its start', async () => {
    await rowOf(node(0).name).getByText('Heartbeat too old').click()
    await detail()
      .getByText(alarmHelp('heartbeat-old', METRICS).steps[0] ?? '')
      .waitFor()
    await detail().getByRole('slider').waitFor()
    await detail().getByText('raised once', { exact: false }).waitFor()
    expect(await problems()).toEqual([])
  })

  it('stays acknowledged after a reload', async () => {
    await rowOf(node(0).name).getByRole('button', { name: 'Acknowledge' }).click()
    await rowOf(node(0).name)
      .getByText(/^acknowledged at/)
      .waitFor()
    await page.reload()
    await rowOf(node(0).name)
      .getByText(/^acknowledged at/)
      .waitFor()
  })

  it('is shown above the values of its node', async () => {
    await page.goto(stage.nodeUrl(node(0)))
    const bar = page.getByRole('region', { name: 'Alarm', exact: true })
    await bar.getByText('Heartbeat too old').waitFor()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    expect(await problems()).toEqual([])
    await bar.getByRole('link', { name: alarmTexts.act.whatToDo }).click()
    await detail().getByText('What to do first').waitFor()
  })

  it('F 137: can be shelved with a reason and an end, is still counted, and can be unshelved', async () => {
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

  it('that clears before it is acknowledged stays listed', async () => {
    await stage.reference.faults.set(node(1).id, { name: 'status-404' })
    await rowOf(node(1).name).getByText('Node rejected').waitFor()
    await stage.reference.faults.clear()
    // Requests from before the recovery may still get a bad answer.
    await expect.poll(() => stage.reference.stats().inFlight).toBe(0)
    await page.goto(stage.nodeUrl(node(1)))
    // Opening a node's page polls the node.
    await hero(page).getByText('Last answer').waitFor()
    await open('alarms?list=cleared')
    await rowOf(node(1).name).getByRole('button', { name: alarmTexts.act.see }).click()
    await rowOf(node(1).name).waitFor({ state: 'detached' })
  })

  it('is usable on a phone: rows are cards, and details cover the page', async () => {
    await stage.reference.faults.set(node(2).id, { name: 'status-404' })
    await page.setViewportSize({ width: 390, height: 844 })
    await open('alarms')
    await rowOf(node(2).name).getByText('Node rejected').click()
    const drawer = page.getByRole('dialog', { name: 'Node rejected' })
    await drawer.getByText('What to do first').waitFor()
    expect(await problems()).toEqual([])
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    // The browser reports the close after it has hidden the dialog.
    await expect.poll(() => page.evaluate(() => location.hash)).not.toContain('alarm=')
    expect(await problems()).toEqual([])
    await page.setViewportSize({ width: 1_440, height: 900 })
  })
})

describe('the journal', () => {
  const entries = (): Locator => page.getByRole('grid', { name: /^Event/ })

  it('lists events and operator actions, and filters them by kind, node and text', async () => {
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
      .getByText(/^Cleared alarm acknowledged:/)
      .first()
      .waitFor()
    await entries().getByText(node(0).name).first().waitFor({ state: 'detached' })
    expect(await problems()).toEqual([])
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
