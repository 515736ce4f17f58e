import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { historyTexts } from '#texts/en-history.ts'
import {
  openAt,
  openNodeOf,
  pollsShown,
  readHistoryProfile,
  unpackProfile,
} from '#test/support/history-profile.ts'
import { messages } from './stage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const profile = readHistoryProfile()
let folder: string
let opened: Awaited<ReturnType<typeof openAt>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'history-profile-'))
  unpackProfile(profile, join(folder, 'profile'))
  // Ten minutes later by the browser's clock, whenever that is: or all would be too old to be kept.
  opened = await openAt(folder, profile.config, profile.endMs + 10 * MINUTE_MS)
})
afterAll(async () => {
  await opened.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

it('a profile of the first layout shows all of it, at every resolution', async () => {
  const page = await opened.context.newPage()
  const { config, endMs, polls } = profile
  const shows = async (hours: number, count: number): Promise<void> => {
    await openNodeOf(page, config, endMs - hours * HOUR_MS, endMs + MINUTE_MS)
    await expect.poll(() => pollsShown(page)).toBeGreaterThanOrEqual(count)
  }
  // Rows and records; rollups of minutes, of quarters of an hour, of hours.
  await shows(3, polls.late)
  for (const hours of [27, 100, 500]) await shows(hours, polls.all)
  expect(polls.late).toBeGreaterThan(15)
  expect(polls.all).toBeGreaterThan(polls.late + 7)
  for (const title of [historyTexts.notKept(''), historyTexts.lost])
    expect(await messages(page).filter({ hasText: title }).count()).toBe(0)
})
