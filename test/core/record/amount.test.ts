import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLess, shiftedText, spreadText, sumText } from '#record/amount.ts'

describe('an amount in another unit', () => {
  it.each([
    ['1250000', 0, '1250000'],
    ['1250000', 6, '1.25'],
    ['1250000', 7, '0.125'],
    ['1', 18, '0.000000000000000001'],
    ['0', 18, '0'],
    ['1000', 3, '1'],
    ['12.5', 1, '1.25'],
    ['12.05', 2, '0.1205'],
    ['9007199254740993', 6, '9007199254.740993'],
    ['1.50', 0, '1.50'],
    ['0012345', 2, '123.45'],
    ['005', 1, '0.5'],
    ['10050', 2, '100.5'],
  ])('%s with %i decimals is %s', (text, decimals, shown) => {
    expect(shiftedText(text, decimals)).toBe(shown)
  })

  it('loses no digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.integer({ min: 0, max: 36 }),
        (value, decimals) => {
          const [whole = '', fraction = ''] = shiftedText(String(value), decimals).split('.')
          expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(value)
          expect(fraction.length).toBeLessThanOrEqual(decimals)
        },
      ),
    )
  })
})

describe('the sum of two amounts', () => {
  it.each([
    ['1', '2', '3'],
    ['0.1', '0.2', '0.3'],
    ['1.5', '2.5', '4'],
    ['1', '0.25', '1.25'],
    ['0.25', '1', '1.25'],
    ['9007199254740993', '0.000001', '9007199254740993.000001'],
    ['0', '0', '0'],
    ['0.05', '0.95', '1'],
  ])('%s and %s is %s', (a, b, sum) => {
    expect(sumText(a, b)).toBe(sum)
  })

  it('is as exact as its parts', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 30n })
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 0, max: 18 }), (a, b, decimals) => {
        const text = (amount: bigint): string => shiftedText(String(amount), decimals)
        expect(sumText(text(a), text(b))).toBe(text(a + b))
      }),
    )
  })
})

it.each([
  ['9', '10', true],
  ['10', '9', false],
  ['10', '10', false],
  ['9007199254740992', '9007199254740993', true],
  ['1.5', '1.50', false],
  ['1.5', '1.51', true],
  ['0.9', '1', true],
  ['1', '0.9', false],
  ['007', '10', true],
  ['0.10', '0.9', true],
  ['0', '0.000001', true],
  ['100', '20', false],
  ['1', '1.01', true],
  ['1.01', '1.010', false],
])('comparing amounts %s is less than %s: %s', (a, b, less) => {
  expect(isLess(a, b)).toBe(less)
})

it.each([
  [['9007199254740993', '9007199254740992'], '1'],
  [['0.1', '0.25', '0.2'], '0.15'],
  [['12', '12'], '0'],
  [['-1.5', '2'], '3.5'],
  [['0', '1267650600228229401496703205376.5'], '1267650600228229401496703205376.5'],
  [[], '0'],
])('the spread of %j is %s', (texts, spread) => {
  expect(spreadText(texts)).toBe(spread)
})
