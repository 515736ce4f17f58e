import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createStore } from '#base/store.ts'
import { createTicking } from '#platform/page-ticker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function ticking() {
  const seconds = createStore(0)
  const times: number[] = []
  const startMs = Date.now()
  const nowMs = () => Date.now() - startMs
  seconds.subscribe(() => times.push(seconds.get()))
  return { times, ...createTicking(seconds, nowMs) }
}

describe('the page’s ticks', () => {
  it('come every second without any update', () => {
    const { times, start } = ticking()
    start()
    vi.advanceTimersByTime(5_000)
    expect(times).toEqual([1_000, 2_000, 3_000, 4_000, 5_000])
  })

  it('stop while the page is hidden, and resume at once when it becomes visible', () => {
    const { times, start, heard } = ticking()
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    onTestFinished(() => visibility.mockRestore())
    start()
    for (let update = 0; update < 5; update++) {
      vi.advanceTimersByTime(1_050)
      heard()
    }
    expect(times).toEqual([])
    visibility.mockReturnValue('visible')
    document.dispatchEvent(new Event('visibilitychange'))
    expect(times).toEqual([5_250])
  })

  it('align with updates that come about once a second, so that one render serves both', () => {
    const { times, start, heard } = ticking()
    start()
    vi.advanceTimersByTime(1_500)
    for (let update = 0; update < 5; update++) {
      heard()
      vi.advanceTimersByTime(1_050)
    }
    expect(times).toEqual([1_000, 1_500, 2_550, 3_600, 4_650, 5_700])
  })

  it('stay even when updates are occasional', () => {
    const { times, start, heard } = ticking()
    start()
    vi.advanceTimersByTime(1_200)
    heard()
    vi.advanceTimersByTime(5_000)
    heard()
    vi.advanceTimersByTime(1_000)
    expect(times).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000])
  })

  it('are throttled under frequent updates, without a gap of more than a second', () => {
    const { times, start, heard } = ticking()
    start()
    for (let update = 0; update < 40; update++) {
      vi.advanceTimersByTime(250)
      heard()
    }
    expect(times.length).toBeLessThanOrEqual(20)
    expect(
      Math.max(...times.slice(1).map((timeMs, place) => timeMs - (times[place] ?? 0))),
    ).toBeLessThanOrEqual(1_000)
  })
})
