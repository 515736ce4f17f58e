import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { historyTexts } from '#texts/en-history.ts'
import { openAt, PROFILE_ORIGIN, readHistoryProfile, unpackProfile } from '#test/support/history-profile.ts'
import { message, openMessages } from '#test/e2e/stage.ts'

const MINUTE_MS = 60_000

const profile = readHistoryProfile()
let folder: string
let opened: Awaited<ReturnType<typeof openAt>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'history-profile-'))
  unpackProfile(profile, join(folder, 'profile'))
  opened = await openAt(folder, profile.config, profile.endMs + 10 * MINUTE_MS)
})
afterAll(async () => {
  await opened.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

it('history in the first format is reported, stays until the user deletes it, and does not count as lost', async () => {
  const page = await opened.context.newPage()
  const older = () =>
    page.evaluate(async () =>
      (await indexedDB.databases()).flatMap(({ name = '' }) =>
        /^immune-history-(?!store-)/.test(name) ? [name] : [],
      ),
    )
  await page.goto(PROFILE_ORIGIN)
  const said = message(page, historyTexts.older)
  await said.waitFor()
  await openMessages(page)
  expect(await said.textContent()).toContain(historyTexts.olderText)
  expect((await older()).length).toBeGreaterThan(2)
  expect(await message(page, historyTexts.lost).count()).toBe(0)
  await page.getByRole('button', { name: historyTexts.removeOlder }).click()
  await said.waitFor({ state: 'detached' })
  expect(await older()).toEqual([])
})
