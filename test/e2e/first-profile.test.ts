import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { launchDashboard, type Dashboard } from '#test/support/launch-app.ts'
import { launchProfile } from '#test/support/launch-browser.ts'
import { hero, message } from './stage.ts'

/**
 * `test/vectors/history/first-build-profile.json.gz`: what the first build that kept history left
 * on a disk, as Chromium wrote it. Three sittings over three nodes, 26 h, 2 h and no time before
 * the end: rows of a minute ago, records, a block, sums of every kind, and failures. Its page lay
 * on this port. `config` is the configuration file of then.
 */
type Profile = {
  readonly config: {
    readonly services: readonly [{ readonly baseUrl: string }]
    readonly nodes: readonly { readonly id: string }[]
  }
  /** Paths in the profile's folder, to bytes in base64. */
  readonly files: Readonly<Record<string, string>>
}
const PORT = 47_420
const END_MS = Date.UTC(2026, 10, 21, 20, 30, 20)
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const read = (): Profile =>
  JSON.parse(
    gunzipSync(
      readFileSync(join(import.meta.dirname, '../vectors/history/first-build-profile.json.gz')),
    ).toString(),
  )

let folder: string
let profile: Profile
let dashboard: Dashboard
let context: BrowserContext

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'first-profile-'))
  profile = read()
  for (const [path, bytes] of Object.entries(profile.files)) {
    const file = join(folder, 'profile', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, Buffer.from(bytes, 'base64'))
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(profile.config))
  dashboard = await launchDashboard(['--config', join(folder, 'config.json'), '--data', folder])
  const { host } = new URL(dashboard.dashboardUrl)
  // A profile knows its pages by their ports, and this machine's may be taken.
  context = await launchProfile(join(folder, 'profile'), [
    `--host-resolver-rules=MAP 127.0.0.1:${PORT} ${host}`,
  ])
  // Ten minutes later by the browser's clock, whenever that is: or all would be too old to be kept.
  const later = `{
    const Real = Date
    const byMs = ${END_MS + 10 * MINUTE_MS - Date.now()}
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + byMs) : super(...given) }
      static now() { return Real.now() + byMs }
    }
  };`
  await context.addInitScript(later)
  await context.route(/\/engine-worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch({
      url: route
        .request()
        .url()
        .replace(`:${PORT}/`, `:${new URL(dashboard.dashboardUrl).port}/`),
    })
    await route.fulfill({ response, body: later + (await response.text()) })
  })
})
afterAll(async () => {
  await context.close()
  await dashboard.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** Polls that the chart is drawn from. */
const shown = async (page: Page): Promise<number> =>
  Number(/([\d,]+) polls/.exec((await page.locator('.legend-note').textContent()) ?? '')?.[1] ?? 0)

it('of the first build that kept history shows all of it, at every resolution', async () => {
  const page = await context.newPage()
  const shows = async (hours: number, polls: number): Promise<void> => {
    const key = nodeKeyOf(serviceIdOf(profile.config.services[0].baseUrl), profile.config.nodes[0]?.id ?? '')
    const from = new Date(END_MS - hours * HOUR_MS).toISOString()
    const to = new Date(END_MS + MINUTE_MS).toISOString()
    await page.goto(`http://127.0.0.1:${PORT}/#/nodes/${key}?range=24h&from=${from}&to=${to}`)
    await hero(page).waitFor()
    await expect.poll(() => shown(page)).toBeGreaterThanOrEqual(polls)
  }
  // Rows and records; sums of minutes, of quarters of an hour, of hours.
  await shows(3, 28)
  for (const hours of [27, 100, 500]) await shows(hours, 41)
  expect(await message(page, /History/).count()).toBe(0)
})
