import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { hero, QUICK, setStage, startWatching, WAIT, type Stage } from '#test/e2e/stage.ts'
import { goTo, journal } from '#test/faults/own-screen.ts'
import { expectHistoryKept, keptSamples } from '#test/faults/shared-assertions.ts'
import { launchProfile } from '#test/support/launch-browser.ts'
import { startReceiver, type RunningReceiver } from '#test/support/running-receiver.ts'

let stage: Stage
let outside: RunningReceiver
beforeAll(async () => {
  outside = await startReceiver()
  const ping = { kind: 'ping', url: outside.url, name: 'Dead man' }
  stage = await setStage({ nodes: 2, service: QUICK, receivers: [ping] })
})
afterAll(async () => {
  await stage.stop()
  outside.down()
})

const node = () => {
  const [first] = stage.nodes
  if (first === undefined) throw new Error('no node')
  return first
}

it('F 86, 140: after the browser ends, the next start reports the monitoring gap', async () => {
  const profile = mkdtempSync(join(tmpdir(), 'unloaded-'))
  onTestFinished(() => rmSync(profile, { recursive: true, force: true, maxRetries: 3 }))
  const before = await launchProfile(profile)
  const page = await before.newPage()
  await startWatching(page, stage)
  await expect.poll(() => keptSamples(page), WAIT).toBeGreaterThan(4)
  const kept = await keptSamples(page)
  await goTo(page, stage, 'settings/notifications')
  await page.getByRole('button', { name: 'Send from this browser' }).click()
  await outside.took(1)
  await before.close()
  // Longer than the ping interval, so that a dead-man's switch notices; a quick restart would go unnoticed.
  const endedMs = Date.now()
  await expect.poll(() => Date.now() - endedMs, { timeout: 90_000, interval: 1_000 }).toBeGreaterThan(66_000)
  expect(outside.taken).toHaveLength(1)
  const after = await launchProfile(profile)
  onTestFinished(() => after.close())
  const again = await after.newPage()
  await again.goto(stage.nodeUrl(node()))
  await hero(again).getByText('Last answer').waitFor()
  await outside.took(2)
  await expectHistoryKept(again, kept)
  await goTo(again, stage, 'journal')
  await journal(again)
    .getByText(/Not watched for (1|2)\sm.*no tab of this dashboard was open/)
    .first()
    .waitFor()
})
