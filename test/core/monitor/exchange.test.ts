import { describe, expect, it } from 'vitest'
import { createExchangeLog, exchangeOf } from '#monitor/exchange.ts'
import type { HttpReply } from '#protocol/transport.ts'
import { sentAt } from './tracked.ts'
import { keyOf } from './watch.ts'

const request = { startedWallMs: 1, url: 'u', requestHeaders: { A: 'b' } }
const exchange = (reply?: HttpReply) => exchangeOf(sentAt(1, undefined, { ...request, reply }))
const LONGEST = 16_384
const BODIES_MAX = Math.floor(32_000_000 / LONGEST)

it('an exchange contains only the request and the reply, whose body is cut at 16,384 characters', () => {
  const reply = { status: 200, body: 'x'.repeat(LONGEST), contentType: 'text/plain', date: 'now' }
  expect(exchange(reply)).toEqual({ ...request, ...reply, bodyCut: false })
  expect(exchange({ ...reply, body: 'x'.repeat(LONGEST + 1) })).toEqual({
    ...request,
    ...reply,
    bodyCut: true,
  })
  expect(exchange()).toEqual({ ...request, body: '', bodyCut: false })
})

describe('the log of exchanges', () => {
  const long = exchange({ status: 200, body: 'x'.repeat(LONGEST) })
  const empty = exchange()

  it('drops the oldest beyond 32 million characters, and counts what is forgotten as free', () => {
    const log = createExchangeLog()
    for (let index = 0; index < BODIES_MAX; index++) log.keep(keyOf(index), long)
    expect(log.get(keyOf(0))).toBe(long)
    log.keep(keyOf(BODIES_MAX), long)
    expect(log.get(keyOf(0))).toBeUndefined()
    expect(log.get(keyOf(1))).toBe(long)
    log.forget(keyOf(5))
    log.forget(keyOf(5))
    log.forget(keyOf(99_999))
    log.keep(keyOf(BODIES_MAX + 1), long)
    expect(log.get(keyOf(1))).toBe(long)
    log.keep(keyOf(BODIES_MAX + 2), long)
    expect(log.get(keyOf(1))).toBeUndefined()
  })

  it('counts only the newest exchange of a node, which also sets its age', () => {
    const log = createExchangeLog()
    for (let index = 0; index < BODIES_MAX; index++) log.keep(keyOf(index), long)
    log.keep(keyOf(0), empty)
    log.keep(keyOf(0), long)
    expect(log.get(keyOf(1))).toBe(long)
    log.keep(keyOf(BODIES_MAX), long)
    expect(log.get(keyOf(1))).toBeUndefined()
    expect(log.get(keyOf(0))).toBe(long)
  })
})
