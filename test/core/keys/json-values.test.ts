import { describe, expect, it } from 'vitest'
import { jsonValues } from '#keys/format-json.ts'

const read = (text: string) => {
  const values = jsonValues(new TextEncoder().encode(text))
  if (typeof values === 'string') return values
  return Object.fromEntries(Array.from(values, ([path, value]) => [path, new TextDecoder().decode(value)]))
}
const list = (count: number) => `[${Array.from({ length: count }, (_, place) => place).join(',')}]`
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

describe('the values of a JSON text', () => {
  it.each([
    '',
    ' ',
    '{',
    '[',
    '{"a"',
    '{"a" ',
    '{"a":',
    '{"a": ',
    '{"a":"b',
    '{"a":"b\\',
    '{"a":"b\\"',
    '{"a":"b"',
    '{"a":"b",',
    '["a", ',
    '{"a',
    '{"a":1',
    '"a',
    '"a\\',
    '[1',
    '[[1]',
  ])('%j end too soon', (text) => {
    expect(read(text)).toBe('truncated')
  })

  it.each([
    ['two documents', '{"a":1}{"b":2}'],
    ['two documents and a comma', '{"a":1},{"b":2}'],
    ['a word behind a word', '1 2'],
    ['a byte that is no sign in front', '\u0001{"a":1}'],
    ['something behind the end', '{"a":1} x'],
    ['an end of another kind', '{"a":1]'],
    ['an end of another kind', '[1}'],
    ['no comma', '[1 2]'],
    ['no comma', '{"a":1 "b":2}'],
    ['a comma in front', '[,1]'],
    ['a comma at the end', '[1,]'],
    ['a comma at the end of an object', '{"a":1,}'],
    ['no colon', '{"a" 1}'],
    ['an equals sign', '{"a"=1}'],
    ['a name without quotes', '{a:1}'],
    ['no value', '{"a":}'],
    ['a sign that is none of a word', '{"a":/}'],
    ['a sign that is none of a word', '{"a":@}'],
    ['a sign that is none of a word', '{"a":`}'],
    ['a sign that is none of a word', '{"a":~}'],
    ['a sign that is none of a word', "['a']"],
    ['a word with a sign in it', '[1_0]'],
    ['a name that stands twice', '{"a":1,"a":2}'],
  ])('with %s are damaged: %s', (_, text) => {
    expect(read(text)).toBe('damaged')
  })

  it('are 256 at most, eight levels deep, under names of 64 signs', () => {
    expect(Object.keys(read(list(256)))).toHaveLength(256)
    expect(read(list(257))).toBe('damaged')
    expect(read(nested(8))).toEqual({ '0.0.0.0.0.0.0.0': '1' })
    expect(read(nested(9))).toBe('damaged')
    const name = 'n'.repeat(64)
    expect(read(`{"${name}":1}`)).toEqual({ [name]: '1' })
    expect(read(`{"${name}n":1}`)).toBe('damaged')
  })
})
