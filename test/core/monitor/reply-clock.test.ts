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

describe('the clock offset from an answer’s Date', () => {
  it('is bounded by the one-second resolution of Date and the round trip', () => {
    const offset = offsetOfReply(sent({ date: DATE }, DATE_MS - 60_000))
    expect(offset?.lowMs).toBeLessThanOrEqual(60_000 - 200)
    expect(offset?.highMs).toBeGreaterThanOrEqual(60_000 + 1_000)
    expect((offset?.highMs ?? 0) - (offset?.lowMs ?? 0)).toBeLessThan(2_500)
    expect(serviceTimeOf(sent({ date: DATE }, 5))).toBe(DATE_MS)
    // A cache that kept the answer for 0 s adds nothing.
    expect(offsetOfReply(sent({ date: DATE, age: '0' }))).toBeDefined()
  })

  it.each<[string, Partial<HttpReply> | undefined]>([
    ['no answer came', undefined],
    ['it has no Date', {}],
    ['its Date is unreadable', { date: 'yesterday' }],
    ['the dashboard’s server answered instead', { date: DATE, proxyFailure: 'timeout' }],
    ['a cache kept it', { date: DATE, age: '1' }],
  ])('is unknown if %s', (_what, reply) => {
    expect(offsetOfReply(sent(reply))).toBeUndefined()
    expect(serviceTimeOf(sent(reply))).toBeUndefined()
  })
})

it.each([
  [undefined, undefined, 0],
  ['3600', 3_600, 3_600_000],
  ['12345678901', 2 ** 31, 3_600_000],
  ['3, 30', 30, 30_000],
  ['1.5', undefined, 0],
])(
  'the age of an answer with the header %j is %j s in a cache and %i ms at a collector',
  (age, cachedS, collectedMs) => {
    expect(cachedForS(age === undefined ? undefined : { status: 200, body: '', age })).toBe(cachedS)
    expect(collectedAgeMs(age === undefined ? undefined : { status: 200, body: '', collectedAge: age })).toBe(
      collectedMs,
    )
    expect(cachedForS({ status: 200, body: '' })).toBeUndefined()
    expect(collectedAgeMs({ status: 200, body: '' })).toBe(0)
  },
)
