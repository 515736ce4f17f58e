import { describe, expect, it } from 'vitest'
import {
  createReader,
  createWriter,
  guarded,
  putSigned,
  readByte,
  readCount,
  readDouble,
  readSigned,
  readText,
  readVarint,
  readWord,
  reserve,
  skipVarints,
  writeByte,
  writeDouble,
  writeSigned,
  writeText,
  writeVarint,
  writeWord,
  written,
  type ByteReader,
} from '#history/codec/byte-stream.ts'

const WORD_MAX = 2 ** 32 - 1

describe('bytes that are written', () => {
  it.each(Array.from({ length: 40 }, (_, capacity) => capacity))(
    'get room as they need it, from %d on',
    (capacity) => {
      const writer = createWriter(capacity)
      for (let round = 0; round < 3; round++) {
        writeByte(writer, 200)
        writeDouble(writer, Math.PI)
        writeWord(writer, WORD_MAX)
        writeVarint(writer, Number.MAX_SAFE_INTEGER)
        writeSigned(writer, -(2 ** 52 - 1))
        writeText(writer, 'é!')
      }
      const reader = createReader(written(writer))
      for (let round = 0; round < 3; round++)
        expect([
          readByte(reader),
          readDouble(reader),
          readWord(reader),
          readVarint(reader),
          readSigned(reader),
          readText(reader),
        ]).toEqual([200, Math.PI, WORD_MAX, Number.MAX_SAFE_INTEGER, -(2 ** 52 - 1), 'é!'])
      expect(reader.at).toBe(writer.at)
    },
  )

  it.each([
    ['a byte', 1, writeByte],
    ['a word', 4, writeWord],
    ['a double', 8, writeDouble],
    ['a number', 8, writeVarint],
  ] as const)(
    'take no more room where there is just enough for %s, and twice as much then',
    (_, room, write) => {
      const writer = createWriter(room)
      write(writer, Number.MAX_SAFE_INTEGER)
      expect(writer.bytes.length).toBe(room)
      write(writer, Number.MAX_SAFE_INTEGER)
      expect(writer.bytes.length).toBe(2 * room)
      expect(writer.view.byteLength).toBe(2 * room)
    },
  )

  it('get room for many numbers at once, where there is not enough', () => {
    const writer = createWriter(16)
    writeByte(writer, 7)
    reserve(writer, 5)
    expect(writer.bytes.length).toBeGreaterThanOrEqual(1 + 5 * 8)
    expect(writer.bytes[0]).toBe(7)
    const { bytes } = writer
    reserve(writer, 1)
    expect(writer.bytes).toBe(bytes)
    // Two numbers, and how often the last one follows.
    const enough = createWriter(24)
    reserve(enough, 2)
    expect(enough.bytes.length).toBe(24)
    reserve(enough, 3)
    expect(enough.bytes.length).toBe(48)
  })

  it('get twice the room, however little comes', () => {
    const writer = createWriter(100)
    for (let place = 0; place < 101; place++) writeByte(writer, place)
    expect(writer.bytes.length).toBe(200)
    expect(Array.from(written(writer))).toEqual(Array.from({ length: 101 }, (_, place) => place))
  })

  it.each([
    [0, 1],
    [63, 1],
    [-64, 1],
    [64, 2],
    [-65, 2],
    [8_191, 2],
    [-8_193, 3],
    [2 ** 31, 5],
    [-(2 ** 40), 6],
  ])('are the same for %d, in %d, whether room was made before or not', (value, size) => {
    const bytes = new Uint8Array(16)
    expect(putSigned(bytes, 3, value)).toBe(3 + size)
    const writer = createWriter()
    writeSigned(writer, value)
    expect(bytes.slice(3, 3 + size)).toEqual(written(writer))
    expect(readSigned(createReader(written(writer)))).toBe(value)
  })
})

describe('bytes that are read', () => {
  const isRefused = (bytes: readonly number[], read: (reader: ByteReader) => unknown): boolean =>
    guarded(() => {
      read(createReader(Uint8Array.from(bytes)))
      return true
    }) === undefined

  it('are those of a part, wherever in a buffer it lies', () => {
    const writer = createWriter()
    writeDouble(writer, Math.E)
    writeWord(writer, 0xfedcba98)
    const within = new Uint8Array(20)
    within.set(written(writer), 5)
    const reader = createReader(within.subarray(5, 17))
    expect([readDouble(reader), readWord(reader), reader.at]).toEqual([Math.E, 0xfedcba98, 12])
    expect(guarded(() => readByte(reader))).toBeUndefined()
  })

  it.each([
    ['byte', 1, readByte],
    ['word', 4, readWord],
    ['double', 8, readDouble],
    ['number', 1, readVarint],
    ['signed number', 1, readSigned],
    ['text', 1, readText],
  ] as const)('are refused where a %s needs one more of them than there are', (_, size, read) => {
    expect(
      isRefused(
        Array.from({ length: size }, () => 0),
        read,
      ),
    ).toBe(false)
    expect(
      isRefused(
        Array.from({ length: size - 1 }, () => 0),
        read,
      ),
    ).toBe(true)
  })

  it('are no number above the largest that is exact', () => {
    const most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
    expect(readVarint(createReader(Uint8Array.from([...most, 0x0f])))).toBe(Number.MAX_SAFE_INTEGER)
    expect(isRefused([...most.map(() => 0x80), 0x10], readVarint)).toBe(true)
  })

  it('are no number of things that are more than the bytes behind it', () => {
    expect(readCount(createReader(Uint8Array.from([2, 0, 0])))).toBe(2)
    expect(isRefused([3, 0, 0], readCount)).toBe(true)
  })

  it('are passed over by whole numbers', () => {
    const writer = createWriter()
    for (const value of [5, 128, 2 ** 40, 0, 77]) writeVarint(writer, value)
    const reader = createReader(written(writer))
    skipVarints(reader, 0)
    expect(reader.at).toBe(0)
    skipVarints(reader, 4)
    expect(readVarint(reader)).toBe(77)
    expect(isRefused([5, 0x80], (one) => skipVarints(one, 2))).toBe(true)
    expect(isRefused([5], (one) => skipVarints(one, 2))).toBe(true)
  })
})
