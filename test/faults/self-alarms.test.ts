import type { Page } from 'playwright-core'
import { afterAll, beforeAll, it } from 'vitest'
import type { SelfKind } from '#alarms/alarm.ts'
import { METRICS } from '#metrics/metrics.ts'
import { QUICK, setStage, type Stage } from '#test/e2e/stage.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { levelWords } from '#texts/en-checks.ts'
import { alarmList, goTo, openScreen } from './own-screen.ts'
import { expectNotBlank } from './shared-assertions.ts'

// What the screen says of itself, each brought about in a real browser; the others are rows of the matrix.

let stage: Stage

beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK })
})
afterAll(async () => {
  await stage.stop()
})

async function isRaised(page: Page, kind: SelfKind): Promise<void> {
  await goTo(page, stage, 'alarms')
  const row = alarmList(page)
    .getByRole('row')
    .filter({ hasText: alarmName(kind, METRICS) })
  await row.first().waitFor()
  await expectNotBlank(page)
}

it('rounds that stop without an error: the nodes are not seen any more', async () => {
  const { page, inEngine } = await openScreen(stage)
  // Only what looks every second goes on, and two minutes pass in six seconds.
  await inEngine(`{
    const [later, steady, wall] = [setTimeout, performance.now.bind(performance), Date.now.bind(Date)]
    const [steadyMs, wallMs] = [steady(), wall()]
    const times = 20
    performance.now = () => steadyMs + (steady() - steadyMs) * times
    Date.now = () => wallMs + (wall() - wallMs) * times
    globalThis.setTimeout = (run, delayMs, ...given) => (delayMs === 1_000 ? later(run, delayMs / times, ...given) : 0)
  }`)
  await isRaised(page, 'blind')
})

it('a browser that takes no more: the history is not saved', async () => {
  const { page, context } = await openScreen(stage)
  const session = await context.newCDPSession(page)
  const { origin } = new URL(stage.dashboard.dashboardUrl)
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 })
  await isRaised(page, 'not-saving')
  await session.send('Storage.overrideQuotaForOrigin', { origin })
  await alarmList(page)
    .getByRole('row')
    .filter({ hasText: alarmName('not-saving', METRICS) })
    .filter({ hasText: levelWords.warning })
    .waitFor({ state: 'detached' })
})
