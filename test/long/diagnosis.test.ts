import { expect, it, onTestFinished } from 'vitest'
import { evidenceLabel } from '#texts/en-diagnosis.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { hero, message, openMessages, QUICK, setStage, startWatching } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const FAR = 'node.example'
const HOUR_MS = 3_600_000

const browser = browserForTests([`--host-resolver-rules=MAP ${FAR} 127.0.0.1`])

it('F 76, 129: requests to a service whose clock is an hour off use its time once the operator allows it', async () => {
  const stage = await setStage({ nodes: 1, service: QUICK })
  onTestFinished(stage.stop)
  const page = await browser.openPage()
  await startWatching(page, stage)
  // After a single answer, it is unknown that the service's clock was set.
  const title = /(The clock of .* is|Clocks disagree by) (1.h 00.m|59.m 5\d.s)/
  for (const offsetMs of [HOUR_MS, -HOUR_MS]) {
    // The strip closes if one message disappears before the next one appears.
    const told = async (words: string | RegExp): Promise<void> => {
      const count = async (): Promise<number> => {
        await openMessages(page)
        return message(page, title).getByText(words).count()
      }
      await expect.poll(count).toBe(1)
    }
    await stage.reference.faults.set('*', { name: 'clock-offset', value: offsetMs })
    await told(evidenceLabel)
    await page.getByRole('button', { name: messageTexts.signServiceTime }).click()
    await told(/now signed with the service’s time/)
    await hero(page).getByText('Last answer').waitFor()
    // Heartbeats arrive every 15 s, so an age without clock correction would be larger, or negative.
    await expect
      .poll(() => hero(page).locator('.hero-value [aria-hidden]').innerText())
      .toMatch(/^1?\d\s*s\s*ago$/)
    await stage.reference.faults.clear()
  }
})

it('a direct service gets one preflight per node, however often the node is polled', async () => {
  const nodes = 3
  const far = await setStage({ nodes, service: QUICK, far: FAR })
  onTestFinished(far.stop)
  await startWatching(await browser.openPage(), far)
  await expect.poll(() => Object.keys(far.reference.stats().byNode).length).toBe(nodes)
  const polls = () => far.reference.stats().byStatus['200'] ?? 0
  const before = polls()
  await expect.poll(polls).toBeGreaterThan(before + 4 * nodes)
  expect(far.reference.stats().preflights).toBe(nodes)
})
