import { describe, expect, it } from 'vitest'
import { cachedForS, collectedAgeMs, offsetOfReply, serviceTimeOf } from '#monitor/reply-clock.ts'
import type { HttpReply } from '#protocol/transport.ts'

const DATE = 'Mon, 01 Jun 2026 12:00:00 GMT'
const DATE_MS = Date.UTC(2026, 5, 1, 12)

const sent = (reply: Partial<HttpReply> | undefined, startedWallMs = DATE_MS, latencyMs = 200) => ({
  reply: reply && { status: 200, body: '', ...reply },
  startedWallMs,
  latencyMs,
})

describe('what an answer’s Date says of the service’s clock', () => {
  it('is that it is ahead by so much, within the second that a Date leaves open and the way there and back', () => {
    const offset = offsetOfReply(sent({ date: DATE }, DATE_MS - 60_000))
    expect(offset?.lowMs).toBeLessThanOrEqual(60_000 - 200)
    expect(offset?.highMs).toBeGreaterThanOrEqual(60_000 + 1_000)
    expect((offset?.highMs ?? 0) - (offset?.lowMs ?? 0)).toBeLessThan(2_500)
    expect(serviceTimeOf(sent({ date: DATE }, 5))).toBe(DATE_MS)
  })

  it.each<[string, Partial<HttpReply> | undefined]>([
    ['no answer came', undefined],
    ['it has no Date', {}],
    ['its Date can’t be read', { date: 'yesterday' }],
    ['the dashboard’s server answered in its place', { date: DATE, proxyFailure: 'timeout' }],
    ['a cache kept it', { date: DATE, age: '1' }],
  ])('is nothing where %s', (_what, reply) => {
    expect(offsetOfReply(sent(reply))).toBeUndefined()
    expect(serviceTimeOf(sent(reply))).toBeUndefined()
  })

  it('is told where a cache kept the answer for no time', () => {
    expect(offsetOfReply(sent({ date: DATE, age: '0' }))).toBeDefined()
  })
})

describe('how old an answer is', () => {
  it.each([
    [undefined, undefined, 0],
    ['0', 0, 0],
    ['12', 12, 12_000],
    [' 12 ', 12, 12_000],
    ['3600', 3_600, 3_600_000],
    // A reading is never older than an hour because of it.
    ['3601', 3_601, 3_600_000],
    ['12345678901', 2 ** 31, 3_600_000],
    ['3, 30', 30, 30_000],
    ['30, soon', undefined, 0],
    ['-1', undefined, 0],
    ['1.5', undefined, 0],
    ['1 2', undefined, 0],
    ['', undefined, 0],
    ['soon', undefined, 0],
  ])('is by %j in a cache %j s, and at a collector %i ms', (age, cachedS, collectedMs) => {
    expect(cachedForS(age === undefined ? undefined : { status: 200, body: '', age })).toBe(cachedS)
    expect(collectedAgeMs(age === undefined ? undefined : { status: 200, body: '', collectedAge: age })).toBe(
      collectedMs,
    )
    expect(cachedForS({ status: 200, body: '' })).toBeUndefined()
    expect(collectedAgeMs({ status: 200, body: '' })).toBe(0)
  })
})
