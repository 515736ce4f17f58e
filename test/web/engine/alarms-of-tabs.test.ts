import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlarmPhase, AlarmView } from '#alarms/alarm.ts'
import { HOLD_MS, INTERVAL_MS, tabBrowser, type AlarmTab } from './tab-browser.ts'

type Browser = ReturnType<typeof tabBrowser>

/** What of an alarm must be the same whichever tab judges. */
const essence = (row: AlarmView) => ({ ...row, evidence: undefined })
const rowsOf = (tab: AlarmTab) => (tab.view()?.alarms ?? []).map(essence)

/** Lets time pass until it is so. */
async function until(browser: Browser, isSo: () => boolean, withinMs: number): Promise<void> {
  for (let passedMs = 0; !isSo(); passedMs += 250) {
    if (passedMs > withinMs) throw new Error('it did not come')
    await browser.clock.advance(250)
  }
}

/** So long after a poll everything that it changed is kept, and the next one is still to come. */
const KEPT_MS = 1_500

const HANDOVERS = {
  'another is opened': async (browser, asking) => {
    const other = await browser.open()
    await browser.clock.advance(KEPT_MS)
    expect([asking.leads(), rowsOf(other)]).toEqual([true, rowsOf(asking)])
    other.close()
    return asking
  },
  'the one that asks is closed': async (browser, asking) => {
    const other = await browser.open()
    await browser.clock.advance(KEPT_MS)
    asking.close()
    return other
  },
  'the one that asks crashes': async (browser, asking) => {
    const other = await browser.open()
    await browser.clock.advance(KEPT_MS)
    asking.crash()
    return other
  },
  'another takes over': async (browser, asking) => {
    const other = await browser.open()
    await browser.clock.advance(KEPT_MS)
    await other.engine.tabAct('take-over')
    await browser.clock.advance(KEPT_MS)
    expect([other.leads(), rowsOf(asking)]).toEqual([true, rowsOf(other)])
    asking.close()
    return other
  },
  'all are closed, and one is opened': async (browser, asking) => {
    asking.close()
    return browser.open()
  },
} satisfies Readonly<Record<string, (browser: Browser, asking: AlarmTab) => Promise<AlarmTab>>>

/** An alarm's life, with something that happens to the tabs in each of its phases. */
async function life(browser: Browser, handOver: (asking: AlarmTab) => Promise<AlarmTab>) {
  let tab = await browser.open()
  const phase = (): AlarmPhase | undefined => tab.view()?.alarms[0]?.phase
  const reach = async (wanted: AlarmPhase | undefined, withinMs = 3 * INTERVAL_MS): Promise<void> => {
    await until(browser, () => tab.view() !== undefined && phase() === wanted, withinMs)
    const asked = browser.polls.length
    await until(browser, () => browser.polls.length > asked, 2 * INTERVAL_MS)
  }
  /** Hands over, and sees that the alarm and what was told of it stay as they are. */
  const inThisPhase = async (): Promise<void> => {
    await browser.clock.advance(KEPT_MS)
    const [rows, told, taken] = [rowsOf(tab), browser.told.length, browser.mail.taken.length]
    expect(rows).toHaveLength(1)
    tab = await handOver(tab)
    await until(browser, () => tab.leads() && tab.view() !== undefined, INTERVAL_MS)
    await browser.clock.advance(KEPT_MS)
    expect(rowsOf(tab)).toEqual(rows)
    expect([browser.told.length, browser.mail.taken.length]).toEqual([told, taken])
  }
  const ids = () => (tab.view()?.alarms ?? []).map(({ id }) => id)
  const raisedAfterMs = (): number => {
    const [row] = tab.view()?.alarms ?? []
    return (row?.raisedWallMs ?? Number.NaN) - (row?.sinceWallMs ?? Number.NaN)
  }
  const raises: number[] = []

  await reach(undefined)
  browser.says({ network_participation: 0.5 })
  await reach('pending')
  await browser.clock.advance(HOLD_MS / 2)
  await reach('pending')
  await inThisPhase()
  await reach('firing', 2 * HOLD_MS)
  raises.push(raisedAfterMs())
  await until(browser, () => browser.told.length === 1, 10 * INTERVAL_MS)
  await inThisPhase()
  browser.says({ network_participation: 0.9 })
  await reach('recovering')
  await inThisPhase()
  await reach('cleared', 2 * HOLD_MS)
  await until(browser, () => browser.told.length === 2, 10 * INTERVAL_MS)
  await inThisPhase()
  await tab.act({ act: 'see', ids: ids() })
  await reach(undefined)

  browser.says({ network_participation: 0.5 })
  await reach('firing', 2 * HOLD_MS)
  raises.push(raisedAfterMs())
  await until(browser, () => browser.told.length === 3, 60 * INTERVAL_MS)
  await tab.act({ act: 'acknowledge', ids: ids(), note: 'Ada looks' })
  await inThisPhase()
  expect(rowsOf(tab)).toMatchObject([{ acknowledged: { note: 'Ada looks' } }])
  const untilWallMs = browser.clock.wallMs() + 60_000
  await tab.act({ act: 'shelve', ids: ids(), untilWallMs, reason: 'Known' })
  await inThisPhase()
  expect(rowsOf(tab)).toMatchObject([{ shelved: { untilWallMs, reason: 'Known' } }])
  await browser.clock.advance(untilWallMs - browser.clock.wallMs() + INTERVAL_MS)
  expect(rowsOf(tab)).toMatchObject([{ phase: 'firing', shelved: undefined }])
  browser.says({ network_participation: 0.9 })
  await reach(undefined, 2 * HOLD_MS)
  await until(browser, () => browser.told.length === 4, 10 * INTERVAL_MS)
  await browser.clock.advance(KEPT_MS)
  return { raises, words: browser.told.map(({ kind, reason }) => `${kind} ${reason}`) }
}

describe('an alarm, in each of its phases', () => {
  it.each(Object.entries(HANDOVERS))(
    'stays what it is, and is told once, while %s',
    async (name, handOver) => {
      const browser = tabBrowser()
      const { raises, words } = await life(browser, (asking) => handOver(browser, asking))
      const once = ['problem raised', 'recovery cleared']
      expect(words).toEqual([...once, ...once])
      const kinds = browser.mail.bodies().map((body) => Reflect.get(Object(body), 'kind'))
      expect(kinds).toEqual(['problem', 'recovery', 'problem', 'recovery'])
      for (const afterMs of raises) {
        expect(afterMs).toBeGreaterThanOrEqual(HOLD_MS)
        // What was seen last is kept every 15 s; so much of a timer a crash may take.
        const lostMs = name.endsWith('crashes') ? 15_000 : 0
        expect(afterMs).toBeLessThanOrEqual(HOLD_MS + lostMs + 2 * INTERVAL_MS)
      }
    },
  )
})

it('what was done while the store was still busy with what was done before is not lost when the tab goes', async () => {
  const browser = tabBrowser()
  const first = await browser.open()
  browser.says({ status: 'RETIRED' })
  await until(browser, () => first.view()?.alarms[0]?.phase === 'firing', 5 * INTERVAL_MS)
  await browser.clock.advance(KEPT_MS)
  const ids = (first.view()?.alarms ?? []).map(({ id }) => id)
  await first.act({ act: 'acknowledge', ids, note: 'Ada looks' })
  await first.act({ act: 'shelve', ids, untilWallMs: browser.clock.wallMs() + 600_000, reason: 'Known' })
  first.close()
  const second = await browser.open()
  await until(browser, () => second.view() !== undefined, INTERVAL_MS)
  expect(rowsOf(second)).toMatchObject([
    { acknowledged: { note: 'Ada looks' }, shelved: { reason: 'Known' } },
  ])
})

const something = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('low', 'high', 'retired', 'active', 'old', 'new') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('acknowledge', 'see', 'shelve', 'unshelve'), by: fc.nat(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('open', 'close', 'crash', 'take-over'), by: fc.nat(2) }),
  },
)
type Something = typeof something extends fc.Arbitrary<infer T> ? T : never

const SAYS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  low: { network_participation: 0.5 },
  high: { network_participation: 0.9 },
  retired: { status: 'RETIRED' },
  active: { status: 'ACTIVE' },
  old: { beat_age_s: 3_600 },
  new: { beat_age_s: 5 },
}

/** Nothing was told for so long that what was is kept, and sent. */
async function untilKept(browser: Browser): Promise<void> {
  for (let told = -1; told !== browser.told.length;) {
    told = browser.told.length
    await browser.clock.advance(KEPT_MS)
  }
}

async function happen(browser: Browser, tabs: AlarmTab[], one: Something): Promise<void> {
  const { clock } = browser
  const tab = 'by' in one ? tabs[one.by % tabs.length] : undefined
  const says = SAYS[one.do]
  if (says !== undefined) browser.says(says)
  if ('ms' in one) await clock.advance(one.ms)
  if (one.do === 'open' && tabs.length < 3) tabs.push(await browser.open())
  if (tab === undefined) return
  const ids = (tab.view()?.alarms ?? []).map(({ id }) => id)
  if (one.do === 'acknowledge' || one.do === 'see' || one.do === 'unshelve')
    void tab.act({ act: one.do, ids })
  if (one.do === 'shelve')
    void tab.act({ act: 'shelve', ids, untilWallMs: clock.wallMs() + 30_000, reason: 'test' })
  if (one.do === 'take-over') await tab.engine.tabAct('take-over')
  if (one.do !== 'close' && one.do !== 'crash') return
  if (tabs.length === 1) tabs.push(await browser.open())
  // What a crash finds told and not yet kept is told again: better twice than never.
  if (one.do === 'crash') await untilKept(browser)
  tab[one.do]()
  tabs.splice(tabs.indexOf(tab), 1)
}

describe('whatever happens to the tabs, and whenever', () => {
  it('problem and recovery of an alarm alternate, nothing is raised too soon, and all tabs show the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(something, { maxLength: 25 }), async (all) => {
        const browser = tabBrowser()
        const tabs = [await browser.open()]
        for (const one of all) await happen(browser, tabs, one)
        await browser.clock.advance(4 * KEPT_MS)
        await untilKept(browser)
        const words = new Map<string, string[]>()
        for (const { kind, alarms } of browser.told)
          for (const { id, sinceWallMs, raisedWallMs, ruleId } of kind === 'reminder' ? [] : alarms) {
            words.set(id, [...(words.get(id) ?? []), kind])
            if (ruleId === 'low') expect((raisedWallMs ?? 0) - sinceWallMs).toBeGreaterThanOrEqual(HOLD_MS)
          }
        for (const [id, told] of words)
          for (const [place, kind] of told.entries())
            if (kind !== (place % 2 === 0 ? 'problem' : 'recovery'))
              throw new Error(`${id}: ${told.join(' ')}`)
        const told = browser.told.map(({ id }) => id)
        const sent = browser.mail.ids()
        expect(sent).toEqual(told)
        // A tab that follows hears of what is new within a second.
        const shown = () => new Set(tabs.map((tab) => JSON.stringify(rowsOf(tab))))
        await until(browser, () => shown().size === 1, INTERVAL_MS / 2)
      }),
      { numRuns: 60 },
    )
  })
})
