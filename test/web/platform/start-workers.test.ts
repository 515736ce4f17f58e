import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEnd, createWorkerFactory, ENDED } from '#platform/start-workers.ts'
import { answerWithin } from '#platform/system-clock.ts'

describe('a missing answer', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('becomes an error once the time limit has passed', async () => {
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
  it('starts no Worker from an unknown URL', () => {
    const factory = createWorkerFactory(['/assets/signer-worker-1.js'])
    for (const url of ['/assets/other.js', 'data:,0'])
      expect(() => factory.connect(url, 'other', () => undefined)).toThrow('not a Worker of this page')
  })
})

describe('the end of a connection', () => {
  it('replaces every pending and later answer', async () => {
    const { orEnd, come, isOver } = createEnd()
    const silent = orEnd(new Promise<never>(() => undefined))
    expect(await orEnd(Promise.resolve('answer'))).toBe('answer')
    await expect(orEnd(Promise.reject(new Error('its own')))).rejects.toThrow('its own')
    expect(isOver()).toBe(false)
    come()
    expect(await silent).toBe(ENDED)
    expect(await orEnd(new Promise<never>(() => undefined))).toBe(ENDED)
    expect(isOver()).toBe(true)
  })

  it('holds no reference to an earlier answer', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const isKept = async (wait: (work: Promise<object>) => Promise<unknown>): Promise<boolean> => {
      const answer = new WeakRef({ series: [] })
      await wait(Promise.resolve(answer.deref() ?? {}))
      await new Promise((done) => setImmediate(done))
      collect()
      return answer.deref() !== undefined
    }
    const held: unknown[] = []
    const { orEnd, come } = createEnd()
    expect(await isKept(async (work) => held.push(await work))).toBe(true)
    expect(await isKept(orEnd)).toBe(false)
    // Both must stay alive to the end, or the test would prove nothing.
    expect([held, come]).toHaveLength(2)
  })
})
