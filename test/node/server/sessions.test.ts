import { describe, expect, it } from 'vitest'
import { createRateLimit } from '#server/request-rate.ts'
import { createSessions } from '#server/sessions.ts'

const SESSION = { name: 'op', stamp: 's', isSecure: true }

describe('sessions', () => {
  it('end after their time, and are told apart by tokens that nobody can guess', () => {
    let nowMs = 0
    const sessions = createSessions(() => nowMs, 1_000)
    const [first, second] = [sessions.begin(SESSION), sessions.begin(SESSION)]
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(first).not.toBe(second)
    sessions.end(first)
    expect([sessions.find(first), sessions.find(second)?.name]).toEqual([undefined, 'op'])
    nowMs = 999
    expect(sessions.find(second)).toBeDefined()
    nowMs = 1_000
    expect(sessions.find(second)).toBeUndefined()
  })

  it('of one account are 64 at most: its oldest ends, and none of another', () => {
    const sessions = createSessions(() => 0, 1_000)
    const other = sessions.begin({ ...SESSION, name: 'other' })
    const tokens = Array.from({ length: 1_064 }, () => sessions.begin(SESSION))
    const left = tokens.filter((token) => sessions.find(token) !== undefined)
    expect(left).toEqual(tokens.slice(1_000))
    expect(sessions.find(other)).toBeDefined()
    sessions.end(left[5] ?? '')
    sessions.begin(SESSION)
    expect(sessions.find(left[0] ?? '')).toEqual({ ...SESSION, endsMs: 1_000 })
  })
})

describe('tries', () => {
  it('wait for whichever of their keys is the slowest', () => {
    const limit = createRateLimit(() => 0, { most: 1, everyMs: 10_000, keysMax: 1_000 })
    limit.count('a', 'b')
    limit.count('b')
    expect([limit.waitS('a'), limit.waitS('b')]).toEqual([10, 20])
    expect(limit.waitS('a', 'b', 'c')).toBe(20)
    expect(limit.waitS('c')).toBe(0)
  })
})
