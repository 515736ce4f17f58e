import { expect, it } from 'vitest'
import { lastingMs, remarksOn } from '#parts/alarm-words.ts'
import { anAlarm } from '#test/support/alarm-fixture.ts'
import { WALL_MS } from '#test/support/fleet-fixture.ts'

const AROUND = { zone: 'utc', nowMs: 0, explainedBy: undefined } as const

it('the duration of an alarm ends when it clears', () => {
  const cleared = anAlarm({ phase: 'cleared', clearedWallMs: WALL_MS - 20_000 })
  expect([lastingMs(anAlarm(), WALL_MS), lastingMs(cleared, WALL_MS)]).toEqual([60_000, 40_000])
})

it('remarks on missing data are left to the alarm “No data” itself', () => {
  const remarks = (['heartbeat-old', 'blind'] as const).map((kind) =>
    remarksOn(anAlarm({ kind, evidence: { state: 'old', ageMs: 13_000 } }), AROUND),
  )
  expect(remarks).toEqual([expect.stringMatching(/^no data for 13\ss$/), ''])
})

it('remarks on a shelved alarm show no hidden characters in its reason or name', () => {
  const alarm = anAlarm({ shelved: { untilWallMs: WALL_MS, reason: 'a\u202eb', by: 'c\u200bd' } })
  expect(remarksOn(alarm, AROUND)).not.toMatch(/[\u202e\u200b]/)
})
