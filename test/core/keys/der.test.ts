import { describe, expect, it } from 'vitest'
import { createByteCursor, uint32Of } from '#keys/byte-cursor.ts'
import { derCount, derFields, derItem, derItems, TAG } from '#keys/der.ts'

const bytes = (...values: readonly number[]) => new Uint8Array(values)
const filled = (head: readonly number[], length: number) =>
  new Uint8Array([...head, ...new Uint8Array(length).fill(7)])

describe('items of DER', () => {
  it('fill their bytes exactly', () => {
    expect(derItems(bytes())).toEqual([])
    expect(derItems(bytes(2, 1, 5, 4, 0, 48, 2, 9, 9))).toEqual([
      { tag: 2, content: bytes(5) },
      { tag: 4, content: bytes() },
      { tag: 48, content: bytes(9, 9) },
    ])
  })

  it.each([
    ['a length beyond the end', [2, 2, 5], 'truncated'],
    ['no length', [2, 0, 4], 'truncated'],
    ['a long length without its digits', [2, 0x82, 1], 'truncated'],
    ['an indefinite length', [48, 0x80, 0, 0], 'damaged'],
    ['a length of three digits', [4, 0x83, 0, 1, 0], 'damaged'],
    [
      'an indefinite length before what could be digits',
      [4, 0x80, 1, 0, ...Array.from({ length: 254 }, () => 7)],
      'damaged',
    ],
    [
      'three digits of what could be two',
      [4, 0x83, 1, 0, 0, ...Array.from({ length: 256 }, () => 7)],
      'damaged',
    ],
    ['a length of one digit without it', [4, 0x81], 'truncated'],
    ['a length of two digits without the second', [4, 0x82, 0], 'truncated'],
    ['a needlessly long length', [4, 0x81, 0x7f], 'damaged'],
    ['a needlessly longer length', [4, 0x82, 0, 0xff], 'damaged'],
  ])('with %s (%j) are %s', (_, given, problem) => {
    expect(derItems(bytes(...given))).toBe(problem)
  })

  it.each([
    [[4, 0x7f], 127],
    [[4, 0x81, 0x80], 128],
    [[4, 0x81, 0xff], 255],
    [[4, 0x82, 1, 0], 256],
    [[4, 0x82, 2, 3], 515],
  ])('after %j have a length of %d', (head, length) => {
    expect(derItems(filled(head, length))).toEqual([{ tag: 4, content: new Uint8Array(length).fill(7) }])
    expect(derItem(filled(head, length), 4)).toHaveLength(length)
    expect(derItems(filled(head, length - 1))).toBe('truncated')
    expect(derItem(filled(head, length - 1), 4)).toBe('truncated')
    expect(derItem(filled(head, length + 1), 4)).toBe('damaged')
  })

  it('are sixteen at most', () => {
    const many = (count: number) => new Uint8Array(count * 2).map((_, at) => (at % 2 === 0 ? 5 : 0))
    expect(derItems(many(16))).toHaveLength(16)
    expect(derItems(many(17))).toBe('damaged')
  })
})

describe('one item', () => {
  it('has the tag that is asked for, and nothing behind it', () => {
    expect(derItem(bytes(4, 1, 9), TAG.octets)).toEqual(bytes(9))
    expect(derItem(bytes(4, 0), TAG.octets)).toEqual(bytes())
    expect(derItem(bytes(4, 1, 9), TAG.sequence)).toBe('damaged')
    expect(derItem(bytes(4, 1, 9, 9), TAG.octets)).toBe('damaged')
    expect(derItem(bytes(4, 2, 9), TAG.octets)).toBe('truncated')
    expect([derItem(bytes(), 4), derItem(bytes(4), 4), derItem(bytes(4, 0x80), 4)]).toEqual([
      'truncated',
      'truncated',
      'damaged',
    ])
  })
})

describe('fields of a sequence', () => {
  it('are as many as tags, each with its own', () => {
    const two = bytes(2, 1, 5, 4, 1, 6)
    expect(derFields(two, TAG.integer, TAG.octets)).toEqual([bytes(5), bytes(6)])
    for (const tags of [[2], [2, 4, 4], [4, 2], [2, 2], []]) expect(derFields(two, ...tags)).toBeUndefined()
    expect(derFields(bytes(2, 2, 5), TAG.integer)).toBeUndefined()
    expect(derFields(bytes())).toEqual([])
  })
})

describe('a count', () => {
  it.each([
    [[1], 1],
    [[0x7f], 127],
    [[0, 0x80], 128],
    [[1, 0], 256],
    [[0x7f, 0xff, 0xff, 0xff], 2 ** 31 - 1],
    [[0, 0xff, 0xff, 0xff], 0xffffff],
    [[0, 0xff, 0xff, 0xff, 0xff], undefined],
    [[0, 0x80, 0, 0, 0], undefined],
    [[0, 0x80, 0, 0], 2 ** 23],
    [[], undefined],
    [[0], undefined],
    [[0x80], undefined],
    [[0, 0x7f], undefined],
    [[1, 0, 0, 0, 0], undefined],
    [[0, 0x80, 0, 0, 0, 0], undefined],
  ])('of the bytes %j is %s', (given, count) => {
    expect(derCount(bytes(...given))).toBe(count)
  })

  it('of nothing is none', () => {
    expect(derCount(undefined)).toBeUndefined()
  })
})

describe('bytes from front to back', () => {
  it('are taken once, and never beyond the end', () => {
    const cursor = createByteCursor(bytes(0, 0, 0, 2, 8, 9, 0xff, 0xfe, 0xfd, 0xfc, 1))
    expect(cursor.counted()).toEqual(bytes(8, 9))
    expect(cursor.uint32()).toBe(0xfffefdfc)
    expect(cursor.take(2)).toBeUndefined()
    expect(cursor.rest()).toEqual(bytes(1))
    expect(cursor.take(1)).toEqual(bytes(1))
    expect(cursor.take(0)).toEqual(bytes())
    expect([cursor.uint32(), cursor.counted(), cursor.rest()]).toEqual([undefined, undefined, bytes()])
    expect(createByteCursor(bytes(0, 0, 0, 3, 1)).counted()).toBeUndefined()
    expect(uint32Of(bytes(1, 2, 3, 4))).toBe(0x01020304)
  })
})
