import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import type { ReferenceService } from '#reference/reference-service.ts'
import {
  hero,
  messages,
  openMessages,
  setStage,
  startWatching,
  tryNow,
  WAIT,
  type Stage,
  type WatchedNode,
} from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'
import { FAULTS, type FaultNumber, type RowOptions } from './matrix.ts'
import {
  expectHistoryKept,
  expectLive,
  expectNotBlank,
  expectOldAndAgeing,
  expectWithinBudget,
  keptSamples,
} from './shared-assertions.ts'

/** Quick enough for a row in seconds; a hung request is over within an interval. */
const SERVICE = { label: 'Test service', pollIntervalMs: 1_000, timeoutMs: 800 } as const

/** How soon a message comes is held by the world, on its own clock; here a busy machine may starve the browser. */
const LIMIT = { timeout: 60_000, interval: 200 }

/** The fewest that are a fleet: one has the fault, and what is said of it is said of one. */
const NODES = 6

/** Of more, some are out of view, and have no row. */
const ROWS = 20

type Setting = {
  readonly nodes?: number
  /** More services, which were there before the stage is set. */
  readonly others?: () => Promise<NonNullable<Parameters<typeof setStage>[0]['others']>>
  readonly service?: Readonly<Record<string, unknown>>
  readonly browserArgs?: readonly string[]
  /** A browser of its own, since the test sees into all of it. */
  readonly browser?: 'own'
  /** Faults of the service that no row ends. */
  readonly always?: FaultName
  /** As in `setStage`: a host name under which the browser asks the service directly. */
  readonly far?: string
}

/** What a row works with. The node was live when the row began. */
export type Row = {
  /** The node's page. */
  readonly page: Page
  readonly node: WatchedNode
  readonly stage: Stage
  readonly reference: ReferenceService
  /** Sets a fault of the reference service, on the node. */
  readonly set: (name: FaultName, value?: FaultValue) => Promise<void>
  /** The same on all nodes. */
  readonly setAll: (name: FaultName, value?: FaultValue) => Promise<void>
  /** Waits for a message that has this in it, which may be its code, and returns all of its text. */
  readonly told: (code: string | RegExp) => Promise<string>
  /** Waits until the node has been asked this often since the row began. */
  readonly asked: (times: number) => Promise<void>
  /** Waits until the node's values are shown as old, and their age goes up. */
  readonly old: () => Promise<void>
  readonly clear: () => Promise<void>
  /** Takes all faults away and waits until the node is live and no message is left. */
  readonly recovers: (leaves?: string) => Promise<void>
}

/**
 * A dashboard from the production build, a reference service and one browser for the rows of a file, which run in turn,
 * each with the next node. Every row ends with the shared assertions and with the node's recovery.
 */
export function faultStage(setting: Setting = {}) {
  const browser = browserForTests(setting.browserArgs, setting.browser)
  const service = { ...SERVICE, ...setting.service }
  let stage: Stage
  let page: Page
  /** Shows the table of nodes all the time. */
  let table: Page
  let turn = 0
  const hasPreflights = setting.always === 'preflight-each'

  beforeAll(async () => {
    const { nodes = NODES, far } = setting
    const others = (await setting.others?.()) ?? []
    stage = await setStage({ nodes, service, others, ...(far !== undefined && { far }) })
    if (setting.always !== undefined) await stage.reference.faults.set('*', { name: setting.always })
    page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
    await startWatching(page, stage)
    table = await browser.openPage({ context: page.context() })
    await table.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await vi.waitFor(async () => expect(await keptSamples(page)).toBeGreaterThan(nodes), WAIT)
  })
  afterAll(async () => {
    await stage.stop()
  })

  const clear = async (): Promise<void> => {
    const { faults } = stage.reference
    for (const { node, name } of faults.list()) if (name !== setting.always) await faults.clear(node, name)
  }

  const nodeAt = (place: number): WatchedNode => {
    const node = stage.nodes[place % stage.nodes.length]
    if (node === undefined) throw new Error('the stage has no nodes')
    return node
  }

  const askedOf = ({ id }: WatchedNode): number => stage.reference.stats().byNode[id]?.requests ?? 0

  const begin = async (): Promise<Row> => {
    const node = nodeAt(turn++)
    const { reference } = stage
    await page.goto(stage.nodeUrl(node))
    await page.getByRole('heading', { level: 1, name: node.name }).waitFor()
    await hero(page).getByText('Last answer').waitFor()
    const set = (at: string) => (name: FaultName, value?: FaultValue) =>
      reference.faults.set(at, { name, ...(value !== undefined && { value }) })
    return {
      page,
      node,
      stage,
      reference,
      set: set(node.id),
      setAll: set('*'),
      told: async (code) => {
        await openMessages(page)
        const fits = (text: string): boolean =>
          typeof code === 'string' ? text.includes(code) : code.test(text)
        let found: string | undefined
        await expect
          .poll(async () => {
            const said = await messages(page).allInnerTexts()
            found = said.find(fits)
            return found === undefined ? said : 'told'
          }, LIMIT)
          .toBe('told')
        return found ?? ''
      },
      asked: async (times) => {
        await expect.poll(() => askedOf(node)).toBeGreaterThanOrEqual(times)
      },
      clear,
      old: () => expectOldAndAgeing(page),
      recovers: async (leaves) => {
        await clear()
        await tryNow(page)
        await hero(page).getByText('Last answer').waitFor()
        const left = async (): Promise<readonly string[]> => {
          await tryNow(page)
          const said = await messages(page).allInnerTexts()
          return said.filter((text) => leaves === undefined || !text.includes(leaves))
        }
        await expect.poll(left, LIMIT).toEqual([])
      },
    }
  }

  const row = (
    number: FaultNumber,
    { of, meetsAll = false, isAskedTwice = false, leaves }: RowOptions,
    run: (row: Row) => Promise<void>,
  ): void => {
    const special = of === undefined ? '' : ` (${of})`
    it(`F ${number}: ${FAULTS[number]}${special}`, async () => {
      const given = await begin()
      const { reference, node } = given
      const samples = await keptSamples(page)
      const startMs = performance.now()
      reference.resetStats()
      try {
        await run(given)
        await expectNotBlank(page)
        await expectNotBlank(table)
        const { byNode, maxInFlight: inFlight } = reference.stats()
        const asked = byNode[node.id] ?? { requests: 0, maxInFlight: 0 }
        expectWithinBudget({
          requests: asked.requests,
          elapsedMs: performance.now() - startMs,
          intervalMs: service.pollIntervalMs,
          requestsPerPoll: (isAskedTwice ? 2 : 1) * (hasPreflights ? 2 : 1),
          probes: 2,
          triesByHand: 1,
          inFlightOfNode: asked.maxInFlight,
          // Of one that was given up the service may not know yet when the next one comes.
          probesAtOnce: setting.far === undefined ? 0 : 3,
          inFlight,
        })
        await expectHistoryKept(page, samples)
        if (!meetsAll) await expectLive(table, nodeAt(turn).name)
        await given.recovers(leaves)
        // The table has it with its next drawing.
        if (stage.nodes.length <= ROWS) await vi.waitFor(() => expectLive(table, node.name), LIMIT)
      } finally {
        await clear()
      }
    })
  }

  return { row, browser, stage: () => stage }
}

/** No markup of the service became part of the page, and none of its scripts ran. */
export async function expectNoScriptRan(page: Page): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(globalThis, '__xss'))).toBeUndefined()
  expect(await page.locator('#root :is(script, img, iframe, [onerror])').count()).toBe(0)
}

/** The texts of all messages that came while something happened, however short they stayed. */
export async function messagesDuring(page: Page, happens: () => Promise<void>): Promise<readonly string[]> {
  await page.evaluate(() => {
    const seen = new Set<string>()
    const note = () => {
      // Ages and counts go on, and are no news.
      for (const one of document.querySelectorAll('.banner'))
        seen.add(one.textContent.replaceAll(/\d+/g, '#'))
    }
    note()
    const observer = new MutationObserver(note)
    observer.observe(document.body, { childList: true, subtree: true })
    Reflect.set(globalThis, 'messagesSeen', () => {
      observer.disconnect()
      return Array.from(seen)
    })
  })
  await happens()
  return page.evaluate(() => {
    const end: unknown = Reflect.get(globalThis, 'messagesSeen')
    const seen: unknown = typeof end === 'function' ? end() : undefined
    return Array.isArray(seen) ? seen.map(String) : ['the page was loaded anew']
  })
}

/** What is shown is of now. */
export async function isLive(page: Page): Promise<void> {
  await hero(page).getByText('Last answer').waitFor()
  await expect.poll(() => hero(page).locator('.hero-state.old').count(), LIMIT).toBe(0)
}

/** Answers that were on their way when the fault was set are over when so many more have been asked for. */
export async function answers({ reference, node }: Row, count: number): Promise<void> {
  for (let seen = 0; seen < count; seen++) await reference.nextRequest((one) => one.node === node.id)
}
