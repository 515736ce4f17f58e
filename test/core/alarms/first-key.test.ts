import { describe, expect, it } from 'vitest'
import { judge } from './evaluated.ts'

const MINUTE_MS = 60_000
const NO_RULES = { rules: [], maintenance: [], builtIn: [] }

/** Two configured nodes, monitored for ten minutes without a key. */
async function withoutKey() {
  const screen = judge(['hb=400', 'ok'], {}, {}, 'no-key')
  await screen.clock.advance(10 * MINUTE_MS)
  return screen
}

/** Adds the key and notifies the monitor. */
const bring = ({ world, monitor }: Awaited<ReturnType<typeof withoutKey>>): void => {
  world.unsigned = undefined
  monitor.keyChanged()
}

describe('the time before the first key', () => {
  it('raises and notifies no alarm, however long it lasts', async () => {
    const { told, notices, names, alarms, clock } = await withoutKey()
    expect([told(), notices, names()]).toEqual([[], [], []])
    await clock.advance(MINUTE_MS)
    expect(alarms.dirty()).toBe('nothing')
  })

  it('does not count towards an alarm, which takes its full time afterwards', async () => {
    const screen = await withoutKey()
    bring(screen)
    await screen.clock.advance(1_000)
    expect(screen.told()).toEqual(['heartbeat-old critical pending'])
    await screen.clock.advance(30_000)
    expect(screen.told()).toEqual(['heartbeat-old critical firing'])
  })

  it('does not count as silence of nodes, but the time after it does', async () => {
    const screen = await withoutKey()
    screen.goOn('hang')
    bring(screen)
    await screen.clock.advance(MINUTE_MS)
    expect(screen.names()).not.toContain('blind raised')
    await screen.clock.advance(2 * MINUTE_MS)
    expect(screen.names()).toContain('blind raised')
  })
})

describe('a lost key', () => {
  it('raises an alarm, in the same session and in a later one', async () => {
    const screen = judge(['ok', 'ok'])
    await screen.clock.advance(MINUTE_MS)
    screen.world.unsigned = 'no-key'
    await screen.clock.advance(MINUTE_MS)
    expect(screen.told()).toEqual(['paused critical firing screen'])

    const later = await withoutKey()
    later.reload(NO_RULES, (kept) => ({ ...kept, hadKey: true }))
    await later.clock.advance(MINUTE_MS)
    expect(later.told()).toEqual(['paused critical firing screen'])
  })

  it.each(['key-locked', 'no-answer'] as const)('is not needed for an alarm: %s', async (unsigned) => {
    const screen = judge(['ok'], {}, {}, unsigned)
    await screen.clock.advance(MINUTE_MS)
    expect(screen.told()).not.toEqual([])
  })
})
