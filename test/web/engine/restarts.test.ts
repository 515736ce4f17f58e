import { describe, expect, it } from 'vitest'
import type { AlarmPhase, AlarmView } from '#alarms/alarm.ts'
import { settle } from '#test/support/fake-clock.ts'
import { engineBrowser, HOLD_MS, INTERVAL_MS, type RunningEngine, type ShownPage } from './engine-browser.ts'

type Browser = ReturnType<typeof engineBrowser>
type Shown = { readonly engine: RunningEngine; readonly page: ShownPage }

/** The part of an alarm that must be the same in every engine. */
const essence = (row: AlarmView) => ({ ...row, evidence: undefined })
const rowsOf = ({ view }: ShownPage) => (view()?.alarms ?? []).map(essence)

async function until(browser: Browser, isSo: () => boolean, withinMs: number): Promise<void> {
  for (let passedMs = 0; !isSo(); passedMs += 250) {
    if (passedMs > withinMs) throw new Error('it did not come')
    await browser.clock.advance(250)
  }
}

/** This long after a poll, its changes are saved and the next poll is still to come. */
const KEPT_MS = 1_500

const begin = async (browser: Browser, steals = false): Promise<Shown> => {
  const engine = browser.start(steals)
  return { engine, page: await engine.open() }
}

const EVENTS = {
  'a second page is opened, and the first is closed': async (browser, { engine, page }) => {
    const other = await engine.open()
    await browser.clock.advance(KEPT_MS)
    expect(rowsOf(other)).toEqual(rowsOf(page))
    page.crash()
    return { engine, page: other }
  },
  'the last page is closed, and one is opened': async (browser, { engine }) => {
    engine.stop()
    return begin(browser)
  },
  'the engine crashes': async (browser, { engine }) => {
    await browser.clock.advance(KEPT_MS)
    engine.crash()
    return begin(browser)
  },
  'the engine hangs, and wakes when another one runs': async (browser, { engine }) => {
    await browser.clock.advance(KEPT_MS)
    engine.hang()
    const next = await begin(browser, true)
    await browser.clock.advance(KEPT_MS)
    expect(next.engine.isRunning()).toBe(true)
    const before = browser.polls.length
    engine.wakes()
    await browser.clock.advance(INTERVAL_MS)
    expect(new Set(browser.polls.slice(before)).size).toBe(1)
    return next
  },
} satisfies Readonly<Record<string, (browser: Browser, shown: Shown) => Promise<Shown>>>

/** Runs an alarm through its phases, with an event for the engine or its pages in each. */
async function life(browser: Browser, happens: (shown: Shown) => Promise<Shown>) {
  let shown = await begin(browser)
  const view = () => shown.page.view()
  const phase = (): AlarmPhase | undefined => view()?.alarms[0]?.phase
  const reach = async (wanted: AlarmPhase | undefined, withinMs = 3 * INTERVAL_MS): Promise<void> => {
    await until(browser, () => view() !== undefined && phase() === wanted, withinMs)
    const asked = browser.polls.length
    await until(browser, () => browser.polls.length > asked, 2 * INTERVAL_MS)
  }
  /** Runs the event, and checks that the alarm and its notifications stay the same. */
  const inThisPhase = async (): Promise<void> => {
    await browser.clock.advance(KEPT_MS)
    const [rows, told, taken] = [rowsOf(shown.page), browser.told.length, browser.mail.taken.length]
    expect(rows).toHaveLength(1)
    shown = await happens(shown)
    await until(browser, () => view() !== undefined, INTERVAL_MS)
    await browser.clock.advance(KEPT_MS)
    expect(rowsOf(shown.page)).toEqual(rows)
    expect([browser.told.length, browser.mail.taken.length]).toEqual([told, taken])
  }
  const ids = () => (view()?.alarms ?? []).map(({ id }) => id)

  await reach(undefined)
  browser.says({ network_participation: 0.95 })
  await reach('pending')
  await browser.clock.advance(HOLD_MS / 3)
  await inThisPhase()
  await reach('firing', 2 * HOLD_MS)
  await until(browser, () => browser.told.length === 1, 10 * INTERVAL_MS)
  await inThisPhase()
  browser.says({ network_participation: 0.99 })
  await reach('recovering')
  await inThisPhase()
  await reach('cleared', 2 * HOLD_MS)
  await until(browser, () => browser.told.length === 2, 10 * INTERVAL_MS)
  await inThisPhase()
  await shown.page.act({ act: 'acknowledge-end', ids: ids() })
  await reach(undefined)

  browser.says({ network_participation: 0.95 })
  await reach('firing', 2 * HOLD_MS)
  await until(browser, () => browser.told.length === 3, 60 * INTERVAL_MS)
  await shown.page.act({ act: 'acknowledge', ids: ids(), note: 'Ada looks' })
  await inThisPhase()
  expect(rowsOf(shown.page)).toMatchObject([{ acknowledged: { note: 'Ada looks' } }])
  const untilWallMs = browser.clock.wallMs() + 60_000
  await shown.page.act({ act: 'shelve', ids: ids(), untilWallMs, reason: 'Known' })
  await inThisPhase()
  expect(rowsOf(shown.page)).toMatchObject([{ shelved: { untilWallMs, reason: 'Known' } }])
  return browser.told.map(({ kind, reason }) => `${kind} ${reason}`)
}

describe('an alarm in each of its phases', () => {
  it.each(Object.entries(EVENTS))('keeps its state and notifies once when %s', async (_, happens) => {
    const browser = engineBrowser()
    const words = await life(browser, (shown) => happens(browser, shown))
    expect(words).toEqual(['problem raised', 'recovery cleared', 'problem raised'])
    const kinds = browser.mail.bodies().map((body) => Reflect.get(Object(body), 'kind'))
    expect(kinds).toEqual(['problem', 'recovery', 'problem'])
  })
})

describe('engines of one browser', () => {
  it('poll one at a time, and the second takes over at once when the first crashes', async () => {
    const browser = engineBrowser()
    const first = await begin(browser)
    await browser.clock.advance(2 * INTERVAL_MS)
    const second = await begin(browser)
    await browser.clock.advance(4 * INTERVAL_MS)
    expect(new Set(browser.polls)).toEqual(new Set(['1']))
    expect(second.engine.isRunning()).toBe(false)
    first.engine.crash()
    const before = browser.polls.length
    await browser.clock.advance(1_000)
    expect(browser.polls.slice(before)).toEqual(['2'])
  })

  it('stop counting a page that has crashed', async () => {
    const browser = engineBrowser()
    const { engine, page } = await begin(browser)
    const other = await engine.open()
    expect(await page.ping()).toBe(true)
    page.crash()
    await settle()
    expect([await page.ping(), await other.ping()]).toEqual([false, true])
  })

  it('raise an alarm on start for a change that happened while none was running', async () => {
    const browser = engineBrowser()
    browser.says({ stake_deployed: 9 })
    const first = await begin(browser)
    await browser.clock.advance(2 * INTERVAL_MS + KEPT_MS)
    first.engine.stop()
    browser.says({ stake_deployed: 10 })
    const second = await begin(browser)
    await until(browser, () => second.page.view()?.alarms[0]?.phase === 'firing', 5 * INTERVAL_MS)
    expect(rowsOf(second.page)).toMatchObject([{ kind: 'stake-changed', value: { text: '10', before: '9' } }])
  })

  it('keep an action that was taken while the store was still saving the one before', async () => {
    const browser = engineBrowser()
    const first = await begin(browser)
    browser.says({ status: 'RETIRED' })
    await until(browser, () => first.page.view()?.alarms[0]?.phase === 'firing', 5 * INTERVAL_MS)
    await browser.clock.advance(KEPT_MS)
    const ids = (first.page.view()?.alarms ?? []).map(({ id }) => id)
    await first.page.act({ act: 'acknowledge', ids, note: 'Ada looks' })
    await first.page.act({
      act: 'shelve',
      ids,
      untilWallMs: browser.clock.wallMs() + 600_000,
      reason: 'Known',
    })
    first.engine.stop()
    const second = await begin(browser)
    await until(browser, () => second.page.view() !== undefined, INTERVAL_MS)
    expect(rowsOf(second.page)).toMatchObject([
      { acknowledged: { note: 'Ada looks' }, shelved: { reason: 'Known' } },
    ])
  })
})
