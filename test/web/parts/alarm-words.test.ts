import { expect, it } from 'vitest'
import { lastingMs, remarksOn } from '#parts/alarm-words.ts'
import { anAlarm } from '#test/support/alarm-fixture.ts'
import { WALL_MS } from '#test/support/fleet-fixture.ts'

it('the duration of an alarm ends when it clears', () => {
  const cleared = anAlarm({ phase: 'cleared', clearedWallMs: WALL_MS - 20_000 })
  expect([lastingMs(anAlarm(), WALL_MS), lastingMs(cleared, WALL_MS)]).toEqual([60_000, 40_000])
})

it.each([
  ['heartbeat-old', 'no data for 13 s'],
  // Its own name says so, and for a longer time.
  ['blind', ''],
] as const)('remarks on an alarm of kind %s without current data are “%s”', (kind, remarks) => {
  const alarm = anAlarm({ kind, evidence: { state: 'old', ageMs: 13_000 } })
  const read = remarksOn(alarm, { zone: 'utc', nowMs: 0, explainedBy: undefined })
  expect(read.replaceAll('\u00a0', ' ')).toBe(remarks)
})

it('remarks on a shelved alarm show no hidden characters in its reason or name', () => {
  const alarm = anAlarm({ shelved: { untilWallMs: WALL_MS, reason: 'a\u202eb', by: 'c\u200bd' } })
  expect(remarksOn(alarm, { zone: 'utc', nowMs: 0, explainedBy: undefined })).not.toMatch(/[\u202e\u200b]/)
})
