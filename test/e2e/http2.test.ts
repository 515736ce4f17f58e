import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { QUICK, setStage, type Stage } from './stage.ts'
import { serveByHttp2, serveByTls, type TlsFront } from './tls-front.ts'
import { browserForTests } from './watched-browser.ts'

const NODES = 48
/** So many are asked at a time where nothing keeps one waiting. */
const AT_ONCE = 12

const browser = browserForTests(['--ignore-certificate-errors']) // the test signs its certificate itself

let stage: Stage

beforeAll(async () => {
  stage = await setStage({
    nodes: NODES,
    service: { ...QUICK, pollIntervalMs: 2_000, timeoutMs: 1_800 },
  })
  await stage.reference.faults.set('*', { name: 'late', value: 500 })
})
afterAll(() => stage.stop())

/** Most requests at once, when every node has been asked. */
async function mostAtOnce(front: Pick<TlsFront, 'url' | 'close'>): Promise<number> {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  try {
    await page.goto(front.url)
    stage.reference.resetStats()
    await page.getByRole('button', { name: 'Start watching' }).click()
    const asked = () => Object.keys(stage.reference.stats().byNode).length
    // By then the page itself has nothing more to try, as it does before anything is watched.
    await expect.poll(asked).toBeGreaterThan(AT_ONCE)
    stage.reference.resetStats()
    await expect.poll(asked).toBe(NODES)
    return stage.reference.stats().maxInFlight
  } finally {
    await page.context().close()
    await front.close()
  }
}

it('asks as many nodes at once as a multiplexed connection carries, and four where it is not', async () => {
  const few = await mostAtOnce(await serveByTls(stage.dashboard.dashboardUrl))
  expect(few).toBeLessThanOrEqual(DEFAULTS.inFlightPerHostMax)
  const many = await mostAtOnce(await serveByHttp2(stage.dashboard.dashboardUrl))
  expect(many).toBeGreaterThan(DEFAULTS.inFlightPerHostMax + 2)
  expect(many).toBeLessThanOrEqual(AT_ONCE * 2)
})
