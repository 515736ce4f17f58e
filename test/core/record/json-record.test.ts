import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonRecord } from '#record/json-record.ts'
import { valueOf } from '#test/support/value-of.ts'

const read = (body: string) => valueOf(parseJsonRecord(body))

it.each([
  ['', 'empty'],
  [' \n\t', 'empty'],
  ['\uFEFF', 'empty'],
  ['<!doctype html><title>Sign in</title>', 'web-page'],
  ['  <HTML><body>', 'web-page'],
  ['<head>', 'web-page'],
  ['<body>', 'web-page'],
  ['<?xml version="1.0"?>', 'web-page'],
  ['<record/>', 'not-json'],
  ['see <html>', 'not-json'],
  ['{"a":', 'not-json'],
  ['{"a":NaN}', 'not-json'],
  ['{} trailing', 'not-json'],
  ['null', 'not-an-object'],
  ['[]', 'not-an-object'],
  ['"ACTIVE"', 'not-an-object'],
  ['7', 'not-an-object'],
])('a body that is not a record %j is refused as %s', (body, problem) => {
  expect(parseJsonRecord(body)).toEqual({ ok: false, error: problem })
})

describe('a record', () => {
  it('returns numbers as the service wrote them, beyond double precision', () => {
    const record = read('{ "stake" : 9007199254740993 , "ratio":0.10, "text":"5", "none":null }')
    expect(record.value('stake')).toBe(9_007_199_254_740_992)
    expect(record.numberText('stake')).toBe('9007199254740993')
    expect(record.numberText('ratio')).toBe('0.10')
    expect(record.numberText('text')).toBeUndefined()
    expect(record.numberText('none')).toBeUndefined()
    expect(record.numberText('absent')).toBeUndefined()
    expect(record.value('absent')).toBeUndefined()
    expect(record.names).toEqual(['stake', 'ratio', 'text', 'none'])
  })

  it('is read past a byte-order mark', () => {
    expect(read('\uFEFF{"a":1}').numberText('a')).toBe('1')
  })

  it('reads only its own top level', () => {
    const record = read(
      '{"deep":{"a":1,"b":[2,{"a":3}]},"list":[{"a":4}],"a":5,"c":"\\"a\\":6, {\\"a\\":7}","d":-8.5e1}',
    )
    expect(record.numberText('a')).toBe('5')
    expect(record.numberText('b')).toBeUndefined()
    expect(record.numberText('d')).toBe('-8.5e1')
    expect(record.numberText('deep')).toBeUndefined()
  })

  it('uses the last of two members with the same name, as every JSON parser does', () => {
    const record = read('{"a":1,"a":22,"b":3,"b":"x","c":"x","c":4}')
    expect([record.value('a'), record.numberText('a')]).toEqual([22, '22'])
    expect([record.value('b'), record.numberText('b')]).toEqual(['x', undefined])
    expect([record.value('c'), record.numberText('c')]).toEqual([4, '4'])
  })

  it('returns strings, booleans and null as they were written', () => {
    const record = read(
      String.raw`{"text":"a\u0042\n","yes": true ,"no":false,"none":null,"number":-1.50e1,"list":[1],"deep":{"a":"b"}}`,
    )
    expect(record.names.map((name) => record.scalarText(name))).toEqual([
      String.raw`"a\u0042\n"`,
      'true',
      'false',
      'null',
      '-1.50e1',
      undefined,
      undefined,
    ])
    expect(record.scalarText('a')).toBeUndefined()
    expect(record.scalarText('absent')).toBeUndefined()
  })

  it('reads escaped names as the same names', () => {
    expect(read('{"\\u0061":17}').numberText('a')).toBe('17')
  })

  it('inherits nothing from a member called __proto__', () => {
    const record = read('{"__proto__":{"isAdmin":true,"stake":5},"a":1}')
    expect(record.value('isAdmin')).toBeUndefined()
    expect(record.value('toString')).toBeUndefined()
    expect(record.names).toEqual(['__proto__', 'a'])
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined()
  })

  it('survives nesting that is too deep for recursion', () => {
    const deep = `{"a":1,"b":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    expect(read(deep).numberText('a')).toBe('1')
  })

  it('agrees with JSON.parse on every object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, pretty) => {
        const record = read(JSON.stringify(object, null, pretty ? 2 : 0))
        const parsed: Record<string, unknown> = JSON.parse(JSON.stringify(object))
        expect(record.names.toSorted()).toEqual(Object.keys(parsed).toSorted())
        for (const name of Object.keys(parsed)) {
          const value = parsed[name]
          expect(record.value(name)).toEqual(value)
          const text = record.numberText(name)
          const written = record.scalarText(name)
          if (typeof value === 'object' && value !== null) expect(written).toBeUndefined()
          else expect(JSON.parse(written ?? 'undefined')).toEqual(value)
          if (typeof value === 'number') expect(Number(text)).toBe(value)
          else expect(text).toBeUndefined()
        }
      }),
    )
  })

  it('never throws, whatever the body', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (body) => {
        expect(() => parseJsonRecord(body)).not.toThrow()
      }),
    )
  })
})
