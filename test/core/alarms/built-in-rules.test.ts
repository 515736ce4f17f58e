import { describe, expect, it } from 'vitest'
import { judge } from './evaluated.ts'

const EVERY_MS = 15_000

/** `[series, polls, the alarms after them]`. */
type Row = readonly [series: string, polls: number, shown: readonly string[]]

describe('the built-in rules', () => {
  it.each<Row>([
    ['ok', 8, []],
    // A heartbeat older than four periods of 15 s is a warning, than twelve critical; one bad poll is not enough.
    ['ok hb=58x9', 6, []],
    ['ok hb=61', 2, ['heartbeat-old warning pending']],
    ['ok hb=61', 3, ['heartbeat-old warning firing']],
    ['ok hb=181', 3, ['heartbeat-old critical firing']],
    ['ok hb=61x2 hb=181', 4, ['heartbeat-old critical firing']],
    ['ok hb=61x2 ok', 4, ['heartbeat-old warning recovering']],
    ['ok hb=61x2 okx2', 5, ['heartbeat-old warning cleared']],
    ['ok hb=61 ok', 3, []],
    ['ok RETIREDx2 ok RETIRED', 5, ['status-left info firing']],
    // A service that says ACTIVE while the node is silent.
    ['ok ACTIVE,hb=400', 3, ['heartbeat-old critical firing']],
    ['ok RETIREDx2', 3, ['status-left info firing']],
    ['err404', 1, ['rejected warning firing']],
    // A status or heartbeat that can't be read for longer than a node may be silent. The heartbeat's limits still apply.
    ['ok status=5', 9, []],
    ['ok status=5', 12, ['status-left warning firing']],
    ['ok status=5x11 okx2', 14, ['status-left warning cleared']],
    ['ok status=5x8 ok status=5', 18, []],
    ['ok hb=x', 9, []],
    ['ok hb=x', 12, ['heartbeat-old warning firing']],
    ['ok hb=x', 16, ['heartbeat-old critical firing']],
  ])('%s: after %i polls', async (series, polls, shown) => {
    const screen = judge(series)
    await screen.clock.advance((polls - 1) * EVERY_MS + 2_000)
    expect(screen.timesOf(0)).toHaveLength(polls)
    expect(screen.told()).toEqual(shown)
  })

  it('raise one alarm of a service that is down, and clear it when the service is back', async () => {
    const screen = judge(['ok downx5 ok', 'ok downx5 ok'])
    await screen.clock.advance(6 * EVERY_MS)
    expect(screen.told()[0]).toMatch(/^unreachable \w+ firing service$/)
    expect(screen.view().counts).toMatchObject({ critical: 1, warning: 0 })
    await screen.clock.advance(20 * EVERY_MS)
    expect(screen.view().counts).toMatchObject({ critical: 0, warning: 0 })
    expect(screen.told()).toContain('unreachable critical cleared service')
  })
})
