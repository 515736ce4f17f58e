import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { loadLateParts } from '#test/support/late-parts.ts'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import type { ReferenceService } from '#reference/reference-service.ts'
import { FAULTS, type FaultNumber, type RowOptions } from '#test/faults/matrix.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { readerOf } from './screen.ts'
import { openWorld, SERVICE, type World, type WorldNode, type WorldOptions } from './world.tsx'

type Reader = ReturnType<typeof readerOf>

/** What the test of a fault gets. The node's page is open, and the node was live when the test began. */
export type Row = Omit<World, 'page' | 'tabs' | 'table' | 'samples' | 'close'> & {
  readonly page: Reader
  readonly node: WorldNode
  readonly reference: ReferenceService
  /** Sets a fault of the reference service for this node. */
  readonly set: (name: FaultName, value?: FaultValue) => Promise<void>
  /** Sets a fault for all nodes. */
  readonly setAll: (name: FaultName, value?: FaultValue) => Promise<void>
  readonly clear: () => Promise<void>
  /** Advances time until a message contains this text or code, and returns the whole message. */
  readonly told: (what: string | RegExp) => Promise<string>
  /** Asserts that all values are shown as old and that their age increases. */
  readonly old: () => Promise<void>
  /** Advances time by this many polls of the node. */
  readonly polls: (count: number) => Promise<void>
}

const TOLD_WITHIN_MS = 12_000
const STEP_MS = 500
/** Unsigned requests that diagnose failed polls. */
const PROBES = 2

/**
 * One world for all tests of a group. Each test ends with the shared assertions and the node's recovery. A failed test
 * closes the world, so that the next one gets a new one.
 */
export function faultRows(options: WorldOptions = {}) {
  const hostLimit = options.via === 'direct' ? DEFAULTS.inFlightPerHostMax : DEFAULTS.inFlightMultiplexedMax
  const intervalMs = Number(options.service?.['pollIntervalMs'] ?? SERVICE.pollIntervalMs)
  let world: World | undefined

  const opened = async (): Promise<World> => {
    if (world !== undefined) return world
    world = await openWorld(options)
    await world.pass(2 * intervalMs)
    // In a new process React shows parts that load late after 300 ms of real time, the chart last.
    await vi.waitFor(() => expect(world?.page.querySelector('.strip-chart')).not.toBeNull())
    return world
  }
  const closed = async (): Promise<void> => {
    await world?.close()
    world = undefined
  }
  beforeAll(async () => {
    giveLayout()
    // Elements report no size, so charts show values without plots, which are most of a page's work.
    globalThis.ResizeObserver = class {
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    }
    await loadLateParts()
  })
  beforeEach(() => {
    for (const method of ['error', 'warn'] as const)
      vi.spyOn(console, method).mockImplementation((...said) => {
        complaints.push(said.map(String).join(' '))
      })
  })
  const complaints: string[] = []
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await closed()
    expect(complaints.splice(0)).toEqual([])
  })
  afterAll(closed)

  const begin = async (): Promise<Row> => {
    const given = await opened()
    const { references, nodes, pass } = given
    const page = readerOf(given.page)
    const [node] = nodes
    const [reference] = references
    if (node === undefined || reference === undefined) throw new Error('no node or no reference service')
    const set = (at: string) => async (name: FaultName, value?: FaultValue) => {
      await reference.faults.set(at, { name, ...(value !== undefined && { value }) })
    }
    const row: Row = {
      ...given,
      node,
      reference,
      page,
      set: set(node.id),
      setAll: set('*'),
      clear: async () => {
        for (const each of references) await each.faults.clear()
        if (options.before !== undefined) await reference.faults.set('*', options.before)
      },
      told: async (what) => {
        let said: readonly string[] = []
        for (let passedMs = 0; passedMs < TOLD_WITHIN_MS; passedMs += STEP_MS) {
          said = await page.messages()
          const found = said.find((text) =>
            typeof what === 'string' ? text.includes(what) : what.test(text),
          )
          if (found !== undefined) return found
          await pass(STEP_MS)
        }
        throw new Error(`not told: ${String(what)}; but: ${said.join(' | ')}`)
      },
      old: async () => {
        for (let passedMs = 0; typeof page.oldFor() === 'string' && passedMs < 5_000; passedMs += STEP_MS)
          await pass(STEP_MS)
        const before = page.oldFor()
        expect(before).toBeTypeOf('number')
        await pass(1_000)
        expect(page.oldFor()).toBe(Number(before) + 1)
      },
      polls: async (count) => {
        const asked = () => reference.stats().byNode[node.id]?.requests ?? 0
        for (const first = asked(); asked() < first + count;) await pass(STEP_MS)
        await pass(STEP_MS)
      },
    }
    await untilWell(row)
    return row
  }

  /** Waits until the node is live and no message is left. */
  const untilWell = async ({ pass, page }: Row, leaves?: string): Promise<void> => {
    const left = async () => {
      const said = await page.messages()
      return said.filter((text) => leaves === undefined || !text.includes(leaves))
    }
    await page.tryNow()
    for (let passedMs = 0; passedMs < 2 * intervalMs + SERVICE.timeoutMs; passedMs += STEP_MS) {
      if (page.isLive() && (await left()).length === 0) return
      await pass(STEP_MS)
      await page.tryNow()
    }
    expect(await left()).toEqual([])
    expect(page.isLive()).toBe(true)
  }

  const row = (
    number: FaultNumber,
    { of, meetsAll = false, isAskedTwice = false, leaves }: RowOptions,
    run: (row: Row) => Promise<void>,
  ): void => {
    const special = of === undefined ? '' : ` (${of})`
    it(`F ${number}: ${FAULTS[number]}${special}`, async () => {
      const given = await begin()
      const { node, reference, clock, pass, nodes, page } = given
      if (world === undefined) throw new Error('no world')
      const { table: drawTable, samples: samplesOf } = world
      const rows = async () => {
        const table = readerOf(await drawTable())
        expect(table.blank()).toEqual([])
        return nodes.map(({ name }) => table.isRowLive(name))
      }
      const startMs = clock.monotonicMs()
      const samples = samplesOf(node)
      reference.resetStats()
      await run(given)
      expect(page.blank()).toEqual([])
      const asked = reference.stats()
      const polls = Math.floor((clock.monotonicMs() - startMs) / intervalMs) + 2
      const requests = asked.byNode[node.id]?.requests ?? 0
      expect(requests).toBeLessThanOrEqual(polls * (isAskedTwice ? 2 : 1) + PROBES)
      expect(asked.maxInFlight).toBeLessThanOrEqual(hostLimit)
      // The engine follows no redirects, and the page contains no markup from the service.
      expect(Object.keys(asked.byPath).filter((path) => path !== '/node/status')).toEqual([])
      expect(page.all(':is(script, img, iframe, [onerror])')).toEqual([])
      expect(await rows()).toEqual(nodes.map((each) => (each === node ? page.isLive() : !meetsAll)))
      await given.clear()
      await untilWell(given, leaves)
      expect(samplesOf(node)).toBeGreaterThan(samples)
      for (let passedMs = 0; passedMs < 2 * intervalMs && (await rows()).includes(false); passedMs += STEP_MS)
        await pass(STEP_MS)
      expect(await rows()).toEqual(nodes.map(() => true))
    })
  }

  return { row }
}
