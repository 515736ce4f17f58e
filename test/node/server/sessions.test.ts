import { describe, expect, it } from 'vitest'
import { createRateLimit } from '#server/request-rate.ts'
import { createSessions } from '#server/sessions.ts'

const SESSION = { name: 'op', stamp: 's', isSecure: true }

describe('sessions', () => {
  it('expire, and have different random tokens', () => {
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

  it('are limited to 64 per account; the oldest of that account ends', () => {
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

it('attempts wait according to their own key', () => {
  const limit = createRateLimit(() => 0, { most: 1, everyMs: 10_000, keysMax: 1_000 })
  for (const key of ['a', 'b', 'b']) limit.count(key)
  expect(['a', 'b', 'c'].map((key) => limit.waitS(key))).toEqual([10, 20, 0])
})
