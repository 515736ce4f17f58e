import { describe, expect, it } from 'vitest'
import { judge } from './evaluated.ts'

const MINUTE_MS = 60_000
const NO_RULES = { rules: [], maintenance: [], builtIn: [] }

/** Two nodes that the server names, before anybody has made a key, watched for ten minutes. */
async function withoutKey() {
  const screen = judge(['hb=400', 'ok'], {}, {}, 'no-key')
  await screen.clock.advance(10 * MINUTE_MS)
  return screen
}

/** The key is there, and the screen is told so. */
const bring = ({ world, monitor }: Awaited<ReturnType<typeof withoutKey>>): void => {
  world.unsigned = undefined
  monitor.keyChanged()
}

describe('before there was a first key', () => {
  it('nobody is called, however long that lasts', async () => {
    const { told, notices, names, alarms, clock } = await withoutKey()
    expect([told(), notices, names()]).toEqual([[], [], []])
    await clock.advance(MINUTE_MS)
    expect(alarms.dirty()).toBe('nothing')
  })

  it('counts for nothing: from then on an alarm comes as soon as any other', async () => {
    const screen = await withoutKey()
    bring(screen)
    await screen.clock.advance(1_000)
    expect(screen.told()).toEqual(['heartbeat-old critical pending'])
    await screen.clock.advance(30_000)
    expect(screen.told()).toEqual(['heartbeat-old critical firing'])
  })

  it('the silence of nodes is not counted, but what comes after is', async () => {
    const screen = await withoutKey()
    screen.goOn('hang')
    bring(screen)
    await screen.clock.advance(MINUTE_MS)
    expect(screen.names()).not.toContain('blind raised')
    await screen.clock.advance(2 * MINUTE_MS)
    expect(screen.names()).toContain('blind raised')
  })
})

describe('a key that is lost', () => {
  it('is an alarm, in the same session and in a later one', async () => {
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

  it.each(['key-locked', 'no-answer'] as const)('is not what %s says', async (unsigned) => {
    const screen = judge(['ok'], {}, {}, unsigned)
    await screen.clock.advance(MINUTE_MS)
    expect(screen.told()).not.toEqual([])
  })
})
