import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { hero, QUICK, setStage, startWatching, WAIT, type Stage } from '#test/e2e/stage.ts'
import { goTo, journal } from '#test/faults/own-screen.ts'
import { expectHistoryKept, keptSamples } from '#test/faults/shared-assertions.ts'
import { launchProfile } from '#test/support/launch-browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK })
})
afterAll(() => stage.stop())

const node = () => {
  const [first] = stage.nodes
  if (first === undefined) throw new Error('no node')
  return first
}

it('F 86, 140: the whole browser ends; the next start says from when to when nobody watched', async () => {
  const profile = mkdtempSync(join(tmpdir(), 'unloaded-'))
  onTestFinished(() => rmSync(profile, { recursive: true, force: true, maxRetries: 3 }))
  const before = await launchProfile(profile)
  const page = await before.newPage()
  await startWatching(page, stage)
  await expect.poll(() => keptSamples(page), WAIT).toBeGreaterThan(4)
  const kept = await keptSamples(page)
  await before.close()
  // As long as it takes to be told from a quick restart.
  const endedMs = Date.now()
  await expect.poll(() => Date.now() - endedMs, { timeout: 60_000, interval: 1_000 }).toBeGreaterThan(33_000)
  const after = await launchProfile(profile)
  onTestFinished(() => after.close())
  const again = await after.newPage()
  await again.goto(stage.nodeUrl(node()))
  await hero(again).getByText('Last answer').waitFor()
  await expectHistoryKept(again, kept)
  await goTo(again, stage, 'journal')
  await journal(again)
    .getByText(/Not watched for (3|4|5|6)\d.s.*no tab of this dashboard was open/)
    .first()
    .waitFor()
})
