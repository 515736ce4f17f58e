import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { startReceiver, type RunningReceiver } from '#test/support/running-receiver.ts'
import { callsOf, tapCalls } from './calls.ts'
import { setStage, startWatching, UNHURRIED, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { levelWords } from '#texts/en-checks.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { notificationTexts } from '#texts/en-notifications.ts'

// As on a desktop, the browser allows no sound before the user touches the page.
const browser = browserForTests(['--autoplay-policy=document-user-activation-required'], 'whole')
let receiver: RunningReceiver
let stage: Stage
let page: Page

/** Seven nodes, and all ways to notify a person: sound, browser notifications, and a real receiver behind the relay. */
beforeAll(async () => {
  receiver = await startReceiver()
  const hook = { kind: 'webhook', url: receiver.url, name: 'Pager' }
  stage = await setStage({ nodes: 7, ...UNHURRIED, receivers: [hook] })
  page = await browser.openPage({
    viewport: { width: 1_440, height: 900 },
    permissions: ['notifications'],
  })
  await tapCalls(page.context())
  await startWatching(page, stage)
  await open('settings/notifications')
  await page.getByRole('button', { name: 'Send from this browser' }).click()
  await pager().getByText('nothing sent yet').waitFor()
})
afterAll(async () => {
  await stage.stop()
  receiver.down()
})

const open = (route: string, on = page): Promise<unknown> =>
  on.goto(`${stage.dashboard.dashboardUrl}#/${route}`)
const pager = (): Locator => page.getByRole('region', { name: 'Pager' })
const list = (on = page): Locator => on.getByRole('grid', { name: /^Alarms/ })
const rowOf = (name: string, on = page): Locator => list(on).getByRole('row').filter({ hasText: name })
const tile = (name: string): Locator =>
  page.getByRole('list', { name: alarmTexts.annunciator.label }).getByRole('link').filter({ hasText: name })

function node(place: number) {
  const found = stage.nodes[place]
  if (found === undefined) throw new Error('no node')
  return found
}
const fault = (id: string, name: FaultName, value?: FaultValue): Promise<void> =>
  stage.reference.faults.set(id, { name, ...(value !== undefined && { value }) })

type Message = {
  readonly id: string
  readonly kind: 'problem' | 'recovery' | 'reminder'
  readonly reason: string
  readonly count: number
  readonly alarms: readonly { readonly id: string; readonly kind: string; readonly node?: string }[]
}
const taken = (by = receiver): readonly Message[] => by.taken as readonly Message[]
/** The receiver's messages about alarms of this kind, e.g. "problem raised". */
const tookOf = (kind: string, by = receiver): readonly string[] =>
  taken(by).flatMap((one) =>
    one.alarms.some((alarm) => alarm.kind === kind) ? [`${one.kind} ${one.reason}`] : [],
  )
/** The number of messages that the receiver has not accepted yet. */
const waiting = async (): Promise<number> => Number(/(\d+) queued/.exec(await pager().innerText())?.[1] ?? 0)

/** Waits until every known node has had two further polls, so that each alarm was evaluated again. */
async function asksAnew(): Promise<void> {
  const asked = () => stage.reference.stats().byNode[node(1).id]?.requests ?? 0
  const before = asked()
  await expect.poll(asked).toBeGreaterThan(before + 1)
}

async function addRule(
  name: string,
  { holdS = 0, keepS = 0 }: { readonly holdS?: number; readonly keepS?: number },
): Promise<void> {
  await open('alarms/rules')
  await page.getByRole('button', { name: alarmRuleTexts.own.add }).click()
  await page
    .getByLabel(alarmRuleTexts.fields.kind)
    .selectOption({ label: alarmRuleTexts.sentence.test.below('Participation') })
  await page.getByLabel(alarmRuleTexts.fields.scope, { exact: true }).selectOption({ label: `node ${name}` })
  await page.getByLabel('Below (%)').fill('94')
  const lasting = page.getByLabel(alarmRuleTexts.fields.lasting)
  await lasting.first().fill(String(holdS))
  await lasting.last().fill(String(keepS))
  await page.getByLabel(alarmRuleTexts.fields.todo).fill('Call Ada')
  await page.getByRole('button', { name: 'Save rule' }).click()
}

/** An alarm in each phase: acknowledged, recovering, firing, shelved, pending, cleared but unacknowledged. */
async function areInTheirPhases(on: Page): Promise<void> {
  await open('alarms', on)
  await rowOf(node(0).name, on)
    .getByText(/^acknowledged at/)
    .waitFor()
  await rowOf(node(1).name, on).getByText(alarmTexts.sub.recovering).waitFor()
  await rowOf(node(2).name, on).getByRole('button', { name: 'Acknowledge' }).waitFor()
  await open('alarms?list=shelved', on)
  await rowOf(node(3).name, on).getByText('Host moves').waitFor()
  await open('alarms?list=pending', on)
  await rowOf(node(5).name, on).waitFor()
  await open('alarms?list=cleared', on)
  // An earlier alarm about all nodes may also be listed for this node.
  const old = rowOf(node(6).name, on).filter({ hasText: 'Heartbeat too old' })
  await old.getByRole('button', { name: alarmTexts.act.see }).waitFor()
}

describe('one cause', () => {
  it('shared by all nodes notifies once: one alarm, one sound, one notification, one message', async () => {
    await open('alarms')
    await fault('*', 'status-401')
    await rowOf('Credentials rejected').first().waitFor()
    await receiver.took(1)
    await page.getByRole('link', { name: /^Alarms\s*1$/ }).waitFor()
    expect(tookOf('key-rejected')).toEqual(['problem raised'])
    expect(taken()).toMatchObject([{ count: 1 }])
    expect(await callsOf(page)).toMatchObject({
      sounds: 1,
      notifications: [expect.stringContaining('Credentials rejected')],
    })
    await stage.reference.faults.clear()
    await receiver.took(2)
    expect(tookOf('key-rejected')).toEqual(['problem raised', 'recovery cleared'])
    expect(taken()).toHaveLength(2)
  })

  it('that comes and goes while the receiver is down is delivered completely later, even after a reload', async () => {
    receiver.down()
    await open('settings/notifications')
    await fault('*', 'refused')
    // The third failed poll raises the severity.
    await tile(levelWords['no-data']).and(page.locator('.filled')).waitFor()
    await expect.poll(waiting).toBeGreaterThan(0)
    await page.reload()
    await expect.poll(waiting).toBeGreaterThan(0)
    await stage.reference.faults.clear()
    await expect.poll(() => tile(levelWords['no-data']).textContent()).toContain('0')
    await expect.poll(waiting).toBeGreaterThan(1)
    // The click must be immediate, because the queue also retries by itself and the button disappears when it is empty.
    receiver.up()
    await pager()
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 5_000 })
      .catch(() => undefined)
    await expect.poll(() => tookOf('unreachable').at(-1)).toBe('recovery cleared')
    const told = tookOf('unreachable')
    expect(told[0]).toBe('problem raised')
    // A late first message may already have the higher severity.
    expect(told.slice(1, -1).filter((one) => one !== 'reminder worse')).toEqual([])
    // The service's alarm notifies; those of its nodes do not.
    expect(taken().filter(({ count }) => count !== 1)).toEqual([])
  })
})

describe('a sound', () => {
  it('F 94: that the browser blocks is reported until the user touches the page', async () => {
    const context = page.context()
    await page.close()
    page = await browser.openPage({ context })
    await open('alarms')
    // Playwright's usual evaluation counts as a user gesture.
    const session = await context.newCDPSession(page)
    const evaluated = async (expression: string): Promise<string> => {
      const { result } = await session.send('Runtime.evaluate', { expression, returnByValue: true })
      return String(result.value)
    }
    const text = () => evaluated('document.body.innerText')
    await expect.poll(text).toContain(notificationTexts.blocked.title)
    // Opens the strip at each try, because messages that come or go may change the control that opens it.
    const wholeText = async (): Promise<string> => {
      await evaluated(`document.querySelector('.message-strip > button[aria-expanded="false"]')?.click()`)
      return text()
    }
    await expect.poll(wholeText).toContain('--autoplay-policy=no-user-gesture-required')
    const place: { readonly x: number; readonly y: number } = JSON.parse(
      await evaluated(
        `JSON.stringify([...document.querySelectorAll('button')].find((one) => one.textContent === ${JSON.stringify(notificationTexts.blocked.allow)}).getBoundingClientRect())`,
      ),
    )
    await page.mouse.click(place.x + 5, place.y + 5)
    // The alarm's name contains the same words, and it clears later.
    await expect.poll(text).not.toContain(notificationTexts.blocked.text)
    // The alarm concerns only this screen, and the receiver is not configured to get such alarms.
    expect(tookOf('sound-blocked')).toEqual([])
  })
})

describe('alarms of several nodes', () => {
  it('notify when they get worse, and an action in one tab shows in the other', async () => {
    const before = taken().length
    await fault(node(4).id, 'flap', 2)
    await fault(node(0).id, 'silent-heartbeat', 100)
    await rowOf(node(0).name).getByText('Heartbeat too old').waitFor()
    await expect.poll(() => tookOf('heartbeat-old')).toEqual(['problem raised'])
    const other = await browser.openPage({ context: page.context() })
    await open('alarms', other)
    await rowOf(node(0).name, other).getByRole('button', { name: 'Acknowledge' }).click()
    await rowOf(node(0).name)
      .getByText(/^acknowledged at/)
      .waitFor()
    await fault(node(0).id, 'silent-heartbeat', 3_600)
    await rowOf(node(0).name).getByRole('button', { name: 'Acknowledge' }).waitFor()
    await tile('critical').and(page.locator('.filled')).waitFor()
    await expect.poll(() => tookOf('heartbeat-old')).toEqual(['problem raised', 'reminder worse'])
    await other.close()
    expect(taken().length).toBeGreaterThanOrEqual(before + 2)
  })

  it('follow an operator’s rule, with its times to fire and to clear', async () => {
    await addRule(node(1).name, { keepS: 600 })
    await addRule(node(5).name, { holdS: 600 })
    for (const place of [1, 5]) await fault(node(place).id, 'participation', 0.92)
    await open('alarms')
    await rowOf(node(1).name).getByText('Participation below limit').click()
    await page.getByRole('complementary').getByText('Call Ada').waitFor()
    await stage.reference.faults.clear(node(1).id)
    await rowOf(node(1).name).getByText(alarmTexts.sub.recovering).waitFor()
  })

  it('F 133: keep their phases after a reload', async () => {
    await fault(node(6).id, 'silent-heartbeat', 3_600)
    for (const place of [2, 3]) await fault(node(place).id, 'status-404')
    await rowOf(node(0).name).getByRole('button', { name: 'Acknowledge' }).click()
    await rowOf(node(6).name).getByText('Heartbeat too old').waitFor()
    await stage.reference.faults.clear(node(6).id)
    await rowOf(node(3).name).focus()
    await page.keyboard.press('s')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Host moves')
    await dialog.getByRole('button', { name: 'Shelve' }).click()
    await rowOf(node(3).name).waitFor({ state: 'detached' })
    await rowOf(node(6).name).waitFor({ state: 'detached' })
    await page.reload()
    await areInTheirPhases(page)
  })

  it('have the same phases in a second tab, even after the speaker closes, and do not notify again', async () => {
    await expect.poll(() => tookOf('rejected')).toEqual(['problem raised'])
    const before = taken().length
    const other = await browser.openPage({ context: page.context() })
    await other.goto(stage.dashboard.dashboardUrl)
    // A click in the page allows it to play sound.
    await other
      .getByRole('link', { name: /^Alarms/ })
      .first()
      .click()
    await areInTheirPhases(other)
    await page.close()
    page = other
    await asksAnew()
    await areInTheirPhases(page)
    await asksAnew()
    const { sounds, groups } = await callsOf(page)
    expect(sounds).toBe(0)
    // Alarms that come and go, and those of the screen, notify independently of this.
    expect(groups.filter((group) => !/^unreachable | screen$/.test(group))).toEqual([])
    const steady = new Set([0, 1, 2, 3, 5, 6].map((place) => node(place).id))
    const again = taken()
      .slice(before)
      .filter(({ kind, alarms }) => kind !== 'recovery' && alarms.some((one) => steady.has(one.node ?? '')))
    expect(again).toEqual([])
  })

  it('F 134: that flap notify once, as flapping', async () => {
    const flapping = () =>
      taken()
        .filter(({ alarms }) => alarms.some((alarm) => alarm.node === node(4).id))
        .map(({ kind, reason }) => `${kind} ${reason}`)
    await expect.poll(flapping).toContain('problem flapping')
    expect(flapping()).toEqual(['problem flapping'])
  })
})
