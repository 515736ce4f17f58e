import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isExactAsDouble, isWhole, parseExactNumber } from '#record/exact-number.ts'

describe('a number as the service wrote it', () => {
  it.each([
    ['0', '0', 0],
    ['-0', '0', 0],
    ['0.000', '0', 0],
    ['0e999', '0', 0],
    ['1e-400', '0', 0],
    ['5e-324', '0', 0],
    ['-9e-81', '0', 0],
    ['1250000', '1250000', 1_250_000],
    ['1250000.00', '1250000', 1_250_000],
    ['0.9842', '0.9842', 0.9842],
    ['-12.50', '-12.5', -12.5],
    ['9007199254740993', '9007199254740993', 9_007_199_254_740_992],
    ['1.25e6', '1250000', 1_250_000],
    ['1.25E+6', '1250000', 1_250_000],
    ['12.5e1', '125', 125],
    ['12.5e0', '12.5', 12.5],
    ['125e-2', '1.25', 1.25],
    ['125e-3', '0.125', 0.125],
    ['1e-7', '0.0000001', 1e-7],
    ['1e79', `1${'0'.repeat(79)}`, 1e79],
  ])('%s is %s exactly', (token, text, value) => {
    expect(parseExactNumber(token)).toEqual({ text, value })
  })

  it.each([
    '',
    '-',
    '01',
    '+1',
    '.5',
    '1.',
    '1e',
    'NaN',
    'Infinity',
    '0x10',
    '1 ',
    ' 1',
    '1,000',
    '--1',
    '1e5.5',
  ])('%j is not a JSON number', (token) => {
    expect(parseExactNumber(token)).toBeUndefined()
  })

  it.each([
    '1e400',
    '-1e400',

    '1e81',
    '1e80',
    '1'.repeat(81),
    '1.5e-80',
    `0.${'1'.repeat(81)}`,
    `1.${'1'.repeat(200)}`,
  ])('%s has more digits than are kept', (token) => {
    expect(parseExactNumber(token)).toBeUndefined()
  })

  it('agrees with BigInt for every whole number and with the double for every finite one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), (amount) => {
        expect(parseExactNumber(amount.toString())?.text).toBe(amount.toString())
      }),
    )
    fc.assert(
      fc.property(fc.double({ min: -1e60, max: 1e60, noNaN: true }), (amount) => {
        const exact = parseExactNumber(JSON.stringify(amount))
        if (exact !== undefined) expect(Number(exact.text)).toBeCloseTo(amount, 10)
        if (Math.abs(amount) > 1e-60 || Math.abs(amount) < 1e-80) expect(exact).toBeDefined()
      }),
    )
  })

  it('an exponent moves the decimal point and changes nothing else', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999_999 }),
        fc.integer({ min: -40, max: 40 }),
        (digits, exponent) => {
          const exact = parseExactNumber(`${digits}e${exponent}`)
          expect(exact?.text.replace('.', '').replace(/^0+|0+$/g, '')).toBe(String(digits).replace(/0+$/, ''))
          expect(Number(exact?.text)).toBe(Number(`${digits}e${exponent}`))
        },
      ),
    )
  })
})

it.each([
  ['1250000', true, true],
  ['9007199254740991', true, true],
  ['9007199254740993', false, true],
  ['9007199254740992', false, true],
  ['0.5', true, false],
  ['0.9842', true, false],
  ['0.10000000000000000001', false, false],
  ['1250000.25', true, false],
])('a number in a chart %s: exact as a double %s, whole %s', (token, exact, whole) => {
  const number = parseExactNumber(token)
  expect(number).toBeDefined()
  if (number === undefined) return
  expect(isExactAsDouble(number)).toBe(exact)
  expect(isWhole(number)).toBe(whole)
})
