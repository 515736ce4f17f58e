import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { BaseUrl, Label, NodeIdText, Tag, wholeMs } from '#settings/fields.ts'

/** What a field makes of a value, or the words in which it refuses it. */
const read = (schema: v.GenericSchema, value: unknown): unknown => {
  const parsed = v.safeParse(schema, value)
  return parsed.success ? parsed.output : { refused: parsed.issues.map(({ message }) => message) }
}

describe('whole milliseconds', () => {
  it.each([
    [9, false],
    [10, true],
    [20, true],
    [21, false],
    [15.5, false],
    ['15', false],
  ])('from 10 to 20 take %s: %s', (value, takes) => {
    expect(v.is(wholeMs(10, 20), value)).toBe(takes)
  })
})

describe('a field of the settings', () => {
  it('takes the room before and behind a label away, and leaves it 60 characters', () => {
    expect(read(Label, ' A ')).toBe('A')
    expect(read(Label, 'a'.repeat(60))).toBe('a'.repeat(60))
    expect(v.is(Label, 'a'.repeat(61))).toBe(false)
  })

  it('keeps a base URL in its one form, or says what one looks like', () => {
    expect(read(BaseUrl, 'HTTPS://API.example.net/')).toBe('https://api.example.net')
    expect(read(BaseUrl, 'https://a.example/?q')).toEqual({
      refused: [
        'is not the base URL of a service: give http(s)://host[:port][/path], without user, query or #',
      ],
    })
  })

  it('takes a node id without the room around it, or says what one looks like', () => {
    expect(read(NodeIdText, ' 0x7F ')).toBe('0x7F')
    expect(read(NodeIdText, 'vela')).toEqual({ refused: ['is not a node id: 0x and hex digits'] })
  })

  it('keeps a tag in lower case, or says what one looks like', () => {
    expect(read(Tag, '#EU')).toBe('eu')
    expect(read(Tag, '1a')).toEqual({
      refused: ['is not a tag: a letter first, then no space, comma, semicolon, quote or #'],
    })
  })
})
