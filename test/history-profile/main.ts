import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as passed } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Clock } from '#base/clock.ts'
import { createReferenceService } from '#reference/service.ts'
import buildOnce from '#test/support/build-once.ts'
import {
  openAt,
  openNodeOf,
  packProfile,
  pollsShown,
  PROFILE_ORIGIN,
  writeHistoryProfile,
  type HistoryProfile,
} from '#test/support/history-profile.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'

const NODES = 3
const SERVICE_PORT = 47_421
const HOUR_MS = 3_600_000
const END_MS = Date.UTC(2026, 10, 21, 20, 30)
const SITTING_MS = 12_000
const FAILING_MS = 5_000

/**
 * Makes `test/vectors/history/profile.json.gz` anew, from the built dashboard: right only where the layout of history
 * changes before a first release. Three sittings over three nodes, 26 hours, 2 hours and no time before the end, of which
 * in the second the service fails for a time: so that there are rows of a minute ago, records, a block, rollups of every
 * kind, failures and gaps.
 */
export async function main(): Promise<number> {
  buildOnce()
  const folder = mkdtempSync(join(tmpdir(), 'history-profile-'))
  try {
    await sitting(folder, END_MS - 26 * HOUR_MS, async (page) => {
      await page.goto(PROFILE_ORIGIN)
      await page.getByRole('button', { name: firstRunTexts.start }).click()
      await passed(SITTING_MS)
    })
    await sitting(folder, END_MS - 2 * HOUR_MS, async (page, faults) => {
      await page.goto(PROFILE_ORIGIN)
      await passed(SITTING_MS - FAILING_MS)
      await faults.set('*', { name: 'status-503' })
      await passed(FAILING_MS)
    })
    const seen = await sitting(folder, END_MS, async (page, _, config) => {
      await page.goto(PROFILE_ORIGIN)
      await passed(SITTING_MS)
      const count = async (hours: number): Promise<number> => {
        await openNodeOf(page, config, END_MS - hours * HOUR_MS, END_MS + 60_000)
        await passed(2_000)
        return pollsShown(page)
      }
      return { config, endMs: END_MS, polls: { late: await count(3), all: await count(27) } }
    })
    writeHistoryProfile({ ...seen, files: packProfile(join(folder, 'profile')) })
    process.stdout.write(`${JSON.stringify(seen.polls)}\n`)
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const clockOffBy = (byMs: number): Clock => ({
  wallMs: () => Date.now() + byMs,
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
})

type Reference = ReturnType<typeof createReferenceService>

/** One run of browser, dashboard and service, as if it were then. */
async function sitting<T>(
  folder: string,
  atMs: number,
  run: (page: Page, faults: Reference['faults'], config: HistoryProfile['config']) => Promise<T>,
): Promise<T> {
  const byMs = atMs - Date.now()
  const reference = createReferenceService({
    enroll: true,
    port: SERVICE_PORT,
    nodes: NODES,
    seed: 'history-profile',
    clock: clockOffBy(byMs),
  })
  const { baseUrl } = await reference.listen()
  const { network } = reference
  const config: HistoryProfile['config'] = {
    version: 1,
    services: [{ baseUrl, via: 'proxy', label: 'Old service', pollIntervalMs: 1_000, timeoutMs: 1_000 }],
    nodes: Array.from({ length: NODES }, (_, n) => ({ id: network.idOf(n), name: network.nameOf(n) })),
  }
  const { context, close } = await openAt(folder, config, atMs)
  try {
    return await run(await context.newPage(), reference.faults, config)
  } finally {
    await close()
    await reference.close()
  }
}
