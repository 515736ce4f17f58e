import { expect, it } from 'vitest'
import { gapEntry } from '#history/history.ts'
import type { Gap } from '#history/history.ts'

it.each<[Gap['reason'], number, number, string]>([
  ['asleep', 1_000, 5_000, 'gap'],
  ['closed', 1_000, 5_000, 'gap'],
  ['clock-step', 1_000, 5_000, 'gap'],
  ['clock-step', 5_000, 5_000, 'gap'],
  ['clock-step', 5_000, 1_000, 'clock-set-back'],
  ['closed', 5_000, 1_000, 'gap'],
])('a gap (%s) from %d to %d is logged at its end, as %s', (reason, fromMs, toMs, what) => {
  expect(gapEntry({ fromMs, toMs, reason })).toEqual({
    wallMs: toMs,
    area: 'watching',
    what,
    facts: { reason, fromMs, toMs },
  })
})

it('a gap is logged with its times rounded to milliseconds', () => {
  expect(gapEntry({ fromMs: 10.4, toMs: 20.6, reason: 'closed' }).facts).toEqual({
    reason: 'closed',
    fromMs: 10,
    toMs: 21,
  })
})
