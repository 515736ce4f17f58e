import type { Page } from 'playwright-core'
import { keptSamples } from '#test/support/kept-samples.ts'
import { expect } from 'vitest'
import { hero } from '#test/e2e/stage.ts'
import { agoInSeconds } from '#test/support/ages.ts'
import { boundaryTexts } from '#texts/en-boundary.ts'

export { keptSamples }

/** What holds whatever happens. That nothing is thrown, logged as an error or stopped by the policy is watched by `browserForTests`. */

/** Less text than on any page of this dashboard. */
const LEAST_CHARS = 40

/** The page has a heading and text, and each of its parts was drawn. */
export async function expectNotBlank(page: Page): Promise<void> {
  const main = page.getByRole('main')
  await main.getByRole('heading').first().waitFor()
  expect((await main.innerText()).trim().length).toBeGreaterThan(LEAST_CHARS)
  for (const name of [boundaryTexts.title, boundaryTexts.rootTitle, boundaryTexts.missingTitle])
    expect(await main.getByText(name).count()).toBe(0)
}

/** The last values are there, marked as old, with an age that goes up. */
export async function expectOldAndAgeing(page: Page, within?: { readonly timeout: number }): Promise<void> {
  const asOf = hero(page).getByText(/^as of /)
  await asOf.waitFor()
  expect(await hero(page).locator('.hero-state.old').count()).toBe(1)
  const age = async (): Promise<number> => agoInSeconds(await asOf.innerText())
  const before = await age()
  expect(before).toBeGreaterThanOrEqual(0)
  await expect.poll(age, within).toBeGreaterThan(before)
}

/** How often a node was asked from a moment on, and how often it may have been. */
export type Asked = {
  readonly requests: number
  readonly elapsedMs: number
  readonly intervalMs: number
  /** A preflight makes it two. */
  readonly requestsPerPoll: number
  /** What is asked once, unsigned, to find out why polls fail. */
  readonly probes: number
  /** By hand. */
  readonly triesByHand: number
  /** Most requests at once, about this node and at all. */
  readonly inFlightOfNode: number
  /** What is asked beside the polls, once, to find out why they fail. */
  readonly probesAtOnce: number
  readonly inFlight: number
}

/** Requests at once to one host. */
const HOST_LIMIT = 4

/** A poll each interval, one more where the time began and ended between two, and what a person asked for. */
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
}: Asked): void {
  const polls = Math.floor(elapsedMs / intervalMs) + 1 + triesByHand
  expect(requests).toBeLessThanOrEqual(polls * requestsPerPoll + probes)
  expect(inFlightOfNode).toBeLessThanOrEqual(1 + probesAtOnce)
  // Probes go one after the other, beside the polls.
  expect(inFlight).toBeLessThanOrEqual(HOST_LIMIT + Math.min(1, probesAtOnce))
}

/** Nothing that was kept before is gone. */
export async function expectHistoryKept(page: Page, before: number): Promise<void> {
  expect(before).toBeGreaterThan(0)
  expect(await keptSamples(page)).toBeGreaterThanOrEqual(before)
}

/** In the table of nodes, the one of this name is well and of now. `table`: a page that shows it. */
export async function expectLive(
  table: Page,
  name: string,
  within?: { readonly timeout: number },
): Promise<void> {
  const row = table.getByRole('row').filter({ has: table.getByRole('link', { name, exact: true }) })
  await row.getByText('ACTIVE', { exact: true }).waitFor()
  await expect.poll(() => row.locator('.old').count(), within).toBe(0)
}
