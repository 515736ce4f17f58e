import { expect, it } from 'vitest'
import type { LogEntry } from '#history/event-log.ts'
import { createAlarmService } from '#pipeline/alarm-service.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { aSnapshot } from '#test/support/fleet-fixture.ts'

it('journals that an operator muted the sound and until when, unmuted it, and that a mute ended by itself', async () => {
  const clock = createFakeClock()
  const entries: LogEntry[] = []
  const service = createAlarmService({
    clock,
    log: { append: async (more) => void entries.push(...more) },
    status: undefined,
    store: undefined,
    onNotification: () => undefined,
    evaluated: () => undefined,
  })
  service.start('test')
  await clock.advance(1)
  service.configure({ rules: [], maintenance: [] })
  const told = () =>
    entries
      .splice(0)
      .map(({ area, what, facts }) => [area, what, facts?.['reason'], facts?.['untilMs'] ?? 'no end'])
  const mute = () => {
    const untilWallMs = clock.wallMs() + 900_000
    service.act({ act: 'mute', untilWallMs })
    return untilWallMs
  }

  expect([mute(), told()]).toEqual([
    clock.wallMs() + 900_000,
    [['operator', 'sound-muted', 'by-person', clock.wallMs() + 900_000]],
  ])
  service.act({ act: 'unmute' })
  service.act({ act: 'unmute' })
  expect(told()).toEqual([['operator', 'sound-unmuted', 'by-person', 'no end']])
  const untilMs = mute()
  await clock.advance(900_000)
  service.evaluate(aSnapshot([]), clock.monotonicMs(), 0)
  expect(told()).toEqual([
    ['operator', 'sound-muted', 'by-person', untilMs],
    ['alarm', 'sound-unmuted', 'mute-ended', 'no end'],
  ])
  service.stop(false)
})
