import { describe, expect, it } from 'vitest'
import { canonicalNodeId, parseNodeId, sameNode, shortNodeId } from '#record/node-id.ts'

describe('a typed node id', () => {
  it.each([
    ['0x7f3A', '0x7f3A'],
    ['  0X00ff\n', '0X00ff'],
    [`0x${'a'.repeat(128)}`, `0x${'a'.repeat(128)}`],
  ])('%j is kept as %s', (text, kept) => {
    expect(parseNodeId(text)).toEqual({ ok: true, value: kept })
  })

  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['7f3a', 'no-prefix'],
    ['vela-007', 'no-prefix'],
    ['a0x7f', 'no-prefix'],
    ['0x', 'not-hex'],
    ['0xzz', 'not-hex'],
    ['0x7f 3a', 'not-hex'],
    ['0x0x7f', 'not-hex'],
    ['0x7f\u202e', 'not-hex'],
    [`0x${'a'.repeat(129)}`, 'too-long'],
  ])('%j is refused: %s', (text, problem) => {
    expect(parseNodeId(text)).toEqual({ ok: false, error: problem })
  })
})

describe('the identity of node ids', () => {
  it.each([
    ['0x7F3A', '0x7f3a', true],
    ['0x7f3a', '7f3a', true],
    ['7F3A', '0X7f3a', true],
    ['0x7f3a', '0x7f3b', false],
    ['0x07', '0x7', false],
  ])('%s and %s: %s', (asked, answered, same) => {
    expect(sameNode(asked, answered)).toBe(same)
  })

  it('has a canonical form in lower case with 0x', () => {
    expect(canonicalNodeId('7F')).toBe('0x7f')
    expect(canonicalNodeId('0X7F')).toBe('0x7f')
  })
})

it.each([
  ['0x7f3a9c1eb48d02e1', '0x7f3a…02e1'],
  ['0x7f3a9c1eb48d0', '0x7f3a…48d0'],
  ['0x7f3a9c1eb48d', '0x7f3a9c1eb48d'],
  ['', ''],
])('%s is shortened to %s, with both its ends', (id, short) => {
  expect(shortNodeId(id)).toBe(short)
})
