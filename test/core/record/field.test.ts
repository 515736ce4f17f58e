import { describe, expect, it } from 'vitest'
import {
  readAmount,
  readCounter,
  readHex,
  readText,
  readTimestamp,
  readWord,
  timestampIn,
  writtenTimestamp,
} from '#record/field.ts'
import { parseJsonRecord } from '#record/json-record.ts'

const recordOf = (body: string) => {
  const parsed = parseJsonRecord(body)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}
/** A record with the one member `a`, as it is written. */
const member = (written: string) => recordOf(`{"a":${written}}`)
const refused = (error: string) => ({ ok: false, error })

describe('a member that is missing or of another type is said as that', () => {
  const readers = {
    readText: (json: ReturnType<typeof member>) => readText(json, 'a', 9),
    readWord: (json: ReturnType<typeof member>) => readWord(json, 'a'),
    readAmount: (json: ReturnType<typeof member>) => readAmount(json, 'a'),
    readCounter: (json: ReturnType<typeof member>) => readCounter(json, 'a'),
    readTimestamp: (json: ReturnType<typeof member>) => readTimestamp(json, 'a', 'detect'),
    readHex: (json: ReturnType<typeof member>) => readHex(json, 'a'),
  }
  it.each(Object.entries(readers))('%s', (name, read) => {
    const wrong = ['null', 'true', '[]', '{}', name === 'readAmount' ? '"5"' : '[1]']
    for (const written of wrong) expect(read(member(written))).toEqual(refused('wrong-type'))
    expect(read(recordOf('{}'))).toEqual(refused('missing'))
  })

  it('a number is no text, and a text no number', () => {
    expect(readText(member('5'), 'a', 9)).toEqual(refused('wrong-type'))
    expect(readWord(member('5'), 'a')).toEqual(refused('wrong-type'))
    expect(readHex(member('5'), 'a')).toEqual(refused('wrong-type'))
    expect(readCounter(member('"5"'), 'a')).toEqual(refused('wrong-type'))
    expect(readTimestamp(member('"5"'), 'a', 's')).toEqual(refused('wrong-type'))
  })
})

it('a text may be as long as its limit', () => {
  expect(readText(member('"abc"'), 'a', 3)).toEqual({ ok: true, value: 'abc' })
  expect(readText(member('"abcd"'), 'a', 3)).toEqual(refused('too-long'))
  expect(readText(member('""'), 'a', 3)).toEqual({ ok: true, value: '' })
})

it('a word is not empty, and is cut with a mark at 64 characters', () => {
  expect(readWord(member('""'), 'a')).toEqual(refused('wrong-type'))
  const whole = 'x'.repeat(64)
  expect(readWord(member(`"${whole}"`), 'a')).toEqual({ ok: true, value: whole })
  const cut = readWord(member(`"${whole}y"`), 'a')
  expect(cut.ok && cut.value.startsWith(`${whole}…`)).toBe(true)
})

describe('an amount', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['1.50', '1.5'],
    ['9007199254740993', '9007199254740993'],
    ['1e30', `1${'0'.repeat(30)}`],
  ])('%s is read to its last digit', (written, text) => {
    expect(readAmount(member(written), 'a')).toMatchObject({ ok: true, value: { text } })
  })

  it.each([
    ['-0.5', 'negative'],
    ['-7', 'negative'],
    ['1e400', 'not-finite'],
    ['1.0000001e30', 'out-of-range'],
    [`1.${'1'.repeat(90)}`, 'out-of-range'],
  ])('%s is refused: %s', (written, problem) => {
    expect(readAmount(member(written), 'a')).toEqual(refused(problem))
  })

  it('may be as large as its own limit', () => {
    expect(readAmount(member('100'), 'a', 100).ok).toBe(true)
    expect(readAmount(member('100.5'), 'a', 100)).toEqual(refused('out-of-range'))
  })
})

describe('a counter', () => {
  it('is whole, and 10^18 at most', () => {
    expect(readCounter(member('12.0'), 'a')).toMatchObject({ ok: true, value: { text: '12' } })
    expect(readCounter(member('1e18'), 'a').ok).toBe(true)
    expect(readCounter(member('1000000000000001000'), 'a')).toEqual(refused('out-of-range'))
    expect(readCounter(member('12.5'), 'a')).toEqual(refused('not-whole'))
    expect(readCounter(member('-1'), 'a')).toEqual(refused('negative'))
  })
})

const AT_MS = 1_795_183_351_000
const number = (text: string) => ({ text, value: Number(text) })

describe('a time', () => {
  it.each([
    ['1', { atMs: 1_000, unit: 's' }],
    ['1795183351', { atMs: AT_MS, unit: 's' }],
    ['1795183351002', { atMs: AT_MS + 2, unit: 'ms' }],
    ['1795183351002999', { atMs: AT_MS + 2, unit: 'us', text: '1795183351002999' }],
    ['1795183351002500000', { atMs: AT_MS + 2, unit: 'ns', text: '1795183351002500000' }],
    // Where one unit ends and the next begins.
    ['99999999999', { atMs: 99_999_999_999_000, unit: 's' }],
    ['100000000000', { atMs: 100_000_000_000, unit: 'ms' }],
    ['99999999999999', { atMs: 99_999_999_999_999, unit: 'ms' }],
    ['100000000000000', { atMs: 100_000_000_000, unit: 'us', text: '100000000000000' }],
    ['100000000000000000', { atMs: 100_000_000_000, unit: 'ns', text: '100000000000000000' }],
  ])('%s is told by its size, and is written as it was', (text, timestamp) => {
    const read = readTimestamp(member(text), 'a', 'detect')
    expect(read).toEqual({ ok: true, value: timestamp })
    if (read.ok) expect(writtenTimestamp(read.value)).toBe(text)
  })

  it('is read in the unit that is set, whatever its size', () => {
    expect(timestampIn(number('1795183351000'), 's')).toEqual({
      ok: true,
      value: { atMs: 1_795_183_351_000_000, unit: 's' },
    })
    expect(timestampIn(number('1795183351'), 'ms')).toEqual({
      ok: true,
      value: { atMs: 1_795_183_351, unit: 'ms' },
    })
    expect(timestampIn(number('1795183351'), 'us')).toMatchObject({ value: { atMs: 1_795_183, unit: 'us' } })
  })

  it('of 1970 is none, and none lies beyond what a calendar holds', () => {
    expect(timestampIn(number('0'), 'detect')).toEqual(refused('out-of-range'))
    expect(timestampIn(number('8640000000000'), 's').ok).toBe(true)
    expect(timestampIn(number('8640000000001'), 's')).toEqual(refused('out-of-range'))
    expect(readTimestamp(member('8640000000001'), 'a', 's')).toEqual(refused('out-of-range'))
  })

  it('is whole', () => {
    expect(readTimestamp(member('1795183351.5'), 'a', 'detect')).toEqual(refused('not-whole'))
  })
})

describe('hex digits', () => {
  it.each(['0x', '0x0', '0xAbCdEf09', `0x${'a'.repeat(1_022)}`])('%s are kept as written', (text) => {
    expect(readHex(member(`"${text}"`), 'a')).toEqual({ ok: true, value: text })
  })

  it.each(['', 'ab', '0xag', 'x0xab', '0xab ', '0x a'])('%j are none', (text) => {
    expect(readHex(member(`"${text}"`), 'a')).toEqual(refused('not-hex'))
  })

  it('of two long texts that differ only at the end stay different when cut', () => {
    const cut = (end: string) => readHex(member(`"0x${'a'.repeat(2_000)}${end}"`), 'a')
    const [one, other] = [cut('1'), cut('2')]
    expect(one.ok && one.value.length < 1_200).toBe(true)
    expect(one).not.toEqual(other)
  })
})
