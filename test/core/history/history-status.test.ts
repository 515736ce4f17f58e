import { expect, it } from 'vitest'
import { FIRST_STATUS } from '#history/history-status.ts'

it('before anything was read back, no resolution goes back anywhere', () => {
  expect(FIRST_STATUS.reach).toStrictEqual({
    samples: undefined,
    minute: undefined,
    quarter: undefined,
    hour: undefined,
  })
})
