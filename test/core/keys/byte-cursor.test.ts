import { describe, expect, it } from 'vitest'
import { createByteCursor, uint32Of } from '#keys/byte-cursor.ts'

describe('a cursor', () => {
  it('gives each byte once, from front to back, and nothing past the end', () => {
    const cursor = createByteCursor(Uint8Array.of(1, 2, 3, 4))
    expect(cursor.take(1)).toEqual(Uint8Array.of(1))
    expect(cursor.take(4)).toBeUndefined()
    expect(cursor.take(2)).toEqual(Uint8Array.of(2, 3))
    expect(cursor.rest()).toEqual(Uint8Array.of(4))
    expect(cursor.take(1)).toEqual(Uint8Array.of(4))
    expect([cursor.take(0), cursor.rest()]).toEqual([new Uint8Array(), new Uint8Array()])
    expect(cursor.take(1)).toBeUndefined()
  })

  it('reads numbers of four bytes', () => {
    const cursor = createByteCursor(Uint8Array.of(1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc, 0, 0, 0))
    expect([cursor.uint32(), cursor.uint32(), cursor.uint32()]).toEqual([0x01020304, 0xfffefdfc, undefined])
    expect(cursor.rest()).toHaveLength(3)
  })

  it('reads as many bytes as their length says', () => {
    const cursor = createByteCursor(Uint8Array.of(0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2))
    expect(cursor.counted()).toEqual(Uint8Array.of(7, 8))
    expect(cursor.counted()).toEqual(new Uint8Array())
    expect(cursor.counted()).toBeUndefined()
    expect(createByteCursor(Uint8Array.of(0, 0, 0)).counted()).toBeUndefined()
  })

  it('gives views, so that what is zeroed is gone in them too', () => {
    const bytes = Uint8Array.of(0, 0, 0, 1, 9, 8, 7)
    const cursor = createByteCursor(bytes)
    const views = [cursor.counted(), cursor.take(1), cursor.rest()]
    bytes.fill(0)
    expect(views).toEqual([new Uint8Array(1), new Uint8Array(1), new Uint8Array(1)])
  })
})

it.each([
  [[0, 0, 0, 1], 1],
  [[0, 0, 1, 0], 256],
  [[0, 1, 0, 0], 65_536],
  [[1, 0, 0, 0], 16_777_216],
  [[0x80, 0, 0, 0], 2_147_483_648],
  [[], 0],
  [[1, 1], 0x01010000],
])('the bytes %j are the number %i', (bytes, number) => {
  expect(uint32Of(Uint8Array.from(bytes))).toBe(number)
})
