import { afterAll, beforeAll, expect, it } from 'vitest'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { profileTexts } from '#texts/en-profiles.ts'
import { proofTexts } from '#texts/en-proofs.ts'
import { ruleTexts } from '#texts/en-rules.ts'
import { savedViewTexts } from '#texts/en-saved-views.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { hero, QUICK, setStage, startWatching, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const browser = browserForTests()
let stage: Stage

beforeAll(async () => {
  stage = await setStage({
    nodes: 3,
    service: QUICK,
    watch: (all) => all.map((node, at) => (at === 0 ? { ...node, tags: ['eu'] } : node)),
    receivers: [{ kind: 'webhook', url: 'https://ops.example/hook', name: 'Night shift' }],
    provided: {
      rules: [{ for: 'tag', tag: 'eu', limits: { stakeBelow: '7' } }],
      alarms: {
        rules: [
          {
            id: 'stake-moved',
            name: 'Stake moved',
            scope: { for: 'all' },
            condition: { metric: 'stake', test: 'changed' },
            severity: 'critical',
          },
        ],
      },
      views: [{ name: 'By stake', query: 'sort=-stake' }],
    },
  })
})
afterAll(async () => {
  await stage.stop()
})

it('two new browsers start with the server’s limits, nodes, rules and views, and can change none', async () => {
  for (const width of [1440, 390]) {
    const page = await browser.openPage({ viewport: { width, height: 900 } })
    await startWatching(page, stage)
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    await page.goto(`${stage.dashboard.dashboardUrl}#/alarms/rules`)
    const rules = page.getByRole('region', { name: alarmRuleTexts.own.title })
    await rules.getByText(/Stake moved/).waitFor()
    await rules.getByText(alarmRuleTexts.own.fromServer, { exact: false }).waitFor()
    expect(await rules.getByRole('button', { name: alarmRuleTexts.own.edit }).count()).toBe(0)
    expect(await rules.getByRole('button', { name: alarmRuleTexts.own.remove }).count()).toBe(0)
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/units?for=tag%20eu`)
    const limit = page.getByRole('textbox', { name: ruleTexts.fields.stakeBelow })
    await page.getByText(ruleTexts.fromServer).waitFor()
    expect([await limit.inputValue(), await limit.isDisabled()]).toEqual(['7', true])
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/nodes`)
    await page.getByText(settingsTexts.nodes.configured).first().waitFor()
    expect(await page.getByRole('button', { name: settingsTexts.nodes.remove('') }).count()).toBe(0)
    await page.getByText(/#?eu$/).filter({ visible: true }).first().waitFor()
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/notifications`)
    await page.getByText(channelTexts.receivers.offered('Night shift')).waitFor()
    // Each browser decides whether it sends; otherwise fifty screens would send fifty messages.
    await page.getByRole('button', { name: channelTexts.receivers.use }).waitFor()
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/signing`)
    await page.getByText(profileTexts.provided).waitFor()
    // Only copies can be saved, so that no browser's setting looks like the server's.
    expect(await page.getByRole('button', { name: profileTexts.copy }).count()).toBe(2)
    for (const name of [profileTexts.save, proofTexts.save])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    if (width === 390) await page.getByText(/^Filter and arrange/).click()
    await page.getByRole('button', { name: fleetToolTexts.views.button }).click()
    await page.getByText(savedViewTexts.fromServer).waitFor()
    await page.getByRole('link', { name: 'By stake' }).click()
    await page.getByRole('button', { name: fleetToolTexts.views.named('By stake') }).waitFor()
  }
})
