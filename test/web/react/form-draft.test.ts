import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { RulePartsSchema } from '#settings/schema.ts'
import {
  amountField,
  choiceField,
  draftOf,
  exactField,
  linesField,
  listField,
  namedTextsField,
  numberField,
  percentField,
  readDraft,
  readFields,
  secondsField,
  stillWrong,
  textField,
  withWord,
  wordsField,
} from '#react/form-draft.ts'

const Schema = v.pipe(
  v.strictObject({
    id: v.optional(v.number()),
    name: v.optional(v.pipe(v.string(), v.maxLength(5))),
    mode: v.optional(v.picklist(['slow', 'fast'])),
    limits: v.strictObject({
      lowMs: v.pipe(v.number(), v.integer(), v.minValue(500), v.maxValue(60_000)),
      ratio: v.optional(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1)))),
    }),
    tags: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(3))), v.maxLength(2))),
  }),
  v.check(({ name, mode }) => name !== 'snail' || mode !== 'fast', 'is too fast for a snail'),
)

const fields = () => ({
  name: textField('name'),
  mode: choiceField('mode', ['slow', 'fast'], ''),
  low: secondsField('limits.lowMs', { required: true }),
  ratio: withWord('none', null, percentField('limits.ratio')),
  tags: linesField('tags'),
})
const EMPTY = draftOf(fields(), {})
const read = (part: Partial<typeof EMPTY>, base = {}) =>
  readDraft(Schema, fields(), { ...EMPTY, low: '1', ...part }, base)

describe('a form with a schema', () => {
  it('shows a document, and reads it back unchanged', () => {
    const document = {
      name: 'a',
      mode: 'fast',
      limits: { lowMs: 1_500, ratio: 0.975 },
      tags: ['x', 'y'],
    } as const
    expect(EMPTY).toEqual({ name: '', mode: '', low: '', ratio: '', tags: '' })
    const draft = draftOf(fields(), document)
    expect(draft).toEqual({ name: 'a', mode: 'fast', low: '1.5', ratio: '97.5', tags: 'x\ny' })
    expect(readDraft(Schema, fields(), draft)).toEqual(ok(document))
  })

  it('keeps values without a field, and removes emptied ones', () => {
    const kept = read({}, { id: 7, name: 'old', limits: { lowMs: 1, ratio: 1 } })
    expect(kept).toEqual(ok({ id: 7, limits: { lowMs: 1_000 } }))
  })

  it('reports the check’s message for two values that conflict', () => {
    const pair = {
      below: percentField('limits.participationBelow'),
      above: percentField('limits.participationAbove'),
    }
    const result = readFields(RulePartsSchema, pair, { below: '60', above: '50' })
    expect(result.ok ? {} : result.error).toEqual({
      above: { kind: 'other', message: 'must be greater than “Participation below”' },
    })
  })

  it('reports a rejected amount as not a number, and a percentage as not a percentage', () => {
    const amount = { least: amountField('limits.stakeBelow') }
    const result = readFields(RulePartsSchema, amount, { least: '1,25' })
    expect(result.ok ? {} : result.error).toEqual({ least: { kind: 'not-a-number' } })
    const share = { below: percentField('limits.participationBelow') }
    const refused = readFields(RulePartsSchema, share, { below: '101' })
    expect(refused.ok ? {} : refused.error).toEqual({ below: { kind: 'not-a-percentage' } })
  })

  it.each([
    [{ name: 'longer' }, 'name', { kind: 'too-long', max: 5 }],
    [{ low: '' }, 'low', { kind: 'not-a-number' }],
    [{ low: '1e3' }, 'low', { kind: 'not-a-number' }],
    [{ low: '0.4' }, 'low', { kind: 'out-of-range', min: 500, max: 60_000 }],
    [{ low: '61' }, 'low', { kind: 'out-of-range', min: 500, max: 60_000 }],
    [{ ratio: '101' }, 'ratio', { kind: 'not-a-percentage' }],
    [{ ratio: 'half' }, 'ratio', { kind: 'not-a-percentage' }],
    [{ tags: 'a\nb\nc' }, 'tags', { kind: 'too-many', max: 2 }],
    [{ tags: 'long' }, 'tags', { kind: 'too-long', max: 3 }],
  ] as const)('with %j reports an error in %s: %j', (part, field, problem) => {
    const result = read(part)
    expect(result.ok ? [] : result.error).toEqual([expect.objectContaining({ field, problem })])
  })

  it('reports every wrong field, and errors that concern no field', () => {
    const result = read({ low: 'x', tags: 'a\nb\nc', name: 'longer' })
    expect(result.ok ? [] : result.error.map(({ path }) => path)).toEqual(['limits.lowMs', 'name', 'tags'])
    const whole = read({ name: 'snail', mode: 'fast' })
    expect(whole.ok ? [] : whole.error).toEqual([
      expect.objectContaining({ field: undefined, message: 'is too fast for a snail' }),
    ])
  })

  it('keeps a message until its field is fixed, and adds none', () => {
    const before = readFields(Schema, fields(), { ...EMPTY, low: 'x', name: 'longer' })
    const after = readFields(Schema, fields(), { ...EMPTY, low: '0', ratio: '101' })
    if (before.ok || after.ok) throw new Error('both are wrong')
    expect(stillWrong(before.error, after.error)).toEqual({
      low: { kind: 'out-of-range', min: 500, max: 60_000 },
      name: undefined,
    })
  })
})

describe('fields', () => {
  it.each([
    ['number', () => numberField('a'), '2,5', 2.5],
    ['percentage', () => percentField('a'), '97,5 %', 0.975],
    ['amount', () => amountField('a'), '1,250,000.000000000000000001', '1250000.000000000000000001'],
    ['unique lines', () => linesField('a'), 'x\n\nx\n y ', ['x', 'y']],
    ['words with repeats', () => wordsField('a'), ' x  x\ny\n', ['x', 'x', 'y']],
    ['text with spaces around it', () => textField('a'), ' x y ', 'x y'],
    ['blank text', () => textField('a'), '  ', undefined],
    ['exact text', () => exactField('a'), ' x ', ' x '],
    ['number with spaces around it', () => numberField('a'), ' 2.25 ', 2.25],
    ['blank number', () => numberField('a'), ' ', undefined],
    ['percentage without a space before its sign', () => percentField('a'), '97% ', 0.97],
    ['blank amount', () => amountField('a'), ' ', undefined],
    ['amount with a misplaced comma', () => amountField('a'), '1,25', '1,25'],
    ['required amount', () => amountField('a', { required: true }), '5', '5'],
    [
      'named text without a space',
      () => namedTextsField('a'),
      '\n  \nX-A:b\n X-B : c',
      { 'X-A': 'b', 'X-B': 'c' },
    ],
    ['empty list', () => listField('a', v.array(v.string())), [], undefined],
    ['named text with spaces within', () => namedTextsField('a'), 'X-A:b c', { 'X-A': 'b c' }],
    ['choice', () => choiceField('a', ['x', 'y'], ''), 'y', 'y'],
    ['blank choice', () => choiceField('a', ['x', 'y'], ''), '', undefined],
    ['number of seconds', () => secondsField('a'), '1.5', 1_500],
    ['blank number of seconds', () => secondsField('a'), '', undefined],
    ['number of seconds, rounded to ms', () => secondsField('a'), '0.0016', 2],
    ['blank percentage', () => percentField('a'), ' ', undefined],
    ['number of 15 digits', () => numberField('a'), '123456789012345', 123_456_789_012_345],
    ['named text with a colon', () => namedTextsField('a'), 'X-A:  b: c\n', { 'X-A': ' b: c' }],
    ['part', () => listField('a', v.array(v.string())), ['x'], ['x']],
  ])('read input: %s', (_name, create, shown, value) => {
    const field = create()
    expect(Reflect.apply(field.read, field, [shown])).toEqual(ok(value))
  })

  it.each([
    ['number', () => numberField('a'), 2.5, '2.5'],
    ['number with a rounding error', () => numberField('a'), 0.1 + 0.2, '0.3'],
    ['number of seconds', () => secondsField('a'), 1_500, '1.5'],
    ['percentage', () => percentField('a'), 0.975, '97.5'],
    ['choice', () => choiceField('a', ['x', 'y']), 'y', 'y'],
    ['part', () => listField('a', v.array(v.string())), ['x'], ['x']],
    ['list of lines', () => linesField('a'), ['x', 'y'], 'x\ny'],
    ['list of words', () => wordsField('a'), ['x', 'y'], 'x\ny'],
    ['amount', () => amountField('a'), '1.50', '1.50'],
    ['word for no value', () => withWord('none', null, numberField('a')), null, 'none'],
    ['value in a field with a word', () => withWord('none', null, numberField('a')), 7, '7'],
  ])('show a stored value: %s', (_name, create, value, shown) => {
    expect(create().show(value)).toEqual(shown)
  })

  it.each(['1.', '.5', '1e3', '-1', '+1', '1x', 'x1', '1.2.3', '1234567890123456', `1.${'1'.repeat(13)}`])(
    'reject the number %j',
    (text) => {
      const wrong = err({ kind: 'not-a-number' })
      expect(numberField('a').read(text)).toEqual(wrong)
      expect(secondsField('a', { required: true }).read(text)).toEqual(wrong)
      expect(percentField('a').read(text)).toEqual(err({ kind: 'not-a-percentage' }))
    },
  )

  it('show a percentage exactly as typed', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (thousandths) => {
        const typed = String(thousandths / 1_000)
        const kept = percentField('a').read(typed)
        expect(kept.ok && percentField('a').show(kept.value)).toBe(typed)
      }),
    )
  })
})
