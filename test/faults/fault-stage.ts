import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { BATCH_MAX } from '#protocol/batch.ts'
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

/** Short enough for tests of a few seconds. A hung request times out within an interval. */
const SERVICE = { label: 'Test service', pollIntervalMs: 1_000, timeoutMs: 800 } as const

/** Generous, because other load may starve the browser; `test/world` checks how soon messages appear. */
const LIMIT = { timeout: 60_000, interval: 200 }

/** The smallest number of nodes for which the screen attributes a fault to one node. */
const NODES = 6

/** Larger tables have rows out of view, which are not rendered. */
const ROWS = 20

/** Requests in flight in batches. A batch that made way for others may still be ending at the service. */
const IN_BATCHES_MAX = DEFAULTS.inFlightMultiplexedMax + BATCH_MAX

type Setting = {
  readonly nodes?: number
  /** Starts further services before the stage is set. */
  readonly others?: () => Promise<NonNullable<Parameters<typeof setStage>[0]['others']>>
  readonly service?: Readonly<Record<string, unknown>>
  readonly browserArgs?: readonly string[]
  /** Requests a separate browser, for tests that inspect all of it. */
  readonly browser?: 'own'
  /** A fault of the service that remains for all tests of the file. */
  readonly always?: FaultName
  /** As in `setStage`: a host name under which the browser contacts the service directly. */
  readonly far?: string
}

/** What the test of a fault gets. The node was live when the test began. */
export type Row = {
  /** The node's page. */
  readonly page: Page
  readonly node: WatchedNode
  readonly stage: Stage
  readonly reference: ReferenceService
  /** Sets a fault of the reference service for this node. */
  readonly set: (name: FaultName, value?: FaultValue) => Promise<void>
  /** Sets a fault for all nodes. */
  readonly setAll: (name: FaultName, value?: FaultValue) => Promise<void>
  /** Waits for a message that contains this text or code, and returns the whole message. */
  readonly told: (code: string | RegExp) => Promise<string>
  /** Waits until the node has had this many requests since the test began. */
  readonly asked: (times: number) => Promise<void>
  /** Waits until the node's values are shown as old and their age increases. */
  readonly old: () => Promise<void>
  readonly clear: () => Promise<void>
  /** Clears all faults and waits until the node is live and no message is left. */
  readonly recovers: (leaves?: string) => Promise<void>
}

/**
 * A dashboard from the production build, a reference service and one browser for all tests of a file. Each test uses
 * the next node, and ends with the shared assertions and the node's recovery.
 */
export function faultStage(setting: Setting = {}) {
  const browser = browserForTests(setting.browserArgs, setting.browser)
  const service = { ...SERVICE, ...setting.service }
  let stage: Stage
  let page: Page
  /** A page that shows the table of nodes throughout. */
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
          // When the engine gives up a request, the service may not notice before the next one arrives.
          probesAtOnce: setting.far === undefined ? 0 : 3,
          inFlight,
          inFlightMax: setting.far === undefined ? IN_BATCHES_MAX : DEFAULTS.inFlightPerHostMax,
        })
        await expectHistoryKept(page, samples)
        if (!meetsAll) await expectLive(table, nodeAt(turn).name)
        await given.recovers(leaves)
        // The table shows the recovery at its next render.
        if (stage.nodes.length <= ROWS) await vi.waitFor(() => expectLive(table, node.name), LIMIT)
      } finally {
        await clear()
      }
    })
  }

  return { row, browser, stage: () => stage }
}

/** The page contains no markup from the service, and none of its scripts ran. */
export async function expectNoScriptRan(page: Page): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(globalThis, '__xss'))).toBeUndefined()
  expect(await page.locator('#root :is(script, img, iframe, [onerror])').count()).toBe(0)
}

/** The texts of all messages that appeared in the meantime, however briefly. */
export async function messagesDuring(page: Page, happens: () => Promise<void>): Promise<readonly string[]> {
  await page.evaluate(() => {
    const seen = new Set<string>()
    const note = () => {
      // Digits are masked, because ages and counts change all the time.
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
    return Array.isArray(seen) ? seen.map(String) : ['the page was reloaded']
  })
}

/** Waits until the page shows current values. */
export async function isLive(page: Page): Promise<void> {
  await hero(page).getByText('Last answer').waitFor()
  await expect.poll(() => hero(page).locator('.hero-state.old').count(), LIMIT).toBe(0)
}

/** Waits for `count` further requests, so that answers in flight when the fault was set have arrived. */
export async function answers({ reference, node }: Row, count: number): Promise<void> {
  for (let seen = 0; seen < count; seen++) await reference.nextRequest((one) => one.node === node.id)
}
