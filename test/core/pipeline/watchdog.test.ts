import { describe, expect, it } from 'vitest'
import { createWatchdog } from '#pipeline/engine.ts'
import { fleet, live, node } from '#test/core/monitor/fleet.ts'
import { service } from '#test/core/monitor/watch.ts'
import { alarm, view } from '#test/core/delivery/outgoing.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

/** A screen that polls and evaluates when the test says so. */
function watched({ pollIntervalMs = 15_000, nodes = 1, slowFrom = 1 } = {}) {
  const clock = createFakeClock()
  let polls = 0
  let failed = 0
  const snapshot = () =>
    fleet(
      Array.from({ length: nodes }, (_, index) =>
        node(index, index < slowFrom ? {} : { pollIntervalMs: 600_000 }),
      ),
      [live({ service: service({ pollIntervalMs }) })],
      { answered: polls, failed },
    )
  const watchdog = createWatchdog(clock, snapshot)
  return {
    isWatching: watchdog.isWatching,
    after: (ms: number) => clock.advance(ms),
    poll: () => {
      polls++
      watchdog.evaluated(view([]))
    },
    fail: () => {
      failed++
      watchdog.evaluated(view([]))
    },
    judge: (alarms = view([])) => watchdog.evaluated(alarms),
  }
}

describe('a dead-man’s ping', () => {
  it('is sent only after a first poll, and while there are nodes', () => {
    const screen = watched()
    expect(screen.isWatching()).toBe(false)
    screen.judge()
    expect(screen.isWatching()).toBe(false)
    screen.poll()
    expect(screen.isWatching()).toBe(true)
    const empty = watched({ nodes: 0 })
    empty.poll()
    expect(empty.isWatching()).toBe(false)
  })

  it.each([
    [15_000, 120_000],
    [60_000, 180_000],
  ])(
    'at an interval of %i ms stops %i ms after the last poll, even if evaluations continue',
    async (pollIntervalMs, limitMs) => {
      const screen = watched({ pollIntervalMs })
      screen.poll()
      await screen.after(limitMs - 1)
      screen.judge()
      expect(screen.isWatching()).toBe(true)
      await screen.after(1)
      expect(screen.isWatching()).toBe(false)
      screen.poll()
      expect(screen.isWatching()).toBe(true)
    },
  )

  it('counts a failed poll, because the node is silent and not this screen', async () => {
    const screen = watched()
    screen.poll()
    await screen.after(119_999)
    screen.fail()
    await screen.after(119_999)
    expect(screen.isWatching()).toBe(true)
    screen.judge()
    await screen.after(1)
    expect(screen.isWatching()).toBe(false)
  })

  it('uses the interval of the most frequently polled node', async () => {
    const screen = watched({ nodes: 2, slowFrom: 1 })
    screen.poll()
    await screen.after(120_000)
    expect(screen.isWatching()).toBe(false)
  })

  it.each(['paused', 'blind', 'network'] as const)(
    'stops while this screen is %s, and continues afterwards',
    (kind) => {
      const screen = watched()
      screen.poll()
      screen.judge(view([alarm('a', { kind })]))
      expect(screen.isWatching()).toBe(false)
      screen.judge(view([alarm('a', { kind, phase: 'recovering' })]))
      expect(screen.isWatching()).toBe(true)
      screen.judge(view([alarm('a', { kind: 'unreachable' })]))
      expect(screen.isWatching()).toBe(true)
    },
  )
})
