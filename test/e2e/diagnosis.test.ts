import { expect, it, onTestFinished } from 'vitest'
import { evidenceLabel } from '#texts/en-diagnosis.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { hero, message, openMessages, QUICK, setStage, startWatching } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const FAR = 'node.example'
const HOUR_MS = 3_600_000

const browser = browserForTests([`--host-resolver-rules=MAP ${FAR} 127.0.0.1`])

it('F 76, 129: a service whose clock is an hour away is asked with its time once the operator says so', async () => {
  const stage = await setStage({ nodes: 1, service: QUICK })
  onTestFinished(stage.stop)
  const page = await browser.openPage()
  await startWatching(page, stage)
  for (const [offsetMs, title] of [
    [HOUR_MS, /This computer’s clock is (1.h 00.m|59.m 5\d.s) slow/],
    [-HOUR_MS, /This computer’s clock is (1.h 00.m|59.m 5\d.s) fast/],
  ] as const) {
    // The strip closes itself when one message goes before the next one comes.
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
    // A heartbeat comes every 15 s, so an age without the correction could not be this small, nor a negative one.
    await expect
      .poll(() => hero(page).locator('.hero-value [aria-hidden]').innerText())
      .toMatch(/^1?\d\s*s\s*ago$/)
    await stage.reference.faults.clear()
  }
})

it('a service that the page asks itself is asked for leave once for each node, however often the node is polled', async () => {
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
