import type { Locator } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { faultStage, type Row } from './fault-stage.ts'
import { QUICK, setStage } from '#test/e2e/stage.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { alarmList, goTo, journal, openScreen } from './own-screen.ts'

const { row } = faultStage()

const rowOf = ({ page, node }: Row): Locator =>
  alarmList(page).getByRole('row').filter({ hasText: node.name })
const backToNode = async ({ page, stage, node }: Row): Promise<void> => {
  await page.goto(stage.nodeUrl(node))
  await page.getByRole('heading', { level: 1, name: node.name }).waitFor()
}

row(83, {}, async (given) => {
  const { page, stage } = given
  await goTo(page, stage, 'alarms/rules')
  await page.getByRole('button', { name: alarmRuleTexts.own.add }).click()
  await page
    .getByLabel(alarmRuleTexts.fields.kind)
    .selectOption({ label: alarmRuleTexts.sentence.test.below('Participation') })
  await page.getByLabel('Below (%)').fill('80')
  for (const duration of ['-5', 'soon', '1e99']) {
    await page.getByLabel(alarmRuleTexts.fields.lasting).first().fill(duration)
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.locator('[aria-invalid=true]').first().waitFor()
  }
  expect(await page.evaluate(() => localStorage.getItem('immune-settings') ?? '')).not.toContain('below')
  await backToNode(given)
})

row(131, {}, async (given) => {
  const { page, stage, set, reference, node } = given
  await set('silent-heartbeat', 3_600)
  await goTo(page, stage, 'alarms')
  const old = rowOf(given).filter({ hasText: alarmName('heartbeat-old', METRICS) })
  await old.waitFor()
  const asked = () => reference.stats().byNode[node.id.toLowerCase()]?.requests ?? 0
  const before = asked()
  await set('hang')
  await expect.poll(asked).toBeGreaterThan(before + 4)
  // No answer is no good news: it is on, and says how old its evidence is.
  await old.waitFor()
  expect(await old.getByText(alarmTexts.sub.recovering).count()).toBe(0)
  await backToNode(given)
})

row(132, {}, async (given) => {
  const { page, stage, set, reference, node } = given
  // One bad poll makes it pending, the second one in a row would raise it: after the first nothing answers.
  const heartbeat = alarmName('heartbeat-old', METRICS)
  await set('silent-heartbeat', 3_600)
  const asked = () => reference.stats().byNode[node.id.toLowerCase()]?.requests ?? 0
  const before = asked()
  await expect.poll(asked, { interval: 5 }).toBeGreaterThan(before)
  await set('hang')
  await goTo(page, stage, 'alarms')
  // Held, and neither raised nor forgotten; that nothing answers is an alarm of its own.
  await rowOf(given)
    .filter({ hasText: alarmName('unreachable', METRICS) })
    .waitFor()
  await page
    .getByRole('link', { name: /^Pending/i })
    .first()
    .click()
  await rowOf(given).filter({ hasText: heartbeat }).waitFor()
  await backToNode(given)
})

it('F 136: node removed while its alarm fires', async () => {
  const stage = await setStage({ nodes: 3, watch: (nodes) => nodes.slice(0, 2), service: QUICK })
  onTestFinished(() => stage.stop())
  const { page } = await openScreen(stage)
  // Nodes of the server's list can't be removed here, one that this browser added can.
  const id = stage.reference.network.idOf(2)
  await page.evaluate(
    ([node, service]) => {
      const before: unknown = JSON.parse(localStorage.getItem('immune-settings') ?? '{"version":1}')
      const nodes = [{ id: node, name: 'extra', service, tags: [] }]
      localStorage.setItem('immune-settings', JSON.stringify(Object.assign(Object(before), { nodes })))
    },
    [id, stage.service] as const,
  )
  await stage.reference.faults.set(id, { name: 'status-404' })
  await page.reload()
  await goTo(page, stage, 'alarms')
  const extra = alarmList(page).getByRole('row').filter({ hasText: 'extra' })
  await extra.first().waitFor()
  await goTo(page, stage, 'settings/nodes')
  await page.getByRole('button', { name: settingsTexts.nodes.remove('extra') }).click()
  await goTo(page, stage, 'alarms')
  await extra.first().waitFor({ state: 'detached' })
  await goTo(page, stage, 'journal')
  await journal(page)
    .getByText(/node no longer watched/)
    .first()
    .waitFor()
})
