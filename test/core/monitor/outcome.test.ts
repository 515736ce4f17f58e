import { describe, expect, it } from 'vitest'
import { service, watch, type Answer } from './watch.ts'

const EVERY_INTERVAL = [0, 15, 30, 45, 60, 75]
const DOUBLING = [0, 15, 45, 105, 165, 225]
const SELDOM_IN_THE_END = [0, 15, 30, 45, 75, 135, 255, 495, 795, 1_095]

describe('asking again', () => {
  it.each<[string, Answer, readonly number[]]>([
    [
      'the only node of an unreachable service, so that its return is seen',
      { fails: 'unreachable' },
      EVERY_INTERVAL,
    ],
    ['one whose answer is cut off', { fails: 'cut-off' }, EVERY_INTERVAL],
    ['one that redirects', { fails: 'redirected' }, EVERY_INTERVAL],
    ['one that answers with a web page', { body: '<html>' }, EVERY_INTERVAL],
    ['one with an error without a word on when', { status: 500 }, EVERY_INTERVAL],
    ['an error that names a time, which may be wrong', { status: 503, retryAfter: '40' }, EVERY_INTERVAL],
    ['a limit that names a time, not before it', { status: 429, retryAfter: '100' }, [0, 105, 210]],
    ['a limit without a readable time, doubling', { status: 429, retryAfter: 'soon' }, DOUBLING],
    ['the only node, which is unknown', { status: 404 }, EVERY_INTERVAL],
    ['the only node, whose id is invalid', { status: 400 }, EVERY_INTERVAL],
    ['a refused key, soon after three, then more and more rarely', { status: 401 }, SELDOM_IN_THE_END],
    ['a forbidden key, the same', { status: 403 }, SELDOM_IN_THE_END],
  ])('%s', async (_what, answer, expectedS) => {
    const screen = watch()
    screen.world.answer = () => answer
    await screen.clock.advance((expectedS.at(-1) ?? 0) * 1_000 + 500)
    const askedS = screen.timesOf(0).map((atMs) => atMs / 1_000)
    expect(askedS.length).toBe(expectedS.length)
    // On the grid, and late by no more than the few ms that the answer before took.
    askedS.forEach((atS, index) => expect(Math.abs(atS - (expectedS[index] ?? 0))).toBeLessThan(0.2))
  })

  it('never asks a failing node more often than its interval when that is longer than the cap', async () => {
    const screen = watch({ services: [service({ pollIntervalMs: 120_000 })] })
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(600_000)
    expect(screen.timesOf(0)).toEqual([0, 120, 240, 360, 480, 600].map((s) => s * 1_000))
  })
})
