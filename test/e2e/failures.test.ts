import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { FaultName, FaultValue } from '#reference/faults.ts'
import {
  hero,
  message,
  openMessages,
  messages,
  setStage,
  startWatching,
  statusLine,
  WAIT,
  type Stage,
  type WatchedNode,
} from './stage.ts'
import { browserForTests } from './watched-browser.ts'

/**
 * One node a fault, all at once, beside nodes that are well: so the same picture shows that
 * each failure is told for what it is, and that none spreads.
 */
type Case = {
  readonly fault: FaultName
  readonly value?: FaultValue
  readonly code: string
  readonly title: RegExp
}

/** The last values are kept and marked as old. */
const LOST: readonly Case[] = [
  { fault: 'status-400', code: 'node/400', title: /Id of .+ rejected/ },
  { fault: 'status-404', code: 'node/404', title: /not found \(404\)/ },
  { fault: 'status-500', code: 'service/500', title: /Test service answers 500 for/ },
  { fault: 'status-502', code: 'service/502', title: /answers 502 for/ },
  { fault: 'status-504', code: 'service/504', title: /answers 504 for/ },
  { fault: 'status-599', code: 'service/599', title: /answers 599 for/ },
  { fault: 'error-hostile', code: 'service/500', title: /answers 500 for/ },
  {
    fault: 'status-204',
    code: 'service/status',
    title: /answers \d+, which its interface does not describe/,
  },
  {
    fault: 'status-206',
    code: 'service/status',
    title: /answers \d+, which its interface does not describe/,
  },
  { fault: 'redirect-other', code: 'service/redirect', title: /redirects to another address/ },
  { fault: 'redirect-loop', code: 'service/redirect', title: /redirects to another address/ },
  { fault: 'redirect-login', code: 'service/redirect', title: /redirects to another address/ },
  { fault: 'hang', code: 'net/timeout', title: /take longer than 1\.5.s/ },
  { fault: 'late', value: 5_000, code: 'net/timeout', title: /take longer than 1\.5.s/ },
  { fault: 'reset', code: 'net/unreachable', title: /drops the connection/ },
  { fault: 'reset-in-body', code: 'net/cut-off', title: /break off/ },
  { fault: 'truncated', code: 'net/cut-off', title: /break off/ },
  { fault: 'html', code: 'data/not-json', title: /answer is not a status record/ },
  { fault: 'empty', code: 'data/not-json', title: /answer is not a status record/ },
  { fault: 'truncated-json', code: 'data/not-json', title: /answer is not a status record/ },
  { fault: 'array', code: 'data/not-json', title: /answer is not a status record/ },
  { fault: 'deep', code: 'data/too-large', title: /larger than 64.KiB/ },
  { fault: 'padding', code: 'data/too-large', title: /larger than 64.KiB/ },
  { fault: 'gzip-bomb', code: 'data/too-large', title: /larger than 64.KiB/ },
  { fault: 'proto-only', code: 'data/record', title: /has none of the seven fields/ },
  { fault: 'other-node', code: 'data/wrong-node', title: /about another node/ },
]

/** The answer is used, and what is odd about it is said. */
const ODD: readonly (Case & { readonly shown?: string | RegExp })[] = [
  { fault: 'missing', code: 'data/field', title: /stake_deployed is missing/ },
  { fault: 'negative', code: 'data/field', title: /3 fields can’t be used/ },
  { fault: 'infinity', code: 'data/field', title: /stake_deployed can’t be used/ },
  { fault: 'nan-text', code: 'data/field', title: /network_participation can’t be used/ },
  { fault: 'heartbeat-text', code: 'data/field', title: /last_heartbeat can’t be used/ },
  {
    fault: 'status-word',
    code: 'data/status',
    title: /Status DRAINING has no meaning set/,
    shown: 'DRAINING',
  },
  { fault: 'look-alike', code: 'data/status', title: /has no meaning set/, shown: /Cyrillic|U\+0406/i },
  { fault: 'bidi', code: 'data/status', title: /has no meaning set/, shown: /U\+202E|RLO|⟨/i },
  { fault: 'xss', code: 'data/status', title: /has no meaning set/, shown: /</ },
  { fault: 'long-status', value: 40_000, code: 'data/status', title: /has no meaning set/ },
  { fault: 'heartbeat-future', code: 'data/clock', title: /in the future/, shown: /clocks disagree/ },
  { fault: 'counter-restart', code: 'data/counter', title: /Threat responses reset/ },
  { fault: 'participation', value: 250, code: 'data/unit', title: /out of range/ },
  // All others of the service write ratios, so that is the unit.
  { fault: 'percent', code: 'data/unit', title: /out of range/ },
  { fault: 'cached', code: 'data/cached', title: /A cache answers/ },
]

const WELL = 34
/** Faults that are no failure: the value is shown for what it is, and no message is needed. */
const FINE: readonly { readonly fault: FaultName; readonly value?: FaultValue; readonly shown: RegExp }[] = [
  { fault: 'big', shown: /9,007,199,254,740,993/ },
  { fault: 'heartbeat-ms', shown: /Taken as milliseconds/ },
  { fault: 'bom', shown: /ACTIVE/ },
  { fault: 'extra-fields', shown: /New fields/ },
]

const FAULTY = [...LOST, ...ODD, ...FINE]

const browser = browserForTests()
let stage: Stage
let page: Page

const nodeAt = (place: number): WatchedNode => {
  const node = stage.nodes[place]
  if (node === undefined) throw new Error(`the stage has no node ${place}`)
  return node
}
/** The node that has this fault. */
const nodeOf = (fault: FaultName): WatchedNode => nodeAt(FAULTY.findIndex((one) => one.fault === fault))

const open = async (node: WatchedNode): Promise<void> => {
  await page.goto(stage.nodeUrl(node))
  await page.getByRole('heading', { level: 1, name: node.name }).waitFor()
}

beforeAll(async () => {
  stage = await setStage({
    nodes: FAULTY.length + WELL,
    service: { label: 'Test service', pollIntervalMs: 3_000, timeoutMs: 1_500 },
  })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
  // Everything was well once: asked, and no answer failed.
  await vi.waitFor(() => {
    const { byNode, inFlight } = stage.reference.stats()
    expect([Object.keys(byNode).length, inFlight]).toEqual([stage.nodes.length, 0])
  }, WAIT)
  await statusLine(page).getByText('Live', { exact: true }).waitFor()
  for (const { fault, value } of FAULTY)
    await stage.reference.faults.set(nodeOf(fault).id, {
      name: fault,
      ...(value !== undefined && { value }),
    })
})
afterAll(async () => {
  await stage.stop()
})

describe('an answer that can’t be used', () => {
  it.each(LOST)('$fault is told as $code, and the last values stay, visibly old', async (one) => {
    const node = nodeOf(one.fault)
    await open(node)
    const banner = message(page, one.title)
    await openMessages(page)
    await banner.waitFor()
    // Nothing else is said of it; that two busy cores are late for a moment may be.
    await expect.poll(() => messages(page).allInnerTexts()).toHaveLength(1)
    const said = await banner.innerText()
    expect(said).toContain(one.code)
    expect(said).toMatch(/since \d\d:\d\d:\d\d, [\d,]+ polls?/)
    expect(said).toMatch(/next try in|trying now/)
    await hero(page)
      .getByText(/^as of \d\d:\d\d:\d\d, (\d+.m.)?\d+.s ago$/)
      .waitFor()
    expect(await hero(page).locator('.state.old').innerText()).toContain('ACTIVE')
    await hero(page).getByText('Not known now.').waitFor()
    await hero(page)
      .getByText(/The node may be alive/)
      .waitFor()
    await expect
      .poll(() =>
        page
          .getByRole('region', { name: /^History of the node/ })
          .locator('.lv.old')
          .count(),
      )
      .toBe(6)
  })
})

describe('an answer that is odd', () => {
  it.each(ODD)('$fault is used, and told as $code', async ({ fault, code, title, shown }) => {
    await open(nodeOf(fault))
    const banner = message(page, title)
    await openMessages(page)
    await banner.waitFor()
    expect(await banner.innerText()).toContain(code)
    if (shown !== undefined) expect(await hero(page).innerText()).toMatch(shown)
    await hero(page).getByText('Last answer').waitFor()
    expect(await hero(page).locator('.state.old').count()).toBe(0)
  })
})

describe('an answer that is unusual but good', () => {
  it.each(FINE)('$fault is shown for what it is, without a message', async ({ fault, shown }) => {
    await open(nodeOf(fault))
    await page.getByRole('main').getByText(shown).first().waitFor()
    await expect.poll(() => messages(page).allInnerTexts()).toEqual([])
    expect(await hero(page).locator('.state.old').count()).toBe(0)
  })
})

describe('beside all of that', () => {
  it('nodes that are well stay live, are asked on time, and show no message', async () => {
    const { reference } = stage
    reference.resetStats()
    const well = stage.nodes.slice(FAULTY.length)
    const askedOnce = () => well.filter(({ id }) => reference.stats().byNode[id] !== undefined).length
    await expect.poll(askedOnce).toBe(WELL)
    for (const node of [well[0], well.at(-1)]) {
      if (node === undefined) throw new Error('no node is well')
      await open(node)
      await hero(page).getByText('Last answer').waitFor()
      await expect.poll(() => messages(page).allInnerTexts()).toEqual([])
    }
  })

  it('a heartbeat that stands still is critical, and needs no other message', async () => {
    const node = nodeAt(FAULTY.length)
    await stage.reference.faults.set(node.id, { name: 'silent-heartbeat', value: 600 })
    await open(node)
    await hero(page).getByText('Heartbeat too old').waitFor()
    expect(await hero(page).locator('.big.critical').innerText()).toMatch(/1\d\s*min/)
    expect(await hero(page).locator('.state.old').count()).toBe(0)
  })

  it('no markup that the service sent became part of the page', async () => {
    await open(nodeOf('xss'))
    const foreign = await page.evaluate(
      () => document.querySelectorAll('#root script, #root img, #root iframe, #root [onerror]').length,
    )
    expect(foreign).toBe(0)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'pwned'))).toBeUndefined()
  })

  it('a node that is well again is live again when asked', async () => {
    const node = nodeOf('status-404')
    await open(node)
    await message(page, /not found \(404\)/).waitFor()
    await openMessages(page)
    await stage.reference.faults.clear(node.id)
    await page.getByRole('button', { name: 'Try now' }).click()
    await hero(page).getByText('Last answer').waitFor()
    await messages(page).waitFor({ state: 'detached' })
  })
})
