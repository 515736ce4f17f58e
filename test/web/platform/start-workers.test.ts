import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerWithin, createWorkerFactory } from '#platform/start-workers.ts'

describe('an answer', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('is handed on, and nothing is left waiting', async () => {
    expect(await answerWithin(1_000, Promise.resolve('value'))).toBe('value')
    await expect(answerWithin(1_000, Promise.reject(new Error('its own')))).rejects.toThrow('its own')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that does not come is an error once the limit has passed', async () => {
    const outcomes: string[] = []
    const silent = new Promise<never>(() => undefined)
    const waiting = answerWithin(1_000, silent).catch((error: unknown) => outcomes.push(String(error)))
    await vi.advanceTimersByTimeAsync(999)
    expect(outcomes).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await waiting
    expect(outcomes).toEqual(['Error: no answer within 1000 ms'])
  })
})

describe('a browser without Trusted Types', () => {
  it('starts none but the known addresses either', () => {
    const factory = createWorkerFactory(['/assets/signer-worker-1.js'])
    for (const url of ['/assets/other.js', 'data:,0'])
      expect(() => factory.connect(url, 'other', () => undefined)).toThrow('not a Worker of this page')
  })
})
