import { afterAll, beforeAll, expect, it } from 'vitest'
import { attachToWorker } from '#test/support/raw-tab.ts'
import { QUICK, setStage, startWatching, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const browser = browserForTests([], 'own')
let stage: Stage

beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK })
})
afterAll(() => stage.stop())

it('the browser’s network panel shows the engine’s polls as finished, and none as cancelled', async () => {
  const page = await browser.openPage()
  await startWatching(page, stage)
  const ended: string[] = []
  const engine = await attachToWorker(browser.itself(), 'engine', ({ method, params }) => {
    if (method === 'Network.loadingFinished') ended.push('finished')
    if (method === 'Network.loadingFailed') ended.push(params['canceled'] === true ? '(canceled)' : 'failed')
  })
  await engine.send('Network.enable')
  await expect.poll(() => ended.length, WAIT).toBeGreaterThan(6)
  expect(new Set(ended)).toEqual(new Set(['finished']))
})
