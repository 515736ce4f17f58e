import { expect, it } from 'vitest'
import { createTicker } from '#pipeline/ticker.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

function ticking() {
  const clock = createFakeClock()
  const startMs = clock.monotonicMs()
  const ticks: (readonly [atMs: number, lateMs: number])[] = []
  const ticker = createTicker(clock, () => ticks.push([clock.monotonicMs() - startMs, ticker.lateMs()]))
  return { ...ticker, clock, ticks }
}

it('a ticker ticks every second from its start to its end', async () => {
  const { clock, start, end, ticks } = ticking()
  end()
  await clock.advance(5_000)
  expect(ticks).toEqual([])
  start()
  await clock.advance(3_500)
  expect(ticks).toEqual([
    [6_000, 0],
    [7_000, 0],
    [8_000, 0],
  ])
  end()
  await clock.advance(5_000)
  expect(ticks).toHaveLength(3)
  expect(clock.pendingMs()).toEqual([])
})

it('a ticker says by how much its last tick was late, and goes on from there', async () => {
  const { clock, start, ticks, lateMs } = ticking()
  expect(lateMs()).toBe(0)
  start()
  clock.sleep(3_200, 'runs')
  await clock.advance(0)
  expect(ticks).toEqual([[3_200, 2_200]])
  await clock.advance(1_000)
  expect(ticks.at(-1)).toEqual([4_200, 0])
})
