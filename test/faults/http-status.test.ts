import { expect } from 'vitest'
import { faultStage } from './fault-stage.ts'

const { row } = faultStage()

row(31, {}, async ({ set, told, old }) => {
  await set('status-400')
  expect(await told(/Id of .+ rejected/)).toContain('node/400')
  await old()
})

row(35, {}, async ({ set, told, old }) => {
  await set('status-404')
  expect(await told(/not found \(404\)/)).toContain('node/404')
  await old()
})
