import type { Page } from 'playwright-core'
import { keptSamples } from '#test/support/kept-samples.ts'
import { expect } from 'vitest'
import { hero } from '#test/e2e/stage.ts'
import { agoInSeconds } from '#test/support/ages.ts'
import { boundaryTexts } from '#texts/en-boundary.ts'

export { keptSamples }

/** Assertions that hold in every test. `browserForTests` checks for exceptions, logged errors and policy violations. */

/** Every page of the dashboard has more text than this. */
const LEAST_CHARS = 40

/** The page has a heading and text, and every part of it rendered. */
export async function expectNotBlank(page: Page): Promise<void> {
  const main = page.getByRole('main')
  await main.getByRole('heading').first().waitFor()
  expect((await main.innerText()).trim().length).toBeGreaterThan(LEAST_CHARS)
  for (const name of [boundaryTexts.title, boundaryTexts.rootTitle, boundaryTexts.missingTitle])
    expect(await main.getByText(name).count()).toBe(0)
}

/** The last values are shown and marked as old, and their age increases. */
export async function expectOldAndAgeing(page: Page, within?: { readonly timeout: number }): Promise<void> {
  const asOf = hero(page).getByText(/^as of /)
  await asOf.waitFor()
  expect(await hero(page).locator('.hero-state.old').count()).toBe(1)
  const age = async (): Promise<number> => agoInSeconds(await asOf.innerText())
  const before = await age()
  expect(before).toBeGreaterThanOrEqual(0)
  await expect.poll(age, within).toBeGreaterThan(before)
}

/** The requests for a node since a given moment, and the bounds for them. */
export type Asked = {
  readonly requests: number
  readonly elapsedMs: number
  readonly intervalMs: number
  /** A preflight doubles it. */
  readonly requestsPerPoll: number
  /** Unsigned requests that diagnose failed polls. */
  readonly probes: number
  /** Polls that the user requested. */
  readonly triesByHand: number
  /** The most concurrent requests for this node; `inFlight` is the total. */
  readonly inFlightOfNode: number
  /** Diagnostic requests that may run concurrently with polls. */
  readonly probesAtOnce: number
  readonly inFlight: number
  readonly inFlightMax: number
}

/** Allows a poll per interval, one for a period that begins between two polls, and those of the user. */
export function expectWithinBudget({
  requests,
  elapsedMs,
  intervalMs,
  requestsPerPoll,
  probes,
  triesByHand,
  inFlightOfNode,
  probesAtOnce,
  inFlight,
  inFlightMax,
}: Asked): void {
  const polls = Math.floor(elapsedMs / intervalMs) + 1 + triesByHand
  expect(requests).toBeLessThanOrEqual(polls * requestsPerPoll + probes)
  expect(inFlightOfNode).toBeLessThanOrEqual(1 + probesAtOnce)
  // Probes run one after another, in parallel with the polls.
  expect(inFlight).toBeLessThanOrEqual(inFlightMax + Math.min(1, probesAtOnce))
}

/** No earlier sample is missing. */
export async function expectHistoryKept(page: Page, before: number): Promise<void> {
  expect(before).toBeGreaterThan(0)
  expect(await keptSamples(page)).toBeGreaterThanOrEqual(before)
}

/** The table row of this node shows it as active and current. `table` is a page with the table of nodes. */
export async function expectLive(
  table: Page,
  name: string,
  within?: { readonly timeout: number },
): Promise<void> {
  const row = table.getByRole('row').filter({ has: table.getByRole('link', { name, exact: true }) })
  await row.getByText('ACTIVE', { exact: true }).waitFor()
  await expect.poll(() => row.locator('.old').count(), within).toBe(0)
}
