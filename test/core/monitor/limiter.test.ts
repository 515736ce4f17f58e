import { describe, expect, it } from 'vitest'
import { createLimiter, type QueueKey } from '#monitor/limiter.ts'

describe('nodes that hung last time, of one of two services on a host', () => {
  const suspect = (service: string): QueueKey => ({ host: 'a.example', service, suspect: true })

  it('have one place between them, again and again', () => {
    const limiter = createLimiter<string>()
    limiter.setHosts(new Map([['a.example', 2]]))
    for (let round = 0; round < 5; round++) {
      limiter.enqueue('one', suspect('a'), 0)
      limiter.enqueue('two', suspect('a'), 0)
      limiter.enqueue('three', suspect('b'), 0)
      const first = limiter.take(0)
      const third = limiter.take(0)
      expect(new Set([first?.item, third?.item])).toEqual(new Set(['one', 'three']))
      expect(limiter.take(0)).toBeUndefined()
      first?.release()
      third?.release()
      const second = limiter.take(0)
      expect(second?.item).toBe('two')
      second?.release()
    }
  })
})
