import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { QUICK, setStage, type Stage } from '#test/e2e/stage.ts'
import { serveByHttp2, serveByTls, type TlsFront } from '#test/e2e/tls-front.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const NODES = 48
/** Concurrent requests without a limit: 48 nodes within 4 s, each for 1 s. */
const AT_ONCE = 12

const browser = browserForTests(['--ignore-certificate-errors']) // the test's certificate is self-signed

let stage: Stage

beforeAll(async () => {
  stage = await setStage({
    nodes: NODES,
    service: { ...QUICK, pollIntervalMs: 4_000, timeoutMs: 3_900 },
  })
  await stage.reference.faults.set('*', { name: 'late', value: 1_000 })
})
afterAll(() => stage.stop())

/** The maximum number of concurrent requests until every node has answered. */
async function mostAtOnce(front: Pick<TlsFront, 'url' | 'close'>): Promise<number> {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  try {
    await page.goto(front.url)
    stage.reference.resetStats()
    await page.getByRole('button', { name: 'Start watching' }).click()
    const asked = () => Object.keys(stage.reference.stats().byNode).length
    // After this many requests the page has finished the tests that precede the first poll.
    await expect.poll(asked).toBeGreaterThan(AT_ONCE)
    stage.reference.resetStats()
    await expect.poll(asked).toBe(NODES)
    return stage.reference.stats().maxInFlight
  } finally {
    await page.context().close()
    await front.close()
  }
}

it('polls many nodes concurrently over a multiplexed connection, and four over any other', async () => {
  const few = await mostAtOnce(await serveByTls(stage.dashboard.dashboardUrl))
  expect(few).toBeLessThanOrEqual(DEFAULTS.inFlightPerHostMax)
  const many = await mostAtOnce(await serveByHttp2(stage.dashboard.dashboardUrl))
  expect(many).toBeGreaterThan(DEFAULTS.inFlightPerHostMax + 2)
  expect(many).toBeLessThanOrEqual(AT_ONCE * 2)
})
