import { expect } from 'vitest'
import { hero } from '#test/e2e/stage.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { expectNoScriptRan, faultStage, isLive, type Row } from './fault-stage.ts'

// Only effects of a body that need a real browser; `test/world` tests all other bodies.

const { row } = faultStage()

row(9, { of: 'wrong-encoding' }, async ({ set, told, old }) => {
  await set('wrong-encoding')
  await told(/data\/not-json|net\//)
  await old()
})

row(40, {}, async ({ page, set, told, old }) => {
  await set('error-hostile')
  await told('service/500')
  await expectNoScriptRan(page)
  await old()
})

row(55, { of: 'beside the fields' }, async ({ page, set }) => {
  await set('proto')
  await isLive(page)
  expect(await page.evaluate(() => Reflect.get({}, 'isAdmin'))).toBeUndefined()
})

row(56, {}, async ({ page, set, told }) => {
  await set('xss')
  await told('data/status')
  await hero(page).getByText(/<img/).waitFor()
  await expectNoScriptRan(page)
})

const isTooLarge =
  (fault: FaultName) =>
  async ({ set, told, old }: Row): Promise<void> => {
    await set(fault)
    await told('data/too-large')
    await old()
  }

row(60, {}, isTooLarge('big-body'))
row(61, {}, isTooLarge('gzip-bomb'))
