import { describe, expect, it } from 'vitest'
import { createSessions, createTryLimit } from '#server/sessions.ts'

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

  it('are 1,000 at most: the oldest ends', () => {
    const sessions = createSessions(() => 0, 1_000)
    const tokens = Array.from({ length: 1_001 }, () => sessions.begin(SESSION))
    expect(tokens.filter((token) => sessions.find(token) === undefined)).toEqual([tokens[0]])
  })
})

describe('tries', () => {
  it('come back one by one, and all of them in time', () => {
    let nowMs = 0
    const limit = createTryLimit(() => nowMs, 2, 10_000)
    const tries = () => {
      let count = 0
      while (limit.waitS(['a']) === undefined) {
        limit.count(['a'])
        count += 1
      }
      return count
    }
    expect([tries(), limit.waitS(['a'])]).toEqual([2, 10])
    nowMs += 9_500
    expect([tries(), limit.waitS(['a'])]).toEqual([0, 1])
    nowMs += 500
    expect(tries()).toBe(1)
    nowMs += 1_000_000
    expect(tries()).toBe(2)
    expect(limit.waitS(['b'])).toBeUndefined()
  })

  it('of one name are not forgotten for others’', () => {
    const limit = createTryLimit(() => 0, 1, 10_000)
    limit.count(['a'])
    for (let other = 0; other < 900; other += 1) limit.count([`n${other}`])
    expect(limit.waitS(['a'])).toBe(10)
  })
})
